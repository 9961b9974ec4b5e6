//! All ptys of one devpts, a line each.

use crate::inspect::{Answer, Holder, Inspection, Kind, PtyFacts};
use crate::report::page::{Page, Table};

use super::{headline, named};

pub fn show(inspection: &Inspection, page: &mut Page) {
    if inspection.ptys.is_empty() {
        page.text("There is no pty in /dev/pts.");
    }
    let mut table = Table::new([
        "pty",
        "slave held by",
        "master held by",
        "mode",
        "size",
        "in",
        "out",
        "what is the matter",
    ])
    .words_in(1)
    .words_in(2)
    .words_in(3)
    .words_in(7);
    for pty in &inspection.ptys {
        table.row(cells(pty));
    }
    page.table(table);
    page.list(without_slave(inspection));
}

fn cells(pty: &PtyFacts) -> [String; 8] {
    let slave = pty.slave.said();
    let dash = || "-".to_owned();
    let asked = |queued: Option<Option<u64>>| queued.flatten().map_or_else(dash, |n| n.to_string());
    let name = pty.path.strip_prefix("/dev/").unwrap_or(&pty.path);
    [
        name.to_owned(),
        holders(&pty.slave_holders),
        holders(&pty.master_holders),
        slave.map_or_else(dash, |slave| slave.mode.to_string()),
        slave.map_or_else(dash, |slave| format!("{}x{}", slave.size[1], slave.size[0])),
        asked(slave.map(|slave| slave.queued)),
        asked(pty.master.said().map(|master| master.queued)),
        headline(&pty.findings),
    ]
}

/// The first holder, and how many more.
fn holders(holders: &[Holder]) -> String {
    match holders {
        [] => "-".to_owned(),
        [only] => named(only),
        [first, rest @ ..] => format!("{} +{}", named(first), rest.len()),
    }
}

/// Numbers that are taken and serve nobody.
fn without_slave(inspection: &Inspection) -> Vec<String> {
    let is_free = |pty: &&PtyFacts| {
        pty.slave_holders.is_empty()
            && !matches!(pty.master, Answer::NotAsked(_))
            && pty
                .findings
                .iter()
                .any(|finding| matches!(finding.kind, Kind::SlaveClosed | Kind::SlaveNeverOpened))
    };
    let free: Vec<String> = inspection
        .ptys
        .iter()
        .filter(is_free)
        .map(|pty| format!("{} by {}", pty.index, holders(&pty.master_holders)))
        .collect();
    if free.is_empty() {
        return Vec::new();
    }
    vec![format!(
        "Masters that are held while nobody holds the slave, each of which takes a number: {}",
        free.join(", ")
    )]
}
