//! Tours of a recording: where their steps are, and how they play.

use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::record::{self, Header, Journal, Recording, SourceKind};
use crate::sample::Request;
use crate::workload::{Line, Pace, Settings};

use super::super::replay::{advance, key, start};
use super::super::state::{App, View};
use super::super::theme::Theme;
use super::super::tour::{self, Part, Phase, Tour, parse, parts, take_over};
use super::replays::{at, header, picture};
use super::synthetic::Synthetic;

const MS: u64 = 1_000_000;

/// A run of 20 samples under each of `settings`, a tenth of a second each. The
/// first of each, but for the very first, straddles the change.
fn recorded(header: &Header, settings: &[Settings]) -> Recording {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.rec");
    let journal = Journal::begin(&path, header).unwrap();
    let mut source = Synthetic::new(settings[0].clone(), 1);
    for settings in settings {
        source.answer(Request::Set(settings.clone()));
        (0..20).for_each(|_| journal.sample(&source.sample()));
    }
    drop(journal);
    record::read(&path).unwrap()
}

/// A run under each of these chunks, with a reader that is held back.
fn chunks(chunks: &[usize]) -> Recording {
    let settings = chunks.iter().map(|&chunk| Settings {
        chunk,
        reader_pace: Pace::Delay(Duration::from_millis(1)),
        ..Settings::default()
    });
    recorded(&header(), &settings.collect::<Vec<_>>())
}

/// A tour of these steps, each a second long.
fn tour_of(steps: &[&str]) -> Tour {
    let steps = steps
        .iter()
        .enumerate()
        .map(|(at, step)| format!("[[step]]\n{step}\ncaption = \"caption {at}\"\nwait = \"1s\"\n"));
    let text = format!("format = 1\ntitle = \"t\"\n{}", steps.collect::<String>());
    parse("own.toml", "own", text.as_bytes()).unwrap()
}

fn found(steps: &[&str], recording: &Recording) -> Vec<(u64, u64)> {
    let parts = parts(&tour_of(steps), recording, "a.rec").unwrap();
    let ms = |part: &Part| (part.from_ns / MS, part.until_ns / MS);
    parts.iter().map(ms).collect()
}

fn refused(tour: &Tour, recording: &Recording) -> String {
    parts(tour, recording, "a.rec").unwrap_err().to_string()
}

#[test]
fn a_step_is_the_next_stretch_with_what_it_states() {
    let recording = chunks(&[255, 256, 257, 256]);
    // The sample that straddles a change is in no stretch.
    let steps = ["set = { chunk = 256 }", "set = { chunk = 257 }"];
    assert_eq!(found(&steps, &recording), [(2200, 4000), (4200, 6000)]);
    // One that sets the same goes on where the one before came to.
    let same = [steps[0], "view = \"big\"", "", steps[0]];
    assert_eq!(
        found(&same, &recording),
        [(2200, 4000), (3200, 4000), (6200, 8000), (7200, 8000)]
    );
    // What has passed for good is shown again.
    let back = [steps[1], "set = { chunk = 255 }", steps[1]];
    assert_eq!(
        found(&back, &recording),
        [(4200, 6000), (100, 2000), (4200, 6000)]
    );
}

#[test]
fn only_what_a_step_or_one_before_states_is_compared() {
    let recording = chunks(&[256, 300]);
    assert_eq!(found(&[""], &recording), [(100, 4000)]);
    let mode = "set = { mode = \"raw\", read-size = \"chunk\" }";
    assert_eq!(found(&[mode], &recording), [(100, 4000)]);
    // As many bytes a read as a chunk has, however it is said.
    let read_size = "set = { chunk = 300, read-size = 300 }";
    assert_eq!(found(&[read_size], &recording), [(2200, 4000)]);
    let preset = tour_of(&["set = { preset = \"stuck\", chunk = 300 }"]);
    assert_eq!(
        refused(&preset, &recording),
        "step 1 of tour own wants reader-pace stopped, of which a.rec has nothing"
    );
    let chunk = ["set = { chunk = 300 }", "set = { reader-pace = \"2ms\" }"];
    assert!(
        refused(&tour_of(&chunk), &recording).starts_with("step 2 of tour own wants reader-pace")
    );
}

#[test]
fn what_a_recording_lacks_is_named() {
    let recording = chunks(&[255, 256]);
    let steps = ["set = { chunk = 255 }", "set = { chunk = 257 }"];
    assert_eq!(
        refused(&tour_of(&steps), &recording),
        "step 2 of tour own wants chunk 257, of which a.rec has nothing"
    );
    let one = |chunk, verify| Settings {
        chunk,
        verify,
        ..Settings::default()
    };
    let recording = recorded(&header(), &[one(256, true), one(300, false)]);
    let both = tour_of(&["set = { chunk = 300, verify = true }"]);
    assert_eq!(
        refused(&both, &recording),
        "step 1 of tour own wants chunk 300, verify true, which a.rec never has together"
    );
    assert_eq!(
        refused(&Tour::named("seed2").unwrap(), &recording),
        "tour seed2 is of a link, a.rec of a driven pty"
    );
}

