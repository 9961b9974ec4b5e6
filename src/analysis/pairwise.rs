//! Order statistics of all pairs of a sample, without building the pairs.
//!
//! The Hodges-Lehmann estimates and their intervals are ranks among n² averages
//! or differences. In sorted data the pairs up to a bound can be counted in one
//! pass, so a rank is found by bisection: O(n) memory, about log2(n²) passes.

/// All averages (x_i + x_j) / 2 with i ≤ j of ascending finite values (Walsh averages).
pub(super) struct Averages<'a>(pub &'a [f64]);

/// All differences b_j - a_i of two ascending lists of finite values.
pub(super) struct Differences<'a> {
    pub from: &'a [f64],
    pub to: &'a [f64],
}

/// Values that are not listed but can be counted.
pub(super) trait Ranked {
    /// How many values there are.
    fn len(&self) -> u64;
    /// The smallest and the largest; `None` if there are none.
    fn ends(&self) -> Option<(f64, f64)>;
    /// How many are at most `bound`, and the smallest of the others (infinite if
    /// there are none).
    fn split(&self, bound: f64) -> (u64, f64);

    /// The value of `rank`, from 1 for the smallest; `None` if out of range.
    fn at(&self, rank: u64) -> Option<f64> {
        if rank == 0 || rank > self.len() {
            return None;
        }
        let (mut low, mut high) = self.ends()?;
        while low < high {
            let middle = low.midpoint(high);
            let bound = if middle < high { middle } else { low };
            let (count, next) = self.split(bound);
            if count >= rank {
                high = bound;
            } else if count + 1 == rank {
                return Some(next);
            } else {
                low = next;
            }
        }
        Some(low)
    }

    /// The median of the values.
    fn median(&self) -> Option<f64> {
        let below = self.at(self.len().div_ceil(2))?;
        if self.len() % 2 == 1 {
            return Some(below);
        }
        let above = match self.split(below) {
            (count, next) if count == self.len() / 2 => next,
            _ => below,
        };
        Some(below.midpoint(above))
    }
}

impl Ranked for Averages<'_> {
    fn len(&self) -> u64 {
        let n = self.0.len() as u64;
        n * (n + 1) / 2
    }

    fn ends(&self) -> Option<(f64, f64)> {
        Some((*self.0.first()?, *self.0.last()?))
    }

    fn split(&self, bound: f64) -> (u64, f64) {
        let (mut count, mut next) = (0, f64::INFINITY);
        let (mut first, mut end) = (0, self.0.len());
        // Of those left, either the first makes the bound with all, or the last
        // with none.
        while first < end {
            let average = self.0[first] / 2.0 + self.0[end - 1] / 2.0;
            if average <= bound {
                count += (end - first) as u64;
                first += 1;
            } else {
                if average < next {
                    next = average;
                }
                end -= 1;
            }
        }
        (count, next)
    }
}

impl Ranked for Differences<'_> {
    fn len(&self) -> u64 {
        self.from.len() as u64 * self.to.len() as u64
    }

    fn ends(&self) -> Option<(f64, f64)> {
        Some((
            self.to.first()? - self.from.last()?,
            self.to.last()? - self.from.first()?,
        ))
    }

    fn split(&self, bound: f64) -> (u64, f64) {
        let (mut count, mut next) = (0, f64::INFINITY);
        let mut reach = 0;
        for from in self.from {
            while reach < self.to.len() && self.to[reach] - from <= bound {
                reach += 1;
            }
            count += reach as u64;
            if let Some(to) = self.to.get(reach) {
                next = next.min(to - from);
            }
        }
        (count, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::quantile::sorted;
    use crate::analysis::rng::SplitMix64;

    /// A few values with ties, signs and both zeros.
    fn sample(rng: &mut SplitMix64, n: usize) -> Vec<f64> {
        sorted((0..n).map(|_| (rng.below(40) as f64 - 20.0) / 8.0))
    }

    fn check(ranked: &impl Ranked, mut all: Vec<f64>) {
        all.sort_unstable_by(f64::total_cmp);
        assert_eq!(ranked.len(), all.len() as u64);
        for (index, expected) in all.iter().enumerate() {
            assert_eq!(ranked.at(index as u64 + 1), Some(*expected));
        }
        assert_eq!(ranked.at(0), None);
        assert_eq!(ranked.at(all.len() as u64 + 1), None);
        let median = crate::analysis::quantile::median(&all);
        assert_eq!(ranked.median(), median);
    }

    #[test]
    fn ranks_are_those_of_the_sorted_pairs() {
        let mut rng = SplitMix64::new(5);
        for n in 0..12 {
            let a = sample(&mut rng, n);
            let b = sample(&mut rng, n / 2 + 1);
            let averages = (0..n).flat_map(|i| (i..n).map(move |j| (i, j)));
            check(
                &Averages(&a),
                averages.map(|(i, j)| a[i] / 2.0 + a[j] / 2.0).collect(),
            );
            let differences = a
                .iter()
                .flat_map(|a| b.iter().map(move |b| b - a))
                .collect();
            check(&Differences { from: &a, to: &b }, differences);
        }
    }

    #[test]
    fn holds_at_the_ends_of_the_range() {
        let huge = [-f64::MAX, 0.0, f64::MAX];
        assert_eq!(Averages(&huge).median(), Some(0.0));
        assert_eq!(Averages(&huge).at(6), Some(f64::MAX));
    }
}
