//! Do values come from two modes of the machine?

use serde::{Deserialize, Serialize};

use super::quantile::{quantile_sorted, sorted};

/// How far apart modes are at least: the distance of their medians over the sum
/// of their interquartile ranges. A normal sample cut at its middle has 0.8, an
/// even one 1; the best cut of 40 values of one mode seldom reaches 2.
const APART: f64 = 2.0;

/// Modes nearer to each other than this share of the lower one are not worth a
/// warning: where a paced call falls into this interval or the next makes such.
const SMALLEST: f64 = 0.02;

/// A mode has at least this share of the values.
const SHARE: f64 = 0.2;

/// Fewer values than this have no modes: chance makes gaps in them.
const FEWEST: usize = 40;

/// Two clusters with a gap between them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TwoModes {
    /// Median of the lower mode.
    pub low: f64,
    /// Median of the higher mode.
    pub high: f64,
    /// Share of the values in the higher mode, 0 to 1.
    pub high_share: f64,
}

/// The two modes of `values`; `None` if one explains them.
///
/// All cuts in two that leave at least 20 % of the values on either side are
/// tried, for the one whose sides lie farthest apart for their own width, on
/// logarithms: D = (difference of medians) / (sum of interquartile ranges), which
/// is Ashman's D (Ashman, Bird and Zepf, Astron. J. 108, 1994) in quartiles, so
/// that outliers do not count. Two modes if D is at least 2; equal normal ones are
/// then at least 5.4 of their standard deviations apart. Nearer ones are not seen,
/// nor are those whose medians differ by less than 2 %.
/// Of samples of one mode about 1 % is called two at 60 values, fewer beyond.
/// Fewer than 40 values that are positive and finite give `None`; others are
/// left out.
pub fn two_modes(values: &[f64]) -> Option<TwoModes> {
    let positive = values.iter().filter(|v| **v > 0.0);
    let logs = sorted(positive.map(|v| v.ln()));
    let n = logs.len();
    if n < FEWEST {
        return None;
    }
    let fewest = (SHARE * n as f64).ceil() as usize;
    let cuts = (fewest..=n - fewest).map(|cut| logs.split_at(cut));
    let (low, high) = cuts.max_by(|a, b| apart(*a).total_cmp(&apart(*b)))?;
    if apart((low, high)) < APART {
        return None;
    }
    Some(TwoModes {
        low: quantile_sorted(low, 0.5)?.exp(),
        high: quantile_sorted(high, 0.5)?.exp(),
        high_share: high.len() as f64 / n as f64,
    })
}

/// Difference of the medians over the sum of the interquartile ranges; 0 where
/// the difference is not worth a word.
fn apart((low, high): (&[f64], &[f64])) -> f64 {
    let at = |side, q| quantile_sorted(side, q).unwrap_or(0.0);
    let width = |side| at(side, 0.75) - at(side, 0.25);
    let distance = at(high, 0.5) - at(low, 0.5);
    if distance >= SMALLEST.ln_1p() {
        distance / (width(low) + width(high))
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rng::SplitMix64;

    /// Lognormal by 5 %, one in twenty an outlier, a share in a mode at 1.4.
    fn sample(rng: &mut SplitMix64, n: usize, share: f64) -> Vec<f64> {
        let mut value = || {
            let outlier = if rng.below(20) == 0 { 2.5 } else { 1.0 };
            let mode = if rng.uniform() < share { 1.4 } else { 1.0 };
            mode * outlier * (0.05 * rng.normal()).exp()
        };
        (0..n).map(|_| value()).collect()
    }

    #[test]
    fn two_modes_are_found() {
        let mut rng = SplitMix64::new(1);
        let found = (0..100).filter_map(|_| two_modes(&sample(&mut rng, 100, 0.4)));
        let found: Vec<TwoModes> = found.collect();
        assert!(found.len() >= 95, "{}", found.len());
        for modes in found {
            assert!((modes.low - 1.0).abs() < 0.05, "{modes:?}");
            assert!((modes.high - 1.4).abs() < 0.1, "{modes:?}");
            assert!((modes.high_share - 0.4).abs() < 0.25, "{modes:?}");
        }
    }

    #[test]
    fn one_mode_is_one() {
        let mut rng = SplitMix64::new(2);
        for n in [60, 120] {
            let found = (0..100).filter(|_| two_modes(&sample(&mut rng, n, 0.0)).is_some());
            let found = found.count();
            assert!(found <= 3, "{n}: {found}");
        }
        let even: Vec<f64> = (0..100).map(|i| 1.0 + f64::from(i) / 200.0).collect();
        assert_eq!(two_modes(&even), None);
    }

    #[test]
    fn intervals_of_one_call_more_or_less_are_one_mode() {
        let paced: Vec<f64> = (0..100).map(|n| f64::from(100 + n % 2)).collect();
        assert_eq!(two_modes(&paced), None);
        let coarse: Vec<f64> = (0..100).map(|n| f64::from(10 + n % 2)).collect();
        assert!(two_modes(&coarse).is_some());
    }

    #[test]
    fn too_few_and_nonsense() {
        let mut values = vec![1.0; FEWEST / 2];
        values.resize(FEWEST, 2.0);
        assert!(two_modes(&values).is_some());
        assert_eq!(two_modes(&values[1..]), None);
        assert_eq!(two_modes(&[]), None);
        assert_eq!(two_modes(&[f64::NAN; 50]), None);
        assert_eq!(two_modes(&[3.0; 50]), None);
    }
}
