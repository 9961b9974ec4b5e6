//! Which keys there are: a table for the screen of a workload and one for that
//! of a link, each live or recorded.

mod link;
mod replay;
mod workload;

use super::action::Action as A;
use super::action::Key::{Char, Ctrl};
use super::action::{Action, Binding, Key};

pub use link::LINK_GROUPS;
pub use replay::{REPLAY_GROUPS, REPLAY_LINK_GROUPS};
pub use workload::GROUPS;

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

/// What all live screens have.
const FREEZE: &[Binding] = &[bind(
    &[Char('f'), Char(' ')],
    "f Space",
    A::Freeze,
    "freeze",
    "freeze the display; the workload goes on",
)];

/// The big view, which all screens have.
const BIG: &[Binding] = &[
    bind(
        &[Char('B')],
        "B",
        A::Big,
        "",
        "big view: one number for the back row, or back",
    ),
    bind(
        &[Char('N')],
        "N",
        A::NextNumber,
        "number",
        "big view: the next number",
    ),
];

/// Tours, which all screens have.
const TOUR: &[Binding] = &[bind(
    &[Char('T')],
    "T",
    A::Tour,
    "tour",
    "choose a tour; halt it (any key does), go on with it",
)];

/// What else all screens have.
const LOOKS: &[Binding] = &[
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
        "theme: dark, light, contrast, 16, none",
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
