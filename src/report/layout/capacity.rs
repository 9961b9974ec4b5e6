use crate::pty::capacity::{Explanation, Prediction};
use crate::pty::{End, Stop};
use crate::report::page::{Page, Table};
use crate::report::{Agreement, CapacityCase, CapacityReport};
use crate::words::counted;

use super::or_dash;

/// So few cases are explained at length.
const FEW: usize = 6;

impl CapacityReport {
    pub(super) fn show(&self, page: &mut Page) {
        page.text(match self.geometry {
            Some(geometry) => format!(
                "Bytes that one direction of a pty takes before its writer blocks, beside the model of Linux {} with pieces of at most {} bytes",
                geometry.era.releases(),
                geometry.split
            ),
            None => "Bytes that one direction of a pty takes before its writer blocks; of this kernel there is no model".to_owned(),
        });
        page.table(self.cases_table());
        let repeated = self.cases.iter().filter(|case| !case.outside.is_empty());
        page.list(repeated.map(what_was_outside).collect());
        let wrong = self.cases.iter().filter(|case| !case.is_intact());
        page.list(wrong.map(what_came_wrong).collect());
        if self.cases.iter().all(CapacityCase::is_intact) && !self.cases.is_empty() {
            page.text("Every byte that went in came out, and in its place.");
        }
        if self.cases.len() <= FEW {
            for case in &self.cases {
                if let Some(explanation) = &case.explanation {
                    page.heading(case.name());
                    page.literal(explanation.to_string());
                }
            }
        }
    }

    fn cases_table(&self) -> Table {
        let mut table = Table::new([
            "from",
            "mode",
            "lines of",
            "chunk",
            "accepted",
            "expected",
            "",
            "where they lie",
        ])
        .words_in(1)
        .words_in(6)
        .words_in(7);
        for case in &self.cases {
            let flow = case.flow();
            let accepted = match case.measured.filled.stop {
                Stop::Full => case.measured.filled.accepted.to_string(),
                Stop::MaxBytes => format!("> {}", case.measured.filled.accepted),
                Stop::Deadline => format!(">= {}", case.measured.filled.accepted),
            };
            table.row([
                flow.from.to_string(),
                flow.mode.to_string(),
                or_dash(flow.line),
                flow.chunk.to_string(),
                accepted,
                or_dash(case.expected.map(range)),
                case.verdict(),
                case.explanation.as_ref().map_or(String::new(), in_short),
            ]);
        }
        table
    }
}

fn range(expected: Prediction) -> String {
    match expected {
        Prediction::NeverFull => "never full".to_owned(),
        Prediction::Full(capacity) => {
            let accepted = capacity.accepted();
            match accepted.start() == accepted.end() {
                true => accepted.start().to_string(),
                false => format!("{} to {}", accepted.start(), accepted.end()),
            }
        }
    }
}

impl CapacityCase {
    /// What was seen, in a word or two.
    pub(in crate::report) fn verdict(&self) -> String {
        if !self.is_intact() {
            return "BYTES WRONG".to_owned();
        }
        match self.agreement {
            Agreement::AsExpected => "as expected".to_owned(),
            Agreement::GeometryChanged => "GEOMETRY CHANGED".to_owned(),
            Agreement::NoModel => "no model".to_owned(),
            Agreement::Undetermined => "undetermined".to_owned(),
            Agreement::AsAnotherEra => {
                let eras = self.other_eras.iter().map(|era| era.releases());
                format!("as Linux {}", eras.collect::<Vec<_>>().join(" or "))
            }
        }
    }

    /// What was written, in a few words.
    pub(in crate::report) fn name(&self) -> String {
        let flow = self.flow();
        let from = match flow.from {
            End::Master => "master to slave",
            End::Slave => "slave to master",
        };
        let line = flow
            .line
            .map_or(String::new(), |line| format!(", lines of {line}"));
        format!("{from}, {}, chunk {}{line}", flow.mode, flow.chunk)
    }
}

/// `33 buffers 16896 + queue 3584`.
fn in_short(explanation: &Explanation) -> String {
    format!(
        "{} {} + reader's queue {}",
        counted(explanation.held, "buffer"),
        explanation.held_chars,
        explanation.emptied_chars
    )
}

fn what_was_outside(case: &CapacityCase) -> String {
    let seen: Vec<String> = case.outside.iter().map(u64::to_string).collect();
    let meaning = match case.agreement {
        Agreement::AsAnotherEra | Agreement::GeometryChanged => "outside of the model each time",
        _ => {
            "outside of the model, and it did not stay: a kworker that ran in the middle of a write"
        }
    };
    format!(
        "{}: measured {} times; before the last, accepted {}: {meaning}",
        case.name(),
        case.outside.len() + 1,
        seen.join(", "),
    )
}

fn what_came_wrong(case: &CapacityCase) -> String {
    let Some(drained) = case.measured.drained else {
        return String::new();
    };
    let at = match drained.first_wrong {
        Some(at) => format!("byte {at} is the first wrong one"),
        None => "those that came are right".to_owned(),
    };
    format!(
        "BYTES CAME WRONG: {}: {} of {} came; {at}",
        case.name(),
        drained.got,
        drained.expected
    )
}
