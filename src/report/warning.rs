//! What a reader should know before believing a number, and what to do.

use serde::{Deserialize, Serialize};

use crate::analysis::{Drift, TwoModes, drift, outliers, two_modes};
use crate::host::HostFacts;
use crate::words::counted;
use crate::workload::units;

use super::Conditions;

/// Something that makes the numbers doubtful, with what would help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind it is, for programs: `load`, `drift`, …
    pub kind: String,
    /// A sentence: what was seen, and what to do.
    pub text: String,
}

impl Warning {
    /// A warning of that kind.
    pub fn new(kind: &str, text: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            text: text.into(),
        }
    }
}

/// A clock that costs more is probably a system call each time.
const DEAR_CLOCK_NS: f64 = 200.0;
/// A change of frequency that can show in a throughput.
const FREQUENCY_CHANGE: f64 = 0.05;
/// A share of the CPUs' time whose loss can show.
const STOLEN_SHARE: f64 = 0.01;
/// Load for each CPU that leaves the workload too little.
const BUSY: f64 = 0.5;

/// What is doubtful about the conditions of a run.
pub(super) fn of_conditions(conditions: &Conditions, host: &HostFacts) -> Vec<Warning> {
    let cpus = host.cpu.online.unwrap_or(1).max(1) as f64;
    let mut warnings = Vec::new();
    if let Some([load, ..]) = conditions.load_at_start
        && load > BUSY * cpus
    {
        warnings.push(Warning::new(
            "load",
            format!(
                "the load average was {load:.2} on {} at the start: end what else runs, or pin the workload with --writer-cpu and --reader-cpu",
                counted(cpus, "CPU")
            ),
        ));
    }
    if let Some(stolen) = conditions.stolen
        && stolen.0 > STOLEN_SHARE * cpus * conditions.lasted.0
    {
        warnings.push(Warning::new(
            "steal",
            format!(
                "the hypervisor took {:.1} % of the CPUs' time: run longer, or on a machine of its own",
                100.0 * stolen.0 / (cpus * conditions.lasted.0)
            ),
        ));
    }
    if let (Some(before), Some(after)) =
        (conditions.frequency_at_start, conditions.frequency_at_end)
        && (after.0 as f64 / before.0.max(1) as f64 - 1.0).abs() > FREQUENCY_CHANGE
    {
        warnings.push(Warning::new(
            "frequency",
            format!(
                "CPU frequency changed during the run from {before} to {after}: hold it (cpupower frequency-set -g performance) and run again"
            ),
        ));
    }
    if conditions.clock_cost.0 > DEAR_CLOCK_NS {
        warnings.push(Warning::new(
            "clock",
            format!(
                "reading the clock costs {}, once a call: look at /sys/devices/system/clocksource/clocksource0/current_clocksource; tsc is cheap",
                conditions.clock_cost
            ),
        ));
    }
    warnings
}

/// What is doubtful about the throughputs of one workload, in order of time.
pub(super) fn of_throughputs(rates: &[f64]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(Drift { end_over_start }) = drift(rates) {
        warnings.push(Warning::new(
            "drift",
            format!(
                "the throughput drifted by {} from start to end: let the machine settle and run longer, and compare only what was interleaved (sweep)",
                percent(end_over_start)
            ),
        ));
    }
    if let Some(TwoModes {
        low,
        high,
        high_share,
    }) = two_modes(rates)
    {
        warnings.push(Warning::new(
            "two-modes",
            format!(
                "the throughput has two modes, {} and {} ({:.0} % of the time): no single number stands for both; pin the workload with --writer-cpu and --reader-cpu",
                units::rate(low),
                units::rate(high),
                100.0 * high_share
            ),
        ));
    }
    if let Some(found) = outliers(rates) {
        warnings.push(Warning::new(
            "outliers",
            format!(
                "far from the rest: {} of {}, the farthest at {:.2} times the median: something else ran; the median bears it",
                found.low + found.high,
                counted(found.n, "interval"),
                found.worst
            ),
        ));
    }
    warnings
}

/// What is doubtful about the levels of a sweep's blocks, in order of time.
pub(super) fn of_blocks(levels: &[f64]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(Drift { end_over_start }) = drift(levels) {
        warnings.push(Warning::new(
            "drift",
            format!(
                "the machine drifted by {} during the sweep: the ratios bear it, since both sides were visited in every block; absolute numbers do not",
                percent(end_over_start)
            ),
        ));
    }
    if let Some(modes) = two_modes(levels) {
        warnings.push(Warning::new(
            "two-modes",
            format!(
                "the machine had two modes, at {:.2} and {:.2} of its usual speed: the ratios bear it; absolute numbers do not. Pin the workload with --writer-cpu and --reader-cpu",
                modes.low, modes.high
            ),
        ));
    }
    warnings
}

/// A ratio as a signed change: `-12.3 %`.
pub(super) fn percent(ratio: f64) -> String {
    if !ratio.is_finite() {
        return "-".to_owned();
    }
    format!("{:+.1} %", 100.0 * (ratio - 1.0))
}
