//! The values of a report that can be compared with another's.

use std::collections::BTreeMap;

use crate::report::{
    Bench, BlockRow, Metric, Nanoseconds, Outcome, Report, Sweep, Visit, XmodemReport,
};
use crate::workload::Channel;

/// What two reports must share to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// What carried the bytes.
    pub channel: String,
    /// Bytes of a write(2), or of a block.
    pub chunk: u64,
}

/// What was seen under the same settings.
#[derive(Debug, Clone)]
pub struct Series {
    pub seen: Seen,
    /// Whether they follow each other, so that neighbours are alike; in a sweep
    /// other points lie between.
    pub in_a_row: bool,
}

/// What values are read off.
#[derive(Debug, Clone)]
pub enum Seen {
    Visits(Vec<Visit>),
    /// The blocks of a transfer, in nanoseconds.
    Blocks(Vec<f64>),
}

impl Series {
    /// The values of `metric`, in the order in which they were measured.
    pub fn values(&self, metric: Metric) -> Vec<f64> {
        match &self.seen {
            Seen::Visits(visits) => visits.iter().filter_map(|visit| metric.of(visit)).collect(),
            Seen::Blocks(times) if metric == Metric::BlockTime => times.clone(),
            Seen::Blocks(_) => Vec::new(),
        }
    }
}

/// All series of a report.
pub fn of(report: &Report) -> Vec<(Key, Series)> {
    match &report.result {
        Outcome::Bench(bench) => of_bench(bench),
        Outcome::Sweep(sweep) => of_sweep(sweep),
        Outcome::Xmodem(xmodem) => of_xmodem(xmodem),
        Outcome::Capacity(_) | Outcome::Check(_) | Outcome::Inspect(_) => Vec::new(),
    }
}

fn of_bench(bench: &Bench) -> Vec<(Key, Series)> {
    let also = bench.yardsticks.iter();
    let also = also.map(|yard| (yard.channel, &yard.run));
    std::iter::once((Channel::Pty, &bench.pty))
        .chain(also)
        .map(|(channel, run)| {
            let key = Key {
                channel: channel.to_string(),
                chunk: bench.settings.chunk as u64,
            };
            let series = Series {
                seen: Seen::Visits(run.visits.clone()),
                in_a_row: true,
            };
            (key, series)
        })
        .collect()
}

fn of_sweep(sweep: &Sweep) -> Vec<(Key, Series)> {
    let mut of_chunk: BTreeMap<u64, Vec<Visit>> = BTreeMap::new();
    for visit in &sweep.visits {
        if visit.block >= sweep.plan.warm_up_blocks {
            of_chunk
                .entry(visit.chunk)
                .or_default()
                .push(visit.measured);
        }
    }
    let series = |(chunk, visits)| {
        let key = Key {
            channel: Channel::Pty.to_string(),
            chunk,
        };
        let series = Series {
            seen: Seen::Visits(visits),
            in_a_row: false,
        };
        (key, series)
    };
    of_chunk.into_iter().map(series).collect()
}

fn of_xmodem(xmodem: &XmodemReport) -> Vec<(Key, Series)> {
    let times = |of: fn(&BlockRow) -> Option<Nanoseconds>| {
        let rows = xmodem.blocks.iter().filter_map(of);
        rows.map(|time| time.0).collect::<Vec<_>>()
    };
    [
        ("link", times(|row| row.transfer)),
        ("pty", times(|row| row.floor)),
        ("no XMODEM", times(|row| row.bare)),
    ]
    .into_iter()
    .map(|(channel, times)| {
        let key = Key {
            channel: channel.to_owned(),
            chunk: xmodem.block.bytes() as u64,
        };
        let series = Series {
            seen: Seen::Blocks(times),
            in_a_row: true,
        };
        (key, series)
    })
    .collect()
}
