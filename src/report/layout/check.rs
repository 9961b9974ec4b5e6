use crate::check::checkup::{Checkup, Described};
use crate::check::{Class, format};
use crate::report::page::{Page, Table};

/// The counts, what did not pass with all that there is to say of it, then
/// every check.
pub(super) fn show(checkup: &Checkup, page: &mut Page) {
    page.literal(format::summary(checkup).trim());
    let mut table = Table::new(["check", "ended", "runs", "said"])
        .words_in(1)
        .words_in(3);
    for Described { finding, .. } in &checkup.checks {
        let outcome = &finding.outcome;
        let said = match outcome.class {
            Class::Fail | Class::Hang | Class::Known => "see above".to_owned(),
            Class::Pass | Class::Env | Class::Skip => outcome.got.clone().unwrap_or_default(),
        };
        table.row([
            finding.id.clone(),
            outcome.class.name().to_owned(),
            format!("{} of {}", finding.alike, finding.runs),
            said,
        ]);
    }
    page.table(table);
}
