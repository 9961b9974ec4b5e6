//! A ratio with an interval: of pairs, and of two samples.

use serde::{Deserialize, Serialize};

use super::median_interval::Interval;
use super::quantile::sorted;
use super::shift::{centre, shift};

/// How many times as much one thing is as another, with a confidence interval.
///
/// Worked out on logarithms, so that a/b and b/a say the same.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The best single value; 1 is no difference.
    pub estimate: f64,
    /// Lower end of the interval, above 0.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many values (pairs, where there are pairs) it rests on.
    pub n: usize,
}

impl Ratio {
    /// Whether the interval leaves out 1: the two differ.
    pub fn differs(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    pub(super) fn from_logs(logs: Interval) -> Self {
        Self {
            estimate: logs.estimate.exp(),
            low: logs.low.exp(),
            high: logs.high.exp(),
            n: logs.n,
        }
    }

    /// The largest |ln| of a ratio in the interval.
    pub(super) fn farthest(&self) -> f64 {
        self.low.ln().abs().max(self.high.ln().abs())
    }
}

/// The second of each pair over the first: the Hodges-Lehmann estimate of the
/// log ratios (Ann. Math. Stat. 34, 1963), with the interval of Wilcoxon's
/// signed-rank test at `confidence` (0 to 1): Hollander, Wolfe and Chicken,
/// "Nonparametric statistical methods", 3.2 and 3.3. Exact to 50 pairs.
///
/// Valid if the two visits of each pair came in random order (as
/// [`Plan`](super::Plan) makes them): then without a difference each log ratio
/// is as likely to be positive as negative, whatever the noise. Pairs with a
/// value that is not positive and finite are left out. `None` for too few pairs;
/// at 95 % fewer than 6, at 99 % fewer than 8.
pub fn paired_ratio(pairs: &[(f64, f64)], confidence: f64) -> Option<Ratio> {
    centre(&log_ratios(pairs), 1.0 - confidence).map(Ratio::from_logs)
}

/// The level of `to` over that of `from`, two samples that have nothing to do with
/// each other, such as the visits of one point in two reports: the
/// Hodges-Lehmann shift of the logarithms, with the interval of Wilcoxon's
/// rank-sum test at `confidence` (0 to 1): Hollander, Wolfe and Chicken, 4.2 and
/// 4.3. Exact to 20 values in each.
///
/// Assumes independent values within each. Whatever else differed between the
/// two, machine or day, is in the ratio too, and many such ratios need a
/// confidence shared among them. Values that are not positive and finite are
/// left out. `None` for too few.
pub fn unpaired_ratio(from: &[f64], to: &[f64], confidence: f64) -> Option<Ratio> {
    let logs = |values: &[f64]| sorted(values.iter().filter(|v| **v > 0.0).map(|v| v.ln()));
    shift(&logs(from), &logs(to), 1.0 - confidence).map(Ratio::from_logs)
}

/// ln(second / first) of the usable pairs, ascending.
fn log_ratios(pairs: &[(f64, f64)]) -> Vec<f64> {
    let usable = pairs
        .iter()
        .filter(|(first, second)| *first > 0.0 && *second > 0.0);
    sorted(usable.map(|(first, second)| second.ln() - first.ln()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::approx_constant, reason = "a score that happens to be 3.14")]
    fn agrees_with_the_textbook() {
        // Hollander and Wolfe's depression scores (example 3.1); R's
        // wilcox.test(x, y, paired = TRUE, conf.int = TRUE) gives the
        // pseudomedian 0.46 and the interval 0.01 to 0.786 at 96.1 %.
        let x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30_f64];
        let y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29_f64];
        let pairs: Vec<_> = y.iter().zip(x).map(|(y, x)| (y.exp(), x.exp())).collect();
        let ratio = paired_ratio(&pairs, 0.95).unwrap();
        assert!((ratio.estimate.ln() - 0.46).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.low.ln() - 0.01).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.high.ln() - 0.786).abs() < 1e-9, "{ratio:?}");
        assert_eq!(ratio.n, 9);
    }

    #[test]
    fn two_samples_agree_with_the_textbook() {
        // Hollander and Wolfe's membranes (example 4.1): 0.305, and -0.15 to 0.76
        // at 96 %.
        let y = [1.15, 0.88, 0.90, 0.74, 1.21_f64].map(f64::exp);
        let x = [
            0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46_f64,
        ];
        let ratio = unpaired_ratio(&y, &x.map(f64::exp), 0.95).unwrap();
        assert!((ratio.estimate.ln() - 0.305).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.low.ln() + 0.15).abs() < 1e-9, "{ratio:?}");
        assert!((ratio.high.ln() - 0.76).abs() < 1e-9, "{ratio:?}");
        assert_eq!(ratio.n, 15);
        assert_eq!(unpaired_ratio(&y[..2], &y[..3], 0.95), None);
        assert_eq!(unpaired_ratio(&[0.0; 9], &y, 0.95), None);
    }

    #[test]
    fn swapping_the_sides_inverts_it() {
        let pairs: Vec<_> = (1..20).map(|i| (100.0, 90.0 + f64::from(i % 7))).collect();
        let swapped: Vec<_> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
        let there = paired_ratio(&pairs, 0.95).unwrap();
        let back = paired_ratio(&swapped, 0.95).unwrap();
        assert!((there.estimate * back.estimate - 1.0).abs() < 1e-12);
        assert!((there.low * back.high - 1.0).abs() < 1e-12);
        assert!(there.differs() && back.differs());
    }

    #[test]
    fn unusable_pairs_are_left_out() {
        let mut pairs = vec![(1.0, 2.0); 6];
        pairs.extend([
            (0.0, 1.0),
            (-1.0, -1.0),
            (f64::NAN, 1.0),
            (1.0, f64::INFINITY),
        ]);
        let ratio = paired_ratio(&pairs, 0.95).unwrap();
        assert_eq!(ratio.n, 6);
        assert!((ratio.estimate - 2.0).abs() < 1e-12);
        assert_eq!(paired_ratio(&pairs[1..], 0.95), None);
    }
}
