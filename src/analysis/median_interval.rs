//! An interval for a median that asks nothing of the distribution.

use serde::{Deserialize, Serialize};

use super::normal::normal_quantile;
use super::quantile::{quantile_sorted, sorted};

/// Above this many values the binomial is taken as normal: its smallest terms
/// would no longer fit an f64, and the rank differs by at most one.
const EXACT: usize = 1000;

/// A value with an interval, in the unit of the values it came from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The best single value.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How many values it rests on.
    pub n: usize,
}

/// The median with an interval that holds the true one with at least the
/// probability `confidence` (0 to 1): the k-th smallest and k-th largest value,
/// with k from the binomial(n, 1/2) distribution (Conover, "Practical
/// nonparametric statistics", 3.2; the interval of the sign test).
///
/// It assumes independent values of one distribution, of any shape. The
/// coverage is exact to 1000 values, so it is at least what was asked and mostly
/// a little more. `None` if there are too few values for any interval: at 95 %,
/// fewer than 6.
pub fn median_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let sorted = sorted(values.iter().copied());
    let rank = rank(sorted.len(), (1.0 - confidence) / 2.0)?;
    Some(Interval {
        estimate: quantile_sorted(&sorted, 0.5)?,
        low: *sorted.get(rank - 1)?,
        high: *sorted.get(sorted.len() - rank)?,
        n: sorted.len(),
    })
}

/// The largest k, from 1, with P(X < k) at most `tail` for X binomial(n, 1/2).
fn rank(n: usize, tail: f64) -> Option<usize> {
    if n > EXACT {
        let n = n as f64;
        let rank = (n + 1.0 + normal_quantile(tail) * n.sqrt()) / 2.0;
        return (rank >= 1.0).then_some(rank as usize);
    }
    let mut term = 0.5_f64.powi(n as i32);
    let mut below = 0.0;
    let mut rank = 0;
    while rank < n.div_ceil(2) {
        below += term;
        if below > tail {
            break;
        }
        term *= (n - rank) as f64 / (rank + 1) as f64;
        rank += 1;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Conover, table A3 and the usual 95 % ranks of the sign test.
        for (n, k) in [
            (6, 1),
            (8, 1),
            (9, 2),
            (10, 2),
            (20, 6),
            (25, 8),
            (50, 18),
            (100, 40),
        ] {
            assert_eq!(rank(n, 0.025), Some(k), "{n}");
        }
        assert_eq!(rank(8, 0.005), Some(1));
        assert_eq!(rank(7, 0.005), None);
    }

    #[test]
    fn the_normal_rank_joins_the_exact_one() {
        let exact = rank(EXACT, 0.025).unwrap();
        let normal = rank(EXACT + 1, 0.025).unwrap();
        assert!(exact.abs_diff(normal) <= 1, "{exact} {normal}");
    }

    #[test]
    fn too_few_is_not_yet() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0, 6.0];
        assert_eq!(median_interval(&values[..5], 0.95), None);
        let interval = median_interval(&values, 0.95).unwrap();
        assert_eq!((interval.low, interval.estimate), (1.0, 3.5));
        assert_eq!((interval.high, interval.n), (6.0, 6));
        assert_eq!(median_interval(&[], 0.95), None);
        for confidence in [f64::NAN, -1.0, 0.0, 1.0, 2.0] {
            assert_eq!(median_interval(&values, confidence), None);
        }
    }
}
