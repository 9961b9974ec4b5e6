//! What a key does: one table feeds the keys, the footer and the help.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::pty::Flag;
use crate::workload::Knob;

use super::replay::Turn;

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
    /// Goes to the big view, or back.
    Big,
    /// The next number of the big view.
    NextNumber,
    /// Halts the tour, goes on with it, or offers a choice.
    Tour,
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
    /// Turns the time of a recording.
    Replay(Turn),
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

/// A heading of the help and the bindings under it; without one they belong to
/// the group before.
pub type Group = (&'static str, &'static [Binding]);

/// All bindings of a table.
pub fn bindings(groups: &'static [Group]) -> impl Iterator<Item = &'static Binding> {
    groups.iter().flat_map(|(_, bindings)| *bindings)
}

/// What a pressed key does by a table.
pub fn action_of(groups: &'static [Group], event: &KeyEvent) -> Option<Action> {
    let key = match event.code {
        KeyCode::Char(c) if event.modifiers.contains(KeyModifiers::CONTROL) => Key::Ctrl(c),
        KeyCode::Char(c) if event.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {
            Key::Char(c)
        }
        KeyCode::Char(_) => return None,
        code => Key::Code(code),
    };
    bindings(groups)
        .find(|b| b.keys.contains(&key))
        .map(|b| b.action)
}

#[cfg(test)]
mod tests {
    use super::super::bindings::{GROUPS, LINK_GROUPS, REPLAY_GROUPS, REPLAY_LINK_GROUPS};
    use super::*;

    const TABLES: [&[Group]; 4] = [GROUPS, LINK_GROUPS, REPLAY_GROUPS, REPLAY_LINK_GROUPS];

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
            if let Key::Char(c) = key {
                assert!(!"[]{}\\|@~".contains(*c), "{c}");
            }
        }
    }

    #[test]
    fn keys_find_their_action() {
        let press = |code, modifiers| action_of(GROUPS, &KeyEvent::new(code, modifiers));
        assert_eq!(
            press(KeyCode::Char('x'), KeyModifiers::NONE),
            Some(Action::Cross)
        );
        assert_eq!(
            press(KeyCode::Char('X'), KeyModifiers::SHIFT),
            Some(Action::Toggle(Flag::Ixon))
        );
        assert_eq!(
            press(KeyCode::Char('c'), KeyModifiers::CONTROL),
            Some(Action::Quit)
        );
        assert_eq!(press(KeyCode::Char('x'), KeyModifiers::ALT), None);
        assert_eq!(press(KeyCode::Char('x'), KeyModifiers::CONTROL), None);
    }
}
