//! What a workload did, as a report states it.

use serde::{Deserialize, Serialize};

use crate::analysis::median_interval;
use crate::sample::{
    Calls, Closing, Cpu, Ending, FlowEnd, FlowSum, Histogram, Integrity, Sample, Sum, Switches,
    ThreadUse, Totals, Verdict,
};

use super::Visit;
use super::quantity::{Bytes, BytesPerSecond, Nanoseconds};

/// A workload measured over some time, under one set of settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The time that the statistics are of: that of all visits.
    pub time: Nanoseconds,
    /// Bytes read in that time.
    pub bytes: Bytes,
    /// Those bytes over that time.
    pub throughput: BytesPerSecond,
    /// The median visit's throughput, with its interval; None for too few
    /// visits.
    pub typical: Option<Spread>,
    /// One for each direction in which bytes went.
    pub flows: Vec<FlowReport>,
    /// Times of whole round trips, where the workload made them.
    pub round_trips: Option<Quantiles>,
    /// Bytes read, by pty.
    pub bytes_by_pair: Vec<Bytes>,
    /// Bytes of the line discipline's echo that were read away.
    pub echoed: Bytes,
    /// CPU time of the kernel's unbound workers; None where they cannot be seen.
    pub kworker_cpu: Option<Nanoseconds>,
    /// CPU time of this program beside the workload.
    pub own_cpu: Nanoseconds,
    /// CPU time that the hypervisor took away, all CPUs; None where unknown.
    pub stolen: Option<Nanoseconds>,
    /// kmalloc calls by the writers' threads; None where perf events are not
    /// allowed.
    pub kmallocs: Option<u64>,
    /// What the comparison of the bytes found, from first to last.
    pub integrity: Integrity,
    /// Whether every byte is accounted for.
    pub verdict: Verdict,
    /// What was measured in each interval: the raw values.
    pub visits: Vec<Visit>,
}

impl Measurement {
    /// Bytes that write(2) took, from first to last.
    pub fn written(&self) -> u64 {
        let written = self.flows.iter().map(|flow| flow.totals.written);
        written.fold(0, u64::saturating_add)
    }
}

/// A median rate with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: BytesPerSecond,
    /// Lower end of the interval.
    pub low: BytesPerSecond,
    /// Upper end.
    pub high: BytesPerSecond,
    /// How many visits it rests on.
    pub n: usize,
}

/// One direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowReport {
    /// The end that writes.
    pub from: FlowEnd,
    /// The writing end.
    pub writer: EndReport,
    /// The reading end.
    pub reader: EndReport,
    /// Sums from first to last, outside of the visits too.
    pub totals: Totals,
}

/// One end of one direction, all ptys summed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndReport {
    /// Calls that returned with bytes.
    pub calls: u64,
    /// Bytes that they moved.
    pub bytes: Bytes,
    /// Calls that moved fewer bytes than asked, but some.
    pub short: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Wall time of a call.
    pub call_time: Option<Quantiles>,
    /// Bytes moved by a call: smallest, largest, and how often.
    pub sizes: Vec<(u64, u64, u64)>,
    /// What its threads used; None where the other direction's entry has the
    /// same threads.
    pub thread: Option<ThreadReport>,
}

/// What the threads of one end used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ThreadReport {
    /// CPU time outside of the kernel.
    pub user: Nanoseconds,
    /// CPU time inside.
    pub system: Nanoseconds,
    /// The rest of the time: waiting, in a call or for a CPU.
    pub waiting: Nanoseconds,
    /// Context switches.
    pub switches: Switches,
}

/// Quantiles of a time. Each is at most 1.6 % too high, the width of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The median.
    pub p50: Nanoseconds,
    /// 90 of 100 are not longer.
    pub p90: Nanoseconds,
    /// 99 of 100.
    pub p99: Nanoseconds,
    /// 999 of 1000.
    pub p999: Nanoseconds,
    /// The longest.
    pub max: Nanoseconds,
}

impl Quantiles {
    pub(super) fn of(times: &Histogram) -> Option<Self> {
        let at = |q| times.quantile(q).map(Nanoseconds::from);
        Some(Self {
            p50: at(0.5)?,
            p90: at(0.9)?,
            p99: at(0.99)?,
            p999: at(0.999)?,
            max: times.max().map(Nanoseconds::from)?,
        })
    }
}

