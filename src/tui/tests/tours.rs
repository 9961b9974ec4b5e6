//! Tours: what they do to the screen, and which are refused.

use std::sync::Arc;

use crate::analysis::SplitMix64;

use super::super::action::Action;
use super::super::state::View;
use super::super::tour::{Phase, Stage, Tour, choose, parse, start, take_over};
use super::Desk;

const SHORT: &str = r#"format = 1
title = "short"

[[step]]
set = { chunk = "1K" }
view = "kernel"
caption = "first"
wait = "1s"

[[step]]
set = { chunk = 64, read-size = "4K" }
view = "big"
number = "in flight"
caption = "second"
wait = "1s"
"#;

fn begun() -> Desk {
    let mut desk = Desk::new();
    desk.run(1);
    let tour = parse("short.toml", "short", SHORT.as_bytes()).unwrap();
    let effects = start(&mut desk.app, Arc::new(tour));
    desk.carry_out(effects);
    desk
}

fn phase(desk: &Desk) -> Option<(Phase, usize)> {
    let playing = desk.app.stage.tour.as_ref()?;
    Some((playing.phase, playing.at))
}

#[test]
fn the_built_in_tours_are_tours() {
    for name in ["seed1", "seed2", "backpressure", "cooked", "paste"] {
        let tour = Tour::named(name).unwrap();
        assert_eq!(tour.stage == Stage::Link, name == "seed2");
        assert!(tour.steps.len() > 2, "{name}");
    }
    assert_eq!(Tour::built_in(Stage::Workload).len(), 4);
    assert_eq!(Tour::built_in(Stage::Link).len(), 1);
}

#[test]
fn what_the_built_in_tours_say_fits_a_projectors_screen() {
    for name in ["seed1", "seed2", "backpressure", "cooked", "paste"] {
        let tour = Tour::named(name).unwrap();
        let mut desk = Desk::new();
        desk.run(1);
        for step in &tour.steps {
            desk.app.stage.caption = Some(step.caption.clone());
            let picture = desk.picture(80, 24);
            let end = step.caption.rsplit(' ').next().unwrap();
            let below_title: Vec<_> = picture.lines().skip(1).take(2).collect();
            let is_whole = below_title.iter().any(|line| line.ends_with(end));
            assert!(is_whole, "{name}: {below_title:?}");
        }
    }
}

#[test]
fn steps_follow_each_other_to_the_end() {
    let mut desk = begun();
    assert_eq!(
        (desk.app.settings.chunk, desk.app.view),
        (1024, View::Kernel)
    );
    assert!(desk.picture(80, 24).contains("first"));
    desk.run(9);
    assert_eq!(phase(&desk), Some((Phase::Running, 0)));
    desk.run(1);
    assert_eq!(phase(&desk), Some((Phase::Running, 1)));
    assert_eq!((desk.app.settings.chunk, desk.app.view), (64, View::Big));
    assert_eq!(desk.app.settings.read_size, Some(4096));
    desk.run(10);
    assert_eq!(phase(&desk), Some((Phase::Over, 1)));
    assert!(desk.picture(80, 24).contains("second"));
    take_over(&mut desk.app);
    assert_eq!(phase(&desk), None);
    assert!(!desk.picture(80, 24).contains("second"));
}

#[test]
fn any_key_takes_over_and_the_tour_goes_on_where_it_was() {
    let mut desk = begun();
    desk.run(12);
    take_over(&mut desk.app);
    desk.press(Action::Scale(true));
    desk.press(Action::Pause);
    desk.run(50);
    assert_eq!(phase(&desk), Some((Phase::Taken, 1)));
    assert_eq!(desk.app.settings.chunk, 128);
    assert!(!desk.picture(80, 24).contains("second"));
    desk.press(Action::Tour);
    assert_eq!(phase(&desk), Some((Phase::Running, 1)));
    assert_eq!((desk.app.settings.chunk, desk.app.paused), (64, false));
    desk.press(Action::Tour);
    assert_eq!(phase(&desk), Some((Phase::Taken, 1)));
}

#[test]
fn without_a_tour_its_key_offers_a_choice() {
    let mut desk = Desk::new();
    desk.run(1);
    desk.press(Action::Tour);
    let picture = desk.picture(80, 24);
    assert!(picture.contains("2  backpressure"), "{picture}");
    let effects = choose(&mut desk.app, Some('2'));
    desk.carry_out(effects);
    assert_eq!(phase(&desk), Some((Phase::Running, 0)));
    let mut desk = Desk::new();
    for key in [None, Some('0'), Some('9'), Some('q')] {
        desk.press(Action::Tour);
        assert!(choose(&mut desk.app, key).is_empty());
        assert_eq!((desk.app.stage.choosing, phase(&desk)), (false, None));
    }
}

