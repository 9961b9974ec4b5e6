use crate::analysis::{Interval, Ratio, Verdict as Found};
use crate::report::bars::Axis;
use crate::report::page::{Page, Table};
use crate::report::warning::percent;
use crate::report::{BoundaryReport, Evidence, Metric, PointReport, Sweep};
use crate::sample::Verdict;
use crate::words::counted;

use super::{all_of, hold, or_dash, settings};

/// Columns of the bars.
const WIDTH: usize = 25;

impl Sweep {
    pub(super) fn show(&self, page: &mut Page) {
        page.text(self.headline());
        page.text(format!(
            "{}, {} of {} of {} in random order (seed {}), each after {} of warming up; the first {} left out; {:.1} % of the time went into neither",
            counted(self.plan.chunks.len(), "point"),
            counted(self.blocks, "block"),
            counted(self.plan.visits_per_block(), "visit"),
            self.plan.visit,
            self.plan.seed,
            self.plan.warm_up,
            match self.plan.warm_up_blocks {
                1 => "block".to_owned(),
                more => format!("{more} blocks"),
            },
            100.0 * self.overhead
        ));
        page.text(
            settings(&self.settings).replace(&format!("chunk {}, ", self.settings.chunk), ""),
        );
        if !self.boundaries.is_empty() {
            page.heading("Boundaries");
            page.table(self.boundary_table());
            page.text(self.how_sure());
        }
        let steps = self
            .boundaries
            .iter()
            .filter(|b| b.finding.verdict == Found::Step);
        for boundary in steps {
            page.heading(format!(
                "Across the step at {} (evidence, not a cause)",
                boundary.at
            ));
            page.text(format!("At {}: {}.", boundary.at, boundary.reason));
            page.table(self.evidence_table(boundary));
        }
        page.heading("Points");
        page.table(self.point_table());
        page.text(match self.verdict {
            Verdict::Sound => format!(
                "{} compared, every one right",
                counted(self.integrity.verified, "byte")
            ),
            Verdict::Damaged => format!("BYTES CAME WRONG: {}", self.integrity),
            Verdict::Counted => "bytes only counted, and the counts agree".to_owned(),
        });
    }

    /// The answer in a sentence.
    pub(in crate::report) fn headline(&self) -> String {
        if self.boundaries.is_empty() {
            return self.highest();
        }
        let named = |is: fn(&Found) -> bool| {
            let found = self.boundaries.iter().filter(|b| is(&b.finding.verdict));
            found.collect::<Vec<_>>()
        };
        let steps = named(|found| *found == Found::Step);
        let undecided = named(|found| matches!(found, Found::Undecided { .. }));
        let none = self.boundaries.len() - steps.len() - undecided.len();
        let step = |b: &&BoundaryReport| {
            let ratio = b.finding.ratio.map_or(1.0, |ratio| ratio.estimate);
            format!("{} ({})", b.at, percent(ratio))
        };
        let list = |words: Vec<String>| words.join(", ");
        let mut parts = Vec::new();
        if !steps.is_empty() {
            parts.push(format!(
                "step at {}",
                list(steps.iter().map(step).collect())
            ));
        }
        if none > 0 {
            let smallest = 100.0 * self.test.min_effect;
            parts.push(format!(
                "no step of {smallest:.1} % or more at {none} of {}",
                counted(self.boundaries.len(), "boundary")
            ));
        }
        if !undecided.is_empty() {
            let at = undecided.iter().map(|b| b.at.to_string()).collect();
            parts.push(format!("undecided at {}", list(at)));
        }
        let text = parts.join("; ");
        let mut letters = text.chars();
        let first = letters
            .next()
            .map(|letter| letter.to_uppercase().to_string());
        format!("{}{}.", first.unwrap_or_default(), letters.as_str())
    }

