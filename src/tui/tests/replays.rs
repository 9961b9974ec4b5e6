//! A recording on the screen.

use std::sync::Arc;
use std::time::Duration;

use crate::analysis::SplitMix64;
use crate::host::ClockSource;
use crate::record::{self, Header, Journal, Recording, SourceKind, VERSION};
use crate::report::Program;
use crate::sample::{Ending, Event, Notice, Verdict};
use crate::workload::Settings;

use super::super::action::{Action, bindings};
use super::super::replay::{Turn, advance, start, turn};
use super::super::state::{App, View};
use super::super::theme::Theme;
use super::super::update::{feed, update};
use super::super::view;
use super::synthetic::Synthetic;
use super::{Desk, facts, text};

const SECOND: u64 = 1_000_000_000;

pub fn header() -> Header {
    Header {
        ptyscope_recording: VERSION,
        program: Program::this(),
        command: vec!["ptyscope".to_owned()],
        started: "2026-11-30T21:04:15Z".parse().unwrap(),
        source: SourceKind::Workload,
        settings: Settings::default(),
        line: None,
        limit: None,
        host: (*facts().host).clone(),
        clock: ClockSource::default(),
        clock_ns: 24.0,
        no_kmallocs: None,
    }
}

/// Half a minute that crosses the boundary twice, recorded and read.
fn recording() -> Recording {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec.gz");
    let journal = Journal::begin(&path, &header()).unwrap();
    let mut desk = Desk::new();
    for number in 0..300 {
        if number % 100 == 99 {
            journal.key("x", "go across");
            let effects = update(&mut desk.app, Action::Cross);
            desk.carry_out(effects);
        }
        match number {
            50 => journal.caption(Some("What happens at 256?")),
            150 => journal.caption(None),
            200 => journal.look("kernel", "throughput"),
            250 => journal.notice(&Notice::Alarm("bytes came wrong".to_owned())),
            _ => {}
        }
        let sample = desk.source.sample();
        journal.sample(&sample);
        desk.tell(Event::Sample(Arc::new(sample)));
    }
    let ending = Ending {
        verdict: Verdict::Sound,
        integrity: desk.source.integrity,
        failure: None,
        closing: None,
    };
    journal.end(&ending, 0);
    record::read(&path).unwrap()
}

fn app() -> App {
    start(Arc::new(recording()), Theme::Dark, false)
}

pub fn picture(app: &App, width: u16, height: u16) -> String {
    let area = ratatui::layout::Rect::new(0, 0, width, height);
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    view::draw(app, area, &mut buffer);
    text(&buffer)
}

pub fn at(app: &App) -> u64 {
    app.replay.as_ref().unwrap().at_ns
}

#[test]
fn it_looks_as_it_did_and_says_what_it_is() {
    let mut app = app();
    turn(&mut app, Turn::By(20));
    turn(&mut app, Turn::By(3));
    turn(&mut app, Turn::Pause);
    insta::assert_snapshot!("replay_80x24", picture(&app, 80, 24));
    insta::assert_snapshot!("replay_120x40", picture(&app, 120, 40));
    turn(&mut app, Turn::By(-12));
    insta::assert_snapshot!("replay_caption_80x24", picture(&app, 80, 24));
    app.help = Some(0);
    insta::assert_snapshot!("replay_help_80x60", picture(&app, 80, 60));
}

#[test]
fn where_time_is_turned_to_all_is_as_if_it_had_been_played() {
    let recording = Arc::new(recording());
    let mut played = start(Arc::clone(&recording), Theme::Dark, false);
    let mut sought = start(recording, Theme::Dark, false);
    let mut rng = SplitMix64::new(5);
    for step in [0, 3, 14, 95, 101, 1, 60, 7] {
        // The key's message is about the moment that is played through.
        advance(&mut played, Duration::from_millis(100 * step));
        played.message = None;
        super::super::replay::seek(&mut sought, rng.below(40 * SECOND));
        let to = at(&played);
        super::super::replay::seek(&mut sought, to);
        assert_eq!(picture(&sought, 120, 40), picture(&played, 120, 40), "{to}");
    }
}

#[test]
fn the_end_stops_it_and_turning_back_revives_it() {
    let mut app = app();
    turn(&mut app, Turn::Edge(true));
    assert!(app.ended.is_some());
    advance(&mut app, Duration::from_millis(10));
    assert!(app.replay.as_ref().unwrap().paused);
    turn(&mut app, Turn::By(-5));
    assert!(app.ended.is_none());
    let before = at(&app);
    turn(&mut app, Turn::Pause);
    advance(&mut app, Duration::from_secs(1));
    assert_eq!(at(&app), before + SECOND);
    // At the end, going on begins anew.
    turn(&mut app, Turn::Edge(true));
    advance(&mut app, Duration::from_secs(1));
    turn(&mut app, Turn::Pause);
    assert!(at(&app) < SECOND && app.ended.is_none());
}

