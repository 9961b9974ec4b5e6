//! Is there a step at a boundary?

use serde::{Deserialize, Serialize};

use super::normal::normal_quantile;
use super::ratio::{Ratio, paired_ratio};

/// After how many blocks a sweep of default length looks at its verdicts. It ends
/// at the first look that finds all of them decided.
///
/// From simulation (8 boundaries; visits lognormal with the noise named, one in
/// twenty slower by 1.3 to 3; 15 % drift over the run): a true step of 5 % is
/// found in
///
/// | noise of a visit | at 60 blocks | at 120 | at 240 |
/// |---|---|---|---|
/// | 3 % | 98 % | 99 % | 99 % |
/// | 5 % | 73 % | 98 % | 99 % |
/// | 8 % | 24 % | 66 % | 96 % |
///
/// of 1000 runs, and about 1 % of runs without one report one at any boundary.
/// With 3 % of noise a run takes 68 blocks on average, with 5 % 133, with 8 % 240:
/// the blocks needed go with the square of noise over step.
pub const LOOKS: [u32; 3] = [60, 120, 240];

/// What a run is asked to find, and how surely.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BoundaryTest {
    /// The smallest change that matters, as a fraction above 0 (0.05 is 5 %).
    pub min_effect: f64,
    /// Between 0 and 1: the probability that *all* intervals of the run hold
    /// their true ratios.
    pub confidence: f64,
    /// How many times the run may look at its verdicts to decide whether it goes
    /// on, at least 1. Looking again and again until something shows finds steps
    /// that are not there; the price is paid in wider intervals.
    pub looks: u32,
}

impl Default for BoundaryTest {
    /// Steps of 5 %, at 95 %, for a run that looks at [`LOOKS`].
    fn default() -> Self {
        Self {
            min_effect: 0.05,
            confidence: 0.95,
            looks: LOOKS.len() as u32,
        }
    }
}

/// What a run says of one boundary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The sides differ: the interval leaves out 1 and the estimate lies beyond
    /// the noise floor.
    Step,
    /// No step that matters.
    NoStep {
        /// The smallest effect that this run could have seen, as a fraction: the
        /// farther of the interval's end and the noise floor. Below the
        /// `min_effect` asked for.
        above: f64,
    },
    /// Neither could be shown.
    Undecided {
        /// How many more blocks would decide it in most runs, if the noise stays
        /// as it is. `None` if that cannot be told: there are too few pairs for
        /// an interval, or the control differs from itself, and more of the same
        /// may not help.
        more_blocks: Option<u32>,
    },
}

/// The test of one boundary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The upper side over the lower; `None` with too few pairs.
    pub ratio: Option<Ratio>,
    /// What follows from it.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// The test of all boundaries of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boundaries {
    /// What was asked.
    pub test: BoundaryTest,
    /// The A/A control: the ratio of a point to itself. Its interval's end
    /// farther from 1 is the noise floor. `None` with too few pairs.
    pub control: Option<Ratio>,
    /// One for each boundary, in the order given.
    pub findings: Vec<Finding>,
}

impl BoundaryTest {
    /// Tests each boundary for a step, all of them together.
    ///
    /// `boundaries` holds, for each boundary, the values of its lower and upper
    /// side in each block; `control` the same for the two visits of the A/A point.
    ///
    /// Method: the [paired ratio](paired_ratio) of each boundary with an interval
    /// at the level 1 - (1 - confidence) / (boundaries × looks) (Bonferroni; Dunn,
    /// J. Am. Stat. Assoc. 56, 1961), which holds the probability of any false
    /// step in the run to 1 - `confidence`, however the boundaries depend on each
    /// other; they do, where they share a point. Verdicts are read off these same
    /// intervals. The control's interval is at `confidence`.
    ///
    /// Limits: it compares two neighbouring points, so a slope steep enough to
    /// change by `min_effect` from one point to the next is a step to it. It
    /// cannot see an effect of the visits on one another, except as the control
    /// does. A `min_effect` or a `confidence` out of range leaves all undecided.
    pub fn run(&self, boundaries: &[Vec<(f64, f64)>], control: &[(f64, f64)]) -> Boundaries {
        let comparisons = boundaries.len() as f64 * f64::from(self.looks.max(1));
        let alpha = (1.0 - self.confidence) / comparisons;
        let control = paired_ratio(control, self.confidence);
        let findings = boundaries.iter().map(|pairs| {
            let ratio = paired_ratio(pairs, 1.0 - alpha);
            let verdict = match (&ratio, &control) {
                (Some(ratio), Some(control)) => self.judge(ratio, control, alpha),
                _ => Verdict::Undecided { more_blocks: None },
            };
            Finding { ratio, verdict }
        });
        Boundaries {
            test: *self,
            findings: findings.collect(),
            control,
        }
    }

    /// The verdict on one boundary whose interval misses with probability `alpha`.
    fn judge(&self, ratio: &Ratio, control: &Ratio, alpha: f64) -> Verdict {
        let floor = control.farthest();
        let above = ratio.farthest().max(floor).exp_m1();
        if above < self.min_effect {
            Verdict::NoStep { above }
        } else if self.min_effect > 0.0 && ratio.differs() && ratio.estimate.ln().abs() > floor {
            Verdict::Step
        } else if control.differs() {
            Verdict::Undecided { more_blocks: None }
        } else {
            let more_blocks = more_blocks(ratio, floor, self.min_effect.ln_1p(), alpha);
            Verdict::Undecided { more_blocks }
        }
    }
}

