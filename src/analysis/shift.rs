//! How far a sample lies from zero, or one sample from another, with an interval.
//!
//! Hodges and Lehmann, "Estimates of location based on rank tests", Ann. Math.
//! Stat. 34 (1963); the intervals are the values that the signed-rank and the
//! rank-sum test of Wilcoxon (Biometrics Bulletin 1, 1945) would not reject
//! (Hollander, Wolfe and Chicken, "Nonparametric statistical methods", 3.2-3.3
//! and 4.2-4.3). For normal data they need 5 % more values than the mean does;
//! for data with outliers far fewer.

use super::median_interval::Interval;
use super::normal::normal_quantile;
use super::pairwise::{Averages, Differences, Ranked};

/// Up to this many values the signed-rank distribution is counted out. Above, it is
/// taken as normal, which is too wide in the tails rather than too narrow: by 2
/// ranks of 100 for 100 values at 99.8 %.
const EXACT: usize = 50;

/// The same for the longer of two samples.
const EXACT_OF_TWO: usize = 20;

/// The pseudomedian of `sorted` with an interval that misses the true one with
/// at most the probability `alpha`.
///
/// Assumes independent values, each symmetric about the same centre; they need
/// not be normal nor equally spread. `None` if there are too few values: fewer
/// than log2(2 / alpha).
pub(super) fn centre(sorted: &[f64], alpha: f64) -> Option<Interval> {
    let n = sorted.len();
    let all = Averages(sorted);
    let rank = if n <= EXACT {
        exact_rank(&signed_rank_counts(n), alpha)?
    } else {
        let size = n as f64;
        let variance = size * (size + 1.0) * (2.0 * size + 1.0) / 24.0;
        normal_rank(all.len(), variance, alpha)?
    };
    between(&all, rank, n)
}

/// How far the sorted list `to` lies above the sorted list `from`, with an
/// interval that misses the true shift with at most the probability `alpha`.
///
/// Assumes independent values and that the lists differ by a shift only. `None`
/// if there are too few.
pub(super) fn shift(from: &[f64], to: &[f64], alpha: f64) -> Option<Interval> {
    let (n, m) = (from.len(), to.len());
    let all = Differences { from, to };
    let rank = if n.max(m) <= EXACT_OF_TWO {
        exact_rank(&rank_sum_counts(n, m), alpha)?
    } else {
        let variance = all.len() as f64 * (n + m + 1) as f64 / 12.0;
        normal_rank(all.len(), variance, alpha)?
    };
    between(&all, rank, n + m)
}

/// The median of `all`, between its values of `rank` from below and from above.
fn between(all: &impl Ranked, rank: u64, n: usize) -> Option<Interval> {
    Some(Interval {
        estimate: all.median()?,
        low: all.at(rank)?,
        high: all.at((all.len() + 1).checked_sub(rank)?)?,
        n,
    })
}

/// The largest k, from 1, with P(W < k) at most `alpha` / 2, where `counts[w]` of
/// all equally likely outcomes have W = w; W is symmetric.
fn exact_rank(counts: &[f64], alpha: f64) -> Option<u64> {
    let allowed = counts.iter().sum::<f64>() * alpha / 2.0;
    let mut below = 0.0;
    let fits = |count: &&f64| {
        below += **count;
        below <= allowed
    };
    let rank = counts.iter().take_while(fits).count() as u64;
    (rank > 0 && alpha < 1.0).then_some(rank)
}

/// The same for a W from 0 to `largest` that is normal with `variance`.
fn normal_rank(largest: u64, variance: f64, alpha: f64) -> Option<u64> {
    let middle = largest as f64 / 2.0;
    let rank = middle + 0.5 + normal_quantile(alpha / 2.0) * variance.sqrt();
    (rank >= 1.0 && alpha < 1.0).then_some(rank as u64)
}

/// In how many of the 2^n ways to sign the ranks 1 to n the positive ones sum to
/// w, for each w. Exact in f64 up to n = 53.
fn signed_rank_counts(n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
    counts[0] = 1.0;
    let mut highest = 0;
    for rank in 1..=n {
        for sum in (0..=highest).rev() {
            counts[sum + rank] += counts[sum];
        }
        highest += rank;
    }
    counts
}

/// In how many of the orders of n and m values exactly u pairs are the one way
/// round, for each u: the Gaussian binomial coefficient's own coefficients, the
/// product over i = 1 to n of (1 - x^(m+i)) / (1 - x^i). Exact in f64 while
/// there are fewer than 2^53 orders: up to 28 and 28.
fn rank_sum_counts(n: usize, m: usize) -> Vec<f64> {
    let mut counts = vec![0.0; n * m + 1];
    counts[0] = 1.0;
    for i in 1..=n {
        for u in (m + i..counts.len()).rev() {
            counts[u] -= counts[u - m - i];
        }
        for u in i..counts.len() {
            counts[u] += counts[u - i];
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_add_up() {
        for n in 0..=20 {
            assert_eq!(
                signed_rank_counts(n).iter().sum::<f64>(),
                2f64.powi(n as i32)
            );
        }
        assert_eq!(signed_rank_counts(3), [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0]);
        assert_eq!(rank_sum_counts(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(
            rank_sum_counts(20, 20).iter().sum::<f64>(),
            137_846_528_820.0
        );
    }

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Wilcoxon's tables, two-sided 5 %: the critical value is one less.
        for (n, critical) in [(6, 0), (8, 3), (10, 8), (15, 25), (20, 52), (25, 89)] {
            let rank = exact_rank(&signed_rank_counts(n), 0.05);
            assert_eq!(rank, Some(critical + 1), "n = {n}");
        }
        for (n, m, critical) in [(4, 4, 0), (5, 8, 6), (10, 10, 23), (20, 20, 127)] {
            let rank = exact_rank(&rank_sum_counts(n, m), 0.05);
            assert_eq!(rank, Some(critical + 1), "n = {n}, m = {m}");
        }
    }

    #[test]
    fn the_normal_interval_joins_the_exact_one() {
        let values: Vec<f64> = (0..=EXACT).map(|i| i as f64).collect();
        for alpha in [0.05, 0.05 / 8.0, 0.001] {
            let exact = centre(&values[..EXACT], alpha).unwrap();
            let normal = centre(&values, alpha).unwrap();
            let grows = (normal.high - normal.low) / (exact.high - exact.low);
            assert!((1.0..1.04).contains(&grows), "{alpha}: {grows}");

            let values = &values[..=EXACT_OF_TWO];
            let exact = shift(&values[1..], &values[1..], alpha).unwrap();
            let normal = shift(values, values, alpha).unwrap();
            let grows = (normal.high - normal.low) / (exact.high - exact.low);
            assert!((1.0..1.15).contains(&grows), "{alpha}: {grows}");
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(centre(&[], 0.05).is_none());
        assert!(shift(&[], &[], 0.05).is_none());
        assert!(shift(&[1.0], &[2.0], 0.05).is_none());
        assert!(shift(&[1.0; 9], &[], 0.05).is_none());
        for alpha in [f64::NAN, -1.0, 0.0, 1.0, 1.5, 3.0] {
            assert!(centre(&[1.0; 60], alpha).is_none(), "{alpha}");
            assert!(centre(&[1.0; 20], alpha).is_none(), "{alpha}");
            assert!(shift(&[1.0; 20], &[1.0; 20], alpha).is_none(), "{alpha}");
            assert!(shift(&[1.0; 30], &[1.0; 20], alpha).is_none(), "{alpha}");
        }
    }
}
