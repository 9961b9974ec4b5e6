//! What a null modem adds to a sample.

mod event;
mod name;
mod path;
mod stall;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::pty::Mode;
use crate::workload::Line;

use super::{Histogram, Kind};

pub use event::{EventCounts, EventKind, LinkEvent};
pub use name::NameLoss;
pub use stall::{Cause, Silence, Stall, StallCounts, StallsOfCause};

/// What all links of a source did in the interval.
///
/// In the flows beside it the writer's calls are the relay's write(2) into the
/// receiving pty, the reader's calls its read(2) from the sending one, and
/// [`super::Totals`] counts as `written` what came from the sending client and
/// as `read` what was passed on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinkSample {
    /// The line that is imitated.
    pub line: Arc<Line>,
    /// One entry for each link.
    pub links: Vec<LinkView>,
}

/// What one link did in the interval, and how it stands at its end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct LinkView {
    /// A, then B.
    pub ends: [EndView; 2],
    /// From A to B, then from B to A.
    pub ways: [WayView; 2],
    /// The last events of the interval, oldest first; all are counted in
    /// [`EndView::events`].
    pub log: Vec<LinkEvent>,
    /// The last silences that ended in the interval, oldest first.
    pub stalls: Vec<Stall>,
    /// All of them.
    pub stalled: StallCounts,
    /// For how long nothing has moved either way, and why, once it is long
    /// enough to be a stall. None before the first byte too.
    pub silence: Option<Silence>,
}

impl LinkSample {
    /// Times of all links and both ways from the last byte passed on to the
    /// first byte back.
    pub fn turnaround(&self) -> Histogram {
        let mut all = Histogram::empty(Kind::Time);
        let ways = self.links.iter().flat_map(|link| &link.ways);
        for times in ways.filter_map(|way| way.turnaround.as_ref()) {
            all.add(times);
        }
        all
    }

    /// Goes on with a later interval of the same links.
    pub fn add(&mut self, later: &Self) {
        self.line = Arc::clone(&later.line);
        for (link, later) in self.links.iter_mut().zip(&later.links) {
            link.add(later);
        }
    }
}

impl LinkView {
    /// Events and stalls that are kept one by one; all are counted.
    pub const LOGGED: usize = 64;

    /// Goes on with a later interval: what is counted adds up, what stands is
    /// the later's.
    pub fn add(&mut self, later: &Self) {
        for (end, later) in self.ends.iter_mut().zip(&later.ends) {
            let mut events = end.events;
            events.add(&later.events);
            *end = EndView {
                events,
                ..later.clone()
            };
        }
        for (way, later) in self.ways.iter_mut().zip(&later.ways) {
            way.add(later);
        }
        extend_log(&mut self.log, &later.log);
        extend_log(&mut self.stalls, &later.stalls);
        self.stalled.add(&later.stalled);
        self.silence = later.silence;
    }
}

fn extend_log<T: Copy>(log: &mut Vec<T>, later: &[T]) {
    log.extend(later);
    log.drain(..log.len().saturating_sub(LinkView::LOGGED));
}

/// One end of a link.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EndView {
    /// The name that clients open, where it was given one.
    #[serde(default, with = "path::option")]
    pub name: Option<PathBuf>,
    /// What has become of that name, where it is this link's no more.
    #[serde(default)]
    pub name_lost: Option<NameLoss>,
    /// The slave behind it.
    #[serde(with = "path")]
    pub slave: PathBuf,
    /// Whether anybody has the slave open.
    pub attached: bool,
    /// Who has; None while nobody looks, and without those whose descriptors
    /// we may not see. Nobody where `attached` is false.
    pub clients: Option<Vec<Client>>,
    /// Who had when somebody was seen there last.
    #[serde(default)]
    pub last_clients: Vec<Client>,
    /// The slave's termios flags; a client that is not raw changes bytes.
    pub mode: Option<Mode>,
    /// The speed that the client has set, in bits a second.
    pub baud: Option<u32>,
    /// Whether the client has stopped its output (`^S` or tcflow(3)).
    pub stopped: bool,
    /// What happened at this end in the interval.
    pub events: EventCounts,
}

impl EndView {
    /// What a user would call this end: its name, or the slave.
    pub fn label(&self) -> String {
        let path = self.name.as_ref().unwrap_or(&self.slave);
        path.display().to_string()
    }
}

/// A program that has an end open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Its process.
    pub pid: u32,
    /// `comm` of proc_pid_comm(5).
    pub program: String,
}

/// One direction of a link.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WayView {
    /// Bytes passed on.
    pub passed: u64,
    /// From readable at one master to written to the other, in nanoseconds,
    /// counted for each byte.
    pub in_relay: Option<Histogram>,
    /// From the last byte passed on this way to the first byte back, in
    /// nanoseconds: what a stop-and-wait protocol lives on.
    pub turnaround: Option<Histogram>,
    /// Bytes that the relay holds.
    pub queued: u64,
    /// The most it held in the interval.
    pub most_queued: u64,
    /// For how long the receiving pty has taken nothing although bytes wait.
    pub blocked_ns: Option<u64>,
    /// What was done to bytes in the interval.
    pub faults: FaultCounts,
}

impl WayView {
    fn add(&mut self, later: &Self) {
        self.passed += later.passed;
        add_times(&mut self.in_relay, &later.in_relay);
        add_times(&mut self.turnaround, &later.turnaround);
        self.queued = later.queued;
        self.most_queued = self.most_queued.max(later.most_queued);
        self.blocked_ns = later.blocked_ns;
        self.faults.add(&later.faults);
    }
}

fn add_times(times: &mut Option<Histogram>, later: &Option<Histogram>) {
    match (times, later) {
        (Some(times), Some(later)) => times.add(later),
        (none @ None, later) => none.clone_from(later),
        (Some(_), None) => {}
    }
}

/// Bytes that the line did not carry as they came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCounts {
    /// Lost on purpose.
    pub dropped: u64,
    /// One bit turned.
    pub flipped: u64,
    /// Sent twice.
    pub duplicated: u64,
    /// Thrown away because nobody had the receiving end open.
    pub unattached: u64,
}

impl FaultCounts {
    /// Adds another interval's.
    pub fn add(&mut self, other: &Self) {
        self.dropped += other.dropped;
        self.flipped += other.flipped;
        self.duplicated += other.duplicated;
        self.unattached += other.unattached;
    }
}