#[test]
fn a_bad_tour_is_refused_with_its_line() {
    let line_of = |text: &str| parse("t", "t", text.as_bytes()).unwrap_err().line;
    for (good, bad, line) in [
        ("format = 1", "format = 2", 1),
        ("chunk = \"1K\"", "chunk = 0", 5),
        ("chunk = \"1K\"", "chunk = 99999999999999999999", 5),
        ("chunk = \"1K\"", "chunks = 1", 5),
        ("chunk = \"1K\"", "mode = \"half\"", 5),
        ("chunk = \"1K\"", "preset = \"none\"", 5),
        (
            "chunk = \"1K\"",
            "direction = \"echo\", reader-pace = \"stopped\"",
            5,
        ),
        ("view = \"kernel\"", "view = \"link\"", 6),
        ("view = \"kernel\"", "line = { latency = \"1ms\" }", 6),
        ("wait = \"1s\"", "wait = \"1\"", 8),
        ("wait = \"1s\"", "wait = \"3000000h\"", 8),
        ("number = \"in flight\"", "number = \"size\"", 13),
    ] {
        let text = SHORT.replacen(good, bad, 1);
        assert_eq!(line_of(&text), Some(line), "{bad}");
    }
    let head = "format = 1\ntitle = \"t\"\n";
    assert!(parse("t", "t", head.as_bytes()).is_err());
    let utf8 = parse("t", "t", b"format = 1\n\xff").unwrap_err();
    assert_eq!(utf8.to_string(), "t:2: no UTF-8");
    let step = "[[step]]\ncaption=\"\"\nwait=\"1s\"\n";
    let many = format!("{head}{}", step.repeat(1001));
    assert_eq!(line_of(&many), Some(3 + 3 * 1000));
    let huge = format!("{head}{}", step.repeat(1_000_000));
    assert_eq!(line_of(&huge), None);
    assert!(Tour::named("/nowhere/at/all").is_err());
}

/// `bytes` with a few of the things that a broken disk, a hurried hand or
/// somebody hostile does to a text.
fn spoilt(rng: &mut SplitMix64, mut bytes: Vec<u8>) -> Vec<u8> {
    const PARTS: [&[u8]; 10] = [
        b"[[step]]\n",
        b"\"",
        b"{",
        b"[",
        b"99999999999999999999",
        b"\xff\xfe",
        b"=",
        b"-1",
        b"0.0000001",
        b"\"18446744073709551615h\"",
    ];
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() as u64) as usize;
        let end = (at + 1 + rng.below(40) as usize).min(bytes.len());
        let part = PARTS[rng.below(PARTS.len() as u64) as usize];
        match rng.below(6) {
            0 => bytes[at] = rng.next_u64() as u8,
            1 => drop(bytes.splice(at..at, part.iter().copied())),
            2 => drop(bytes.splice(at..end, part.iter().copied())),
            3 => drop(bytes.drain(at + 1..end)),
            4 => {
                let twice = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, twice));
            }
            _ => bytes.truncate(at + 1),
        }
    }
    bytes
}

#[test]
fn a_refusal_shows_what_it_is_about_and_does_it_not() {
    let text = b"format = 1\ntitle = \"t\"\n\"\\u001b[2J\" = 1\n";
    let error = parse("a\u{1b}c.toml", "a\u{1b}c", text).unwrap_err();
    let told = error.to_string();
    assert!(told.starts_with("a\\u{1b}c.toml:3: "), "{told}");
    assert!(told.contains("\\u{1b}[2J"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
    let tour = parse("f", "a\u{1b}[31m b", SHORT.as_bytes()).unwrap();
    assert_eq!(tour.name, "a [31m b");
}

#[test]
fn hostile_texts_are_tours_or_refused() {
    let mut rng = SplitMix64::new(7);
    let texts = [
        SHORT,
        include_str!("../../../assets/tours/seed1.toml"),
        include_str!("../../../assets/tours/seed2.toml"),
        include_str!("../../../assets/tours/backpressure.toml"),
        include_str!("../../../assets/tours/cooked.toml"),
        include_str!("../../../assets/tours/paste.toml"),
    ];
    let mut refused = 0;
    for round in 0..4000 {
        let bytes = spoilt(&mut rng, texts[round % texts.len()].as_bytes().to_vec());
        match parse("t", "t", &bytes) {
            Err(error) => {
                refused += 1;
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
                assert!(error.line.is_none_or(|line| (1..=lines).contains(&line)));
                assert!(!error.reason.is_empty());
            }
            Ok(tour) => {
                let mut desk = Desk::new();
                for step in &tour.steps {
                    assert_eq!(step.settings.check(), Ok(()));
                    assert_eq!(step.line.check(), Ok(()));
                    desk.app.stage.caption = Some(step.caption.clone());
                    let picture = desk.picture(40, 10);
                    assert!(picture.chars().all(|c| c == '\n' || !c.is_control()));
                }
                start(&mut desk.app, Arc::new(tour));
                desk.run(1);
            }
        }
    }
    assert!(refused > 1000);
    let deep = format!("format = {}", "[".repeat(100_000));
    assert!(parse("t", "t", deep.as_bytes()).is_err());
}