#[test]
fn a_link_is_compared_by_its_line() {
    let link = Header {
        source: SourceKind::Link,
        line: Some(Line::default()),
        ..header()
    };
    let mut recording = chunks(&[256]);
    recording.header = link;
    assert_eq!(
        refused(&tour_of(&[""]), &recording),
        "tour own is of a driven pty, a.rec of a link"
    );
    let late = Line {
        latency: Duration::from_millis(4),
        ..Line::default()
    };
    let lines = [Line::default(), late];
    for (entry, line) in recording
        .entries
        .iter_mut()
        .zip(lines.iter().flat_map(|line| [line; 10]))
    {
        let record::What::Sample(sample) = &mut entry.what else {
            panic!("not a sample");
        };
        let link = crate::sample::LinkSample {
            line: Arc::new(line.clone()),
            links: Vec::new(),
        };
        Arc::make_mut(sample).link = Some(link);
    }
    let seed2 = Tour::named("seed2").unwrap();
    let ms: Vec<_> = parts(&seed2, &recording, "a.rec").unwrap();
    let from: Vec<_> = ms.iter().map(|part| part.from_ns / MS).collect();
    assert_eq!(from, [100, 100, 1100, 1100, 100]);
    recording.entries.truncate(10);
    assert_eq!(
        refused(&seed2, &recording),
        "step 3 of tour seed2 wants latency 4.00 ms, of which a.rec has nothing"
    );
}

/// On the screen, at the tour's first step.
fn begun(recording: Recording, steps: &[&str]) -> App {
    let mut app = start(Arc::new(recording), Theme::Dark, false);
    assert!(tour::start(&mut app, Arc::new(tour_of(steps))).is_empty());
    app
}

fn pass(app: &mut App, ms: u64) {
    // As often as the screen does.
    for _ in 0..ms / 100 {
        advance(app, Duration::from_millis(100));
    }
}

fn phase(app: &App) -> Option<(Phase, usize)> {
    let playing = app.stage.tour.as_ref()?;
    Some((playing.phase, playing.at))
}

const STEPS: [&str; 3] = [
    "set = { chunk = 257 }\nview = \"kernel\"",
    "view = \"big\"\nnumber = \"in flight\"",
    "set = { chunk = 255 }\nview = \"checks\"",
];

#[test]
fn steps_play_with_their_captions_to_the_end() {
    let mut app = begun(chunks(&[255, 257]), &STEPS);
    assert_eq!(
        (at(&app) / MS, app.settings.chunk, app.view),
        (2200, 257, View::Kernel)
    );
    assert!(picture(&app, 80, 24).contains("caption 0"));
    pass(&mut app, 900);
    assert_eq!(at(&app) / MS, 3100);
    pass(&mut app, 100);
    assert_eq!(
        (phase(&app), app.view),
        (Some((Phase::Running, 1)), View::Big)
    );
    assert!(picture(&app, 80, 24).contains("TOUR 2/3"));
    // Its part is shorter than its wait: the picture stands at the end of it.
    pass(&mut app, 900);
    assert_eq!((at(&app) / MS, app.settings.chunk), (4000, 257));
    // A recording has no checks: the view stays.
    pass(&mut app, 100);
    assert_eq!(
        (at(&app) / MS, app.settings.chunk, app.view),
        (100, 255, View::Big)
    );
    pass(&mut app, 1_100);
    assert_eq!(phase(&app), Some((Phase::Over, 2)));
    assert_eq!(at(&app) / MS, 1100);
    assert!(picture(&app, 80, 24).contains("caption 2"));
    pass(&mut app, 1_000);
    assert_eq!(at(&app) / MS, 1100);
}

#[test]
fn its_speed_is_that_of_the_replay() {
    let mut app = begun(chunks(&[255, 257]), &STEPS);
    app.replay.as_mut().unwrap().speed = 0.5;
    pass(&mut app, 1_900);
    assert_eq!(
        (phase(&app), at(&app) / MS),
        (Some((Phase::Running, 0)), 3150)
    );
    pass(&mut app, 100);
    assert_eq!(phase(&app), Some((Phase::Running, 1)));
}

#[test]
fn a_key_takes_over_and_the_tour_goes_on_where_it_was() {
    let mut app = begun(chunks(&[255, 257]), &STEPS);
    let press = |app: &mut App, code| drop(key(app, &KeyEvent::new(code, KeyModifiers::NONE)));
    pass(&mut app, 300);
    take_over(&mut app);
    press(&mut app, KeyCode::Home);
    pass(&mut app, 1_500);
    assert_eq!(phase(&app), Some((Phase::Taken, 0)));
    assert_eq!((at(&app) / MS, app.settings.chunk), (1600, 255));
    assert!(!picture(&app, 80, 24).contains("caption 0"));
    press(&mut app, KeyCode::Char(' '));
    press(&mut app, KeyCode::Char('T'));
    assert_eq!(
        (phase(&app), at(&app) / MS),
        (Some((Phase::Running, 0)), 2200)
    );
    pass(&mut app, 1_000);
    assert_eq!(phase(&app), Some((Phase::Running, 1)));
}

#[test]
fn a_tour_that_is_chosen_and_is_not_in_the_recording_is_told() {
    let mut app = start(Arc::new(chunks(&[255, 257])), Theme::Dark, false);
    drop(key(
        &mut app,
        &KeyEvent::new(KeyCode::Char('T'), KeyModifiers::SHIFT),
    ));
    assert!(picture(&app, 80, 24).contains("1  seed1"));
    assert!(tour::choose(&mut app, Some('1')).is_empty());
    assert_eq!(phase(&app), None);
    let told = &app.message.as_ref().unwrap().text;
    assert!(
        told.starts_with("step 1 of tour seed1 wants ")
            && told.ends_with(" the recording has nothing"),
        "{told}"
    );
}
