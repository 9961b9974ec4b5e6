//! What a workload did, as a report states it.

use serde::{Deserialize, Serialize};

use crate::analysis::median_interval;
use crate::sample::{
    Blocked, Call, Calls, Closing, Cpu, Ending, Flow, FlowEnd, FlowSum, Histogram, Integrity,
    Sample, Sum, Switches, ThreadUse, Totals, Verdict,
};

use super::Visit;
use super::quantity::{Bytes, BytesPerSecond, Nanoseconds};

/// A workload measured over some time, under one set of settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The time that the statistics are of: that of all visits.
    pub time: Nanoseconds,
    /// Bytes read in that time, less those that the ptys were filled with before
    /// where no others were left in their place: they were not written in it.
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
    /// Bytes read, by pty, those included that it was filled with before.
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
    /// The call that had not returned when the time was over; the longest, of
    /// several ptys. It is in no quantile but the longest.
    #[serde(default)]
    pub blocked: Option<BlockedCall>,
    /// Bytes moved by a call: smallest, largest, and how often.
    pub sizes: Vec<(u64, u64, u64)>,
    /// What its threads used; None where the other direction's entry has the
    /// same threads.
    pub thread: Option<ThreadReport>,
}

/// A call that had not returned when the time was over, having lasted for 50 ms
/// at least.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockedCall {
    /// Which call.
    pub call: Call,
    /// What it had taken by then.
    pub time: Nanoseconds,
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
    /// The longest, or what one that has not returned had taken by the end if
    /// that is more.
    pub max: Nanoseconds,
    /// Whether `max` is of one that has not returned: it took that long at least.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub max_is_least: bool,
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
            max_is_least: false,
        })
    }

    /// The same, of which one more had not returned.
    fn beside(self, blocked: Option<BlockedCall>) -> Self {
        match blocked {
            Some(BlockedCall { time, .. }) if time.0 > self.max.0 => Self {
                max: time,
                max_is_least: true,
                ..self
            },
            _ => self,
        }
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
    fn of(
        calls: &Calls,
        used: Option<ThreadUse>,
        blocked: Option<Blocked>,
        available: Nanoseconds,
    ) -> Self {
        let blocked = blocked.map(|Blocked { call, for_ns }| BlockedCall {
            call,
            time: for_ns.into(),
        });
        let bucket = |b: crate::sample::Bucket| (b.low, b.high, b.count);
        Self {
            calls: calls.count(),
            bytes: Bytes(calls.bytes),
            short: calls.short,
            errors: calls.errors,
            call_time: Quantiles::of(&calls.time).map(|times| times.beside(blocked)),
            blocked,
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
    /// Who was in which call then, by the writing end: writers and readers.
    blocked: Vec<(FlowEnd, [Option<Blocked>; 2])>,
}

impl Collector {
    /// Adds a sample, unless it straddles a change of settings or a pause.
    pub fn add(&mut self, sample: &Sample) {
        self.echoed += sample.echoed_bytes;
        self.pairs = sample.settings.pairs;
        self.stand = Some(Closing::of(sample));
        let sides = |flow: &Flow| [flow.writer.blocked, flow.reader.blocked];
        let flows = sample.flows.iter();
        self.blocked = flows.map(|flow| (flow.from, sides(flow))).collect();
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
    pub fn finish(mut self, ending: &Ending) -> Measurement {
        let bytes = self.sum.bytes_read() - self.leave_out(ending);
        let sum = &self.sum;
        let time = Nanoseconds::seconds(sum.seconds);
        let available = Nanoseconds(time.0 * f64::from(self.pairs));
        let closing = ending.closing.as_ref();
        let stand = closing.or(self.stand.as_ref());
        let totals = |from| stand.and_then(|stand| stand.totals(from));
        let blocked = |from| {
            let mut all = self.blocked.iter();
            all.find(|flow| flow.0 == from)
                .map_or([None; 2], |flow| flow.1)
        };
        let flow = |flow: &FlowSum| {
            let [writer, reader] = blocked(flow.from);
            FlowReport {
                from: flow.from,
                writer: EndReport::of(&flow.writes, flow.writer, writer, available),
                reader: EndReport::of(&flow.reads, flow.reader, reader, available),
                totals: totals(flow.from).unwrap_or_default(),
            }
        };
        Measurement {
            time,
            bytes: Bytes(bytes),
            throughput: Bytes(bytes).over(time).unwrap_or(BytesPerSecond(0.0)),
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

    /// Takes out of the visits, from the first on, what was read of the bytes
    /// that were there before and is not made up for by what was in flight at
    /// the end. Gives their number.
    fn leave_out(&mut self, ending: &Ending) -> u64 {
        let ahead = ending.closing.as_ref().map_or(0, |closing| closing.ahead);
        let stand = self.stand.iter().flat_map(|stand| &stand.flows);
        let in_flight: u64 = stand.map(|(_, sums)| sums.in_flight.max(0) as u64).sum();
        let most = ahead.saturating_sub(in_flight);
        let mut left = most;
        for visit in &mut self.visits {
            let part = visit.bytes.0.min(left);
            visit.bytes.0 -= part;
            left -= part;
        }
        most - left
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
