use crate::report::comparison::{Comparison, Entry, Judgement};
use crate::report::page::{Page, Table};
use crate::report::warning::percent;
use crate::words::counted;

use super::{all_of, hold, or_dash};

impl Comparison {
    /// What a person wants to read of it.
    pub fn page(&self) -> Page {
        let mut page = Page::default();
        for (index, other) in self.others.iter().enumerate() {
            let title = |name: &str, label: &Option<String>| match label {
                Some(label) => format!("{name} ({label})"),
                None => name.to_owned(),
            };
            page.heading(format!(
                "{} against {}",
                title(&other.name, &other.label),
                title(&self.base.name, &self.base.label)
            ));
            page.text(self.headline(index));
            let mut differences = Table::new(["WHAT DIFFERED", "before", "after"])
                .words_in(1)
                .words_in(2);
            for difference in &other.differences {
                let difference = difference.clone();
                differences.row([difference.what, difference.before, difference.after]);
            }
            if differences.rows.is_empty() {
                page.text(
                    "Both ran under the same conditions and settings, as far as a report tells.",
                );
            }
            page.table(differences);
            page.table(self.entries_table(index));
            if let Some(text) = self.disagreements(index) {
                page.text(text);
            }
            let changes = self.changes.iter().filter(|change| change.other == index);
            let change =
                |c: &super::super::Change| format!("{}: {} -> {}", c.what, c.before, c.after);
            page.list(changes.map(change).collect());
        }
        if !self.entries.is_empty() {
            page.text(format!(
                "Ratios are Hodges-Lehmann shifts of the logarithms, after over before, with the interval of Wilcoxon's rank-sum test; {} {} with {:.0} % (Bonferroni). What matters is {:.1} %. The two were not interleaved: whatever else differed between them is in the ratio.",
                all_of(self.entries.len(), "interval"),
                hold(self.entries.len()),
                100.0 * self.confidence,
                100.0 * self.min_effect
            ));
        }
        page
    }

    /// Where the table seems to contradict itself, and why that may be.
    fn disagreements(&self, index: usize) -> Option<String> {
        let entries = self.entries.iter().filter(|entry| entry.other == index);
        let mut named = entries
            .filter(|entry| entry.disagrees(self.min_effect))
            .map(|entry| format!("{} {} {}", entry.channel, entry.chunk, entry.metric))
            .peekable();
        named.peek()?;
        Some(format!(
            "The medians before and after and the change disagree ({}): the change is the middle of all ratios between the values of the two, those in a row taken as means of a few, so that what is rare and long weighs in it; it leaves no mark on a median.",
            named.collect::<Vec<_>>().join(", ")
        ))
    }

    fn headline(&self, index: usize) -> String {
        let ours = || {
            self.entries
                .iter()
                .filter(move |entry| entry.other == index)
        };
        let count = |wanted: Judgement| ours().filter(|entry| entry.verdict == wanted).count();
        let mut parts = Vec::new();
        for (wanted, word) in [
            (Judgement::Worse, "worse"),
            (Judgement::Better, "better"),
            (Judgement::Alike, "alike"),
            (Judgement::Undecided, "undecided"),
        ] {
            let found = count(wanted);
            if found > 0 {
                parts.push(format!("{found} {word}"));
            }
        }
        let changes = self
            .changes
            .iter()
            .filter(|change| change.other == index)
            .count();
        if changes > 0 {
            parts.push(format!("{} changed", counted(changes, "fact")));
        }
        if parts.is_empty() {
            return "Nothing that both reports have differs.".to_owned();
        }
        format!("{}.", parts.join(", "))
    }

    fn entries_table(&self, index: usize) -> Table {
        let mut table = Table::new([
            "", "chunk", "", "before", "after", "change", "interval", "verdict",
        ])
        .words_in(2)
        .words_in(7);
        for entry in self.entries.iter().filter(|entry| entry.other == index) {
            let Entry { metric, .. } = *entry;
            table.row([
                entry.channel.clone(),
                entry.chunk.to_string(),
                metric.to_string(),
                metric.show(entry.before),
                metric.show(entry.after),
                or_dash(entry.ratio.map(|ratio| percent(ratio.estimate))),
                or_dash(
                    entry
                        .ratio
                        .map(|r| format!("{} to {}", percent(r.low), percent(r.high))),
                ),
                match entry.verdict {
                    Judgement::Better => "better",
                    Judgement::Worse => "WORSE",
                    Judgement::Alike => "alike",
                    Judgement::Undecided => "undecided",
                }
                .to_owned(),
            ]);
        }
        table
    }
}
