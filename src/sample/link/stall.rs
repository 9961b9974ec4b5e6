//! Silences of a link, and why.

use serde::{Deserialize, Serialize};

use crate::sample::FlowEnd;

/// A silence that came to its end with another byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// When the last byte before it was passed on.
    pub start_ns: u64,
    /// How long it lasted.
    pub for_ns: u64,
    /// What had happened just before; None where nothing tells.
    pub cause: Option<Cause>,
}

/// Stalls taken together, by cause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallCounts(Vec<StallsOfCause>);

/// The stalls that one cause made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallsOfCause {
    /// What had happened before each; None where nothing told.
    pub cause: Option<Cause>,
    /// How many there were.
    pub count: u64,
    /// How long they lasted together.
    pub for_ns: u64,
}

impl StallCounts {
    /// Counts one.
    pub fn record(&mut self, stall: &Stall) {
        self.put(StallsOfCause {
            cause: stall.cause,
            count: 1,
            for_ns: stall.for_ns,
        });
    }

    /// Adds another interval's.
    pub fn add(&mut self, other: &Self) {
        other.0.iter().for_each(|stalls| self.put(*stalls));
    }

    /// By cause, in the order in which they first came.
    pub fn by_cause(&self) -> &[StallsOfCause] {
        &self.0
    }

    fn put(&mut self, more: StallsOfCause) {
        match self.0.iter_mut().find(|of| of.cause == more.cause) {
            Some(of) => {
                of.count += more.count;
                of.for_ns += more.for_ns;
            }
            None => self.0.push(more),
        }
    }
}

/// A silence that still lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// For how long.
    pub for_ns: u64,
    /// What had happened just before, or holds now.
    pub cause: Option<Cause>,
}

/// Why nothing moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The client of this end flushed its input, and bytes that it had not read
    /// went with it.
    DiscardedInput(FlowEnd),
    /// The client of this end flushed its input after bytes had been passed to
    /// it; whether it had read them is not known.
    FlushedInput(FlowEnd),
    /// The client of this end flushed its output when an answer of it was
    /// awaited: what it had written and had not arrived is gone.
    FlushedOutput(FlowEnd),
    /// The client of this end was stopped (`^S`).
    Stopped(FlowEnd),
    /// Nobody has this end open, and bytes wait for it.
    NobodyAttached(FlowEnd),
    /// This end is open, its pty full, and nobody reads.
    NobodyReads(FlowEnd),
    /// The client of this end has termios flags on that change bytes.
    NotRaw(FlowEnd),
    /// The line lost, changed or doubled bytes on purpose on the way to this
    /// end.
    Faults(FlowEnd),
}

impl Cause {
    /// Every cause, at `end`.
    pub fn all(end: FlowEnd) -> [Self; 8] {
        [
            Self::DiscardedInput(end),
            Self::FlushedInput(end),
            Self::FlushedOutput(end),
            Self::Stopped(end),
            Self::NobodyAttached(end),
            Self::NobodyReads(end),
            Self::NotRaw(end),
            Self::Faults(end),
        ]
    }

    /// At which end.
    pub fn end(self) -> FlowEnd {
        match self {
            Self::DiscardedInput(end)
            | Self::FlushedInput(end)
            | Self::FlushedOutput(end)
            | Self::Stopped(end)
            | Self::NobodyAttached(end)
            | Self::NobodyReads(end)
            | Self::NotRaw(end)
            | Self::Faults(end) => end,
        }
    }

    /// What the user can do about it: a clause.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Self::DiscardedInput(_) => Some(
                "a pause before each message is passed on lets the client finish its flush: --settle 200us",
            ),
            Self::FlushedInput(_) => Some(
                "if bytes were lost, a pause before each message lets the client finish its flush: --settle 200us",
            ),
            Self::NobodyAttached(_) => Some(
                "bytes are kept for who opens it next: --drop-unattached throws them away, as a wire does",
            ),
            Self::NotRaw(_) => Some("set the client raw, or run stty -F NAME raw -echo"),
            Self::FlushedOutput(_) | Self::Stopped(_) | Self::NobodyReads(_) | Self::Faults(_) => {
                None
            }
        }
    }

    /// What to tell a user of the end that `label` names: a clause.
    pub fn text(self, label: impl Fn(FlowEnd) -> String) -> String {
        match self {
            Self::DiscardedInput(end) => format!(
                "after {}'s client flushed its input: what it had not read was thrown away",
                label(end)
            ),
            Self::FlushedInput(end) => format!(
                "after {}'s client flushed its input: whether bytes were lost is not known",
                label(end)
            ),
            Self::FlushedOutput(end) => format!(
                "after {}'s client flushed its output: its last answer may be gone",
                label(end)
            ),
            Self::Stopped(end) => format!("{}'s client is stopped by ^S", label(end)),
            Self::NobodyAttached(end) => format!("nobody attached to {}", label(end)),
            Self::NobodyReads(end) => format!("nobody reads {}", label(end)),
            Self::NotRaw(end) => format!("{}'s client's termios is not raw", label(end)),
            Self::Faults(end) => format!("after the line harmed bytes for {}", label(end)),
        }
    }
}
