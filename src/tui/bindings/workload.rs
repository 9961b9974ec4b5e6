use crossterm::event::KeyCode;

use super::super::action::Action as A;
use super::super::action::Key::{Char, Code};
use super::super::action::{Binding, Group};
use super::{BIG, FREEZE, LOOKS, TOUR, bind};
use crate::pty::Flag;

/// All bindings, grouped as the help shows them.
pub const GROUPS: &[Group] = &[
    (
        "chunk",
        &[
            bind(
                &[Char('x')],
                "x",
                A::Cross,
                "256/257",
                "go across the boundary and back: 256, 257",
            ),
            bind(
                &[Code(KeyCode::Right), Char('+'), Char('=')],
                "Right +",
                A::Step(true),
                "",
                "one byte more",
            ),
            bind(
                &[Code(KeyCode::Left), Char('-')],
                "Left -",
                A::Step(false),
                "",
                "one byte fewer",
            ),
            bind(
                &[Code(KeyCode::PageUp), Char('*')],
                "PgUp *",
                A::Scale(true),
                "",
                "double",
            ),
            bind(
                &[Code(KeyCode::PageDown), Char('/')],
                "PgDn /",
                A::Scale(false),
                "",
                "halve",
            ),
            bind(
                &[Char('n')],
                "n",
                A::Boundary(true),
                "boundary",
                "the next boundary of the flip buffer",
            ),
            bind(
                &[Char('b')],
                "b",
                A::Boundary(false),
                "",
                "the boundary before",
            ),
            bind(&[Char('c')], "c", A::AskChunk, "chunk", "type a chunk"),
            bind(&[Char('e')], "e", A::AskReadSize, "", "type a read size"),
        ],
    ),
    (
        "workload",
        &[
            bind(
                &[Char('d')],
                "d",
                A::Direction,
                "direction",
                "direction: slave to master, master to slave, both, echo",
            ),
            bind(&[Char('m')], "m", A::Mode, "raw", "raw or cooked"),
            bind(
                &[Char('I')],
                "I",
                A::Toggle(Flag::Icanon),
                "",
                "ICANON on or off",
            ),
            bind(
                &[Char('E')],
                "E",
                A::Toggle(Flag::Echo),
                "",
                "ECHO on or off",
            ),
            bind(
                &[Char('O')],
                "O",
                A::Toggle(Flag::Opost),
                "",
                "OPOST on or off",
            ),
            bind(
                &[Char('X')],
                "X",
                A::Toggle(Flag::Ixon),
                "",
                "IXON on or off",
            ),
            bind(
                &[Char('y')],
                "y",
                A::Payload,
                "",
                "payload: sequence, lines, random, constant",
            ),
            bind(
                &[Char('p')],
                "p",
                A::Pace(true),
                "pace",
                "reader's pace: none, delay, rate, stopped",
            ),
            bind(
                &[Char('.')],
                ".",
                A::PaceStep {
                    reader: true,
                    faster: true,
                },
                "",
                "reader faster",
            ),
            bind(
                &[Char(',')],
                ",",
                A::PaceStep {
                    reader: true,
                    faster: false,
                },
                "",
                "reader slower",
            ),
            bind(
                &[Char('P')],
                "P",
                A::Pace(false),
                "",
                "writer's pace: none, delay, rate, stopped",
            ),
            bind(
                &[Char('>')],
                ">",
                A::PaceStep {
                    reader: false,
                    faster: true,
                },
                "",
                "writer faster",
            ),
            bind(
                &[Char('<')],
                "<",
                A::PaceStep {
                    reader: false,
                    faster: false,
                },
                "",
                "writer slower",
            ),
            bind(
                &[Char('w')],
                "w",
                A::Peers,
                "",
                "both ends in threads, or the reader in a process",
            ),
            bind(
                &[Char('u')],
                "u",
                A::Cpus,
                "",
                "bind writer and reader to CPUs: any, same, apart",
            ),
            bind(
                &[Char('g')],
                "g",
                A::AskPairs,
                "",
                "type the number of ptys in parallel",
            ),
            bind(&[Char('1')], "1", A::Preset(0), "", "preset seed1"),
            bind(&[Char('2')], "2", A::Preset(1), "", "preset seed2"),
            bind(&[Char('3')], "3", A::Preset(2), "", "preset terminal"),
            bind(&[Char('4')], "4", A::Preset(3), "", "preset paste"),
            bind(&[Char('5')], "5", A::Preset(4), "", "preset stuck"),
            bind(
                &[Char('z')],
                "z",
                A::Pause,
                "hold",
                "hold the workload, or let it go on",
            ),
        ],
    ),
    (
        "comparing",
        &[
            bind(
                &[Char('a')],
                "a",
                A::Reference,
                "hold A",
                "hold this stretch as A and compare with it, or drop it",
            ),
            bind(
                &[Char('v')],
                "v",
                A::Explore,
                "visit",
                "visit the points around the boundary, interleaved, or stop",
            ),
            bind(&[Char('r')], "r", A::Reset, "", "reset all statistics"),
        ],
    ),
    ("checks", CHECKS),
    ("screen", VIEWS),
    ("", FREEZE),
    ("", BIG),
    ("", TOUR),
    ("", LOOKS),
];

/// The checks of the kernel's ptys.
const CHECKS: &[Binding] = &[
    bind(
        &[Char('k')],
        "k",
        A::Check,
        "",
        "check this kernel's ptys with the workload held, or stop",
    ),
    bind(
        &[Code(KeyCode::Up)],
        "Up",
        A::Select(false),
        "",
        "select the check above",
    ),
    bind(
        &[Code(KeyCode::Down)],
        "Down",
        A::Select(true),
        "",
        "select the check below",
    ),
    bind(
        &[Code(KeyCode::Enter)],
        "Enter",
        A::Explain,
        "",
        "open the check's explanation, or close it",
    ),
];

/// The views of a workload.
const VIEWS: &[Binding] = &[
    bind(
        &[Code(KeyCode::Tab)],
        "Tab",
        A::TurnView(true),
        "view",
        "next view: time, curve, distribution, kernel, checks",
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
    bind(&[Code(KeyCode::F(5))], "F5", A::ShowView(4), "", "checks"),
];
