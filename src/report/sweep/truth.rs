//! Whole sweeps of a machine whose truth is known.

use crate::analysis::{BoundaryTest, Plan, SplitMix64, Verdict as Found};
use crate::report::{Bytes, Metric, Nanoseconds, Sweep, SweepPlan, SweepRun, SweepVisit, Visit};
use crate::sample::{Integrity, Switches, Verdict};
use crate::workload::Settings;

const CHUNKS: [u64; 5] = [256, 257, 512, 513, 2048];
const BLOCKS: u32 = 60;
const WARM_UP_BLOCKS: u32 = 1;

/// A simulated machine, on which a byte takes 20 ns with 3 % of noise and every
/// twentieth visit is hit by something.
struct Machine {
    rng: SplitMix64,
    /// Time from 257 on over that up to 256.
    step: f64,
    /// Time at the end of the run over that at its start.
    drift: f64,
}

impl Machine {
    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, with a standard deviation of 1: the sum of 12 uniforms.
    fn noise(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    fn visit(&mut self, chunk: u64, progress: f64) -> Visit {
        let step = if chunk > 256 { self.step } else { 1.0 };
        let hit = if self.uniform() < 0.05 {
            1.0 + 2.0 * self.uniform()
        } else {
            1.0
        };
        let drift = self.drift.powf(progress);
        let per_byte = 20.0 * step * hit * drift * (0.03 * self.noise()).exp();
        let length = 5e6;
        let bytes = (length / per_byte) as u64;
        let switches = |voluntary| Switches {
            voluntary,
            involuntary: 3,
        };
        Visit {
            start: Nanoseconds(0.0),
            length: Nanoseconds(length),
            bytes: Bytes(bytes),
            writes: bytes / chunk,
            reads: bytes / chunk,
            short: 0,
            write_time: Some(Nanoseconds(900.0)),
            read_time: None,
            writer_cpu: Nanoseconds(length / 2.0),
            reader_cpu: Nanoseconds(length / 2.0),
            writer_switches: switches(0),
            reader_switches: switches(if chunk > 256 { 2000 } else { 1000 }),
            kworker_cpu: None,
            own_cpu: Nanoseconds(0.0),
            stolen: Some(Nanoseconds(0.0)),
            kmallocs: None,
        }
    }
}

fn sweep(seed: u64, step: f64, drift: f64) -> Sweep {
    let plan = SweepPlan {
        chunks: CHUNKS.to_vec(),
        control: 256,
        seed,
        visit: Nanoseconds(5e6),
        warm_up: Nanoseconds(1e6),
        warm_up_blocks: WARM_UP_BLOCKS,
        looks: vec![BLOCKS],
    };
    let rng = SplitMix64::new(!seed);
    let mut machine = Machine { rng, step, drift };
    let total = (WARM_UP_BLOCKS + BLOCKS) as usize * plan.visits_per_block();
    let visits = Plan::new(CHUNKS.len(), Some(0), seed)
        .take(total)
        .enumerate()
        .map(|(at, planned)| SweepVisit {
            block: planned.block,
            chunk: CHUNKS[planned.point],
            twin: planned.twin,
            measured: machine.visit(CHUNKS[planned.point], at as f64 / total as f64),
        })
        .collect();
    let run = SweepRun {
        settings: Settings::default(),
        plan,
        overhead: 0.01,
        integrity: Integrity::default(),
        verdict: Verdict::Sound,
        visits,
    };
    let test = BoundaryTest {
        looks: 1,
        ..BoundaryTest::default()
    };
    run.analyse(test, 4096, None)
}

#[test]
fn a_step_is_found_where_it_is_and_nowhere_else() {
    let (mut found, mut wrong) = (0, 0);
    for seed in 0..40 {
        let sweep = sweep(seed, 1.05, 1.15);
        let steps: Vec<u64> = sweep
            .boundaries
            .iter()
            .filter(|boundary| boundary.finding.verdict == Found::Step)
            .map(|boundary| boundary.at)
            .collect();
        found += usize::from(steps.contains(&256));
        wrong += usize::from(steps.iter().any(|&at| at != 256));
    }
    assert!(found >= 36 && wrong <= 2, "{found} {wrong}");
}

#[test]
fn drift_is_no_step_but_is_warned_of() {
    let (mut wrong, mut warned) = (0, 0);
    for seed in 0..40 {
        let sweep = sweep(seed, 1.0, 1.15);
        wrong += usize::from(sweep.has_step());
        let warnings = sweep.warnings();
        warned += usize::from(warnings.iter().any(|warning| warning.kind == "drift"));
    }
    assert!(wrong <= 2 && warned >= 36, "{wrong} {warned}");
}

#[test]
fn boundaries_are_those_that_the_points_can_test() {
    let sweep = sweep(1, 1.05, 1.0);
    let tested: Vec<_> = sweep
        .boundaries
        .iter()
        .map(|b| (b.at, b.lower, b.upper))
        .collect();
    assert_eq!(tested, [(256, 256, 257), (512, 512, 513)]);
    assert_eq!(sweep.untested, [768, 1024, 1792]);
    assert!(
        sweep
            .warnings()
            .iter()
            .any(|warning| warning.kind == "untested")
    );
}

#[test]
fn what_else_changed_stands_beside_a_step() {
    let sweep = sweep(1, 1.05, 1.0);
    let evidence = &sweep.boundaries[0].evidence;
    let of = |metric| evidence.iter().find(|entry| entry.metric == metric);
    let waits = of(Metric::ReaderWaits).unwrap();
    assert!(waits.ratio.unwrap().low > 1.9, "{waits:?}");
    // Nothing is said of what was not measured, and no ratio is made of zeros.
    assert_eq!(of(Metric::Kmallocs), None);
    assert_eq!(of(Metric::WriterWaits).unwrap().ratio, None);
}

#[test]
fn warming_up_counts_for_nothing() {
    let sweep = sweep(1, 1.0, 1.0);
    assert_eq!(sweep.blocks, BLOCKS);
    assert_eq!(sweep.rounds.len(), BLOCKS as usize);
    assert!(
        sweep
            .points
            .iter()
            .all(|point| point.visits == u64::from(BLOCKS))
    );
    assert_eq!(
        sweep.boundaries[0].finding.ratio.unwrap().n,
        BLOCKS as usize
    );
}
