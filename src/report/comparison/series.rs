//! The values of a report that can be compared with another's.

use std::collections::BTreeMap;

use crate::report::{Outcome, Report, Visit};
use crate::workload::Channel;

/// What two reports must share to be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub channel: Channel,
    pub chunk: u64,
}

/// Visits under the same settings.
#[derive(Debug, Clone)]
pub struct Series {
    pub visits: Vec<Visit>,
    /// Whether they follow each other, so that neighbours are alike; in a sweep
    /// other points lie between.
    pub in_a_row: bool,
}

/// All series of a report.
pub fn of(report: &Report) -> BTreeMap<Key, Series> {
    let key = |channel, chunk| Key { channel, chunk };
    let mut all = BTreeMap::new();
    match &report.result {
        Outcome::Bench(bench) => {
            let chunk = bench.settings.chunk as u64;
            let runs = bench
                .yardsticks
                .iter()
                .map(|yard| (yard.channel, &yard.run));
            for (channel, run) in std::iter::once((Channel::Pty, &bench.pty)).chain(runs) {
                let series = Series {
                    visits: run.visits.clone(),
                    in_a_row: true,
                };
                all.insert(key(channel, chunk), series);
            }
        }
        Outcome::Sweep(sweep) => {
            let counts = |block| block >= sweep.plan.warm_up_blocks;
            for visit in sweep.visits.iter().filter(|visit| counts(visit.block)) {
                let series = all.entry(key(Channel::Pty, visit.chunk)).or_insert(Series {
                    visits: Vec::new(),
                    in_a_row: false,
                });
                series.visits.push(visit.measured);
            }
        }
        Outcome::Capacity(_) | Outcome::Check(_) => {}
    }
    all
}
