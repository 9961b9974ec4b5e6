//! What a workload is: everything that can be turned.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::pty::{End, Flag, Mode};

use super::{Pace, Payload};

/// Largest chunk and read size, in bytes.
pub const MAX_CHUNK: usize = 1 << 20;
/// Most ptys that are driven at once.
pub const MAX_PAIRS: u32 = 64;
/// Longest message that a canonical reader can get whole: 4095 characters and
/// the newline.
const MAX_CANONICAL_MESSAGE: usize = super::stream::CANONICAL_LINE + 1;

/// Which way the bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The slave writes, the master reads: a program's output.
    #[default]
    SlaveToMaster,
    /// The master writes, the slave reads: input to a program.
    MasterToSlave,
    /// Both at once, independently.
    Both,
    /// Ping-pong: the master writes a chunk, the slave reads it and writes as
    /// many bytes back, the master reads them.
    Echo,
}

impl Direction {
    /// All directions, in the order in which a key steps through them.
    pub const ALL: [Self; 4] = [
        Self::SlaveToMaster,
        Self::MasterToSlave,
        Self::Both,
        Self::Echo,
    ];

    /// The ends that write.
    pub fn writers(self) -> &'static [End] {
        match self {
            Self::SlaveToMaster => &[End::Slave],
            Self::MasterToSlave => &[End::Master],
            Self::Both | Self::Echo => &[End::Master, End::Slave],
        }
    }

    /// The next direction, and around.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&d| d == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SlaveToMaster => "slave-to-master",
            Self::MasterToSlave => "master-to-slave",
            Self::Both => "both",
            Self::Echo => "echo",
        })
    }
}

/// Where the two ends of a pty live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Peers {
    /// Threads of one process.
    #[default]
    Threads,
    /// The reader (in echo: the slave's end) has a process of its own.
    Processes,
}

impl fmt::Display for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Threads => "threads",
            Self::Processes => "processes",
        })
    }
}

/// Everything that says what a workload does. Equal settings do equal work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Settings {
    /// Which way the bytes go.
    pub direction: Direction,
    /// Bytes asked of each write(2), 1 to [`MAX_CHUNK`].
    pub chunk: usize,
    /// Bytes asked of each read(2); None: as many as `chunk`.
    pub read_size: Option<usize>,
    /// The line discipline's flags.
    pub mode: Mode,
    /// What is written; None: the sequence where the line discipline passes
    /// every byte, lines otherwise.
    pub payload: Option<Payload>,
    /// What holds the writer back.
    pub writer_pace: Pace,
    /// What holds the reader back.
    pub reader_pace: Pace,
    /// Where the two ends live.
    pub peers: Peers,
    /// The CPU that each writer is bound to.
    pub writer_cpu: Option<usize>,
    /// The CPU that each reader is bound to.
    pub reader_cpu: Option<usize>,
    /// How many ptys are driven in parallel, 1 to [`MAX_PAIRS`].
    pub pairs: u32,
    /// Whether the reader compares every byte with what was sent.
    pub verify: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            direction: Direction::SlaveToMaster,
            chunk: 256,
            read_size: None,
            mode: Mode::RAW,
            payload: None,
            writer_pace: Pace::None,
            reader_pace: Pace::None,
            peers: Peers::Threads,
            writer_cpu: None,
            reader_cpu: None,
            pairs: 1,
            verify: true,
        }
    }
}

/// Settings that make no workload, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Contradiction(String);

impl Contradiction {
    pub(super) fn new(reason: String) -> Self {
        Self(reason)
    }
}

impl Settings {
    /// Bytes that each read(2) asks for.
    pub fn effective_read_size(&self) -> usize {
        self.read_size.unwrap_or(self.chunk)
    }

    /// What is really written.
    pub fn effective_payload(&self) -> Payload {
        if self.is_line_echo() {
            return Payload::Lines(self.chunk as u32);
        }
        self.payload.unwrap_or(if self.mode_acts_on_input() {
            Payload::LINES
        } else {
            Payload::Sequence
        })
    }

