//! Findings as lines of text.

use std::fmt::Write;

use crate::check::checkup::{Checkup, Counts, Described};
use crate::check::runner::Finding;
use crate::check::{Check, Class};
use crate::host::HostFacts;
use crate::words::counted;

/// What the machine is, in a few lines: every report of a fault needs it.
pub fn header(host: &HostFacts) -> String {
    let mut out = String::new();
    let kernel = &host.kernel;
    let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    let number = |number: Option<u32>| number.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let _ = writeln!(
        out,
        "kernel    {} {} {}",
        word(&kernel.release),
        word(&kernel.arch),
        word(&kernel.build)
    );
    let cpus = host
        .cpu
        .online
        .map_or_else(|| "? CPUs".to_owned(), |n| counted(n, "CPU"));
    let _ = writeln!(
        out,
        "machine   {cpus}, HZ {}{}",
        number(kernel.hz),
        around(host)
    );
    let pty = &host.pty;
    let _ = write!(
        out,
        "ptys      max {} nr {} reserve {}",
        number(pty.max),
        number(pty.nr),
        number(pty.reserve)
    );
    match &pty.devpts {
        None => out.push_str("; mounts unknown"),
        Some(mounts) if mounts.is_empty() => out.push_str("; no devpts is mounted"),
        Some(mounts) => {
            for mount in mounts {
                let _ = write!(out, "; {} ({})", mount.mount_point.display(), mount.options);
            }
        }
    }
    out.push('\n');
    out
}

fn around(host: &HostFacts) -> String {
    let near = &host.surroundings;
    [&near.kernel_flavour, &near.hypervisor, &near.container]
        .into_iter()
        .flatten()
        .fold(String::new(), |text, hint| text + ", " + hint)
}

/// One check and how it ended.
pub fn line(check: &Check, finding: &Finding) -> String {
    let class = match finding.outcome.class {
        class @ (Class::Fail | Class::Hang) => class.name().to_uppercase(),
        class => class.name().to_owned(),
    };
    let mut text = format!("{class:<5}  {:<18} {}", check.id, check.title);
    if finding.runs > 1 {
        let _ = write!(text, " ({} of {} runs)", finding.alike, finding.runs);
    }
    if let Some(got) = &finding.outcome.got {
        let said = match finding.outcome.class {
            Class::Pass | Class::Env | Class::Skip => got.as_str(),
            Class::Fail | Class::Known | Class::Hang => "see below",
        };
        let _ = write!(text, ": {said}");
    }
    text
}

/// The counts, and all that there is to say of each check that did not pass.
pub fn summary(checkup: &Checkup) -> String {
    let mut out = String::new();
    let told = [Class::Fail, Class::Hang, Class::Known];
    for check in &checkup.checks {
        if told.contains(&check.finding.outcome.class) {
            out.push('\n');
            out.push_str(&details(check));
        }
    }
    let _ = writeln!(
        out,
        "\n{} in {:.1} s: {}",
        counted(checkup.checks.len(), "check"),
        checkup.terms.ms as f64 / 1000.0,
        by_class(checkup.counts)
    );
    out
}

fn by_class(counts: Counts) -> String {
    let parts: Vec<_> = Class::ALL
        .into_iter()
        .filter(|&class| class == Class::Pass || counts.get(class) > 0)
        .map(|class| format!("{} {}", counts.get(class), class.name()))
        .collect();
    parts.join(", ")
}

fn details(check: &Described) -> String {
    let outcome = &check.finding.outcome;
    let mut out = format!(
        "{} {}: {}\n",
        outcome.class.name().to_uppercase(),
        check.finding.id,
        check.title
    );
    let mut row = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {name:<9} {text}");
        }
    };
    row("expected", outcome.expected.as_deref().unwrap_or_default());
    row("got", outcome.got.as_deref().unwrap_or_default());
    row("known", outcome.known.as_deref().unwrap_or_default());
    row("since", &check.since);
    row("means", &check.means);
    row("source", &check.sources.join("; "));
    row("reports", &check.reports.join(", "));
    out
}
