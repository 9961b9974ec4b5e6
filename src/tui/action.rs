//! What a key does: one table feeds the keys, the footer and the help.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::pty::Flag;
use crate::workload::Knob;

/// Something the user can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Ends the program.
    Quit,
    /// Suspends the program (Ctrl-Z).
    Suspend,
    /// Shows or hides the help.
    Help,
    /// Goes to the next view, or back to the one before.
    TurnView(bool),
    /// Goes to a view by its number.
    ShowView(usize),
    /// Goes from 256 to 257, or back.
    Cross,
    /// One byte more (`true`) or fewer a chunk.
    Step(bool),
    /// Doubles (`true`) or halves the chunk.
    Scale(bool),
    /// Goes to the next (`true`) or previous boundary of the flip buffer.
    Boundary(bool),
    /// Asks for a chunk.
    AskChunk,
    /// Asks for a read size.
    AskReadSize,
    /// Asks for the number of ptys.
    AskPairs,
    /// The next direction.
    Direction,
    /// Raw or cooked.
    Mode,
    /// One flag of the line discipline.
    Toggle(Flag),
    /// The next payload.
    Payload,
    /// The next kind of pace, of the reader (`true`) or the writer.
    Pace(bool),
    /// A pace one step faster or slower: reader (`true`) or writer, faster.
    PaceStep {
        /// The reader's, else the writer's.
        reader: bool,
        /// Faster, else slower.
        faster: bool,
    },
    /// Threads or processes.
    Peers,
    /// The next way of binding the ends to CPUs.
    Cpus,
    /// A preset by its number.
    Preset(usize),
    /// Stops or restarts drawing; the workload goes on.
    Freeze,
    /// Holds the workload or lets it go on.
    Pause,
    /// Checks the kernel's pty layer, or stops doing so.
    Check,
    /// Selects the check below (`true`) or above.
    Select(bool),
    /// Opens or closes the explanation of the selected check.
    Explain,
    /// Forgets all statistics.
    Reset,
    /// Writes what is on the screen to a file.
    Export,
    /// Draws the screen as a picture to a file.
    Picture,
    /// Keeps this stretch as the reference, or drops it.
    Reference,
    /// Visits the points around the boundary by itself, or stops that.
    Explore,
    /// The next kind of axes.
    Axes,
    /// A shorter (`true`) or longer window of time.
    Zoom(bool),
    /// The next theme.
    Theme,
    /// One step of a link's line.
    Line(Knob),
}

/// A key, as the table has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character, with Shift already in it.
    Char(char),
    /// Ctrl and a letter.
    Ctrl(char),
    /// A key with a name.
    Code(KeyCode),
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The keys.
    pub keys: &'static [Key],
    /// How the keys are written, in ASCII; the footer shows the first.
    pub shown: &'static str,
    /// What they do.
    pub action: Action,
    /// A word for the footer; empty: not there.
    pub hint: &'static str,
    /// A line for the help.
    pub help: &'static str,
}

use Action as A;
use Key::{Char, Code, Ctrl};

const fn bind(
    keys: &'static [Key],
    shown: &'static str,
    action: Action,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        keys,
        shown,
        action,
        hint,
        help,
    }
}

/// A heading of the help and the bindings under it; without one they belong to
/// the group before.
pub type Group = (&'static str, &'static [Binding]);

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
    ("", PROGRAM),
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

/// What all screens have.
const PROGRAM: &[Binding] = &[
    bind(
        &[Char('f'), Char(' ')],
        "f Space",
        A::Freeze,
        "freeze",
        "freeze the display; the workload goes on",
    ),
    bind(
        &[Char('l')],
        "l",
        A::Axes,
        "",
        "axes: automatic, from zero, logarithmic",
    ),
    bind(
        &[Char('i')],
        "i",
        A::Zoom(true),
        "",
        "shorter window of time",
    ),
    bind(
        &[Char('o')],
        "o",
        A::Zoom(false),
        "",
        "longer window of time",
    ),
    bind(
        &[Char('t')],
        "t",
        A::Theme,
        "",
        "theme: dark, light, no colours",
    ),
    bind(
        &[Char('s')],
        "s",
        A::Export,
        "",
        "save what is on the screen as JSON",
    ),
    bind(
        &[Char('S')],
        "S",
        A::Picture,
        "",
        "save the screen as a picture (SVG)",
    ),
    bind(&[Char('?'), Char('h')], "? h", A::Help, "help", "this help"),
    bind(
        &[Ctrl('z')],
        "Ctrl-Z",
        A::Suspend,
        "",
        "suspend; the workload is held",
    ),
    bind(&[Char('q'), Ctrl('c')], "q Ctrl-C", A::Quit, "quit", "quit"),
];

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
    (
        "screen",
        &[
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
        ],
    ),
    ("", PROGRAM),
];

/// All bindings of a table.
pub fn bindings(groups: &'static [Group]) -> impl Iterator<Item = &'static Binding> {
    groups.iter().flat_map(|(_, bindings)| *bindings)
}

/// What a pressed key does by a table.
pub fn action_of(groups: &'static [Group], event: &KeyEvent) -> Option<Action> {
    let key = match event.code {
        KeyCode::Char(c) if event.modifiers.contains(KeyModifiers::CONTROL) => Ctrl(c),
        KeyCode::Char(c) if event.modifiers.difference(KeyModifiers::SHIFT).is_empty() => Char(c),
        KeyCode::Char(_) => return None,
        code => Code(code),
    };
    bindings(groups)
        .find(|b| b.keys.contains(&key))
        .map(|b| b.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [&[Group]; 2] = [GROUPS, LINK_GROUPS];

    #[test]
    fn no_two_bindings_share_a_key() {
        for groups in TABLES {
            let keys: Vec<_> = bindings(groups).flat_map(|b| b.keys).collect();
            for (at, key) in keys.iter().enumerate() {
                assert!(!keys[..at].contains(key), "{key:?} is bound twice");
            }
        }
    }

    #[test]
    fn every_binding_has_keys_and_help_and_no_action_is_bound_twice() {
        for groups in TABLES {
            let all: Vec<_> = bindings(groups).collect();
            for (at, binding) in all.iter().enumerate() {
                assert!(!binding.keys.is_empty() && !binding.help.is_empty());
                assert!(!binding.shown.is_empty() && binding.shown.is_ascii());
                let twice = all[..at].iter().any(|b| b.action == binding.action);
                assert!(!twice, "{:?} is bound twice", binding.action);
            }
        }
    }

    #[test]
    fn no_key_needs_alt_graph_on_common_layouts() {
        for key in TABLES.into_iter().flat_map(bindings).flat_map(|b| b.keys) {
            if let Char(c) = key {
                assert!(!"[]{}\\|@~".contains(*c), "{c}");
            }
        }
    }

    #[test]
    fn keys_find_their_action() {
        let press = |code, modifiers| action_of(GROUPS, &KeyEvent::new(code, modifiers));
        assert_eq!(
            press(KeyCode::Char('x'), KeyModifiers::NONE),
            Some(A::Cross)
        );
        assert_eq!(
            press(KeyCode::Char('X'), KeyModifiers::SHIFT),
            Some(A::Toggle(Flag::Ixon))
        );
        assert_eq!(
            press(KeyCode::Char('c'), KeyModifiers::CONTROL),
            Some(A::Quit)
        );
        assert_eq!(press(KeyCode::Char('x'), KeyModifiers::ALT), None);
        assert_eq!(press(KeyCode::Char('x'), KeyModifiers::CONTROL), None);
    }
}
