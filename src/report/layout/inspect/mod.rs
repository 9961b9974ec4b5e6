//! Ptys of others, as people read of them.

mod long;
mod survey;

use crate::inspect::{Finding, Held, Holder, Inspection, Limits, Unseen};
use crate::report::page::Page;
use crate::words::counted;

/// What was found, then what could not be seen.
pub(super) fn show(inspection: &Inspection, page: &mut Page) {
    if inspection.is_survey {
        survey::show(inspection, page);
    } else {
        for pty in &inspection.ptys {
            long::show(pty, page);
        }
    }
    page.text(limits(inspection.limits));
    page.list(unseen(&inspection.unseen));
}

fn limits(limits: Limits) -> String {
    let number = |number: Option<u32>| number.map_or("?".to_owned(), |number| number.to_string());
    let mut text = format!(
        "Ptys in all devpts instances: {} of {}, of which {} are kept for the first mount.",
        number(limits.nr),
        number(limits.max),
        number(limits.reserve)
    );
    if let (Some(nr), Some(max)) = (limits.nr, limits.max) {
        let reserve = limits.reserve.unwrap_or(0);
        if nr >= max {
            text.push_str(" There are no more: an open of /dev/ptmx gives ENOSPC. Raise /proc/sys/kernel/pty/max, or close some.");
        } else if nr >= max.saturating_sub(reserve) {
            text.push_str(" Only the first mount can have more: in a container an open of /dev/ptmx gives ENOSPC.");
        }
    }
    text
}

fn unseen(unseen: &Unseen) -> Vec<String> {
    let mut lines = Vec::new();
    if unseen.processes > 0 {
        let count = match unseen.processes {
            1 => "1 process".to_owned(),
            count => format!("{count} processes"),
        };
        lines.push(format!(
            "{count} of other users could not be looked at: run as root (with CAP_SYS_PTRACE)."
        ));
    }
    if let Some(value) = &unseen.hidepid {
        lines.push(format!("/proc is mounted with hidepid={value}: processes of other users are not listed unless you are root or in its gid="));
    }
    if unseen.masters > 0 {
        lines.push(format!(
            "Of {} it could not be told to which devpts they belong: not counted.",
            counted(unseen.masters, "master")
        ));
    }
    lines
}

/// The findings in few words, the first first.
fn headline(findings: &[Finding]) -> String {
    let names: Vec<&str> = findings.iter().map(|finding| finding.kind.name()).collect();
    names.join("; ")
}

/// `812 sshd`.
fn named(holder: &Holder) -> String {
    format!("{} {}", holder.pid, holder.comm)
}

/// `0 1 2 rw, 5 r nonblock cloexec`: numbers of descriptors that are alike
/// stand together.
fn descriptors(held: &[Held]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for held in held {
        let how = how_opened(held);
        match groups.iter_mut().find(|(known, _)| *known == how) {
            Some((_, numbers)) => numbers.push(held.fd.to_string()),
            None => groups.push((how, vec![held.fd.to_string()])),
        }
    }
    let told = |(how, numbers): &(String, Vec<String>)| format!("{} {how}", numbers.join(" "));
    groups.iter().map(told).collect::<Vec<_>>().join(", ")
}

fn how_opened(held: &Held) -> String {
    let Some(flags) = held.flags else {
        return "?".to_owned();
    };
    let access = match (flags.reads, flags.writes) {
        (true, true) => "rw",
        (true, false) => "r",
        _ => "w",
    };
    let mut words = vec![access];
    words.extend(flags.nonblocking.then_some("nonblock"));
    words.extend(match flags.close_on_exec {
        Some(true) => Some("cloexec"),
        Some(false) => None,
        None => Some("cloexec?"),
    });
    words.extend(held.as_own_terminal.then_some("by /dev/tty"));
    words.join(" ")
}
