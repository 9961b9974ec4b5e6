//! The raw values of one interval: what others need to analyse a run again.

use serde::{Deserialize, Serialize};

use crate::sample::{Flow, Sample, Switches, ThreadUse};

use super::quantity::{Bytes, Nanoseconds};

/// What was measured between two moments, all directions and ptys summed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// When it began, since the source started.
    pub start: Nanoseconds,
    /// How long it lasted.
    pub length: Nanoseconds,
    /// Bytes read; of the first visits less what [`Measurement::bytes`] leaves out.
    ///
    /// [`Measurement::bytes`]: super::Measurement::bytes
    pub bytes: Bytes,
    /// write(2) calls that returned with bytes.
    pub writes: u64,
    /// read(2) calls that returned with bytes.
    pub reads: u64,
    /// Calls of both kinds that moved fewer bytes than asked.
    pub short: u64,
    /// Median wall time of a write(2); None without one, or with several
    /// directions.
    pub write_time: Option<Nanoseconds>,
    /// Median wall time of a read(2); likewise.
    pub read_time: Option<Nanoseconds>,
    /// CPU time of the writers' threads.
    pub writer_cpu: Nanoseconds,
    /// CPU time of the readers' threads; in a ping-pong theirs is the writers'.
    pub reader_cpu: Nanoseconds,
    /// The writers' context switches.
    pub writer_switches: Switches,
    /// The readers' context switches.
    pub reader_switches: Switches,
    /// CPU time of the kernel's unbound workers; None where they cannot be seen.
    pub kworker_cpu: Option<Nanoseconds>,
    /// CPU time of this program beside the workload.
    pub own_cpu: Nanoseconds,
    /// CPU time that the hypervisor took away, in steps of 10 ms; None where
    /// unknown.
    pub stolen: Option<Nanoseconds>,
    /// kmalloc calls by the writers' threads; None where perf events are not
    /// allowed.
    pub kmallocs: Option<u64>,
}

impl Visit {
    /// The values of `sample`.
    pub fn of(sample: &Sample) -> Self {
        let writer = used(sample, |flow| flow.writer.thread);
        let reader = used(sample, |flow| flow.reader.thread);
        let sum = |of: fn(&Flow) -> u64| sample.flows.iter().map(of).sum();
        let median = |of: fn(&Flow) -> Option<u64>| match sample.flows.as_slice() {
            [flow] => of(flow).map(Nanoseconds::from),
            _ => None,
        };
        Self {
            start: sample.start_ns.into(),
            length: sample.end_ns.saturating_sub(sample.start_ns).into(),
            bytes: Bytes(sample.bytes_read()),
            writes: sum(|flow| flow.writer.calls.count()),
            reads: sum(|flow| flow.reader.calls.count()),
            short: sum(|flow| flow.writer.calls.short + flow.reader.calls.short),
            write_time: median(|flow| flow.writer.calls.time.quantile(0.5)),
            read_time: median(|flow| flow.reader.calls.time.quantile(0.5)),
            writer_cpu: writer.cpu.total_ns().into(),
            reader_cpu: reader.cpu.total_ns().into(),
            writer_switches: writer.switches,
            reader_switches: reader.switches,
            kworker_cpu: sample.host.kworker_ns.map(Nanoseconds::from),
            own_cpu: sample.host.own_ns.into(),
            stolen: sample.host.steal_ns.map(Nanoseconds::from),
            kmallocs: sample.host.kmallocs,
        }
    }

    /// Bytes read a second; None for an empty visit.
    pub fn throughput(&self) -> Option<f64> {
        self.bytes.over(self.length).map(|rate| rate.0)
    }
}

fn used(sample: &Sample, of: fn(&Flow) -> Option<ThreadUse>) -> ThreadUse {
    let mut sum = ThreadUse::default();
    let threads = sample.flows.iter().filter_map(of);
    threads.for_each(|thread| sum.add(&thread));
    sum
}
