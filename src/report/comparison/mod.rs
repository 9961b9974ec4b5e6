//! Two or more reports beside each other.

mod differences;
mod series;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::{Ratio, median, series_ratio, unpaired_ratio};
use crate::words::counted;

use super::conditions::Program;
use super::{Metric, Outcome, Report, SCHEMA_VERSION, Timestamp};

pub use differences::Difference;
use series::{Key, Series};

/// Reports compared with the first of them; assets/comparison.schema.json is its
/// schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Of the model that reports share.
    pub schema_version: u32,
    /// The program that compared.
    pub program: Program,
    /// What the others are compared with.
    pub base: Subject,
    /// The others.
    pub others: Vec<Subject>,
    /// The smallest change that matters, as a fraction (0.05 is 5 %).
    pub min_effect: f64,
    /// The probability that all intervals hold their true ratios.
    pub confidence: f64,
    /// One for each point and metric that both reports have.
    pub entries: Vec<Entry>,
    /// Facts without noise that are not the same.
    pub changes: Vec<Change>,
}

/// A report that is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Where it came from.
    pub name: String,
    /// What its user called it.
    pub label: Option<String>,
    /// When it was made.
    pub started: Timestamp,
    /// What of its conditions was otherwise than the base's.
    pub differences: Vec<Difference>,
}

/// A metric of a point in two reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The other report, as an index into [`Comparison::others`].
    pub other: usize,
    /// What was measured: `pty`, `pipe`, `socketpair`; of `xmodem` `link`,
    /// `pty` for one without a relay, and `no XMODEM`.
    pub channel: String,
    /// The chunk, or the bytes of a block.
    pub chunk: u64,
    /// The metric.
    pub metric: Metric,
    /// Its median in the base.
    pub before: f64,
    /// Its median in the other.
    pub after: f64,
    /// The other over the base; None for too few values.
    pub ratio: Option<Ratio>,
    /// What follows.
    pub verdict: Judgement,
}

/// What the ratio of two reports says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// It is better, by at least what matters.
    Better,
    /// It is worse, by at least what matters.
    Worse,
    /// It differs by less than what matters, if at all.
    Alike,
    /// Neither could be shown.
    Undecided,
}

/// A fact that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The other report, as an index into [`Comparison::others`].
    pub other: usize,
    /// What it is about.
    pub what: String,
    /// In the base.
    pub before: String,
    /// In the other.
    pub after: String,
    /// Whether it is a fault of the other.
    pub is_fault: bool,
}

/// How sure all intervals together are.
const CONFIDENCE: f64 = 0.95;

impl Comparison {
    /// Compares named reports with a named base.
    pub fn of(base: (&str, &Report), others: &[(&str, &Report)], min_effect: f64) -> Self {
        let before = series::of(base.1);
        let pairs = others.iter().enumerate().flat_map(|(other, (_, report))| {
            let after = series::of(report);
            let both = before.iter().filter_map(move |(key, before)| {
                let (_, after) = after.iter().find(|(other, _)| other == key)?;
                Some((other, key.clone(), before.clone(), after.clone()))
            });
            both.collect::<Vec<_>>()
        });
        let pairs: Vec<(usize, Key, Series, Series)> = pairs.collect();
        let comparisons = pairs.iter().flat_map(|(_, _, before, after)| {
            let have = |series: &Series, metric| !series.values(metric).is_empty();
            let metrics = Metric::COMPARED.into_iter();
            metrics.filter(move |&metric| have(before, metric) && have(after, metric))
        });
        let comparisons = comparisons.count().max(1);
        let confidence = 1.0 - (1.0 - CONFIDENCE) / comparisons as f64;
        let entries = pairs.iter().flat_map(|(other, key, before, after)| {
            let metrics = Metric::COMPARED.into_iter();
            metrics.filter_map(move |metric| {
                entry(*other, key, metric, [before, after], confidence, min_effect)
            })
        });
        let subject = |(name, report): (&str, &Report), base: &Report| Subject {
            name: name.to_owned(),
            label: report.label.clone(),
            started: report.conditions.started,
            differences: differences::between(base, report),
        };
        let changed = |(other, (_, report)): (usize, &(&str, &Report))| {
            differences::facts(base.1, report, other)
        };
        Self {
            schema_version: SCHEMA_VERSION,
            program: Program::this(),
            base: subject(base, base.1),
            others: others.iter().map(|&other| subject(other, base.1)).collect(),
            min_effect,
            confidence: CONFIDENCE,
            entries: entries.collect(),
            changes: others.iter().enumerate().flat_map(changed).collect(),
        }
    }

