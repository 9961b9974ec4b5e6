//! Does a series drift?

use serde::{Deserialize, Serialize};

use super::normal::normal_quantile;
use super::quantile::{median, quantile_sorted, sorted};

/// The probability of warning of a series without a trend.
const FALSE_ALARM: f64 = 0.01;

/// A smaller drift over the whole series is not worth a warning.
const SMALLEST: f64 = 0.02;

/// Longer series are taken as this many medians of neighbours, because the slopes
/// are between all pairs.
const LONGEST: usize = 128;

/// A series that goes up or down.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// The level at the end over that at the start, along the trend.
    pub end_over_start: f64,
}

/// The trend of `values`, in order of time; `None` if none was shown, it is
/// below 2 %, or fewer than 8 values are positive and finite (the others are
/// left out).
///
/// That there is one is the test of Mann (Econometrica 13, 1945) and Kendall at
/// 1 %; how steep, the median slope of Theil (1950) and Sen (J. Am. Stat. Assoc.
/// 63, 1968) of the logarithms. Neither minds outliers. Only a trend that mostly
/// goes one way is seen, and a series with memory (neighbours alike) is warned of
/// more often than it should be.
pub fn drift(values: &[f64]) -> Option<Drift> {
    let positive = values.iter().filter(|v| **v > 0.0);
    let logs: Vec<f64> = positive.map(|v| v.ln()).filter(|v| v.is_finite()).collect();
    let group = logs.len().div_ceil(LONGEST).max(1);
    let logs: Option<Vec<f64>> = logs.chunks_exact(group).map(median).collect();
    let logs = logs.filter(|logs| logs.len() >= 8)?;
    let pairs = || (0..logs.len()).flat_map(|i| (0..i).map(move |j| (j, i)));

    let up: f64 = pairs().map(|(j, i)| sign(logs[i] - logs[j])).sum();
    let n = logs.len() as f64;
    let deviation = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
    // One less: the continuity correction, as the sum goes in steps of two.
    if up.abs() - 1.0 <= normal_quantile(1.0 - FALSE_ALARM / 2.0) * deviation {
        return None;
    }
    let slopes = sorted(pairs().map(|(j, i)| (logs[i] - logs[j]) / (i - j) as f64));
    let end_over_start = (quantile_sorted(&slopes, 0.5)? * (n - 1.0)).exp();
    ((end_over_start - 1.0).abs() >= SMALLEST).then_some(Drift { end_over_start })
}

/// 1, 0 or -1.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rng::SplitMix64;

    fn series(rng: &mut SplitMix64, n: usize, drift: f64) -> Vec<f64> {
        let mut value = |i| {
            let trend = drift.powf(f64::from(i as u32) / (n - 1) as f64);
            let outlier = if rng.below(20) == 0 { 2.0 } else { 1.0 };
            trend * outlier * (0.05 * rng.normal()).exp()
        };
        (0..n).map(&mut value).collect()
    }

    #[test]
    fn a_trend_is_measured() {
        let mut rng = SplitMix64::new(1);
        for n in [30, 120, 1000] {
            for truth in [1.15, 0.85] {
                let seen = drift(&series(&mut rng, n, truth)).unwrap().end_over_start;
                assert!((seen / truth - 1.0).abs() < 0.06, "{n} {truth} {seen}");
            }
        }
    }

    #[test]
    fn no_trend_is_seldom_warned_of() {
        let mut rng = SplitMix64::new(2);
        let warned = (0..300).filter(|_| drift(&series(&mut rng, 30, 1.0)).is_some());
        assert!(warned.count() <= 9);
    }

    #[test]
    fn little_and_nothing() {
        let creeping: Vec<f64> = (0..50).map(|i| 1.0 + f64::from(i) / 1e4).collect();
        assert_eq!(drift(&creeping), None);
        assert_eq!(drift(&[1.0; 50]), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), None);
        assert_eq!(drift(&[]), None);
        assert_eq!(drift(&[0.0, f64::NAN, -1.0, f64::INFINITY]), None);
    }
}
