//! What happens at the ends of a link: what their clients do, and what becomes of
//! their names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::sample::FlowEnd;

/// What packet mode (TIOCPKT, ioctl_tty(2)) tells of the client of a slave, and
/// what inotify(7) tells of the slave and of the name that leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EventKind {
    /// It flushed its input: what it had not read is gone.
    FlushRead,
    /// It flushed its output.
    FlushWrite,
    /// Its output was stopped.
    Stop,
    /// Its output goes on.
    Start,
    /// ^S and ^Q act on it from now on.
    DoStop,
    /// They no longer do.
    NoStop,
    /// It changed its termios in EXTPROC mode.
    Ioctl,
    /// Somebody opened the slave that nobody had open.
    Open,
    /// The last who had it open closed it.
    Close,
    /// The name of this end is this link's no more.
    NameLost,
}

impl EventKind {
    /// All kinds, in the order of [`EventCounts`].
    pub const ALL: [Self; 10] = [
        Self::FlushRead,
        Self::FlushWrite,
        Self::Stop,
        Self::Start,
        Self::DoStop,
        Self::NoStop,
        Self::Ioctl,
        Self::Open,
        Self::Close,
        Self::NameLost,
    ];

    /// The name that ioctl_tty(2) gives it, or the system call.
    pub fn name(self) -> &'static str {
        match self {
            Self::FlushRead => "FLUSHREAD",
            Self::FlushWrite => "FLUSHWRITE",
            Self::Stop => "STOP",
            Self::Start => "START",
            Self::DoStop => "DOSTOP",
            Self::NoStop => "NOSTOP",
            Self::Ioctl => "IOCTL",
            Self::Open => "open",
            Self::Close => "close",
            Self::NameLost => "name lost",
        }
    }
}

impl std::fmt::Display for EventKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// How often each kind of event came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<EventKind, u64>", from = "BTreeMap<EventKind, u64>")]
pub struct EventCounts([u64; EventKind::ALL.len()]);

impl From<EventCounts> for BTreeMap<EventKind, u64> {
    fn from(counts: EventCounts) -> Self {
        counts.iter().collect()
    }
}

impl From<BTreeMap<EventKind, u64>> for EventCounts {
    fn from(map: BTreeMap<EventKind, u64>) -> Self {
        let of = |kind| map.get(&kind).copied().unwrap_or(0);
        Self(EventKind::ALL.map(of))
    }
}

impl EventCounts {
    /// Counts one.
    pub fn record(&mut self, kind: EventKind) {
        self.0[kind as usize] += 1;
    }

    /// How often `kind` came.
    pub fn get(&self, kind: EventKind) -> u64 {
        self.0[kind as usize]
    }

    /// Adds another interval's.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }

    /// Those that came, with how often.
    pub fn iter(&self) -> impl Iterator<Item = (EventKind, u64)> + '_ {
        EventKind::ALL
            .into_iter()
            .zip(self.0)
            .filter(|(_, count)| *count > 0)
    }
}

/// Something that happened at an end, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEvent {
    /// When, as all times of a sample.
    pub at_ns: u64,
    /// At which end.
    pub end: FlowEnd,
    /// What.
    pub kind: EventKind,
    /// Bytes passed to this client since it last sent any or flushed its input:
    /// what a flush of its input may have thrown away, if it had not read them.
    pub unanswered: u64,
    /// How many of them a flush of its input threw away for certain; None for
    /// any other event, and where that is not known.
    #[serde(default)]
    pub discarded: Option<u64>,
}
