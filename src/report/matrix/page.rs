//! A matrix as people read it.

use crate::check::{Class, format};
use crate::report::page::{Align, Column, Page, Table};
use crate::report::{Comparison, Metric, Outcome, Report};

use super::{Came, Grid, Matrix};

/// With more columns only those are shown that tell something.
const MOST_COLUMNS: usize = 12;
/// What matters of two kernels beside each other, where nothing else was asked
/// for: what `compare` takes.
const MIN_EFFECT: f64 = 0.05;
/// The same of guests whose clocks count instructions, where no two runs of one
/// kernel are this far apart, whatever their seeds.
const DETERMINISTIC_MIN_EFFECT: f64 = 0.02;

impl Matrix {
    /// What a person wants to read of it: the table, what is behind its worse
    /// words, and the kernels beside the first of them.
    pub fn page(&self) -> Page {
        let mut page = Page::default();
        let grid = Grid::of(self);
        let (grid, dropped) = match grid.columns.len() {
            ..=MOST_COLUMNS => (grid, 0),
            _ => grid.telling(),
        };
        page.table(self.table(&grid));
        if dropped > 0 {
            let are = if dropped == 1 {
                "is as it"
            } else {
                "are as they"
            };
            page.text(format!(
                "{dropped} more {are} should be, and the same in all kernels."
            ));
        }
        self.troubles(&mut page);
        for (kernel, report) in self.reports() {
            if let Outcome::Check(checkup) = &report.result
                && [Class::Fail, Class::Hang, Class::Known]
                    .iter()
                    .any(|&class| checkup.counts.get(class) > 0)
            {
                page.heading(kernel);
                page.literal(format::summary(checkup).trim());
            }
        }
        self.comparison(&mut page);
        page.text(self.program.told(&self.command));
        page
    }

    fn table(&self, grid: &Grid) -> Table {
        let counts = self.counts();
        let column = |title: &str, align| Column {
            title: title.to_owned(),
            align,
        };
        let mut columns = vec![column("kernel", Align::Left)];
        columns.extend(
            counts
                .iter()
                .map(|class| column(class.name(), Align::Right)),
        );
        columns.extend(grid.columns.iter().map(|name| column(name, Align::Left)));
        let has_trouble = self
            .rows
            .iter()
            .any(|row| matches!(row.came, Came::Trouble(_)));
        if has_trouble {
            columns.push(column("", Align::Left));
        }
        let row = |(of, (_, cells)): (&super::MatrixRow, &(String, Vec<Option<super::Cell>>))| {
            let mut row = vec![of.kernel.clone()];
            row.extend(counts.iter().map(|&class| match &of.came {
                Came::Report(report) => match &report.result {
                    Outcome::Check(checkup) => checkup.counts.get(class).to_string(),
                    _ => String::new(),
                },
                _ => String::new(),
            }));
            let text = |cell: &Option<super::Cell>| {
                cell.as_ref()
                    .map_or(String::new(), |cell| cell.text.clone())
            };
            row.extend(cells.iter().map(text));
            if let Came::Trouble(trouble) = &of.came {
                row.push(trouble.word.clone());
            }
            row
        };
        Table {
            columns,
            rows: self.rows.iter().zip(&grid.rows).map(row).collect(),
        }
    }

    /// The classes that some row has a count of.
    fn counts(&self) -> Vec<Class> {
        let occurs = |class: &Class| {
            self.reports().any(|(_, report)| match &report.result {
                Outcome::Check(checkup) => checkup.counts.get(*class) > 0,
                _ => false,
            })
        };
        Class::ALL.into_iter().filter(occurs).collect()
    }

    fn troubles(&self, page: &mut Page) {
        for row in &self.rows {
            if let Came::Trouble(trouble) = &row.came {
                page.heading(row.kernel.clone());
                page.text(trouble.text.clone());
                if !trouble.console.is_empty() {
                    page.literal(trouble.console.join("\n"));
                }
            }
        }
    }

    /// The throughputs of the guests beside the first one's: nothing but their
    /// kernels differs. `compare` shows all that two reports have.
    fn comparison(&self, page: &mut Page) {
        let mut guests = self.reports().filter(|(_, report)| report.guest.is_some());
        let Some(base) = guests.next() else {
            return;
        };
        let others: Vec<_> = guests.collect();
        let mut both = std::iter::once(&base).chain(&others);
        let is_exact = |report: &Report| {
            let guest = report.guest.as_ref();
            guest.is_some_and(|guest| guest.seeds.is_some())
        };
        let min_effect = if both.all(|(_, report)| is_exact(report)) {
            DETERMINISTIC_MIN_EFFECT
        } else {
            MIN_EFFECT
        };
        let mut comparison = Comparison::of(base, &others, min_effect);
        comparison
            .entries
            .retain(|entry| entry.metric == Metric::Throughput);
        if !comparison.entries.is_empty() || !comparison.changes.is_empty() {
            page.blocks.extend(comparison.page().blocks);
        }
    }
}
