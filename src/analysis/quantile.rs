//! Order statistics of plain slices.
//!
//! Values that are not finite are left out everywhere.

use serde::{Deserialize, Serialize};

/// The finite ones of `values`, ascending.
pub(super) fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The quantile `q` (0 to 1) of ascending values: definition 7 of Hyndman and
/// Fan, "Sample quantiles in statistical packages", Am. Stat. 50 (1996), the
/// straight line between the two neighbours of rank q(n - 1). R and numpy
/// default to it. `None` for no values.
pub(super) fn quantile_sorted(sorted: &[f64], q: f64) -> Option<f64> {
    let rank = q.clamp(0.0, 1.0) * (sorted.len().checked_sub(1)?) as f64;
    let low = *sorted.get(rank.floor() as usize)?;
    let high = *sorted.get(rank.ceil() as usize)?;
    (!q.is_nan()).then_some(low + (high - low) * rank.fract())
}

/// The quantile `q` (0 to 1, clamped) of `values`, by definition 7 of Hyndman
/// and Fan (1996); `None` for no values.
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    quantile_sorted(&sorted(values.iter().copied()), q)
}

/// The median; `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Median absolute deviation from the median, unscaled: half of the values lie
/// within it. (Times 1.4826 it estimates a normal standard deviation: Hampel,
/// J. Am. Stat. Assoc. 69, 1974.)
pub fn mad(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let away = sorted(values.iter().map(|v| (v - centre).abs()));
    quantile_sorted(&away, 0.5)
}

/// Five numbers that stand for many (Tukey, "Exploratory data analysis", 1977).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values.
    pub n: usize,
    /// The smallest.
    pub min: f64,
    /// First quartile.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// The largest.
    pub max: f64,
}

impl Summary {
    /// Of `values`, in any order; `None` if none is finite.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let sorted = sorted(values);
        let at = |q| quantile_sorted(&sorted, q);
        Some(Self {
            n: sorted.len(),
            min: at(0.0)?,
            q1: at(0.25)?,
            median: at(0.5)?,
            q3: at(0.75)?,
            max: at(1.0)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_definition_seven() {
        // R: quantile(c(1, 3, 4, 10), c(.25, .5, .9), type = 7)
        let values = [10.0, 1.0, 4.0, 3.0];
        assert_eq!(quantile(&values, 0.25), Some(2.5));
        assert_eq!(median(&values), Some(3.5));
        assert!((quantile(&values, 0.9).unwrap() - 8.2).abs() < 1e-12);
        assert_eq!(quantile(&values, 7.0), Some(10.0));
        assert_eq!(quantile(&values, -1.0), Some(1.0));
    }

    #[test]
    fn nothing_and_nonsense() {
        assert_eq!(median(&[]), None);
        assert_eq!(mad(&[f64::NAN]), None);
        assert_eq!(Summary::of([f64::INFINITY]), None);
        assert_eq!(median(&[f64::NAN, 2.0, f64::NEG_INFINITY]), Some(2.0));
        assert_eq!(quantile(&[1.0, 2.0], f64::NAN), None);
    }

    #[test]
    fn spread() {
        assert_eq!(mad(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), Some(1.0));
        let summary = Summary::of([5.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(
            (summary.n, summary.min, summary.q1, summary.median),
            (5, 1.0, 2.0, 3.0)
        );
        assert_eq!((summary.q3, summary.max), (4.0, 5.0));
    }
}
