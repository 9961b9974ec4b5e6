//! The boundary test against machines whose truth is known.

use super::{Boundaries, BoundaryTest, LOOKS, Plan, SplitMix64, Verdict};

/// Boundaries of a simulated sweep; point 2b is below boundary b, 2b + 1 above.
const BOUNDARIES: usize = 8;

/// Blocks of a run that is never decided.
const BLOCKS: usize = LOOKS[2] as usize;

/// A simulated machine. Times of visits are lognormal about the true one; one in
/// twenty is longer by 1.3 to 3.
struct Machine {
    rng: SplitMix64,
    /// Standard deviation of the logarithm.
    noise: f64,
    /// Time at the end of the run over that at its start.
    drift: f64,
    /// It is slower by this factor in every other stretch of 25 visits.
    phase: f64,
    /// True time above boundary 0 over that below. The others have no step.
    step: f64,
}

impl Machine {
    /// One with the most noise that a run of default length is made for.
    fn new(seed: u64) -> Self {
        Self {
            rng: SplitMix64::new(seed),
            noise: 0.08,
            drift: 1.0,
            phase: 1.0,
            step: 1.0,
        }
    }

    /// The time of visit number `at` of `visits`.
    fn time(&mut self, point: usize, at: usize, visits: usize) -> f64 {
        let truth = if point == 1 { self.step } else { 1.0 };
        let phase = if (at / 25) % 2 == 1 { self.phase } else { 1.0 };
        let drift = self.drift.powf(at as f64 / visits as f64);
        let luck = match self.rng.uniform() {
            hiccup if hiccup < 0.05 => 1.3 + 1.7 * self.rng.uniform(),
            _ => 1.0,
        };
        truth * phase * drift * luck * (self.noise * self.rng.normal()).exp()
    }

    /// The times of all points, the twin's last, in each block.
    fn visit(&mut self, blocks: usize) -> Vec<[f64; 2 * BOUNDARIES + 1]> {
        let plan = Plan::new(2 * BOUNDARIES, Some(0), self.rng.next_u64());
        let visits = blocks * plan.block_len();
        let mut times = vec![[0.0; 2 * BOUNDARIES + 1]; blocks];
        for (at, visit) in plan.take(visits).enumerate() {
            let slot = if visit.twin {
                2 * BOUNDARIES
            } else {
                visit.point
            };
            times[visit.block as usize][slot] = self.time(visit.point, at, visits);
        }
        times
    }

    /// A sweep of default length, and how many blocks it took.
    fn sweep(&mut self) -> (usize, Boundaries) {
        let times = self.visit(BLOCKS);
        let mut looks = LOOKS.iter().map(|&look| look as usize);
        loop {
            let blocks = looks.next().unwrap_or(BLOCKS);
            let run = test(&times[..blocks]);
            let decided = |v| !matches!(v, Verdict::Undecided { .. });
            if blocks == BLOCKS || run.findings.iter().all(|f| decided(f.verdict)) {
                return (blocks, run);
            }
        }
    }
}

fn test(times: &[[f64; 2 * BOUNDARIES + 1]]) -> Boundaries {
    let pairs = |low: usize, high: usize| times.iter().map(|t| (t[low], t[high])).collect();
    let boundaries: Vec<Vec<_>> = (0..BOUNDARIES).map(|b| pairs(2 * b, 2 * b + 1)).collect();
    let control: Vec<_> = pairs(0, 2 * BOUNDARIES);
    BoundaryTest::default().run(&boundaries, &control)
}

/// In how many of 100 runs the step was found, and in how many one that is not there.
fn steps(machine: impl Fn(Machine) -> Machine) -> (usize, usize) {
    let (mut found, mut wrong) = (0, 0);
    for seed in 0..100 {
        let mut machine = machine(Machine::new(seed));
        let (_, run) = machine.sweep();
        let step = |index: usize| run.findings[index].verdict == Verdict::Step;
        let real = usize::from(machine.step != 1.0);
        found += usize::from(real == 1 && step(0));
        wrong += usize::from((real..BOUNDARIES).any(step));
    }
    (found, wrong)
}

#[test]
fn a_step_of_five_percent_is_found() {
    let (found, wrong) = steps(|m| Machine { step: 1.05, ..m });
    assert!(found >= 95 && wrong <= 5, "{found} {wrong}");
}

#[test]
fn a_step_of_five_percent_is_found_in_drift_of_three_times_that() {
    let (found, wrong) = steps(|m| Machine {
        step: 1.0 / 1.05,
        drift: 1.15,
        ..m
    });
    assert!(found >= 95 && wrong <= 5, "{found} {wrong}");
}

#[test]
fn no_step_is_seldom_called_one() {
    let (_, wrong) = steps(|m| m);
    assert!(wrong <= 5, "{wrong}");
}

#[test]
fn drift_and_modes_are_not_called_a_step() {
    let (_, wrong) = steps(|m| Machine {
        drift: 1.15,
        phase: 1.3,
        ..m
    });
    assert!(wrong <= 5, "{wrong}");
}

#[test]
fn a_quiet_machine_is_decided_at_the_first_look() {
    for seed in 0..20 {
        let (blocks, run) = Machine {
            noise: 0.02,
            step: 0.95,
            ..Machine::new(seed)
        }
        .sweep();
        assert_eq!(blocks, LOOKS[0] as usize);
        assert_eq!(run.findings[0].verdict, Verdict::Step);
    }
}

#[test]
fn a_loud_machine_stays_undecided() {
    for seed in 0..10 {
        let (blocks, run) = Machine {
            noise: 0.4,
            step: 1.05,
            ..Machine::new(seed)
        }
        .sweep();
        assert_eq!(blocks, BLOCKS);
        let undecided = |v| matches!(v, Verdict::Undecided { .. });
        assert!(run.findings.iter().all(|f| undecided(f.verdict)), "{run:?}");
    }
}

#[test]
fn as_many_more_blocks_as_it_says_decide() {
    let (mut asked, mut decided) = (0, 0);
    for seed in 0..30 {
        let machine = || Machine {
            step: if seed % 2 == 0 { 1.05 } else { 1.0 },
            ..Machine::new(seed)
        };
        let first = test(&machine().visit(60)).findings[0].verdict;
        if let Verdict::Undecided {
            more_blocks: Some(more),
        } = first
        {
            asked += 1;
            let then = test(&machine().visit(60 + more as usize)).findings[0].verdict;
            decided += usize::from(!matches!(then, Verdict::Undecided { .. }));
        }
    }
    assert!(
        asked >= 15 && decided * 10 >= asked * 8,
        "{decided} of {asked}"
    );
}
