//! The ratio of two stretches of a series, as the live screen shows it, and of
//! two series.

use super::quantile::sorted;
use super::ratio::Ratio;
use super::shift::shift;

/// Fewer values than this on either side say nothing yet.
const FEWEST: usize = 8;

/// Batches compared on either side, at most. More than about 30 gain nothing
/// (Schmeiser, "Batch size effects in the analysis of simulation output",
/// Oper. Res. 30, 1982); 20 keep the exact rank-sum distribution cheap.
const BATCHES: usize = 20;

/// The level of `after` over that of `before`, two stretches of one series of
/// per-interval values (bytes/s, say), each in order of time.
///
/// Neighbouring intervals are alike, so they are not that many independent
/// values. Both stretches are cut into batches of one length, such that the
/// shorter makes at most 20; the means of the last 20 of `before` and the first
/// 20 of `after`, those nearest to the change, are compared by the
/// Hodges-Lehmann shift of their logarithms with the exact interval of
/// Wilcoxon's rank-sum test at `confidence` (0 to 1). The interval is then
/// widened by sqrt((1 + r) / (1 - r)), as for a first-order autoregression
/// (Priestley, "Spectral analysis and time series", 1981), where r is the
/// correlation left between neighbouring batches, taken from all of both
/// stretches and one standard error too high.
///
/// `None`, "not yet", for fewer than 8 values in either stretch, and where a batch
/// compared has no positive mean (nothing flowed). Values that are not finite are
/// left out. `n` counts the values compared.
///
/// Limits: the wandering of a series over times as long as the stretches cannot
/// be told from a change. On simulated series with outliers the 95 % interval held
/// the truth in 95 to 98 % where neighbours correlate by 0.5, and in 89 % or more
/// where by 0.8 and a stretch is of 10 to 40 values. The stretches were not
/// interleaved, so whatever else changed between them, drift of the machine
/// included, is in the ratio. The confidence is that of one look: who watches until
/// the interval leaves out 1 will see it do so. To be sure, visit both settings in
/// turn: [`Plan`](super::Plan), [`paired_ratio`](super::paired_ratio).
pub fn before_after(before: &[f64], after: &[f64], confidence: f64) -> Option<Ratio> {
    let nearest = |from: &[f64], to: &[f64]| {
        let last = from.iter().rev().take(BATCHES).copied();
        let first = to.iter().take(BATCHES).copied();
        [last.collect(), first.collect()]
    };
    of_batches(before, after, confidence, nearest)
}

/// The level of `to` over that of `from`, two series that have nothing to do with
/// each other, such as the intervals of two runs: as [`before_after`], but there
/// is no change that batches could be near to, so those compared are spread
/// evenly over all of each series.
///
/// The batches are means, so what is rare and long weighs as it does in a total;
/// the ratio of two medians, which leave it out, may be quite another.
pub fn series_ratio(from: &[f64], to: &[f64], confidence: f64) -> Option<Ratio> {
    of_batches(from, to, confidence, |from, to| [from, to].map(spread))
}

/// At most [`BATCHES`] of `batches`, each from the middle of an equal part.
fn spread(batches: &[f64]) -> Vec<f64> {
    let parts = batches.len().min(BATCHES);
    let middle = |part: usize| (2 * part + 1) * batches.len() / (2 * parts);
    let some = (0..parts).filter_map(|part| batches.get(middle(part)));
    some.copied().collect()
}

fn of_batches(
    before: &[f64],
    after: &[f64],
    confidence: f64,
    pick: impl Fn(&[f64], &[f64]) -> [Vec<f64>; 2],
) -> Option<Ratio> {
    let before = finite(before);
    let after = finite(after);
    let shorter = before.len().min(after.len());
    if shorter < FEWEST {
        return None;
    }
    let len = shorter.div_ceil(BATCHES);
    let from = means(before.rchunks_exact(len).rev());
    let to = means(after.chunks_exact(len));
    let [last, first] = pick(&from, &to);
    let mut logs = shift(
        &sorted_logs(&last)?,
        &sorted_logs(&first)?,
        1.0 - confidence,
    )?;
    let left = correlation([&from, &to]);
    let widen = ((1.0 + left) / (1.0 - left)).sqrt();
    logs.low = logs.estimate - widen * (logs.estimate - logs.low);
    logs.high = logs.estimate + widen * (logs.high - logs.estimate);
    logs.n *= len;
    Some(Ratio::from_logs(logs))
}

fn finite(values: &[f64]) -> Vec<f64> {
    values.iter().copied().filter(|v| v.is_finite()).collect()
}

fn means<'a>(batches: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let mean = |batch: &[f64]| batch.iter().sum::<f64>() / batch.len() as f64;
    batches.map(mean).collect()
}

/// `None` if one of `values` has no logarithm.
fn sorted_logs(values: &[f64]) -> Option<Vec<f64>> {
    let logs: Vec<f64> = values.iter().map(|v| v.ln()).collect();
    let all = logs.iter().all(|log| log.is_finite());
    all.then(|| sorted(logs))
}

/// Correlation of each value's rank with the next one's within two stretches that
/// have levels of their own, plus its standard error; from 0 to 0.95. (Ranks,
/// because a single outlier would hide it: Bartels, J. Am. Stat. Assoc. 77, 1982.)
///
/// Short stretches show too little of it: by (1 + 3r) / n (Kendall, "Note on bias
/// in the estimation of autocorrelation", Biometrika 41, 1954).
fn correlation(stretches: [&[f64]; 2]) -> f64 {
    let (mut together, mut alone, mut n) = (0.0, 0.0, 0.0);
    for stretch in stretches {
        let ranks = centred_ranks(stretch);
        let next = ranks.iter().skip(1);
        together += ranks.iter().zip(next).map(|(a, b)| a * b).sum::<f64>();
        alone += ranks.iter().map(|a| a * a).sum::<f64>();
        n += stretch.len() as f64;
    }
    if alone <= 0.0 {
        return 0.0;
    }
    let seen = together / alone;
    // Each stretch has a mean of its own, so the bias is there twice.
    let unbiased = seen + 2.0 * (1.0 + 3.0 * seen) / n;
    (unbiased + 1.0 / n.sqrt()).clamp(0.0, 0.95)
}