#[test]
fn markers_are_changes_captions_and_notices() {
    let mut app = app();
    turn(&mut app, Turn::Pause);
    let mut seen = Vec::new();
    loop {
        let before = at(&app);
        turn(&mut app, Turn::Mark(true));
        if at(&app) == before {
            break;
        }
        seen.push(at(&app) / SECOND);
    }
    assert_eq!(seen, [5, 10, 20, 25, 30]);
    assert_eq!(app.message.as_ref().unwrap().text, "no marker after this");
    turn(&mut app, Turn::Mark(false));
    assert_eq!(at(&app) / SECOND, 25);
}

#[test]
fn steps_go_from_sample_to_sample() {
    let mut app = app();
    turn(&mut app, Turn::By(4));
    let first = app.data.latest.as_ref().unwrap().end_ns;
    turn(&mut app, Turn::Step(true));
    turn(&mut app, Turn::Step(true));
    let third = app.data.latest.as_ref().unwrap().end_ns;
    assert_eq!(third - first, SECOND / 5);
    turn(&mut app, Turn::Step(false));
    let second = app.data.latest.as_ref().unwrap().end_ns;
    assert_eq!(second - first, SECOND / 10);
    assert!(app.replay.as_ref().unwrap().paused);
}

#[test]
fn the_recorded_view_is_followed_until_the_viewer_has_another() {
    let mut app = app();
    turn(&mut app, Turn::By(22));
    assert_eq!(app.view, View::Kernel);
    turn(&mut app, Turn::Edge(false));
    let key = |code| crossterm::event::KeyEvent::new(code, crossterm::event::KeyModifiers::NONE);
    super::super::replay::key(&mut app, &key(crossterm::event::KeyCode::F(2)));
    assert_eq!(app.view, View::Curve);
    turn(&mut app, Turn::By(22));
    assert_eq!(app.view, View::Curve);
}

#[test]
fn a_reference_is_kept_while_time_is_turned() {
    let mut app = app();
    turn(&mut app, Turn::By(8));
    update(&mut app, Action::Reference);
    turn(&mut app, Turn::By(10));
    assert!(app.data.comparison().unwrap().held);
}

#[test]
fn no_knob_is_turned_and_no_key_makes_it_panic() {
    let mut rng = SplitMix64::new(3);
    let mut app = app();
    let actions: Vec<Action> = bindings(app.groups()).map(|b| b.action).collect();
    for _ in 0..1_500 {
        let action = actions[rng.below(actions.len() as u64) as usize];
        for effect in update(&mut app, action) {
            let is_ask = matches!(effect, super::super::update::Effect::Ask(_));
            assert!(!is_ask, "{action:?}");
        }
        advance(&mut app, Duration::from_millis(rng.below(3_000)));
        if rng.below(10) == 0 {
            picture(&app, 30 + rng.below(150) as u16, 5 + rng.below(60) as u16);
        }
    }
    let key = |c| {
        let code = crossterm::event::KeyCode::Char(c);
        crossterm::event::KeyEvent::new(code, crossterm::event::KeyModifiers::NONE)
    };
    for c in ['x', 'c', 'd', 'z', 'v', 'k', '1'] {
        let effects = super::super::replay::key(&mut app, &key(c));
        assert!(effects.is_empty());
        let said = app.message.as_ref().unwrap().text.clone();
        assert!(said.contains("nothing can be turned"), "{c}: {said}");
    }
}

#[test]
fn damaged_numbers_are_drawn_in_every_view() {
    let mut rng = SplitMix64::new(17);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec");
    let journal = Journal::begin(&path, &header()).unwrap();
    let mut source = Synthetic::new(Settings::default(), 1);
    (0..60).for_each(|_| journal.sample(&source.sample()));
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    let head = whole.iter().position(|&byte| byte == b'\n').unwrap();
    let mut drawn = 0;
    for _ in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            let at = head + rng.below((bytes.len() - head) as u64) as usize;
            if bytes[at].is_ascii_digit() {
                let digits = ["9", "0", "-", "99999999", "4611686018427387904"];
                let digits = digits[rng.below(5) as usize].bytes();
                drop(bytes.splice(at..=at, digits));
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(read) = record::read(&path) else {
            continue;
        };
        let mut app = start(Arc::new(read), Theme::Dark, false);
        turn(&mut app, Turn::Edge(true));
        for view in View::REPLAY.iter().chain(&[View::Big]) {
            app.view = *view;
            picture(&app, 120, 40);
            drawn += 1;
        }
    }
    assert!(drawn > 100, "{drawn}");
}

#[test]
fn a_recording_that_has_stopped_is_told() {
    let mut desk = Desk::new();
    desk.run(3);
    feed(
        &mut desk.app,
        Event::Notice(Notice::NotRecorded("has stopped: ENOSPC".to_owned())),
    );
    let picture = desk.picture(80, 24);
    assert!(picture.contains(" NOT RECORDED ") && picture.contains("ENOSPC"));
}
