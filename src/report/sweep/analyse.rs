//! From visits to verdicts.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use crate::analysis::{
    Boundaries, BoundaryTest, Interval, Verdict as Found, median, median_interval, paired_ratio,
    quantile,
};
use crate::pty::capacity::{Boundary, Capacity, Flow, Geometry, Prediction, boundaries};
use crate::report::warning::{self, Warning};
use crate::report::{Metric, Nanoseconds, Visit};
use crate::sample::{Integrity, Verdict};
use crate::words::counted;
use crate::workload::{Payload, Settings};

use super::rounds::rounds;
use super::{BoundaryReport, Evidence, MetricInterval, PointReport, Sweep, SweepPlan, SweepVisit};

/// Visits of one point by block.
type Column<'a> = BTreeMap<u32, &'a Visit>;

/// The visits that count, by point.
pub struct Table<'a> {
    plan: &'a SweepPlan,
    points: BTreeMap<u64, Column<'a>>,
    twins: Column<'a>,
}

/// A boundary and the two points beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// The boundary.
    pub boundary: Boundary,
    /// The nearest point at or below it.
    pub lower: u64,
    /// The nearest point above it.
    pub upper: u64,
}

impl SweepPlan {
    /// Visits in a block.
    pub fn visits_per_block(&self) -> usize {
        self.chunks.len() + 1
    }

    /// The time of a block, without overhead.
    pub fn block_time(&self) -> Nanoseconds {
        Nanoseconds(self.visits_per_block() as f64 * (self.visit.0 + self.warm_up.0))
    }

    /// The boundaries that the points can test, and those in their range that
    /// they cannot, because the points beside are so far apart that a slope
    /// would pass for a step.
    pub fn sides(&self, page_size: usize) -> (Vec<Sides>, Vec<u64>) {
        let (mut near, mut far) = (Vec::new(), Vec::new());
        for boundary in boundaries(page_size) {
            let at = boundary.at as u64;
            let above = self.chunks.partition_point(|&chunk| chunk <= at);
            let lower = above
                .checked_sub(1)
                .and_then(|below| self.chunks.get(below));
            let (Some(&lower), Some(&upper)) = (lower, self.chunks.get(above)) else {
                continue;
            };
            if upper - lower <= (at / 64).max(2) {
                near.push(Sides {
                    boundary,
                    lower,
                    upper,
                });
            } else {
                far.push(at);
            }
        }
        (near, far)
    }
}

impl<'a> Table<'a> {
    /// Sorts the visits of `plan` into their places.
    pub fn new(plan: &'a SweepPlan, visits: &'a [SweepVisit]) -> Self {
        let mut table = Self {
            plan,
            points: plan
                .chunks
                .iter()
                .map(|&chunk| (chunk, Column::new()))
                .collect(),
            twins: Column::new(),
        };
        for visit in visits
            .iter()
            .filter(|visit| visit.block >= plan.warm_up_blocks)
        {
            if visit.twin {
                table.twins.insert(visit.block, &visit.measured);
            } else if let Some(column) = table.points.get_mut(&visit.chunk) {
                column.insert(visit.block, &visit.measured);
            }
        }
        table
    }

    /// Blocks in which every point was visited, and the control twice.
    pub fn complete_blocks(&self) -> u32 {
        let complete = |block: &&u32| {
            self.points
                .values()
                .all(|column| column.contains_key(block))
        };
        self.twins.keys().filter(complete).count() as u32
    }

    /// The values of a metric at a point, in order of time.
    pub fn values(&self, chunk: u64, metric: Metric) -> Vec<f64> {
        let column = self.points.get(&chunk);
        let visits = column.into_iter().flat_map(|column| column.values());
        visits.filter_map(|visit| metric.of(visit)).collect()
    }

    /// Each point's median throughput with its 95 % interval, if there is one.
    pub fn throughputs(&self) -> impl Iterator<Item = (u64, Option<Interval>)> {
        self.points.keys().map(|&chunk| {
            (
                chunk,
                median_interval(&self.values(chunk, Metric::Throughput), 0.95),
            )
        })
    }

    /// Tests the boundaries for steps in the throughput.
    pub fn test(&self, test: &BoundaryTest, sides: &[Sides]) -> Boundaries {
        let pairs = |sides: &Sides| self.pairs(sides.lower, sides.upper, Metric::Throughput);
        let boundaries: Vec<_> = sides.iter().map(pairs).collect();
        let control = self.points.get(&self.plan.control);
        let control = control.map_or(Vec::new(), |control| {
            in_pairs(control, &self.twins, Metric::Throughput)
        });
        test.run(&boundaries, &control)
    }

    fn pairs(&self, lower: u64, upper: u64, metric: Metric) -> Vec<(f64, f64)> {
        match (self.points.get(&lower), self.points.get(&upper)) {
            (Some(lower), Some(upper)) => in_pairs(lower, upper, metric),
            _ => Vec::new(),
        }
    }

    fn evidence(&self, sides: &Sides) -> Vec<Evidence> {
        let evidence = |&metric: &Metric| {
            Some(Evidence {
                metric,
                lower: median(&self.values(sides.lower, metric))?,
                upper: median(&self.values(sides.upper, metric))?,
                ratio: paired_ratio(&self.pairs(sides.lower, sides.upper, metric), 0.95),
            })
        };
        Metric::EVIDENCE.iter().filter_map(evidence).collect()
    }

