//! The result of `sweep`.

mod analyse;
mod rounds;
#[cfg(test)]
mod truth;

pub use analyse::{Sides, SweepRun, Table};

use serde::{Deserialize, Serialize};

use crate::analysis::{BoundaryTest, Finding, Interval, Ratio};
use crate::pty::capacity::Capacity;
use crate::sample::{Integrity, Verdict};
use crate::workload::Settings;

use super::quantity::Nanoseconds;
use super::{Metric, Visit};

/// One workload at many chunk sizes, visited in randomised blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// What was done, apart from the chunk: that is the control's.
    pub settings: Settings,
    /// How the points were visited.
    pub plan: SweepPlan,
    /// What was asked of the boundary test.
    pub test: BoundaryTest,
    /// Blocks that were completed and count.
    pub blocks: u32,
    /// The share of the time that went into neither visits nor warming up.
    pub overhead: f64,
    /// The A/A control: the ratio of the control point to itself. Its interval's
    /// end farther from 1 is the noise floor. None for too few blocks.
    pub control: Option<Ratio>,
    /// What was found at each boundary between two of the points.
    pub boundaries: Vec<BoundaryReport>,
    /// Boundaries in the range whose sides were not near enough to test.
    pub untested: Vec<u64>,
    /// What was measured at each point.
    pub points: Vec<PointReport>,
    /// What went on in each block.
    pub rounds: Vec<Round>,
    /// What the comparison of the bytes found, from first to last.
    pub integrity: Integrity,
    /// Whether every byte is accounted for.
    pub verdict: Verdict,
    /// The raw values.
    pub visits: Vec<SweepVisit>,
}

/// How the points of a sweep were visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepPlan {
    /// The chunk sizes, rising.
    pub chunks: Vec<u64>,
    /// The chunk that is visited as two.
    pub control: u64,
    /// Decides the order of the visits.
    pub seed: u64,
    /// How long a visit lasts.
    pub visit: Nanoseconds,
    /// How long each new chunk is driven before its visit begins. What is
    /// measured in that time is left out.
    pub warm_up: Nanoseconds,
    /// Blocks at the start that are left out.
    pub warm_up_blocks: u32,
    /// After how many blocks the verdicts were to be looked at.
    pub looks: Vec<u32>,
}

/// One visit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SweepVisit {
    /// Its block, from 0; those that only warm up come first.
    pub block: u32,
    /// The chunk in force.
    pub chunk: u64,
    /// Whether it is the control's second visit of the block.
    pub twin: bool,
    /// What was measured.
    pub measured: Visit,
}

/// What was measured at one point, over all blocks that count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointReport {
    /// The chunk.
    pub chunk: u64,
    /// Bytes that a pty should take at this chunk with nobody reading, by the
    /// model of the running kernel; None where it has none.
    pub capacity: Option<Capacity>,
    /// How many visits.
    pub visits: u64,
    /// Half of the visits' throughputs lie between these two.
    pub quartiles: Option<(f64, f64)>,
    /// The medians of the metrics, with 95 % intervals.
    pub medians: Vec<MetricInterval>,
}

/// The median of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MetricInterval {
    /// Which.
    pub metric: Metric,
    /// In its unit: bytes a second, nanoseconds, bytes, or a count.
    pub interval: Interval,
}

/// What was found at one boundary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoundaryReport {
    /// The largest chunk before the change.
    pub at: u64,
    /// The point compared from.
    pub lower: u64,
    /// The point compared to.
    pub upper: u64,
    /// What changes there in the kernel.
    pub reason: String,
    /// The upper side's throughput over the lower's, and the verdict.
    pub finding: Finding,
    /// How much longer the sweep would take to decide it.
    pub time_to_decide: Option<Nanoseconds>,
    /// What else changed: evidence, and no cause.
    pub evidence: Vec<Evidence>,
}

/// A metric on both sides of a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Which.
    pub metric: Metric,
    /// Its median at the lower side.
    pub lower: f64,
    /// Its median at the upper side.
    pub upper: f64,
    /// The paired ratio with its 95 % interval, by itself; None where it has
    /// none (zeros).
    pub ratio: Option<Ratio>,
}

/// What went on in one block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The block.
    pub block: u32,
    /// The median over its visits of throughput over that point's median.
    pub level: Option<f64>,
    /// CPU time that the hypervisor took away.
    pub stolen: Option<Nanoseconds>,
    /// Involuntary context switches of the workers.
    pub preemptions: u64,
    /// What is doubtful about it: `stolen`, `slow`, `fast`, `preempted`.
    pub flags: Vec<String>,
}
