//! What each action does to the settings.

use std::time::Duration;

use crate::pty::{Flag, Mode};
use crate::workload::{Direction, MAX_CHUNK, Pace, Payload, Peers, Preset, Settings};

use super::super::action::Action;
use super::Desk;

/// The settings after `actions`, all of which must be accepted.
fn after(actions: &[Action]) -> Settings {
    let mut desk = Desk::new();
    desk.run(1);
    for &action in actions {
        let left = desk.press(action);
        assert!(left.is_empty());
        desk.run(1);
        let in_force = &desk.app.data.latest.as_ref().unwrap().settings;
        assert_eq!(**in_force, desk.app.settings, "{action:?}");
    }
    desk.app.settings
}

fn chunk_after(first: usize, action: Action) -> usize {
    let mut desk = Desk::with(
        Settings {
            chunk: first,
            ..Settings::default()
        },
        1,
    );
    desk.press(action);
    desk.app.settings.chunk
}

#[test]
fn chunks_step_scale_and_cross() {
    for (first, action, then) in [
        (256, Action::Cross, 257),
        (257, Action::Cross, 256),
        (9000, Action::Cross, 256),
        (256, Action::Step(true), 257),
        (256, Action::Step(false), 255),
        (1, Action::Step(false), 1),
        (MAX_CHUNK, Action::Step(true), MAX_CHUNK),
        (256, Action::Scale(true), 512),
        (257, Action::Scale(false), 128),
        (1, Action::Scale(false), 1),
        (MAX_CHUNK - 1, Action::Scale(true), MAX_CHUNK),
        (256, Action::Boundary(true), 257),
        (257, Action::Boundary(true), 512),
        (256, Action::Boundary(false), 255),
        (5000, Action::Boundary(false), 2049),
    ] {
        assert_eq!(chunk_after(first, action), then, "{first} {action:?}");
    }
}

#[test]
fn a_key_that_changes_nothing_says_so() {
    let mut desk = Desk::new();
    for (chunk, action, word) in [
        (5000, Action::Boundary(true), "no boundary above 5000"),
        (1, Action::Boundary(false), "no boundary below 1"),
        (1, Action::Step(false), "as it was"),
    ] {
        desk.app.settings.chunk = chunk;
        assert!(desk.press(action).is_empty());
        assert!(desk.message().contains(word), "{}", desk.message());
        assert_eq!(desk.app.settings.chunk, chunk);
    }
    let faster = Action::PaceStep {
        reader: true,
        faster: true,
    };
    desk.press(faster);
    assert!(desk.message().contains("p chooses"), "{}", desk.message());
}

#[test]
fn direction_goes_around_and_takes_what_does_not_fit_along() {
    let mut desk = Desk::new();
    let seen: Vec<Direction> = (0..4)
        .map(|_| {
            desk.press(Action::Direction);
            desk.app.settings.direction
        })
        .collect();
    use Direction::{Both, Echo, MasterToSlave, SlaveToMaster};
    assert_eq!(seen, [MasterToSlave, Both, Echo, SlaveToMaster]);
    // Cooked has ECHO, which makes no sense in both directions or in echo.
    let cooked = after(&[Action::Mode, Action::Direction, Action::Direction]);
    assert_eq!(cooked.direction, Both);
    assert!(!cooked.mode.has(Flag::Echo) && cooked.mode.has(Flag::Icanon));
}

#[test]
fn cooked_picks_lines_where_a_canonical_reader_needs_them() {
    let toggled = after(&[Action::Mode]);
    assert_eq!(toggled.mode, Mode::COOKED);
    assert_eq!(toggled.effective_payload(), Payload::Sequence);
    assert_eq!(after(&[Action::Mode, Action::Mode]).mode, Mode::RAW);

    // A sequence asked for outright gives way.
    let mut desk = Desk::new();
    desk.press(Action::Direction);
    desk.app.settings.payload = Some(Payload::Sequence);
    desk.press(Action::Mode);
    assert_eq!(desk.app.settings.mode, Mode::COOKED);
    assert_eq!(desk.app.settings.effective_payload(), Payload::LINES);
    desk.press(Action::Mode);
    assert_eq!(desk.app.settings.effective_payload(), Payload::Sequence);

    let flag = after(&[Action::Direction, Action::Toggle(Flag::Icanon)]);
    assert!(flag.mode.has(Flag::Icanon));
    assert_eq!(flag.effective_payload(), Payload::LINES);
    let flag = after(&[Action::Toggle(Flag::Opost), Action::Toggle(Flag::Opost)]);
    assert_eq!(flag.mode, Mode::RAW);
}

#[test]
fn payloads_are_those_that_make_a_workload() {
    let mut desk = Desk::new();
    let seen: Vec<Payload> = (0..4)
        .map(|_| {
            desk.press(Action::Payload);
            desk.app.settings.effective_payload()
        })
        .collect();
    let all = [
        Payload::LINES,
        Payload::Random(1),
        Payload::Constant,
        Payload::Sequence,
    ];
    assert_eq!(seen, all);
    let paste = Action::Preset(3);
    let seen = after(&[paste, Action::Payload]).effective_payload();
    assert_eq!(seen, Payload::Constant);
}

#[test]
fn paces_have_kinds_and_steps() {
    let slower = |reader| Action::PaceStep {
        reader,
        faster: false,
    };
    let reader = after(&[Action::Pace(true), slower(true)]);
    assert_eq!(reader.reader_pace, Pace::Delay(Duration::from_millis(2)));
    assert_eq!(reader.writer_pace, Pace::None);
    let writer = after(&[Action::Pace(false), Action::Pace(false), slower(false)]);
    assert_eq!(writer.writer_pace, Pace::Rate(500_000));
    assert_eq!(writer.reader_pace, Pace::None);
    let stopped = after(&[Action::Pace(true); 3]);
    assert_eq!(stopped.reader_pace, Pace::Stopped);
    // In a ping-pong nobody may stop.
    let echo = [vec![Action::Direction; 3], vec![Action::Pace(true); 3]].concat();
    assert_eq!(after(&echo).reader_pace, Pace::None);
}

#[test]
fn peers_and_cpus_go_around() {
    assert_eq!(after(&[Action::Peers]).peers, Peers::Processes);
    assert_eq!(after(&[Action::Peers; 2]).peers, Peers::Threads);
    let cpus = |times| {
        let settings = after(&vec![Action::Cpus; times]);
        (settings.writer_cpu, settings.reader_cpu)
    };
    assert_eq!(cpus(1), (Some(0), Some(0)));
    assert_eq!(cpus(2), (Some(0), Some(1)));
    assert_eq!(cpus(3), (None, None));
}

#[test]
fn number_keys_choose_presets() {
    for (number, preset) in Preset::ALL.into_iter().enumerate() {
        // Unlike all of them to begin with.
        let settings = after(&[Action::Step(true), Action::Preset(number)]);
        assert_eq!(settings, preset.settings(), "{}", preset.name);
    }
}

#[test]
fn a_contradiction_is_said_and_changes_nothing() {
    let mut desk = Desk::new();
    for _ in 0..3 {
        desk.press(Action::Direction);
    }
    desk.run(1);
    let before = desk.app.settings.clone();
    desk.press(Action::Toggle(Flag::Echo));
    assert_eq!(desk.app.settings, before);
    assert!(desk.message().contains("ECHO"), "{}", desk.message());
    assert!(desk.app.message.as_ref().unwrap().is_error);
    desk.run(1);
    assert_eq!(*desk.app.data.latest.as_ref().unwrap().settings, before);
}