/// Where each value stands in order, from about -1/2 to 1/2; equal ones share.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let order = sorted(values.iter().copied());
    let rank = |value: &f64| {
        let less = order.partition_point(|other| other < value);
        let upto = order.partition_point(|other| other <= value);
        (less + upto) as f64 / (2 * order.len()) as f64 - 0.5
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rng::SplitMix64;

    /// A first-order autoregression about 0 whose neighbours correlate by `r`,
    /// as the logarithm of a throughput; one in twenty is a hiccup.
    fn series(rng: &mut SplitMix64, n: usize, r: f64) -> Vec<f64> {
        let mut state = rng.normal();
        let mut next = || {
            state = r * state + (1.0 - r * r).sqrt() * rng.normal();
            let hiccup = if rng.below(20) == 0 { 0.6 } else { 1.0 };
            (0.08 * state).exp() * hiccup
        };
        (0..n).map(|_| next()).collect()
    }

    type Compared = fn(&[f64], &[f64], f64) -> Option<Ratio>;

    /// In how many of 300 trials a change by `truth` is inside the interval, and
    /// in how many it is seen as one.
    fn trials(before: usize, after: usize, r: f64, truth: f64) -> (usize, usize) {
        trials_of(before_after, [before, after], r, truth)
    }

    fn trials_of(
        compare: Compared,
        [before, after]: [usize; 2],
        r: f64,
        truth: f64,
    ) -> (usize, usize) {
        let mut rng = SplitMix64::new(11);
        let (mut inside, mut seen) = (0, 0);
        for _ in 0..300 {
            let mut values = series(&mut rng, before + after, r);
            values[before..].iter_mut().for_each(|v| *v *= truth);
            let (a, b) = values.split_at(before);
            let ratio = compare(a, b, 0.95).unwrap();
            inside += usize::from((ratio.low..=ratio.high).contains(&truth));
            seen += usize::from(ratio.differs());
        }
        (inside, seen)
    }

    #[test]
    fn the_interval_holds_the_truth_of_series_with_memory() {
        for (before, after) in [(10, 10), (60, 60), (300, 10), (300, 40)] {
            for r in [0.0, 0.5] {
                let (inside, _) = trials(before, after, r, 1.0);
                assert!(inside >= 275, "{before}, {after}, {r}: {inside}");
            }
        }
        let (inside, _) = trials(300, 300, 0.9, 1.0);
        assert!(inside >= 275, "{inside}");
    }

    #[test]
    fn a_change_is_seen() {
        let (inside, seen) = trials(100, 20, 0.3, 0.75);
        assert!(inside >= 275 && seen >= 285, "{inside} {seen}");
    }

    #[test]
    fn two_series_are_compared_as_wholes() {
        let mut from = vec![9.0; 480];
        from.extend([3.0; 20]);
        let to = [vec![3.0; 1], vec![9.0; 19]].concat();
        let ratio = series_ratio(&from, &to, 0.95).unwrap();
        assert!((ratio.estimate - 1.0).abs() < 1e-12, "{ratio:?}");
        assert!(!ratio.differs());
        assert_eq!(ratio.n, 40);
        let nearest = before_after(&from, &to, 0.95).unwrap();
        assert!((nearest.estimate - 3.0).abs() < 1e-12, "{nearest:?}");
        for lengths in [[60, 60], [300, 10], [10, 300], [300, 40]] {
            for r in [0.0, 0.5] {
                let (inside, _) = trials_of(series_ratio, lengths, r, 1.0);
                assert!(inside >= 275, "{lengths:?}, {r}: {inside}");
            }
        }
        let (inside, seen) = trials_of(series_ratio, [100, 60], 0.3, 0.75);
        assert!(inside >= 275 && seen >= 285, "{inside} {seen}");
    }

    #[test]
    fn not_yet() {
        let some = vec![5.0; FEWEST];
        assert_eq!(before_after(&some, &some[1..], 0.95), None);
        assert_eq!(before_after(&[], &some, 0.95), None);
        assert_eq!(before_after(&some, &[0.0; 20], 0.95), None);
        assert_eq!(before_after(&some, &[f64::NAN; 20], 0.95), None);
        assert_eq!(before_after(&some, &some, 1.0), None);
        assert_eq!(before_after(&some, &some, f64::NAN), None);
    }

    #[test]
    fn constant_series_have_an_exact_ratio() {
        let ratio = before_after(&[2.0; 30], &[1.0; 30], 0.95).unwrap();
        assert!((ratio.estimate - 0.5).abs() < 1e-12);
        assert!(ratio.differs());
        assert_eq!(ratio.n, 60);
    }

    #[test]
    fn compares_what_is_nearest_to_the_change() {
        let mut before = vec![9.0; 500];
        before[7] = 0.0;
        before.extend([3.0; 20]);
        let mut after = vec![3.0; 10];
        after[0] = 3.1;
        let ratio = before_after(&before, &after, 0.95).unwrap();
        assert!((ratio.estimate - 1.0).abs() < 1e-12, "{ratio:?}");
        assert_eq!(ratio.n, 30);
    }
}