/// How many more blocks would decide, as widths shrink with the root of their
/// number.
///
/// What the interval and the floor must shrink to is known if the estimate
/// stays; that it moves is allowed for by the usual margin of a planned sample
/// for 9 runs of 10. Where the half-width and the floor together are within what
/// `matters`, any estimate decides, so it takes no more than that.
fn more_blocks(ratio: &Ratio, floor: f64, matters: f64, alpha: f64) -> Option<u32> {
    let effect = ratio.estimate.ln().abs();
    let half_width = (ratio.high / ratio.low).ln() / 2.0;
    let hurdle = half_width.max(floor);
    let margin = 1.0 - normal_quantile(0.9) / normal_quantile(alpha / 2.0);
    let for_step = hurdle * margin / effect;
    let for_none = if effect < matters {
        (half_width * margin / (matters - effect)).max(floor / matters)
    } else {
        f64::INFINITY
    };
    let for_any = (half_width + hurdle) / matters;
    let shrink = for_step.min(for_none).min(for_any);
    let more = (ratio.n as f64 * (shrink * shrink - 1.0)).ceil().max(1.0);
    (more < f64::from(u32::MAX)).then_some(more as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 pairs whose ratios are about `ratio`, evenly up to `spread` off.
    fn pairs(ratio: f64, spread: f64) -> Vec<(f64, f64)> {
        let off = |i: i32| spread * (f64::from(i) - 19.5) / 19.5;
        (0..40)
            .map(|i| (100.0, 100.0 * ratio * (1.0 + off(i))))
            .collect()
    }

    fn verdict(boundary: Vec<(f64, f64)>, control: Vec<(f64, f64)>) -> Verdict {
        BoundaryTest::default().run(&[boundary], &control).findings[0].verdict
    }

    #[test]
    fn a_step_is_beyond_the_noise_floor() {
        assert_eq!(verdict(pairs(0.9, 0.05), pairs(1.0, 0.05)), Verdict::Step);
        assert_eq!(verdict(pairs(1.1, 0.05), pairs(1.0, 0.05)), Verdict::Step);
        let biased = verdict(pairs(1.1, 0.05), pairs(0.88, 0.05));
        assert_eq!(biased, Verdict::Undecided { more_blocks: None });
    }

    #[test]
    fn no_step_says_above_what() {
        let run = BoundaryTest::default().run(&[pairs(1.01, 0.05)], &pairs(1.0, 0.05));
        let Verdict::NoStep { above } = run.findings[0].verdict else {
            panic!("{run:?}");
        };
        let high = run.findings[0].ratio.unwrap().high;
        assert!((above - (high - 1.0)).abs() < 1e-9, "{above} {high}");
    }

    #[test]
    fn an_effect_that_does_not_matter_is_none() {
        let run = BoundaryTest::default().run(&[pairs(1.02, 0.01)], &pairs(1.0, 0.01));
        assert!(run.findings[0].ratio.unwrap().differs());
        assert!(matches!(run.findings[0].verdict, Verdict::NoStep { .. }));
    }

    #[test]
    fn noise_is_undecided_and_says_for_how_long() {
        let more = |spread| match verdict(pairs(1.0, spread), pairs(1.0, spread)) {
            Verdict::Undecided { more_blocks } => more_blocks.unwrap(),
            other => panic!("{other:?}"),
        };
        let (some, many) = (more(0.2), more(0.4));
        assert!(some < many && many < 100 * some, "{some} {many}");
    }

    #[test]
    fn intervals_widen_with_boundaries_and_looks() {
        let width = |boundaries: usize, looks| {
            let test = BoundaryTest {
                looks,
                ..BoundaryTest::default()
            };
            let run = test.run(&vec![pairs(1.0, 0.1); boundaries], &pairs(1.0, 0.1));
            let ratio = run.findings[0].ratio.unwrap();
            ratio.high - ratio.low
        };
        assert!(width(1, 1) < width(8, 1));
        assert_eq!(width(8, 1), width(1, 8));
        assert_eq!(width(1, 0), width(1, 1));
    }

    #[test]
    fn too_little_and_nonsense_are_undecided() {
        let undecided = Verdict::Undecided { more_blocks: None };
        assert_eq!(verdict(vec![], pairs(1.0, 0.1)), undecided);
        assert_eq!(verdict(pairs(1.5, 0.1), vec![]), undecided);
        for (min_effect, confidence) in [(0.0, 0.95), (-1.0, 0.95), (f64::NAN, 0.95), (0.05, 1.0)] {
            let test = BoundaryTest {
                min_effect,
                confidence,
                looks: 1,
            };
            let run = test.run(&[pairs(1.5, 0.1)], &pairs(1.0, 0.1));
            assert!(
                matches!(run.findings[0].verdict, Verdict::Undecided { .. }),
                "{test:?}"
            );
        }
        assert!(BoundaryTest::default().run(&[], &[]).findings.is_empty());
    }

    #[test]
    fn a_finding_reads_as_one_object() {
        let finding = Finding {
            ratio: None,
            verdict: Verdict::NoStep { above: 0.25 },
        };
        let json = serde_json::to_string(&finding).unwrap();
        assert_eq!(json, r#"{"ratio":null,"verdict":"no_step","above":0.25}"#);
        let back: Finding = serde_json::from_str(&json).unwrap();
        assert_eq!(back, finding);
    }
}