    /// Whether the reports have anything in common: values, or facts of the
    /// same kind.
    pub fn is_possible(&self, base: &Report, others: &[(&str, &Report)]) -> bool {
        let is_fact = |other: &Report| {
            matches!(
                (&base.result, &other.result),
                (Outcome::Capacity(_), Outcome::Capacity(_))
                    | (Outcome::Check(_), Outcome::Check(_))
            )
        };
        !self.entries.is_empty() || others.iter().any(|(_, other)| is_fact(other))
    }

    /// Whether some report is worse in `metric`, or has a fault that the base
    /// has not.
    pub fn is_worse(&self, metric: Metric) -> bool {
        let worse = |e: &Entry| e.metric == metric && e.verdict == Judgement::Worse;
        self.entries.iter().any(worse) || self.changes.iter().any(|change| change.is_fault)
    }
}

/// As far as a tenth of a per cent shows, to which changes are written.
const VISIBLE: f64 = 1.0005;

impl Entry {
    /// Whether the medians say something else than the ratio: their own ratio is
    /// visibly outside of the interval, or on the other side of 1 and one of the two is
    /// more than `min_effect` away from 1.
    ///
    /// Neither need be wrong. The ratio is the middle of all ratios of a value of
    /// one report to one of the other, which is not the ratio of the middles; and
    /// of values in a row it compares means of some ([`series_ratio`]).
    pub fn disagrees(&self, min_effect: f64) -> bool {
        let medians = self.after / self.before;
        let Some(ratio) = self.ratio.filter(|_| medians.is_finite() && medians > 0.0) else {
            return false;
        };
        let is_opposite = medians.ln() * ratio.estimate.ln() < 0.0;
        let farther = medians.ln().abs().max(ratio.estimate.ln().abs());
        let is_outside = medians < ratio.low / VISIBLE || medians > ratio.high * VISIBLE;
        is_outside || is_opposite && farther > min_effect.ln_1p()
    }
}

fn entry(
    other: usize,
    key: &Key,
    metric: Metric,
    [before, after]: [&Series; 2],
    confidence: f64,
    min_effect: f64,
) -> Option<Entry> {
    let in_a_row = before.in_a_row || after.in_a_row;
    let (from, to) = (before.values(metric), after.values(metric));
    let ratio = if in_a_row {
        series_ratio(&from, &to, confidence)
    } else {
        unpaired_ratio(&from, &to, confidence)
    };
    Some(Entry {
        other,
        channel: key.channel.clone(),
        chunk: key.chunk,
        metric,
        before: median(&from)?,
        after: median(&to)?,
        verdict: match ratio {
            Some(ratio) => judge(&ratio, metric, min_effect),
            None => judge_zeros(&from, &to, metric),
        },
        ratio,
    })
}

/// Fewer values say nothing.
const LEAST: usize = 5;

/// What is nothing in all of one report's values and something in all of the
/// other's has no ratio, and needs none.
fn judge_zeros(from: &[f64], to: &[f64], metric: Metric) -> Judgement {
    let all = |values: &[f64], is: fn(&f64) -> bool| values.len() >= LEAST && values.iter().all(is);
    let (some, none) = (|value: &f64| *value > 0.0, |value: &f64| *value == 0.0);
    let rises = all(from, none) && all(to, some);
    let falls = all(from, some) && all(to, none);
    match (rises || falls, rises == metric.more_is_better()) {
        (false, _) => Judgement::Undecided,
        (true, true) => Judgement::Better,
        (true, false) => Judgement::Worse,
    }
}

/// What lies wholly within `min_effect` is alike; what leaves out 1, and is
/// beyond it by its best estimate, is better or worse.
fn judge(ratio: &Ratio, metric: Metric, min_effect: f64) -> Judgement {
    let (low, high) = (1.0 / (1.0 + min_effect), 1.0 + min_effect);
    if ratio.low > low && ratio.high < high {
        return Judgement::Alike;
    }
    if !ratio.differs() || (low..=high).contains(&ratio.estimate) {
        return Judgement::Undecided;
    }
    if (ratio.estimate > 1.0) == metric.more_is_better() {
        Judgement::Better
    } else {
        Judgement::Worse
    }
}

