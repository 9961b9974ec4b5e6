use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::workload::Settings;

use super::{FlowEnd, Histogram, Kind, LinkSample};

/// What happened between two moments, under one set of settings.
///
/// All times are nanoseconds of `CLOCK_MONOTONIC` since the source started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sample {
    /// When the interval began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// Counts the changes of settings since the source started.
    pub epoch: u32,
    /// Whether all that was counted happened in this epoch. A sample that
    /// straddles a change is shown but enters no statistic.
    pub settled: bool,
    /// Whether the workload was held.
    pub paused: bool,
    /// The settings in force at the end of the interval.
    pub settings: Arc<Settings>,
    /// One entry for each direction in which bytes go, all ptys summed.
    pub flows: Vec<Flow>,
    /// Times of whole round trips, where the workload makes them.
    pub round_trips: Option<Histogram>,
    /// Bytes read in the interval, by pty.
    pub bytes_by_pair: Vec<u64>,
    /// Bytes of the line discipline's echo that were read away.
    pub echoed_bytes: u64,
    /// What the comparison of every byte found since the source started.
    pub integrity: Integrity,
    /// What the machine did meanwhile.
    pub host: HostUse,
    /// What a null modem saw, where the source is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkSample>,
}

impl Sample {
    /// The length of the interval in seconds.
    pub fn seconds(&self) -> f64 {
        self.end_ns.saturating_sub(self.start_ns) as f64 / 1e9
    }

    /// Bytes read in the interval, over all flows.
    pub fn bytes_read(&self) -> u64 {
        self.flows.iter().map(|flow| flow.reader.calls.bytes).sum()
    }

    /// Bytes on their way, over all flows.
    pub fn in_flight(&self) -> u64 {
        let bytes = |flow: &Flow| flow.totals.in_flight.max(0) as u64;
        self.flows.iter().map(bytes).sum()
    }

    /// Bytes read per second; 0 for an empty interval.
    pub fn throughput(&self) -> f64 {
        let seconds = self.seconds();
        if seconds > 0.0 {
            self.bytes_read() as f64 / seconds
        } else {
            0.0
        }
    }

    /// Whether the sample may enter a statistic of its epoch.
    pub fn counts(&self) -> bool {
        self.settled && !self.paused
    }
}

/// The bytes of one direction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Flow {
    /// The end that writes.
    pub from: FlowEnd,
    /// The writing end.
    pub writer: Side,
    /// The reading end.
    pub reader: Side,
    /// Sums since the workload started, settings unchanged.
    pub totals: Totals,
    /// `FIONREAD` at the reading end, where it could be asked: what its line
    /// discipline holds, at most 4095 for each pty.
    pub queued_input: Option<u64>,
}

/// What one end did in the interval, all ptys summed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Side {
    /// Its system calls.
    pub calls: Calls,
    /// What its thread used; None where another entry of the sample has the
    /// same thread (in a ping-pong each thread both reads and writes).
    pub thread: Option<ThreadUse>,
    /// The call it sits in right now; the longest, of several ptys.
    pub blocked: Option<Blocked>,
}

/// Calls of one kind at one end in the interval.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Calls {
    /// Bytes moved by the calls that returned.
    pub bytes: u64,
    /// Calls that moved fewer bytes than asked, but some.
    pub short: u64,
    /// Calls that failed, other than by our own signal.
    pub errors: u64,
    /// Wall time of each call in nanoseconds, own work between calls included
    /// (see the help of the screen).
    pub time: Histogram,
    /// Bytes moved by each call.
    pub size: Histogram,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            bytes: 0,
            short: 0,
            errors: 0,
            time: Histogram::empty(Kind::Time),
            size: Histogram::empty(Kind::Size),
        }
    }
}

impl Calls {
    /// Calls that returned with bytes.
    pub fn count(&self) -> u64 {
        self.size.count()
    }

    /// Adds another end's, or interval's, calls.
    pub fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.short += other.short;
        self.errors += other.errors;
        self.time.add(&other.time);
        self.size.add(&other.size);
    }
}

