//! The visits of a sweep, on one engine whose chunk is changed under way.

use std::time::{Duration, Instant};

use anyhow::Context;
use nix::sys::prctl::set_timerslack;

use crate::analysis::{BoundaryTest, Plan, Verdict as Found, Visit as Planned};
use crate::engine::{self, Engine, Options};
use crate::report::{Nanoseconds, SweepPlan, SweepRun, SweepTable, SweepVisit, Visit};
use crate::sample::{Notice, Sample};
use crate::workload::Settings;

use super::plot::Plot;
use super::{End, Stop, at};

/// Visits as the plan says until a look finds everything decided, the looks are
/// used up, or it cannot go on.
///
/// # Errors
/// When the workload cannot be started; a later failure cuts the sweep short.
pub fn drive(
    settings: Settings,
    plan: SweepPlan,
    test: &BoundaryTest,
    page_size: usize,
    stop: &Stop,
) -> anyhow::Result<(SweepRun, End)> {
    let engine =
        Engine::start(settings.clone(), Options::default()).context("cannot start the workload")?;
    // The usual 50 us by which the kernel may prolong each of our short waits
    // would be a part of every visit. Where it cannot be lowered it is borne.
    let _ = set_timerslack(1);
    let mut sweeper = Sweeper {
        engine,
        settings,
        visit: Duration::from_nanos(plan.visit.0 as u64),
        warm_up: Duration::from_nanos(plan.warm_up.0 as u64),
        visited: Nanoseconds(0.0),
        in_flight: 0,
    };
    let mut plot = Plot::new(&plan, page_size);
    let mut visits = Vec::new();
    let began = Instant::now();
    let end = sweeper.visit_all(&plan, &mut visits, stop, |visits, blocks| {
        plot.show(&plan, visits, blocks);
        plan.looks.contains(&blocks) && is_decided(&plan, visits, test, page_size)
    });
    let elapsed = Nanoseconds::from(began.elapsed());
    drop(plot);
    let overhead = 1.0 - sweeper.visited.0 / elapsed.0.max(1.0);
    let (last, verdict) = sweeper.engine.stop();
    let run = SweepRun {
        settings: sweeper.settings,
        plan,
        overhead: overhead.clamp(0.0, 1.0),
        integrity: last.integrity,
        verdict,
        visits,
    };
    Ok((run, end))
}

fn is_decided(plan: &SweepPlan, visits: &[SweepVisit], test: &BoundaryTest, page: usize) -> bool {
    let (sides, _) = plan.sides(page);
    let found = SweepTable::new(plan, visits).test(test, &sides);
    let undecided = |found: &Found| matches!(found, Found::Undecided { .. });
    !found
        .findings
        .iter()
        .any(|finding| undecided(&finding.verdict))
}

struct Sweeper {
    engine: Engine,
    settings: Settings,
    visit: Duration,
    warm_up: Duration,
    /// The time of visits and warming up so far.
    visited: Nanoseconds,
    /// Bytes in flight at the end of the last visit.
    in_flight: u64,
}

/// Warming up is repeated so often at most: on busy CPUs a worker may wait for
/// its turn for several time slices.
const WARM_UPS: u32 = 100;

impl Sweeper {
    /// After each block `is_over` is asked whether to end, with the number of
    /// blocks that count.
    fn visit_all(
        &mut self,
        plan: &SweepPlan,
        visits: &mut Vec<SweepVisit>,
        stop: &Stop,
        mut is_over: impl FnMut(&[SweepVisit], u32) -> bool,
    ) -> End {
        let control = plan.chunks.iter().position(|&chunk| chunk == plan.control);
        let last = plan.looks.last().copied().unwrap_or(0);
        let mut block = 0;
        for planned in Plan::new(plan.chunks.len(), control, plan.seed) {
            if planned.block != block {
                block = planned.block;
                let counting = block.saturating_sub(plan.warm_up_blocks);
                if is_over(visits, counting) || counting >= last {
                    return End::Complete;
                }
            }
            match self.visit(plan, planned) {
                Ok(visit) => visits.extend(visit),
                Err(error) => return End::Failed(error.to_string()),
            }
            if stop.is_asked() {
                return End::Interrupted;
            }
        }
        End::Complete
    }

    /// One visit; None if a worker was still under way in the chunk before
    /// when it began, though the warming up waited for it.
    fn visit(
        &mut self,
        plan: &SweepPlan,
        planned: Planned,
    ) -> Result<Option<SweepVisit>, engine::Error> {
        let Some(&chunk) = plan.chunks.get(planned.point) else {
            return Ok(None);
        };
        self.engine.set(at(&self.settings, chunk))?;
        self.warm_up();
        self.engine.wait(self.visit);
        let sample = self.engine.sample();
        if let Some(Notice::Changed(text)) = self.engine.watch()? {
            return Err(engine::Error::Worker(text));
        }
        let measured = Visit::of(&sample);
        self.visited.0 += measured.length.0;
        self.in_flight = in_flight(&sample);
        Ok(sample.counts().then_some(SweepVisit {
            block: planned.block,
            chunk,
            twin: planned.twin,
            measured,
        }))
    }

    /// Drives the new chunk until all workers have gone over to it, and what was
    /// in flight of the one before has been read.
    fn warm_up(&mut self) {
        let mut read = 0;
        for _ in 0..WARM_UPS {
            let began = Instant::now();
            self.engine.wait(self.warm_up);
            // On busy CPUs this thread wakes later than it asked for, and the
            // warming up lasts longer.
            self.visited.0 += began.elapsed().as_nanos() as f64;
            // First: who has not gone over by the end of the sample might be
            // thought to have done so at the beginning of the next.
            let settled = self.engine.is_settled();
            read += self.engine.sample().bytes_read();
            if settled && read >= self.in_flight {
                break;
            }
        }
    }
}

fn in_flight(sample: &Sample) -> u64 {
    let bytes = sample.flows.iter().map(|flow| flow.totals.in_flight);
    bytes.map(|bytes| u64::try_from(bytes).unwrap_or(0)).sum()
}