/// The cases of capacity reports by what was written.
fn capacities(report: &Report) -> BTreeMap<String, String> {
    let Outcome::Capacity(capacity) = &report.result else {
        return BTreeMap::new();
    };
    let case = |case: &super::CapacityCase| {
        let accepted = case.measured.filled.accepted;
        (
            case.name(),
            format!("{} ({})", counted(accepted, "byte"), case.verdict()),
        )
    };
    capacity.cases.iter().map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::series::Seen;
    use super::*;

    #[test]
    fn what_falls_to_nothing_is_worse_without_a_ratio() {
        let judged =
            |from: f64, to: f64, n| judge_zeros(&vec![from; n], &vec![to; n], Metric::Throughput);
        assert_eq!(judged(9e6, 0.0, LEAST), Judgement::Worse);
        assert_eq!(judged(0.0, 9e6, LEAST), Judgement::Better);
        for (from, to, n) in [(9e6, 0.0, LEAST - 1), (0.0, 0.0, 9), (9e6, 8e6, 9)] {
            assert_eq!(judged(from, to, n), Judgement::Undecided);
        }
        let mixed = judge_zeros(&[9e6; 5], &[0.0, 0.0, 1.0, 0.0, 0.0], Metric::Throughput);
        assert_eq!(mixed, Judgement::Undecided);
    }

    fn judged(low: f64, estimate: f64, high: f64, metric: Metric) -> Judgement {
        judge(
            &Ratio {
                low,
                estimate,
                high,
                n: 50,
            },
            metric,
            0.05,
        )
    }

    #[test]
    fn better_and_worse_follow_the_metric() {
        let (rate, cost) = (Metric::Throughput, Metric::CpuPerByte);
        assert_eq!(judged(0.80, 0.85, 0.90, rate), Judgement::Worse);
        assert_eq!(judged(0.80, 0.85, 0.90, cost), Judgement::Better);
        assert_eq!(judged(1.10, 1.20, 1.30, rate), Judgement::Better);
        assert_eq!(judged(1.10, 1.20, 1.30, cost), Judgement::Worse);
    }

    #[test]
    fn what_is_not_shown_is_not_said() {
        let rate = Metric::Throughput;
        assert_eq!(judged(0.97, 1.01, 1.04, rate), Judgement::Alike);
        assert_eq!(judged(0.97, 0.98, 0.99, rate), Judgement::Alike);
        assert_eq!(judged(0.80, 0.90, 1.01, rate), Judgement::Undecided);
        assert_eq!(judged(0.90, 0.97, 0.99, rate), Judgement::Undecided);
    }

    /// Blocks of a transfer in which every other one is slow in the base, and none
    /// in the other; the usual ones are a little slower there.
    #[test]
    fn medians_that_contradict_the_ratio_are_explained() {
        let series = |blocks: Vec<f64>| Series {
            seen: Seen::Blocks(blocks),
            in_a_row: true,
        };
        let base: Vec<f64> = (0..40)
            .map(|n| [100.0, 101.0, 900.0, 99.0][n % 4])
            .collect();
        let other: Vec<f64> = (0..40)
            .map(|n| [110.0, 111.0, 112.0, 109.0][n % 4])
            .collect();
        let key = Key {
            channel: "link".to_owned(),
            chunk: 128,
        };
        let compared = |from: &[f64], to: &[f64]| {
            let both = [&series(from.to_vec()), &series(to.to_vec())];
            entry(0, &key, Metric::BlockTime, both, 0.95, 0.05).unwrap()
        };
        let entry = compared(&base, &other);
        let ratio = entry.ratio.unwrap();
        assert!(
            entry.after > entry.before && ratio.estimate < 1.0,
            "{entry:?}"
        );
        assert!(entry.disagrees(0.05));
        let same = compared(&other, &other);
        assert!(!same.disagrees(0.05), "{same:?}");
        let slower: Vec<f64> = other.iter().map(|time| 2.0 * time).collect();
        assert!(!compared(&other, &slower).disagrees(0.05));
    }
}