/// What a thread used of its CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadUse {
    /// CPU time.
    pub cpu: Cpu,
    /// Context switches.
    pub switches: Switches,
}

impl ThreadUse {
    /// Adds another thread's, or interval's, use.
    pub fn add(&mut self, other: &Self) {
        self.cpu.user_ns += other.cpu.user_ns;
        self.cpu.system_ns += other.cpu.system_ns;
        self.switches.voluntary += other.switches.voluntary;
        self.switches.involuntary += other.switches.involuntary;
    }
}

/// CPU time by `RUSAGE_THREAD` (getrusage(2)): the sum is exact, the split
/// between user and system is sampled by the kernel at its tick.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cpu {
    /// Outside of the kernel.
    pub user_ns: u64,
    /// Inside.
    pub system_ns: u64,
}

impl Cpu {
    /// User and system time together.
    pub fn total_ns(self) -> u64 {
        self.user_ns + self.system_ns
    }
}

/// Context switches by `RUSAGE_THREAD`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switches {
    /// The thread had to wait.
    pub voluntary: u64,
    /// The scheduler took the CPU away.
    pub involuntary: u64,
}

/// A system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Call {
    /// write(2).
    Write,
    /// read(2).
    Read,
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Write => "write",
            Self::Read => "read",
        })
    }
}

/// A call that has not returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// Which call.
    pub call: Call,
    /// For how long it had not returned when the sample was taken.
    pub for_ns: u64,
}

/// Sums over the life of a workload. At any moment
/// `written + added = read + dropped + in_flight`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Bytes that write(2) took.
    pub written: u64,
    /// Bytes that read(2) gave.
    pub read: u64,
    /// Bytes that the line discipline put in (CR before NL).
    pub added: u64,
    /// Bytes that it threw away (past 4095 of a canonical line).
    pub dropped: u64,
    /// Bytes between the two, wherever they are. May be negative by what a
    /// write(2) that has not returned has already handed over.
    pub in_flight: i64,
    /// Bytes asked of write(2) calls that had not returned; some of them may
    /// be in flight, or read already.
    pub under_way: u64,
}

impl Totals {
    /// Adds another pty's.
    pub fn add(&mut self, other: &Self) {
        self.written += other.written;
        self.read += other.read;
        self.added += other.added;
        self.dropped += other.dropped;
        self.in_flight += other.in_flight;
        self.under_way += other.under_way;
    }
}

/// What the comparison of the received bytes with the sent ones found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integrity {
    /// Bytes that were compared and right.
    pub verified: u64,
    /// Bytes that never came.
    pub lost: u64,
    /// Bytes that came again, or out of their order.
    pub doubled: u64,
    /// Bytes that came changed.
    pub changed: u64,
}

impl Integrity {
    /// Whether no fault was found.
    pub fn is_sound(self) -> bool {
        self.lost == 0 && self.doubled == 0 && self.changed == 0
    }

    /// Adds another reader's findings.
    pub fn add(&mut self, other: &Self) {
        self.verified += other.verified;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.changed += other.changed;
    }
}

impl std::fmt::Display for Integrity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} lost, {} doubled, {} changed",
            self.lost, self.doubled, self.changed
        )
    }
}

/// What the machine and this program did in the interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostUse {
    /// CPU time of the kernel's unbound workers, which move the bytes from the
    /// flip buffers to the line discipline (`flush_to_ldisc`); None where
    /// they cannot be seen. Other work of theirs is in it too.
    pub kworker_ns: Option<u64>,
    /// CPU time of this process other than the workload's own threads: the
    /// screen and the sampling.
    pub own_ns: u64,
    /// CPU time that the hypervisor took away, all CPUs; None where unknown.
    pub steal_ns: Option<u64>,
    /// kmalloc calls by the writers' threads; None where perf events are not
    /// allowed.
    pub kmallocs: Option<u64>,
}