    fn point(&self, chunk: u64, capacity: Option<Capacity>) -> PointReport {
        let rates = self.values(chunk, Metric::Throughput);
        let medians = Metric::OF_A_POINT.iter().filter_map(|&metric| {
            let interval = median_interval(&self.values(chunk, metric), 0.95)?;
            Some(MetricInterval { metric, interval })
        });
        PointReport {
            chunk,
            capacity,
            visits: rates.len() as u64,
            quartiles: quantile(&rates, 0.25).zip(quantile(&rates, 0.75)),
            medians: medians.collect(),
        }
    }
}

fn in_pairs(first: &Column, second: &Column, metric: Metric) -> Vec<(f64, f64)> {
    let pair = |(block, first): (&u32, &&Visit)| {
        let second = second.get(block)?;
        Some((metric.of(first)?, metric.of(second)?))
    };
    first.iter().filter_map(pair).collect()
}

/// What a sweep did, before it is analysed.
#[derive(Debug)]
pub struct SweepRun {
    /// The settings, apart from the chunk.
    pub settings: Settings,
    /// How the points were visited.
    pub plan: SweepPlan,
    /// The share of the time that went into neither visits nor warming up.
    pub overhead: f64,
    /// What the comparison of the bytes found.
    pub integrity: Integrity,
    /// Whether every byte is accounted for.
    pub verdict: Verdict,
    /// The raw values.
    pub visits: Vec<SweepVisit>,
}

impl SweepRun {
    /// Draws all conclusions, for a machine with pages of that size.
    pub fn analyse(
        self,
        test: BoundaryTest,
        page_size: usize,
        geometry: Option<Geometry>,
    ) -> Sweep {
        let table = Table::new(&self.plan, &self.visits);
        let (sides, untested) = self.plan.sides(page_size);
        let found = table.test(&test, &sides);
        let block_time = self.plan.block_time().0 / (1.0 - self.overhead).max(0.5);
        let boundaries = sides
            .iter()
            .zip(&found.findings)
            .map(|(sides, finding)| BoundaryReport {
                at: sides.boundary.at as u64,
                lower: sides.lower,
                upper: sides.upper,
                reason: sides.boundary.reason.to_owned(),
                finding: *finding,
                time_to_decide: match finding.verdict {
                    Found::Undecided {
                        more_blocks: Some(more),
                    } => Some(Nanoseconds(f64::from(more) * block_time)),
                    _ => None,
                },
                evidence: table.evidence(sides),
            });
        let capacity =
            |chunk| geometry.and_then(|geometry| expected(geometry, &self.settings, chunk));
        let points = self
            .plan
            .chunks
            .iter()
            .map(|&chunk| table.point(chunk, capacity(chunk)));
        Sweep {
            test,
            blocks: table.complete_blocks(),
            overhead: self.overhead,
            control: found.control,
            boundaries: boundaries.collect(),
            untested,
            points: points.collect(),
            rounds: rounds(&self.plan, &self.visits),
            integrity: self.integrity,
            verdict: self.verdict,
            settings: self.settings,
            plan: self.plan,
            visits: self.visits,
        }
    }
}

/// What a pty should take of these writes with nobody reading.
fn expected(geometry: Geometry, settings: &Settings, chunk: u64) -> Option<Capacity> {
    let flow = Flow {
        from: *settings.direction.writers().first()?,
        mode: settings.mode,
        chunk: NonZeroUsize::new(usize::try_from(chunk).ok()?)?,
        line: match settings.effective_payload() {
            Payload::Lines(length) => NonZeroUsize::new(length as usize),
            _ => None,
        },
    };
    match geometry.expected(flow)? {
        Prediction::Full(capacity) => Some(capacity),
        Prediction::NeverFull => None,
    }
}

impl Sweep {
    /// Whether some boundary has a step.
    pub fn has_step(&self) -> bool {
        let step = |boundary: &BoundaryReport| boundary.finding.verdict == Found::Step;
        self.boundaries.iter().any(step)
    }

    /// Whether every boundary has its verdict.
    pub fn is_decided(&self) -> bool {
        let undecided = |b: &BoundaryReport| matches!(b.finding.verdict, Found::Undecided { .. });
        !self.boundaries.iter().any(undecided)
    }

    /// What is doubtful about it.
    pub fn warnings(&self) -> Vec<Warning> {
        let levels: Vec<f64> = self.rounds.iter().filter_map(|round| round.level).collect();
        let mut warnings = warning::of_blocks(&levels);
        let flagged = self
            .rounds
            .iter()
            .filter(|round| !round.flags.is_empty())
            .count();
        if flagged > 0 {
            warnings.push(Warning::new(
                "blocks",
                format!(
                    "disturbed: {flagged} of {} (see rounds in the JSON report): the pairs within each bear it; a quieter machine decides sooner",
                    counted(self.rounds.len(), "block")
                ),
            ));
        }
        if !self.untested.is_empty() {
            let list = |each: fn(u64) -> String| {
                let all: Vec<String> = self.untested.iter().copied().map(each).collect();
                all.join(",")
            };
            warnings.push(Warning::new(
                "untested",
                format!(
                    "the points beside {} are too far apart to tell a step from a slope: add {}",
                    list(|at| at.to_string()),
                    list(|at| format!("{at},{}", at + 1))
                ),
            ));
        }
        if self.control.is_some_and(|control| control.differs()) {
            warnings.push(Warning::new(
                "control",
                "the control differs from itself: the order of the visits or something periodic shows in the numbers; repeat with another --seed and a longer --visit",
            ));
        }
        warnings
    }
}
