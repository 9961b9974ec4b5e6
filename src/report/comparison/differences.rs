//! What was not the same about two runs.

use serde::{Deserialize, Serialize};

use crate::check::{Class, checkup::Described};
use crate::link::xmodem::Check;
use crate::report::{Outcome, Report, XmodemReport};
use crate::sample::Verdict;
use crate::workload::{Settings, units};

use super::{Change, capacities};

/// Something that may explain a difference, or forbid to conclude anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What.
    pub what: String,
    /// In the base.
    pub before: String,
    /// In the other.
    pub after: String,
}

/// A change of a number that can show in what was measured.
const NOTABLE: f64 = 0.2;

/// Conditions and settings that differ.
pub fn between(base: &Report, other: &Report) -> Vec<Difference> {
    let mut found: Vec<Difference> = conditions(base)
        .into_iter()
        .zip(conditions(other))
        .filter(|(before, after)| before.1 != after.1)
        .map(|((what, before), (_, after))| difference(what, before, after))
        .collect();
    let loads = [base, other].map(|report| report.conditions.load_at_start);
    if let [Some([before, ..]), Some([after, ..])] = loads
        && (before - after).abs() > 0.5
    {
        let show = |load: f64| format!("{load:.2}");
        found.push(difference("load at the start", show(before), show(after)));
    }
    let sources = [base, other].map(|report| report.conditions.clock);
    if sources[0] != sources[1] {
        let [before, after] = sources.map(|source| source.to_string());
        found.push(difference("clock", before, after));
    }
    let clocks = [base, other].map(|report| report.conditions.clock_cost.0);
    if (clocks[1] / clocks[0] - 1.0).abs() > NOTABLE {
        let [before, after] = clocks.map(units::time);
        found.push(difference("cost of a clock reading", before, after));
    }
    found
}

fn difference(what: &str, before: String, after: String) -> Difference {
    Difference {
        what: what.to_owned(),
        before,
        after,
    }
}

/// Everything that should be the same where nothing but the subject changed.
fn conditions(report: &Report) -> Vec<(&'static str, String)> {
    let or_unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let number = |number: Option<u64>| number.map_or("unknown".to_owned(), |n| n.to_string());
    let host = &report.host;
    let kernel = &host.kernel;
    let mut all = vec![
        ("kernel", or_unknown(&kernel.release)),
        ("kernel build", or_unknown(&kernel.build)),
        ("architecture", or_unknown(&kernel.arch)),
        (
            "boot options",
            kernel
                .boot_options
                .as_ref()
                .map_or("unknown".to_owned(), |words| words.join(" ")),
        ),
        ("HZ", number(kernel.hz.map(u64::from))),
        (
            "CPUs of unbound kworkers",
            or_unknown(&kernel.kworker_cpus()),
        ),
        ("CPU", or_unknown(&host.cpu.model)),
        ("CPUs online", number(host.cpu.online.map(|n| n as u64))),
        ("governor", or_unknown(&host.cpu.governor)),
        ("page size", number(host.page_size.map(|n| n as u64))),
        ("hypervisor", or_unknown(&host.surroundings.hypervisor)),
        ("machine", or_unknown(&host.surroundings.machine)),
        ("container", or_unknown(&host.surroundings.container)),
        (
            "kernel flavour",
            or_unknown(&host.surroundings.kernel_flavour),
        ),
        (
            "program",
            format!("{} {}", report.program.name, report.program.version),
        ),
        (
            "command",
            report.command.get(1).cloned().unwrap_or_default(),
        ),
        (
            "cut short",
            report.cut_short.clone().unwrap_or("no".to_owned()),
        ),
    ];
    all.extend(settings(report));
    all
}

fn settings(report: &Report) -> Vec<(&'static str, String)> {
    let of = |settings: &Settings| {
        let mut entries: Vec<_> = settings.entries().into_iter().collect();
        entries.retain(|(name, _)| *name != "chunk");
        let verified = if settings.verify { "yes" } else { "no" };
        entries.push(("verified", verified.to_owned()));
        entries
    };
    match &report.result {
        Outcome::Bench(bench) => of(&bench.settings),
        Outcome::Sweep(sweep) => of(&sweep.settings),
        Outcome::Xmodem(xmodem) => xmodem_settings(xmodem),
        Outcome::Capacity(_) | Outcome::Check(_) | Outcome::Inspect(_) => Vec::new(),
    }
}

fn xmodem_settings(xmodem: &XmodemReport) -> Vec<(&'static str, String)> {
    let check = match xmodem.check {
        Check::Crc => "CRC-16",
        Check::Checksum => "checksum",
    };
    vec![
        ("file", xmodem.size.to_string()),
        ("block", xmodem.block.bytes().to_string()),
        ("checked by", check.to_owned()),
        ("line", xmodem.place.clone()),
    ]
}

/// Facts of the results that differ and have no noise.
pub fn facts(base: &Report, other: &Report, index: usize) -> Vec<Change> {
    let (before, mut after) = (capacities(base), capacities(other));
    let mut changes: Vec<Change> = before
        .into_iter()
        .filter_map(|(what, before)| {
            let after = after.remove(&what).filter(|after| *after != before)?;
            Some(Change {
                other: index,
                what: format!("capacity, {what}"),
                before,
                after,
                is_fault: false,
            })
        })
        .collect();
    changes.extend(checks(base, other, index));
    let damaged = |report: &Report| match &report.result {
        Outcome::Bench(bench) => bench.pty.verdict == Verdict::Damaged,
        Outcome::Sweep(sweep) => sweep.verdict == Verdict::Damaged,
        Outcome::Capacity(capacity) => !capacity.cases.iter().all(|case| case.is_intact()),
        Outcome::Xmodem(xmodem) => !xmodem.is_sound(),
        Outcome::Check(_) | Outcome::Inspect(_) => false,
    };
    let words = |damaged| if damaged { "came wrong" } else { "came right" };
    if damaged(base) != damaged(other) {
        changes.push(Change {
            other: index,
            what: "bytes".to_owned(),
            before: words(damaged(base)).to_owned(),
            after: words(damaged(other)).to_owned(),
            is_fault: damaged(other),
        });
    }
    changes
}

/// Checks that ended otherwise.
fn checks(base: &Report, other: &Report, index: usize) -> Vec<Change> {
    let (Outcome::Check(base), Outcome::Check(other)) = (&base.result, &other.result) else {
        return Vec::new();
    };
    let class = |described: &Described| described.finding.outcome.class;
    let is_bad = |class| matches!(class, Class::Fail | Class::Hang);
    let change = |before: &Described| {
        let id = &before.finding.id;
        let after = other.checks.iter().find(|after| after.finding.id == *id)?;
        (class(before) != class(after)).then(|| Change {
            other: index,
            what: format!("check {id}"),
            before: class(before).name().to_owned(),
            after: class(after).name().to_owned(),
            is_fault: is_bad(class(after)) && !is_bad(class(before)),
        })
    };
    base.checks.iter().filter_map(change).collect()
}
