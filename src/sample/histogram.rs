//! A histogram as a plain value: what one interval, or a sum of them, saw.

use serde::{Deserialize, Serialize};

use super::layout::{Layout, SIZE, TIME};

/// Which layout a histogram has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Nanoseconds.
    Time,
    /// Bytes.
    Size,
}

impl Kind {
    /// The buckets of this kind.
    pub const fn layout(self) -> Layout {
        match self {
            Self::Time => TIME,
            Self::Size => SIZE,
        }
    }
}

/// Counts of values, kept for the buckets that are not empty.
///
/// Quantiles are bucket bounds, so their error is at most the bucket's width:
/// 1.6 % for times, none for sizes below 8192.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct Histogram {
    kind: Kind,
    /// Bucket index and count, ascending by index, no count zero.
    buckets: Vec<(u32, u64)>,
}

/// A histogram as it is read, before it is believed.
#[derive(Deserialize)]
struct Written {
    kind: Kind,
    buckets: Vec<(u32, u64)>,
}

impl TryFrom<Written> for Histogram {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        Self::of_entries(written.kind, written.buckets)
            .ok_or("the buckets of a histogram are out of order, or there is no such bucket")
    }
}

impl Histogram {
    /// The histogram with these bucket indices and counts; None unless the
    /// indices ascend and are there in the layout, no count is zero, and their
    /// sum is a number of 64 bits.
    pub fn of_entries(kind: Kind, buckets: Vec<(u32, u64)>) -> Option<Self> {
        let ascends = buckets.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let last = buckets.last().map_or(0, |bucket| bucket.0 as usize);
        let is_one = ascends
            && last < kind.layout().bucket_count()
            && buckets.iter().all(|bucket| bucket.1 > 0)
            && buckets
                .iter()
                .try_fold(0_u64, |sum, bucket| sum.checked_add(bucket.1))
                .is_some();
        is_one.then_some(Self { kind, buckets })
    }

    /// Bucket indices and their counts, ascending by index, no count zero.
    pub fn entries(&self) -> &[(u32, u64)] {
        &self.buckets
    }

    /// What it counts.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// A histogram that has seen nothing.
    pub fn empty(kind: Kind) -> Self {
        Self {
            kind,
            buckets: Vec::new(),
        }
    }

    /// The histogram of `after` less `before`: bucket counts of one growing
    /// array at two moments. A `before` that is shorter counts as zeros.
    pub fn between(kind: Kind, before: &[u64], after: &[u64]) -> Self {
        let before = before.iter().copied().chain(std::iter::repeat(0));
        let buckets = (0u32..)
            .zip(after.iter().zip(before))
            .filter(|(_, (after, before))| *after > before)
            .map(|(index, (after, before))| (index, after - before))
            .collect();
        Self { kind, buckets }
    }

    /// Counts `value` once. The engine's hot path does not come through here.
    pub fn record(&mut self, value: u64) {
        let index = self.kind.layout().index(value) as u32;
        match self.buckets.binary_search_by_key(&index, |b| b.0) {
            Ok(at) => self.buckets[at].1 += 1,
            Err(at) => self.buckets.insert(at, (index, 1)),
        }
    }

    /// Adds everything that `other` has seen.
    ///
    /// Both must be of one kind; what is of another kind is not comparable and
    /// is left out.
    pub fn add(&mut self, other: &Self) {
        if self.kind != other.kind {
            return;
        }
        let mut merged = Vec::with_capacity(self.buckets.len().max(other.buckets.len()));
        let (mut ours, mut theirs) = (
            self.buckets.iter().copied().peekable(),
            other.buckets.iter().copied().peekable(),
        );
        loop {
            merged.push(match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    let sum = (a.0, a.1 + b.1);
                    ours.next();
                    theirs.next();
                    sum
                }
                (Some(a), Some(b)) if a.0 > b.0 => {
                    let b = *b;
                    theirs.next();
                    b
                }
                (Some(a), _) => {
                    let a = *a;
                    ours.next();
                    a
                }
                (None, Some(b)) => {
                    let b = *b;
                    theirs.next();
                    b
                }
                (None, None) => break,
            });
        }
        self.buckets = merged;
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|b| b.1).sum()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The value below or at which a share `q` (0 to 1) of the counted values
    /// lies: the upper bound of the bucket that holds it. None when empty.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        let rank = ((q.clamp(0.0, 1.0) * self.count() as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for &(index, count) in &self.buckets {
            seen += count;
            if seen >= rank {
                return Some(self.kind.layout().high(index as usize));
            }
        }
        None
    }

    /// The largest counted value, as its bucket's upper bound.
    pub fn max(&self) -> Option<u64> {
        let (index, _) = self.buckets.last()?;
        Some(self.kind.layout().high(*index as usize))
    }

    /// The smallest counted value, as its bucket's lower bound.
    pub fn min(&self) -> Option<u64> {
        let (index, _) = self.buckets.first()?;
        Some(self.kind.layout().low(*index as usize))
    }

    /// The buckets that are not empty, ascending.
    pub fn buckets(&self) -> impl ExactSizeIterator<Item = Bucket> + '_ {
        let layout = self.kind.layout();
        self.buckets.iter().map(move |&(index, count)| Bucket {
            low: layout.low(index as usize),
            high: layout.high(index as usize),
            count,
        })
    }

    /// How many counted values lie in `low..=high`, for bounds that are bucket
    /// bounds.
    pub fn count_between(&self, low: u64, high: u64) -> u64 {
        self.buckets()
            .filter(|b| b.low >= low && b.high <= high)
            .map(|b| b.count)
            .sum()
    }
}

/// One bucket of a [`Histogram`]: the values from `low` to `high`, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    /// Smallest value of the bucket.
    pub low: u64,
    /// Largest value of the bucket.
    pub high: u64,
    /// How many values it holds.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::empty(Kind::Time);
        values.iter().for_each(|&v| histogram.record(v));
        histogram
    }

    #[test]
    fn quantiles_are_within_a_bucket_of_the_truth() {
        let values: Vec<u64> = (1..=10_000).collect();
        let histogram = of(&values);
        for q in [0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0] {
            let truth = values[((q * 10_000.0_f64).ceil() as usize).max(1) - 1] as f64;
            let got = histogram.quantile(q).unwrap() as f64;
            assert!(
                got >= truth && got <= truth * (1.0 + 1.0 / 64.0),
                "{q}: {got} for {truth}"
            );
        }
        assert_eq!(Histogram::empty(Kind::Time).quantile(0.5), None);
    }

    #[test]
    fn a_sum_counts_both_and_a_difference_takes_it_back() {
        let (a, b) = ([1, 1, 5, 900, 70_000], [2, 5, 900, 1 << 50]);
        let mut sum = of(&a);
        sum.add(&of(&b));
        assert_eq!(sum, of(&[&a[..], &b[..]].concat()));

        let dense = |values: &[u64]| {
            let mut counts = vec![0; TIME.bucket_count()];
            values.iter().for_each(|&v| counts[TIME.index(v)] += 1);
            counts
        };
        let before = dense(&a);
        let after = dense(&[&a[..], &b[..]].concat());
        assert_eq!(Histogram::between(Kind::Time, &before, &after), of(&b));
        assert_eq!(Histogram::between(Kind::Time, &[], &before), of(&a));
    }
}
