//! A histogram by the buckets at fixed ranks: what a recording keeps of call
//! times that fill hundreds of buckets.

use crate::sample::{Histogram, Kind};

/// The end of a slice of the ranks, as a share of all, and whether the slice
/// is the one value there. The others are the values since the slice before,
/// which are kept in the bucket of their middle one.
const SLICES: [(f64, bool); 26] = [
    (0.0, true),
    (0.0625, false),
    (0.125, false),
    (0.1875, false),
    (0.25, false),
    (0.3125, false),
    (0.375, false),
    (0.4375, false),
    (0.5, false),
    (0.5, true),
    (0.57, false),
    (0.64, false),
    (0.71, false),
    (0.78, false),
    (0.84, false),
    (0.9, false),
    (0.9, true),
    (0.93, false),
    (0.96, false),
    (0.99, false),
    (0.99, true),
    (0.9945, false),
    (0.999, false),
    (0.999, true),
    (1.0, false),
    (1.0, true),
];

/// How many buckets are kept at fixed ranks.
pub const RANKS: usize = SLICES.len();

/// Buckets of a histogram that is kept as it is.
const fn most(kind: Kind) -> usize {
    match kind {
        Kind::Time => RANKS,
        Kind::Size => 64,
    }
}

/// A histogram with few buckets as it is. Of another the smallest and largest
/// value and the quantiles 0.5, 0.9, 0.99 and 0.999 stay in their buckets, and
/// each stretch between those goes into the buckets of some of its own values.
pub fn thinned(histogram: &Histogram) -> Histogram {
    if histogram.entries().len() <= most(histogram.kind()) {
        return histogram.clone();
    }
    let indices = at_ranks(histogram);
    of_ranks(histogram.kind(), histogram.count(), &indices).unwrap_or_else(|| histogram.clone())
}

/// The last rank of each slice of `count` values, ranks from 1 on.
fn ends(count: u64) -> [u64; RANKS] {
    let mut before = 0;
    SLICES.map(|(share, is_one)| {
        let rank = ((share * count as f64).ceil() as u64).max(1);
        let end = if is_one { rank } else { rank - 1 };
        before = end.min(count).max(before);
        before
    })
}

/// The bucket of each slice; zeros of an empty histogram.
pub fn at_ranks(histogram: &Histogram) -> [u32; RANKS] {
    let ends = ends(histogram.count());
    let mut entries = histogram.entries().iter().copied();
    let (mut index, mut seen, mut before) = (0, 0, 0);
    let mut slice = 0;
    ends.map(|end| {
        let (_, is_one) = SLICES[slice];
        slice += 1;
        let rank = if is_one {
            end
        } else {
            before + (end - before).div_ceil(2)
        };
        before = end;
        while seen < rank {
            let Some((next, count)) = entries.next() else {
                break;
            };
            index = next;
            seen += count;
        }
        index
    })
}

/// The histogram of `count` values whose slices are in these buckets; None
/// where the buckets do not ascend, or there is no such bucket.
pub fn of_ranks(kind: Kind, count: u64, indices: &[u32; RANKS]) -> Option<Histogram> {
    let mut entries: Vec<(u32, u64)> = Vec::with_capacity(RANKS);
    let mut before = 0;
    for (end, &index) in ends(count).into_iter().zip(indices) {
        let values = end - before;
        before = end;
        match entries.last_mut() {
            _ if values == 0 => {}
            Some(last) if last.0 == index => last.1 += values,
            _ => entries.push((index, values)),
        }
    }
    Histogram::of_entries(kind, entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::SplitMix64;

    fn random(rng: &mut SplitMix64, values: u64) -> Histogram {
        let mut histogram = Histogram::empty(Kind::Time);
        for _ in 0..values {
            let bits = rng.below(40);
            histogram.record(rng.below(1 << bits));
        }
        histogram
    }

    #[test]
    fn what_is_shown_of_a_histogram_stays_in_its_bucket() {
        let mut rng = SplitMix64::new(1);
        for values in [1, 2, 27, 30, 99, 100, 101, 1_000, 40_000] {
            let whole = random(&mut rng, values);
            let thin = thinned(&whole);
            assert_eq!(thin.count(), whole.count());
            assert!(thin.entries().len() <= RANKS);
            for q in [0.0, 0.5, 0.9, 0.99, 0.999, 1.0] {
                assert_eq!(thin.quantile(q), whole.quantile(q), "{q} of {values}");
            }
            assert_eq!(thin.min(), whole.min());
            assert_eq!(thinned(&thin), thin);
            let again = of_ranks(Kind::Time, thin.count(), &at_ranks(&thin));
            if whole.entries().len() > RANKS {
                assert_eq!(again, Some(thin));
            }
        }
    }

    #[test]
    fn few_buckets_are_kept_as_they_are() {
        let mut histogram = Histogram::empty(Kind::Size);
        (1..=64).for_each(|size| histogram.record(size));
        assert_eq!(thinned(&histogram), histogram);
        let empty = Histogram::empty(Kind::Time);
        assert_eq!(thinned(&empty), empty);
        assert_eq!(of_ranks(Kind::Time, 0, &at_ranks(&empty)), Some(empty));
    }

    #[test]
    fn buckets_out_of_order_make_no_histogram() {
        let mut indices = [5; RANKS];
        indices[3] = 4;
        assert_eq!(of_ranks(Kind::Time, 100, &indices), None);
        assert_eq!(of_ranks(Kind::Time, 100, &[u32::MAX; RANKS]), None);
    }
}
