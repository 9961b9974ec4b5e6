//! What a relay writes down and a sampler takes away.

use std::collections::VecDeque;

use crate::sample::layout::{Layout, SIZE, TIME};
use crate::sample::{
    Calls, EventCounts, EventKind, FaultCounts, FlowEnd, Histogram, Kind, LinkEvent, LinkView,
    NameLoss, Stall, StallCounts, Totals,
};

use super::stall::Detector;

/// Bucket counts while they grow.
#[derive(Debug, Clone)]
struct Counts {
    kind: Kind,
    buckets: Vec<u64>,
}

impl Counts {
    fn new(kind: Kind) -> Self {
        let layout: Layout = kind.layout();
        Self {
            kind,
            buckets: vec![0; layout.bucket_count()],
        }
    }

    fn times() -> Self {
        Self::new(Kind::Time)
    }

    fn histogram(&self) -> Histogram {
        Histogram::between(self.kind, &[], &self.buckets)
    }
}

/// The system calls of one kind in the interval.
#[derive(Debug, Clone)]
pub struct CallTally {
    bytes: u64,
    short: u64,
    errors: u64,
    time: Counts,
    size: Counts,
}

impl CallTally {
    fn new() -> Self {
        Self {
            bytes: 0,
            short: 0,
            errors: 0,
            time: Counts::times(),
            size: Counts::new(Kind::Size),
        }
    }

    /// Counts a call that moved `bytes` of the `asked` in `ns`.
    pub fn record(&mut self, ns: u64, bytes: usize, asked: usize) {
        self.bytes += bytes as u64;
        self.short += u64::from(bytes < asked);
        self.time.buckets[TIME.index(ns)] += 1;
        self.size.buckets[SIZE.index(bytes as u64)] += 1;
    }

    /// Counts a call that failed.
    pub fn record_error(&mut self) {
        self.errors += 1;
    }

    /// Bytes moved.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// As it stands in a sample.
    pub fn calls(&self) -> Calls {
        Calls {
            bytes: self.bytes,
            short: self.short,
            errors: self.errors,
            time: self.time.histogram(),
            size: self.size.histogram(),
        }
    }
}

/// One direction in the interval.
#[derive(Debug, Clone)]
pub struct WayTally {
    pub reads: CallTally,
    pub writes: CallTally,
    in_relay: Counts,
    turnaround: Counts,
    pub most_held: usize,
    pub faults: FaultCounts,
}

impl WayTally {
    fn new() -> Self {
        Self {
            reads: CallTally::new(),
            writes: CallTally::new(),
            in_relay: Counts::times(),
            turnaround: Counts::times(),
            most_held: 0,
            faults: FaultCounts::default(),
        }
    }

    /// Counts bytes that left so long after they were readable.
    pub fn record_passed(&mut self, bytes: usize, ns: u64) {
        self.in_relay.buckets[TIME.index(ns)] += bytes as u64;
    }

    /// Counts an answer that came so long after what it answers had left.
    pub fn record_turnaround(&mut self, ns: u64) {
        self.turnaround.buckets[TIME.index(ns)] += 1;
    }

    /// How long bytes were in the relay, counted for each byte.
    pub fn in_relay(&self) -> Histogram {
        self.in_relay.histogram()
    }

    /// How long answers took.
    pub fn turnaround(&self) -> Histogram {
        self.turnaround.histogram()
    }
}

/// What happened since the sampler last looked. Arrays are by end, or by the
/// end that sends: A, then B.
#[derive(Debug, Clone)]
pub struct Interval {
    pub ways: [WayTally; 2],
    pub events: [EventCounts; 2],
    pub log: VecDeque<LinkEvent>,
    pub stalls: VecDeque<Stall>,
    pub stalled: StallCounts,
    /// Whether the line changed after something had been counted.
    pub straddles: bool,
}

impl Interval {
    pub fn new() -> Self {
        Self {
            ways: [WayTally::new(), WayTally::new()],
            events: Default::default(),
            log: VecDeque::new(),
            stalls: VecDeque::new(),
            stalled: StallCounts::default(),
            straddles: false,
        }
    }

    /// Whether the first client of an end came, or the last one went.
    pub fn came_or_went(&self) -> bool {
        let happened = |kind| self.events.iter().any(|events| events.get(kind) > 0);
        happened(EventKind::Open) || happened(EventKind::Close)
    }

    fn is_empty(&self) -> bool {
        self.ways
            .iter()
            .all(|way| way.reads.bytes == 0 && way.writes.bytes == 0)
    }
}

/// How the link stands.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Counts the changes of the line.
    pub epoch: u32,
    /// By end.
    pub attached: [bool; 2],
    pub stopped: [bool; 2],
    pub names_lost: [Option<NameLoss>; 2],
    /// By the end that sends.
    pub held: [usize; 2],
    pub blocked_since_ns: [Option<u64>; 2],
    pub totals: [Totals; 2],
    pub detector: Detector,
}

/// Everything that relay and sampler share about what happened.
#[derive(Debug)]
pub struct Ledger {
    pub interval: Interval,
    pub standing: Standing,
}

impl Ledger {
    /// Nothing happened yet; a silence is a stall from `stall_ns` on.
    pub fn new(stall_ns: u64) -> Self {
        Self {
            interval: Interval::new(),
            standing: Standing {
                epoch: 0,
                attached: [false; 2],
                stopped: [false; 2],
                names_lost: [None, None],
                held: [0; 2],
                blocked_since_ns: [None; 2],
                totals: Default::default(),
                detector: Detector::new(stall_ns),
            },
        }
    }

    /// Bytes moved just now, either way.
    pub fn moved(&mut self, now_ns: u64) {
        if let Some(stall) = self.standing.detector.moved(now_ns) {
            self.interval.stalled.record(&stall);
            keep(&mut self.interval.stalls, stall);
        }
    }

    /// A client did something.
    pub fn event(&mut self, event: LinkEvent) {
        let end = usize::from(event.end == FlowEnd::B);
        self.interval.events[end].record(event.kind);
        self.standing.detector.event(&event);
        match event.kind {
            EventKind::Stop => self.standing.stopped[end] = true,
            EventKind::Start => self.standing.stopped[end] = false,
            EventKind::Open => self.standing.attached[end] = true,
            EventKind::Close => self.standing.attached[end] = false,
            _ => {}
        }
        keep(&mut self.interval.log, event);
    }

    /// The line changed.
    pub fn next_epoch(&mut self) {
        self.standing.epoch += 1;
        self.interval.straddles |= !self.interval.is_empty();
    }
}

/// A or B.
pub fn flow_end(end: usize) -> FlowEnd {
    if end == 0 { FlowEnd::A } else { FlowEnd::B }
}

fn keep<T>(list: &mut VecDeque<T>, item: T) {
    if list.len() == LinkView::LOGGED {
        list.pop_front();
    }
    list.push_back(item);
}