    /// What a sweep without boundaries shows.
    fn highest(&self) -> String {
        let rate = |point: &PointReport| Some((point.chunk, point.median(Metric::Throughput)?));
        let rates = self.points.iter().filter_map(rate);
        let highest = rates.max_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate));
        match highest {
            Some((chunk, rate)) => format!(
                "Of {}, {chunk} is fastest: {}.",
                counted(self.points.len(), "chunk"),
                Metric::Throughput.show(rate.estimate)
            ),
            None => "Too few visits for any number.".to_owned(),
        }
    }

    fn boundary_table(&self) -> Table {
        let ratios = self.boundaries.iter().filter_map(|b| b.finding.ratio);
        let reach = ratios
            .chain(self.control)
            .map(|ratio| (ratio.high - 1.0).abs().max((1.0 - ratio.low).abs()))
            .fold(2.0 * self.test.min_effect, f64::max);
        let axis = Axis::new(1.0 - reach, 1.0 + reach, WIDTH);
        let lines = [1.0 - self.test.min_effect, 1.0, 1.0 + self.test.min_effect];
        let bar =
            |ratio: Option<Ratio>| ratio.map_or(String::new(), |r| axis.bar(&interval(r), &lines));
        let cells = |ratio: Option<Ratio>| match ratio {
            Some(ratio) => [
                percent(ratio.estimate),
                format!("{} to {}", percent(ratio.low), percent(ratio.high)),
            ],
            None => ["-".to_owned(), "-".to_owned()],
        };
        let mut table = Table::new([
            "boundary",
            "chunks",
            "throughput",
            "interval",
            "",
            "verdict",
        ])
        .words_in(4)
        .words_in(5);
        for boundary in &self.boundaries {
            let ratio = boundary.finding.ratio;
            let [change, range] = cells(ratio);
            table.row([
                boundary.at.to_string(),
                format!("{} -> {}", boundary.lower, boundary.upper),
                change,
                range,
                bar(ratio),
                verdict(boundary),
            ]);
        }
        let [change, range] = cells(self.control);
        table.row([
            "control".to_owned(),
            format!("{0} -> {0}", self.plan.control),
            change,
            range,
            bar(self.control),
            "the noise floor: the same chunk twice".to_owned(),
        ]);
        table
    }

    fn how_sure(&self) -> String {
        format!(
            "Each ratio is the Hodges-Lehmann estimate over {}, its interval that of Wilcoxon's signed-rank test; {}, at {}, {} with {:.0} % (Bonferroni). The control's is at {:.0} % by itself. Marked: no change and {:.1} % either way.",
            counted(self.blocks, "block"),
            all_of(self.boundaries.len(), "interval"),
            all_of(self.test.looks, "look"),
            hold(self.boundaries.len()),
            100.0 * self.test.confidence,
            100.0 * self.test.confidence,
            100.0 * self.test.min_effect,
        )
    }

    fn evidence_table(&self, boundary: &BoundaryReport) -> Table {
        let (lower, upper) = (boundary.lower.to_string(), boundary.upper.to_string());
        let mut table = Table::new(["", &lower, &upper, "change", "95 % interval"]);
        for evidence in &boundary.evidence {
            let Evidence {
                metric,
                lower,
                upper,
                ratio,
            } = *evidence;
            table.row([
                metric.to_string(),
                metric.show(lower),
                metric.show(upper),
                or_dash(ratio.map(|ratio| percent(ratio.estimate))),
                or_dash(ratio.map(|r| format!("{} to {}", percent(r.low), percent(r.high)))),
            ]);
        }
        let capacity = |chunk| self.points.iter().find(|p| p.chunk == chunk)?.capacity;
        if let (Some(lower), Some(upper)) = (capacity(boundary.lower), capacity(boundary.upper)) {
            let (lower, upper) = (lower.kept_up.accepted, upper.kept_up.accepted);
            table.row([
                "capacity (by the model)".to_owned(),
                format!("{lower} B"),
                format!("{upper} B"),
                percent(upper as f64 / lower.max(1) as f64),
                "-".to_owned(),
            ]);
        }
        table
    }

    fn point_table(&self) -> Table {
        let highest = self
            .points
            .iter()
            .filter_map(|point| point.median(Metric::Throughput));
        let highest = highest.map(|interval| interval.high).fold(0.0, f64::max);
        let axis = Axis::new(0.0, highest, WIDTH);
        let mut table = Table::new([
            "chunk",
            "throughput",
            "95 % interval",
            "0 to the highest",
            "time/byte",
            "CPU/byte",
            "kworker/byte",
            "write",
            "read",
            "bytes/read",
        ])
        .words_in(3);
        if let Some(column) = table.columns.first_mut() {
            column.align = crate::report::Align::Right;
        }
        for point in &self.points {
            let cell = |metric: Metric| {
                or_dash(
                    point
                        .median(metric)
                        .map(|interval| metric.show(interval.estimate)),
                )
            };
            let rate = point.median(Metric::Throughput);
            let mark = if self.boundaries.iter().any(|b| b.at == point.chunk) {
                "▏"
            } else {
                ""
            };
            table.row([
                format!("{mark}{}", point.chunk),
                cell(Metric::Throughput),
                or_dash(rate.as_ref().map(within)),
                rate.map_or(String::new(), |interval| axis.bar(&interval, &[])),
                cell(Metric::TimePerByte),
                cell(Metric::CpuPerByte),
                cell(Metric::KworkerPerByte),
                cell(Metric::WriteTime),
                cell(Metric::ReadTime),
                cell(Metric::BytesPerRead),
            ]);
        }
        table
    }
}

impl PointReport {
    /// The median of a metric, if it has one.
    pub fn median(&self, metric: Metric) -> Option<Interval> {
        let found = self.medians.iter().find(|entry| entry.metric == metric);
        found.map(|entry| entry.interval)
    }
}

/// How far the interval's ends lie from its estimate.
fn within(interval: &Interval) -> String {
    // Of nothing there are no per cent.
    if interval.estimate == 0.0 {
        return "-".to_owned();
    }
    format!(
        "{:+.1} {:+.1} %",
        100.0 * (interval.low / interval.estimate - 1.0),
        100.0 * (interval.high / interval.estimate - 1.0)
    )
}

fn interval(ratio: Ratio) -> Interval {
    Interval {
        estimate: ratio.estimate,
        low: ratio.low,
        high: ratio.high,
        n: ratio.n,
    }
}

fn verdict(boundary: &BoundaryReport) -> String {
    match boundary.finding.verdict {
        Found::Step => "STEP".to_owned(),
        Found::NoStep { above } => format!("no step above {:.1} %", 100.0 * above),
        Found::Undecided { .. } => match boundary.time_to_decide {
            Some(time) => format!("undecided; {time} more would decide"),
            None => "undecided".to_owned(),
        },
    }
}