impl ThreadReport {
    /// `available` is the wall time of all its threads together.
    fn of(used: ThreadUse, available: Nanoseconds) -> Self {
        let Cpu { user_ns, system_ns } = used.cpu;
        Self {
            user: user_ns.into(),
            system: system_ns.into(),
            waiting: Nanoseconds((available.0 - used.cpu.total_ns() as f64).max(0.0)),
            switches: used.switches,
        }
    }

    /// CPU time, inside and outside of the kernel.
    pub fn cpu(&self) -> Nanoseconds {
        Nanoseconds(self.user.0 + self.system.0)
    }
}

impl EndReport {
    fn of(calls: &Calls, used: Option<ThreadUse>, available: Nanoseconds) -> Self {
        let bucket = |b: crate::sample::Bucket| (b.low, b.high, b.count);
        Self {
            calls: calls.count(),
            bytes: Bytes(calls.bytes),
            short: calls.short,
            errors: calls.errors,
            call_time: Quantiles::of(&calls.time),
            sizes: calls.size.buckets().map(bucket).collect(),
            thread: used.map(|used| ThreadReport::of(used, available)),
        }
    }

    /// Bytes of the average call; None without calls.
    pub fn bytes_per_call(&self) -> Option<f64> {
        (self.calls > 0).then(|| self.bytes.0 as f64 / self.calls as f64)
    }
}

/// Collects the samples of a run.
#[derive(Debug, Default)]
pub struct Collector {
    sum: Sum,
    bytes_by_pair: Vec<u64>,
    echoed: u64,
    visits: Vec<Visit>,
    pairs: u32,
    /// How things stood at the last sample.
    stand: Option<Closing>,
}

impl Collector {
    /// Adds a sample, unless it straddles a change of settings or a pause.
    pub fn add(&mut self, sample: &Sample) {
        self.echoed += sample.echoed_bytes;
        self.pairs = sample.settings.pairs;
        self.stand = Some(Closing::of(sample));
        if !sample.counts() {
            return;
        }
        self.sum.add(sample);
        let pairs = self.bytes_by_pair.len().max(sample.bytes_by_pair.len());
        self.bytes_by_pair.resize(pairs, 0);
        for (sum, bytes) in self.bytes_by_pair.iter_mut().zip(&sample.bytes_by_pair) {
            *sum += bytes;
        }
        self.visits.push(Visit::of(sample));
    }

    /// How many samples were added.
    pub fn len(&self) -> usize {
        self.visits.len()
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.visits.is_empty()
    }

    /// All of it, with the source's end.
    pub fn finish(self, ending: &Ending) -> Measurement {
        let sum = &self.sum;
        let time = Nanoseconds::seconds(sum.seconds);
        let available = Nanoseconds(time.0 * f64::from(self.pairs));
        let closing = ending.closing.as_ref();
        let stand = closing.or(self.stand.as_ref());
        let totals = |from| stand.and_then(|stand| stand.totals(from));
        let flow = |flow: &FlowSum| FlowReport {
            from: flow.from,
            writer: EndReport::of(&flow.writes, flow.writer, available),
            reader: EndReport::of(&flow.reads, flow.reader, available),
            totals: totals(flow.from).unwrap_or_default(),
        };
        Measurement {
            time,
            bytes: Bytes(sum.bytes_read()),
            throughput: BytesPerSecond(sum.throughput()),
            typical: typical(&self.visits),
            flows: sum.flows.iter().map(flow).collect(),
            round_trips: sum.round_trips.as_ref().and_then(Quantiles::of),
            bytes_by_pair: self.bytes_by_pair.iter().copied().map(Bytes).collect(),
            echoed: Bytes(self.echoed + closing.map_or(0, |closing| closing.echoed_bytes)),
            kworker_cpu: sum.kworker_ns.map(Nanoseconds::from),
            own_cpu: sum.own_ns.into(),
            stolen: sum.steal_ns.map(Nanoseconds::from),
            kmallocs: sum.kmallocs,
            integrity: ending.integrity,
            verdict: ending.verdict,
            visits: self.visits,
        }
    }
}

fn typical(visits: &[Visit]) -> Option<Spread> {
    let rates: Vec<f64> = visits.iter().filter_map(Visit::throughput).collect();
    let interval = median_interval(&rates, 0.95)?;
    Some(Spread {
        median: BytesPerSecond(interval.estimate),
        low: BytesPerSecond(interval.low),
        high: BytesPerSecond(interval.high),
        n: interval.n,
    })
}
