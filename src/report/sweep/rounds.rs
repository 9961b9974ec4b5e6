//! What went on in each block of a sweep.

use std::collections::BTreeMap;

use crate::analysis::{Summary, median};
use crate::report::{Metric, Nanoseconds};

use super::{Round, SweepPlan, SweepVisit};

/// A share of a block's time that the hypervisor may take unnoticed.
const STOLEN_SHARE: f64 = 0.02;

/// One entry for each block that counts.
pub fn rounds(plan: &SweepPlan, visits: &[SweepVisit]) -> Vec<Round> {
    let counting = || {
        visits
            .iter()
            .filter(|visit| visit.block >= plan.warm_up_blocks)
    };
    let usual = usual_rates(counting());
    let mut blocks: BTreeMap<u32, Vec<&SweepVisit>> = BTreeMap::new();
    for visit in counting() {
        blocks.entry(visit.block).or_default().push(visit);
    }
    let mut rounds: Vec<Round> = blocks
        .iter()
        .map(|(&block, visits)| round(block, visits, &usual))
        .collect();
    flag_the_unusual(&mut rounds);
    rounds
}

/// The median throughput of each point.
fn usual_rates<'a>(visits: impl Iterator<Item = &'a SweepVisit>) -> BTreeMap<u64, f64> {
    let mut rates: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for visit in visits {
        let rate = Metric::Throughput.of(&visit.measured);
        rates.entry(visit.chunk).or_default().extend(rate);
    }
    let medians = rates
        .iter()
        .filter_map(|(&chunk, rates)| Some((chunk, median(rates)?)));
    medians.collect()
}

fn round(block: u32, visits: &[&SweepVisit], usual: &BTreeMap<u64, f64>) -> Round {
    let level = |visit: &&SweepVisit| {
        let rate = Metric::Throughput.of(&visit.measured)?;
        Some(rate / usual.get(&visit.chunk)?)
    };
    let levels: Vec<f64> = visits.iter().filter_map(level).collect();
    let stolen = visits.iter().map(|visit| Some(visit.measured.stolen?.0));
    let stolen: Option<f64> = stolen.sum();
    let time: f64 = visits.iter().map(|visit| visit.measured.length.0).sum();
    let preemptions = visits.iter().flat_map(|visit| {
        let measured = &visit.measured;
        [measured.writer_switches, measured.reader_switches]
    });
    let mut flags = Vec::new();
    if stolen.is_some_and(|stolen| stolen > STOLEN_SHARE * time) {
        flags.push("stolen".to_owned());
    }
    Round {
        block,
        level: median(&levels),
        stolen: stolen.map(Nanoseconds),
        preemptions: preemptions.fold(0, |sum, switches| sum.saturating_add(switches.involuntary)),
        flags,
    }
}

/// Flags what lies beyond Tukey's outer fences.
fn flag_the_unusual(rounds: &mut [Round]) {
    let fences = |values: Vec<f64>| {
        let usual = Summary::of(values).filter(|usual| usual.n >= 8)?;
        let reach = 3.0 * (usual.q3 - usual.q1);
        Some((usual.q1 - reach, usual.q3 + reach))
    };
    let levels = fences(rounds.iter().filter_map(|round| round.level).collect());
    let preemptions = fences(
        rounds
            .iter()
            .map(|round| round.preemptions as f64)
            .collect(),
    );
    for round in rounds {
        let level = round.level.zip(levels);
        let mut flag = |name: &str, is: bool| {
            if is {
                round.flags.push(name.to_owned());
            }
        };
        flag("slow", level.is_some_and(|(level, (low, _))| level < low));
        flag("fast", level.is_some_and(|(level, (_, high))| level > high));
        let many = preemptions.is_some_and(|(_, high)| round.preemptions as f64 > high);
        flag("preempted", many);
    }
}
