use crossterm::event::KeyCode;

use super::super::action::Action as A;
use super::super::action::Key::{Char, Code};
use super::super::action::{Binding, Group};
use super::{BIG, FREEZE, LOOKS, TOUR, bind};
use crate::workload::Knob;

/// All bindings for a link, likewise.
pub const LINK_GROUPS: &[Group] = &[
    (
        "line",
        &[
            bind(
                &[Char('p')],
                "p",
                A::Line(Knob::Settle),
                "settle",
                "a pause of 200 us before each message is passed on, or none",
            ),
            bind(
                &[Char('b')],
                "b",
                A::Line(Knob::Baud),
                "baud",
                "speed: the client's, 9600, 115200, 1000000, as fast as can be",
            ),
            bind(
                &[Char('d')],
                "d",
                A::Line(Knob::Latency),
                "latency",
                "latency: 1, 5, 20, 100 ms, none",
            ),
            bind(
                &[Char('j')],
                "j",
                A::Line(Knob::Jitter),
                "",
                "jitter: 1, 5, 20, 100 ms, none",
            ),
            bind(
                &[Char('x')],
                "x",
                A::Line(Knob::Drop),
                "drop",
                "share of bytes lost: 0.00001 to 0.01, none",
            ),
            bind(
                &[Char('v')],
                "v",
                A::Line(Knob::Flip),
                "flip",
                "share of bytes with one bit turned, likewise",
            ),
            bind(
                &[Char('w')],
                "w",
                A::Line(Knob::Duplicate),
                "",
                "share of bytes that arrive twice, likewise",
            ),
            bind(
                &[Char('n')],
                "n",
                A::Line(Knob::Unattached),
                "nobody",
                "throw away or keep bytes for an end that nobody has open",
            ),
            bind(&[Char('r')], "r", A::Reset, "", "reset all statistics"),
        ],
    ),
    ("screen", VIEWS),
    ("", FREEZE),
    ("", BIG),
    ("", TOUR),
    ("", LOOKS),
];

/// The views of a link.
pub(super) const VIEWS: &[Binding] = &[
    bind(
        &[Code(KeyCode::Tab)],
        "Tab",
        A::TurnView(true),
        "view",
        "next view: link, time, distribution",
    ),
    bind(
        &[Code(KeyCode::BackTab)],
        "Shift-Tab",
        A::TurnView(false),
        "",
        "view before",
    ),
    bind(&[Code(KeyCode::F(1))], "F1", A::ShowView(0), "", "link"),
    bind(&[Code(KeyCode::F(2))], "F2", A::ShowView(1), "", "time"),
    bind(
        &[Code(KeyCode::F(3))],
        "F3",
        A::ShowView(2),
        "",
        "distribution",
    ),
];
