//! A matrix as rows and columns of short words.

use crate::analysis::Verdict as Found;
use crate::check::Class;
use crate::report::warning::percent;
use crate::report::{
    Agreement, Bench, BoundaryReport, CapacityCase, Metric, Outcome, Report, XmodemReport,
};
use crate::workload::units;

use super::{Came, Matrix};

/// Kernels down, findings across.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grid {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows: the kernel, and under each column what was found, if anything.
    pub rows: Vec<(String, Vec<Option<Cell>>)>,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// A word or a number.
    pub text: String,
    /// What it means.
    pub tone: Tone,
    /// More of it, for whoever asks.
    pub more: String,
}

/// What a finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As it should be.
    Good,
    /// As it should not be.
    Bad,
    /// Worth a look.
    Notable,
    /// A number without a verdict, or nothing found out.
    Plain,
}

impl Cell {
    fn new(text: impl Into<String>, tone: Tone, more: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone,
            more: more.into(),
        }
    }
}

impl Grid {
    /// All findings of a matrix. The columns stand in the order in which the
    /// rows bring them up.
    pub fn of(matrix: &Matrix) -> Self {
        let found: Vec<_> = matrix.rows.iter().map(|row| cells(&row.came)).collect();
        let mut columns: Vec<String> = Vec::new();
        for (name, _) in found.iter().flatten() {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        let row = |found: &Vec<(String, Cell)>| {
            let under = |column: &String| {
                let cell = found.iter().find(|(name, _)| name == column);
                cell.map(|(_, cell)| cell.clone())
            };
            columns.iter().map(under).collect()
        };
        let rows = matrix.rows.iter().zip(&found);
        Self {
            rows: rows
                .map(|(of, found)| (of.kernel.clone(), row(found)))
                .collect(),
            columns,
        }
    }

    /// Without the columns in which all kernels are alike and as they should
    /// be; and how many those were.
    pub fn telling(self) -> (Self, usize) {
        let tells = |at: usize| {
            let cells = || {
                self.rows
                    .iter()
                    .filter_map(move |(_, cells)| cells.get(at)?.as_ref())
            };
            let first = cells().next();
            cells().any(|cell| {
                matches!(cell.tone, Tone::Bad | Tone::Notable)
                    || first.is_some_and(|first| first.text != cell.text)
            })
        };
        let kept: Vec<usize> = (0..self.columns.len()).filter(|&at| tells(at)).collect();
        let dropped = self.columns.len() - kept.len();
        let pick = |cells: &Vec<Option<Cell>>| {
            let cell = |&at: &usize| cells.get(at).cloned().flatten();
            kept.iter().map(cell).collect()
        };
        let grid = Self {
            columns: kept
                .iter()
                .filter_map(|&at| self.columns.get(at).cloned())
                .collect(),
            rows: self
                .rows
                .iter()
                .map(|(name, cells)| (name.clone(), pick(cells)))
                .collect(),
        };
        (grid, dropped)
    }
}

fn cells(came: &Came) -> Vec<(String, Cell)> {
    match came {
        Came::Report(report) => of_report(report),
        Came::Trouble(_) => Vec::new(),
    }
}

fn of_report(report: &Report) -> Vec<(String, Cell)> {
    match &report.result {
        Outcome::Check(checkup) => checkup
            .findings()
            .map(|finding| {
                let outcome = &finding.outcome;
                let cell = Cell::new(
                    outcome.class.name(),
                    tone(outcome.class),
                    outcome.got.clone().unwrap_or_default(),
                );
                (finding.id.clone(), cell)
            })
            .collect(),
        Outcome::Sweep(sweep) => sweep.boundaries.iter().map(boundary).collect(),
        Outcome::Capacity(capacity) => capacity.cases.iter().map(case).collect(),
        Outcome::Bench(bench) => of_bench(bench),
        Outcome::Xmodem(xmodem) => of_xmodem(xmodem),
        // What somebody's ptys did is no property of a kernel.
        Outcome::Inspect(_) => Vec::new(),
    }
}

fn tone(class: Class) -> Tone {
    match class {
        Class::Pass => Tone::Good,
        Class::Fail | Class::Hang => Tone::Bad,
        Class::Known | Class::Env => Tone::Notable,
        Class::Skip => Tone::Plain,
    }
}

fn boundary(boundary: &BoundaryReport) -> (String, Cell) {
    let ratio = boundary.finding.ratio;
    let change = ratio.map_or("-".to_owned(), |ratio| percent(ratio.estimate));
    let more = ratio.map_or("too few blocks".to_owned(), |ratio| {
        format!("{} to {}", percent(ratio.low), percent(ratio.high))
    });
    let cell = match boundary.finding.verdict {
        Found::Step => Cell::new(format!("{change} step"), Tone::Notable, more),
        Found::NoStep { .. } => Cell::new(format!("{change} none"), Tone::Good, more),
        Found::Undecided { .. } => Cell::new(format!("{change} ?"), Tone::Plain, more),
    };
    (format!("{}/{}", boundary.lower, boundary.upper), cell)
}

fn case(case: &CapacityCase) -> (String, Cell) {
    let tone = match case.agreement {
        Agreement::AsExpected => Tone::Good,
        Agreement::AsAnotherEra | Agreement::GeometryChanged => Tone::Notable,
        Agreement::NoModel | Agreement::Undetermined => Tone::Plain,
    };
    let accepted = case.measured.filled.accepted.to_string();
    (case.name(), Cell::new(accepted, tone, case.verdict()))
}

fn of_bench(bench: &Bench) -> Vec<(String, Cell)> {
    let runs = bench
        .yardsticks
        .iter()
        .map(|yard| (format!(" ({})", yard.channel), &yard.run));
    std::iter::once((String::new(), &bench.pty))
        .chain(runs)
        .flat_map(|(channel, run)| {
            Metric::COMPARED.into_iter().filter_map(move |metric| {
                let mut values: Vec<f64> = run.visits.iter().filter_map(|v| metric.of(v)).collect();
                values.sort_by(f64::total_cmp);
                let median = crate::analysis::quantile(&values, 0.5)?;
                let quarter = |q| {
                    crate::analysis::quantile(&values, q).map_or(String::new(), |v| metric.show(v))
                };
                let more = format!("half of it {} to {}", quarter(0.25), quarter(0.75));
                let cell = Cell::new(metric.show(median), Tone::Plain, more);
                Some((format!("{metric}{channel}"), cell))
            })
        })
        .collect()
}

fn of_xmodem(report: &XmodemReport) -> Vec<(String, Cell)> {
    let transfer = &report.transfer;
    let plain = |name: &str, text: String| (name.to_owned(), Cell::new(text, Tone::Plain, ""));
    let time = |ns: f64| units::time(ns);
    let mut cells = Vec::new();
    let (word, tone) = match (&transfer.error, transfer.is_sound) {
        (None, Some(true)) => ("came right", Tone::Good),
        (None, _) => ("CAME WRONG", Tone::Bad),
        (Some(_), _) => ("FAILED", Tone::Bad),
    };
    let more = transfer.error.clone().unwrap_or_default();
    cells.push(("the file".to_owned(), Cell::new(word, tone, more)));
    if let Some(whole) = transfer.time {
        cells.push(plain("time", time(whole.0)));
    }
    if let Some(block) = &transfer.block_time {
        cells.push(plain("block p50", time(block.p50.0)));
        cells.push(plain("p99", time(block.p99.0)));
    }
    cells.push(plain("retries", transfer.retries.to_string()));
    cells
}