    /// Whether the echoes that the line discipline sends back to the master
    /// must be read away.
    pub fn echo_comes_back(&self) -> bool {
        self.direction == Direction::MasterToSlave && self.mode.has(Flag::Echo)
    }

    /// Ping-pong through a canonical reader: each message must be one line.
    fn is_line_echo(&self) -> bool {
        self.direction == Direction::Echo && self.mode.has(Flag::Icanon)
    }

    /// Whether the line discipline would act on control characters written by
    /// the master.
    fn mode_acts_on_input(&self) -> bool {
        self.direction.writers().contains(&End::Master)
            && [Flag::Icanon, Flag::Ixon, Flag::Isig, Flag::Icrnl]
                .into_iter()
                .any(|flag| self.mode.has(flag))
    }

    /// Whether these settings make a workload.
    ///
    /// # Errors
    /// Names what contradicts what.
    pub fn check(&self) -> Result<(), Contradiction> {
        let refuse = |reason: String| Err(Contradiction(reason));
        if !(1..=MAX_CHUNK).contains(&self.chunk) {
            return refuse(format!("a chunk of {} bytes: 1 to {MAX_CHUNK}", self.chunk));
        }
        if !(1..=MAX_CHUNK).contains(&self.effective_read_size()) {
            let size = self.effective_read_size();
            return refuse(format!("a read size of {size} bytes: 1 to {MAX_CHUNK}"));
        }
        if !(1..=MAX_PAIRS).contains(&self.pairs) {
            return refuse(format!("{} pairs: 1 to {MAX_PAIRS}", self.pairs));
        }
        if self.mode_acts_on_input() && self.effective_payload().has_control_characters() {
            return refuse(format!(
                "payload {} with mode {}: the line discipline would act on its control characters; use lines",
                self.effective_payload(),
                self.mode
            ));
        }
        if self.direction == Direction::Echo {
            self.check_echo()?;
        }
        if self.direction == Direction::Both && self.mode.has(Flag::Echo) {
            return refuse(
                "ECHO with direction both: the kernel's echoes would be mixed into the slave's stream; use master-to-slave, or turn ECHO off"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn check_echo(&self) -> Result<(), Contradiction> {
        let refuse = |reason: String| Err(Contradiction(reason));
        if self.mode.has(Flag::Echo) {
            return refuse(
                "ECHO with direction echo: the kernel's echo would be taken for the answer; turn ECHO off"
                    .to_owned(),
            );
        }
        if self.is_line_echo() && self.chunk > MAX_CANONICAL_MESSAGE {
            return refuse(format!(
                "a chunk of {} with ICANON and direction echo: a canonical reader gets at most {MAX_CANONICAL_MESSAGE} bytes of a line",
                self.chunk
            ));
        }
        if [self.reader_pace, self.writer_pace].contains(&Pace::Stopped) {
            return refuse("direction echo with a stopped end: no answer would come".to_owned());
        }
        Ok(())
    }

    /// What differs from `before`, each as a name and its new value.
    pub fn changes_from(&self, before: &Self) -> Vec<(&'static str, String)> {
        let (old, new) = (before.entries(), self.entries());
        let pairs = new.into_iter().zip(old);
        pairs
            .filter(|(new, old)| new != old)
            .map(|(new, _)| new)
            .collect()
    }

    /// Every setting by the name that flags, screen and reports use.
    pub fn entries(&self) -> [(&'static str, String); 11] {
        let cpu = |cpu: Option<usize>| cpu.map_or("any".to_owned(), |cpu| cpu.to_string());
        let read_size = self.read_size.map_or("chunk".to_owned(), |n| n.to_string());
        [
            ("direction", self.direction.to_string()),
            ("chunk", self.chunk.to_string()),
            ("read-size", read_size),
            ("mode", self.mode.to_string()),
            ("payload", self.effective_payload().to_string()),
            ("writer-pace", self.writer_pace.to_string()),
            ("reader-pace", self.reader_pace.to_string()),
            ("peers", self.peers.to_string()),
            ("writer-cpu", cpu(self.writer_cpu)),
            ("reader-cpu", cpu(self.reader_cpu)),
            ("pairs", self.pairs.to_string()),
        ]
    }

    /// Whether a running workload can go from these settings to `next` without
    /// being stopped: only sizes and paces differ, and they change no byte. In
    /// a ping-pong both ends must agree on the size, so it is stopped.
    pub fn turns_live_into(&self, next: &Self) -> bool {
        let same_sizes = Self {
            chunk: self.chunk,
            read_size: self.read_size,
            reader_pace: self.reader_pace,
            writer_pace: self.writer_pace,
            ..next.clone()
        };
        *self == same_sizes && self.direction != Direction::Echo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut Settings)) -> Settings {
        let mut settings = Settings::default();
        change(&mut settings);
        settings
    }

    #[test]
    fn contradictions_are_named() {
        assert_eq!(Settings::default().check(), Ok(()));
        for (settings, word) in [
            (with(|s| s.chunk = 0), "chunk"),
            (with(|s| s.chunk = MAX_CHUNK + 1), "chunk"),
            (with(|s| s.read_size = Some(0)), "read size"),
            (with(|s| s.pairs = 65), "pairs"),
            (
                with(|s| {
                    s.direction = Direction::MasterToSlave;
                    s.mode = Mode::COOKED;
                    s.payload = Some(Payload::Sequence);
                }),
                "control characters",
            ),
            (
                with(|s| {
                    s.direction = Direction::Echo;
                    s.mode = Mode::RAW.with(Flag::Echo);
                }),
                "ECHO",
            ),
            (
                with(|s| {
                    s.direction = Direction::Echo;
                    s.mode = Mode::RAW.with(Flag::Icanon);
                    s.chunk = 4097;
                }),
                "4096",
            ),
            (
                with(|s| {
                    s.direction = Direction::Echo;
                    s.reader_pace = Pace::Stopped;
                }),
                "stopped",
            ),
        ] {
            let error = settings.check().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_cooked_reader_gets_lines_unless_told_otherwise() {
        let cooked = with(|s| {
            s.direction = Direction::MasterToSlave;
            s.mode = Mode::COOKED;
        });
        assert_eq!(cooked.effective_payload(), Payload::LINES);
        // The master's side of a pty has a raw line discipline of its own, so
        // a slave's output may hold any byte.
        let output = with(|s| s.mode = Mode::COOKED);
        assert_eq!(output.effective_payload(), Payload::Sequence);
        let message = with(|s| {
            s.direction = Direction::Echo;
            s.mode = Mode::RAW.with(Flag::Icanon);
            s.chunk = 100;
        });
        assert_eq!(message.effective_payload(), Payload::Lines(100));
    }

    #[test]
    fn a_change_names_what_is_new() {
        let base = Settings::default();
        let changed = with(|s| {
            s.chunk = 257;
            s.pairs = 2;
        });
        let want = vec![("chunk", "257".to_owned()), ("pairs", "2".to_owned())];
        assert_eq!(changed.changes_from(&base), want);
        assert_eq!(base.changes_from(&base), vec![]);
    }

    #[test]
    fn sizes_and_paces_turn_live_and_the_rest_does_not() {
        let base = Settings::default();
        assert!(base.turns_live_into(&with(|s| s.chunk = 257)));
        assert!(base.turns_live_into(&with(|s| s.reader_pace = Pace::Stopped)));
        assert!(!base.turns_live_into(&with(|s| s.mode = Mode::COOKED)));
        assert!(!base.turns_live_into(&with(|s| s.pairs = 2)));
    }
}
