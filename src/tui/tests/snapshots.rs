//! Pictures of every view, compared with those that were looked at and found
//! good.

use crate::pty::Flag;
use crate::sample::{Ending, Event, Notice, Verdict};

use super::super::action::Action;
use super::super::state::View;
use super::Desk;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// Compares a picture with the kept one of its name and size.
fn check(desk: &Desk, name: &str, sizes: &[(u16, u16)]) {
    for &(width, height) in sizes {
        let name = format!("{name}_{width}x{height}");
        insta::assert_snapshot!(name, desk.picture(width, height));
    }
}

/// A run across the boundary and back.
fn crossed() -> Desk {
    let mut desk = Desk::new();
    desk.run(120);
    desk.press(Action::Cross);
    desk.run(81);
    desk
}

/// The same after a look at other chunks.
fn explored() -> Desk {
    let mut desk = crossed();
    for action in [
        Action::Scale(true),
        Action::Scale(true),
        Action::Scale(true),
    ] {
        desk.press(action);
        desk.run(10);
    }
    desk.press(Action::AskChunk);
    desk.enter("64");
    desk.run(10);
    desk
}

#[test]
fn before_the_first_sample() {
    check(&Desk::new(), "start", &SIZES[..1]);
}

#[test]
fn time() {
    let desk = crossed();
    check(&desk, "time", &SIZES);
    check(&desk, "time", &[(40, 10), (40, 8), (60, 16), (150, 20)]);
}

#[test]
fn time_with_other_axes() {
    let mut desk = crossed();
    desk.press(Action::Axes);
    desk.run(41);
    check(&desk, "time_from_zero", &SIZES[..1]);
    desk.press(Action::Axes);
    desk.press(Action::Zoom(false));
    desk.run(41);
    check(&desk, "time_logarithmic", &SIZES[..1]);
}

#[test]
fn curve() {
    let mut desk = explored();
    desk.press(Action::ShowView(1));
    check(&desk, "curve", &SIZES);
    check(&desk, "curve", &[(40, 10)]);
}

#[test]
fn curve_after_a_walk() {
    let mut desk = crossed();
    desk.press(Action::Explore);
    desk.run(2 * 6 * 12);
    check(&desk, "walk", &SIZES);
    desk.press(Action::Axes);
    desk.run(50);
    check(&desk, "walk_from_zero", &SIZES[..1]);
}

#[test]
fn distribution() {
    let mut desk = crossed();
    desk.press(Action::ShowView(2));
    check(&desk, "distribution", &SIZES);
    check(&desk, "distribution", &[(40, 10)]);
    desk.press(Action::Preset(2));
    desk.run(20);
    check(&desk, "distribution_terminal", &SIZES[..2]);
}

#[test]
fn kernel() {
    let mut desk = crossed();
    desk.press(Action::ShowView(3));
    check(&desk, "kernel", &SIZES);
    check(&desk, "kernel", &[(40, 10)]);
}

#[test]
fn kernel_of_a_blocked_writer() {
    let mut desk = Desk::new();
    desk.press(Action::ShowView(3));
    desk.run(20);
    desk.press(Action::Preset(4));
    desk.run(43);
    check(&desk, "blocked", &SIZES[..2]);
    desk.source.script.full = 26_624;
    desk.run(20);
    check(&desk, "overfull", &SIZES[..1]);
}

#[test]
fn kernel_of_a_writer_that_slept_too_soon() {
    let mut desk = Desk::new();
    desk.press(Action::ShowView(3));
    desk.source.script.full = 17_575;
    desk.press(Action::Preset(4));
    desk.run(43);
    check(&desk, "slept", &SIZES[..1]);
}

#[test]
fn kernel_where_little_is_known() {
    let mut desk = Desk::new();
    desk.source.script.kmallocs = false;
    desk.source.script.fionread = false;
    desk.source.script.steal_ns = 4_000_000;
    desk.app.facts.no_kmallocs = Some(
        "kernel.perf_event_paranoid is 3: needs CAP_PERFMON, or a value of 1 or less".to_owned(),
    );
    desk.press(Action::ShowView(3));
    desk.run(20);
    check(&desk, "kernel_unknown", &SIZES[..1]);
}

