use crossterm::event::KeyCode;

use super::super::action::Action as A;
use super::super::action::Key::{Char, Code};
use super::super::action::{Binding, Group};
use super::super::replay::Turn;
use super::{BIG, LOOKS, TOUR, bind};

/// All bindings for a recording of a workload.
pub const REPLAY_GROUPS: &[Group] = &[
    ("time", TIME),
    ("comparing", COMPARING),
    ("screen", VIEWS),
    ("", BIG),
    ("", TOUR),
    ("", LOOKS),
];

/// All bindings for a recording of a link.
pub const REPLAY_LINK_GROUPS: &[Group] = &[
    ("time", TIME),
    ("comparing", RESET),
    ("screen", super::link::VIEWS),
    ("", BIG),
    ("", TOUR),
    ("", LOOKS),
];

const TIME: &[Binding] = &[
    bind(
        &[Char(' '), Char('f')],
        "Space f",
        A::Replay(Turn::Pause),
        "pause",
        "pause, or go on",
    ),
    bind(
        &[Code(KeyCode::Right)],
        "Right",
        A::Replay(Turn::By(5)),
        "+5s",
        "5 s on",
    ),
    bind(
        &[Code(KeyCode::Left)],
        "Left",
        A::Replay(Turn::By(-5)),
        "-5s",
        "5 s back",
    ),
    bind(
        &[Code(KeyCode::PageDown)],
        "PgDn",
        A::Replay(Turn::By(60)),
        "",
        "a minute on",
    ),
    bind(
        &[Code(KeyCode::PageUp)],
        "PgUp",
        A::Replay(Turn::By(-60)),
        "",
        "a minute back",
    ),
    bind(
        &[Char('n')],
        "n",
        A::Replay(Turn::Mark(true)),
        "marker",
        "to the next marker: a change of settings, a caption, a notice",
    ),
    bind(
        &[Char('b')],
        "b",
        A::Replay(Turn::Mark(false)),
        "",
        "to the marker before",
    ),
    bind(
        &[Char('.')],
        ".",
        A::Replay(Turn::Step(true)),
        "step",
        "to the next sample, and stop there",
    ),
    bind(
        &[Char(',')],
        ",",
        A::Replay(Turn::Step(false)),
        "",
        "to the sample before, and stop there",
    ),
    bind(
        &[Char('+'), Char('=')],
        "+",
        A::Replay(Turn::Speed(true)),
        "faster",
        "twice as fast",
    ),
    bind(
        &[Char('-')],
        "-",
        A::Replay(Turn::Speed(false)),
        "slower",
        "half as fast",
    ),
    bind(
        &[Code(KeyCode::Home)],
        "Home",
        A::Replay(Turn::Edge(false)),
        "",
        "to the beginning",
    ),
    bind(
        &[Code(KeyCode::End)],
        "End",
        A::Replay(Turn::Edge(true)),
        "",
        "to the end",
    ),
];

const COMPARING: &[Binding] = &[
    bind(
        &[Char('a')],
        "a",
        A::Reference,
        "hold A",
        "hold this stretch as A and compare with it, or drop it",
    ),
    RESET[0],
];

const RESET: &[Binding] = &[bind(
    &[Char('r')],
    "r",
    A::Reset,
    "",
    "reset all statistics, until time is turned",
)];

/// The views of a recording of a workload.
const VIEWS: &[Binding] = &[
    bind(
        &[Code(KeyCode::Tab)],
        "Tab",
        A::TurnView(true),
        "view",
        "next view: time, curve, distribution, kernel",
    ),
    bind(
        &[Code(KeyCode::BackTab)],
        "Shift-Tab",
        A::TurnView(false),
        "",
        "view before",
    ),
    bind(&[Code(KeyCode::F(1))], "F1", A::ShowView(0), "", "time"),
    bind(&[Code(KeyCode::F(2))], "F2", A::ShowView(1), "", "curve"),
    bind(
        &[Code(KeyCode::F(3))],
        "F3",
        A::ShowView(2),
        "",
        "distribution",
    ),
    bind(&[Code(KeyCode::F(4))], "F4", A::ShowView(3), "", "kernel"),
];
