//! What a null modem adds to a sample.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::pty::Mode;
use crate::workload::Line;

use super::{FlowEnd, Histogram, Kind};

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
    pub name: Option<PathBuf>,
    /// The slave behind it.
    pub slave: PathBuf,
    /// Whether anybody has the slave open.
    pub attached: bool,
    /// Who has; None while nobody looks, and without those whose descriptors
    /// we may not see.
    pub clients: Option<Vec<Client>>,
    /// The slave's termios flags; a client that is not raw changes bytes.
    pub mode: Option<Mode>,
    /// The speed that the client has set, in bits a second.
    pub baud: Option<u32>,
    /// Whether the client has stopped its output (`^S` or tcflow(3)).
    pub stopped: bool,
    /// What packet mode told of this end's client in the interval.
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

/// What packet mode (TIOCPKT, ioctl_tty(2)) tells of the client of a slave.
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
}

impl EventKind {
    /// All kinds, in the order of [`EventCounts`].
    pub const ALL: [Self; 9] = [
        Self::FlushRead,
        Self::FlushWrite,
        Self::Stop,
        Self::Start,
        Self::DoStop,
        Self::NoStop,
        Self::Ioctl,
        Self::Open,
        Self::Close,
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

/// Something that a client did, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkEvent {
    /// When, as all times of a sample.
    pub at_ns: u64,
    /// Whose client.
    pub end: FlowEnd,
    /// What.
    pub kind: EventKind,
    /// Bytes passed to this client since it last sent any: what a flush of
    /// its input may have thrown away.
    pub unanswered: u64,
}

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
    /// The client of this end flushed its input while bytes for it were in
    /// flight.
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
    /// What the user can do about it: a clause.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Self::FlushedInput(_) => Some(
                "a pause before each message is passed on lets the client finish its flush: --settle 200us",
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
            Self::FlushedInput(end) => format!(
                "after {}'s client flushed its input: the block then in flight was thrown away",
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