#[test]
fn kernel_of_what_cooked_does() {
    let mut desk = Desk::new();
    desk.press(Action::ShowView(3));
    desk.press(Action::Preset(3));
    desk.source.script.dropped = 1_000;
    desk.run(31);
    check(&desk, "paste", &SIZES[..2]);
    desk.press(Action::Preset(2));
    desk.source.script.dropped = 0;
    desk.run(31);
    check(&desk, "terminal", &SIZES[..1]);
}

#[test]
fn ping_pong_and_pairs() {
    let mut desk = Desk::new();
    desk.press(Action::Preset(1));
    desk.run(31);
    check(&desk, "echo", &SIZES[..1]);
    desk.press(Action::ShowView(3));
    check(&desk, "echo_kernel", &SIZES[..2]);
    desk.press(Action::Preset(0));
    desk.press(Action::AskPairs);
    desk.enter("8");
    desk.press(Action::Cpus);
    desk.press(Action::ShowView(0));
    desk.run(31);
    check(&desk, "pairs", &SIZES[..2]);
}

#[test]
fn help() {
    let mut desk = crossed();
    desk.press(Action::Help);
    check(&desk, "help", &SIZES);
    check(&desk, "help", &[(40, 10), (80, 120)]);
    desk.app.help = Some(u16::MAX);
    check(&desk, "help_end", &SIZES[..1]);
}

#[test]
fn prompt_and_its_error() {
    let mut desk = crossed();
    desk.press(Action::AskReadSize);
    check(&desk, "prompt", &SIZES[..1]);
    desk.enter("lots");
    check(&desk, "prompt_error", &SIZES[..1]);
}

#[test]
fn held_and_frozen_with_a_message() {
    let mut desk = crossed();
    desk.press(Action::Pause);
    desk.run(12);
    desk.press(Action::Reference);
    desk.press(Action::Freeze);
    desk.run(12);
    check(&desk, "held_frozen", &SIZES[..1]);
}

#[test]
fn reference() {
    let mut desk = crossed();
    desk.press(Action::Reference);
    for _ in 0..2 {
        desk.press(Action::Scale(true));
        desk.run(30);
    }
    check(&desk, "reference", &SIZES[..2]);
}

#[test]
fn bytes_wrong_and_the_end() {
    let mut desk = crossed();
    desk.source.integrity.lost = 3;
    desk.source.integrity.changed = 1;
    desk.tell(Event::Notice(Notice::Alarm(
        "bytes came wrong: 3 lost, 0 doubled, 1 changed".to_owned(),
    )));
    desk.run(2);
    check(&desk, "alarm", &SIZES[..1]);
    desk.run(120);
    desk.tell(Event::Ended(Ending {
        verdict: Verdict::Damaged,
        integrity: desk.source.integrity,
        failure: Some("the reader at the master got 0 bytes".to_owned()),
        closing: None,
    }));
    check(&desk, "ended", &SIZES[..1]);
}

#[test]
fn a_refused_and_a_foreign_change() {
    let mut desk = crossed();
    desk.source.script.refuse = Some("cannot open a pty: ENOSPC".to_owned());
    desk.press(Action::Mode);
    check(&desk, "refused", &SIZES[..1]);
    let mut foreign = desk.app.settings.clone();
    foreign.mode = foreign.mode.toggled(Flag::Echo).toggled(Flag::Opost);
    desk.source.change(foreign);
    desk.tell(Event::Notice(Notice::Changed(
        "termios changed from outside: raw to ECHO+OPOST".to_owned(),
    )));
    desk.run(3);
    check(&desk, "foreign", &SIZES[..1]);
}

#[test]
fn everything_unusual_at_once() {
    let mut desk = Desk::new();
    desk.press(Action::Preset(3));
    desk.press(Action::AskPairs);
    desk.enter("64");
    for action in [
        Action::Cpus,
        Action::Cpus,
        Action::Pace(false),
        Action::Peers,
        Action::Toggle(Flag::Ixon),
    ] {
        desk.press(action);
    }
    desk.app.message = None;
    desk.run(20);
    check(&desk, "crowded", &SIZES[..2]);
}

#[test]
fn too_small() {
    let desk = crossed();
    check(
        &desk,
        "small",
        &[(39, 24), (80, 7), (20, 5), (10, 2), (1, 1)],
    );
}

#[test]
fn ascii() {
    let mut desk = explored();
    desk.app.ascii = true;
    for &view in View::WORKLOAD {
        desk.app.view = view;
        check(&desk, &format!("ascii_{}", view.name()), &SIZES[..1]);
    }
}
