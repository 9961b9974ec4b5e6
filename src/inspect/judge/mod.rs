//! From what was seen to what is the matter. Nothing here looks at the machine.

mod flow;
mod holding;
mod process;
#[cfg(test)]
mod tests;

use super::{Call, Finding, Holder, Kind, PtyFacts, Unseen, Way};

/// What follows from the facts of one pty.
pub fn judge(pty: &PtyFacts, unseen: &Unseen) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(flow::judge(pty));
    findings.extend(holding::judge(pty, unseen));
    findings.extend(process::judge(pty));
    if findings.is_empty() {
        findings.push(nothing(pty));
    }
    findings
}

fn nothing(pty: &PtyFacts) -> Finding {
    let mut unasked = Vec::new();
    if pty.slave.said().is_none() {
        unasked.push("the slave");
    }
    if pty.master.said().is_none() {
        unasked.push("the master");
    }
    let slave_takes = pty.slave.said().is_some_and(|slave| slave.is_writable);
    let master_takes = pty.master.said().is_some_and(|master| master.is_writable);
    let text = match unasked.as_slice() {
        [] if slave_takes && master_takes => "Nothing is the matter that can be seen: nobody is blocked in a write, and both ends take more.".to_owned(),
        [] => "Nothing is the matter that can be seen: an end that takes no more is being written to, and nobody stands still in it.".to_owned(),
        ends => format!(
            "Nothing is the matter that can be seen; but {} could not be asked.",
            ends.join(" and ")
        ),
    };
    finding(Kind::Nothing, text, Vec::new())
}

fn finding(kind: Kind, text: impl Into<String>, evidence: Vec<String>) -> Finding {
    Finding {
        kind,
        text: text.into(),
        evidence,
    }
}

/// `pid 812 (sshd)`.
fn name(holder: &Holder) -> String {
    format!("pid {} ({})", holder.pid, holder.comm)
}

/// The calls of all holders that move bytes that way, with their holders.
fn calls(holders: &[Holder], way: Way) -> Vec<(&Holder, &Call)> {
    let of = |holder| move |call| (holder, call);
    holders
        .iter()
        .flat_map(|holder| holder.calls.iter().map(of(holder)))
        .filter(|(_, call)| call.way == way)
        .collect()
}

/// Those that did not run between the two looks.
fn stuck(holders: &[Holder], way: Way) -> Vec<(&Holder, &Call)> {
    let mut found = calls(holders, way);
    found.retain(|(_, call)| call.is_stuck == Some(true));
    found
}

/// `pid 900 (yes) has slept in write of descriptor 1 for 12.3 s, in wait_woken`.
fn told((holder, call): &(&Holder, &Call)) -> String {
    let since = call.asleep_ms.map_or(String::new(), |ms| {
        format!(" for {}.{} s", ms / 1000, ms % 1000 / 100)
    });
    let place = call
        .wchan
        .as_ref()
        .map_or(String::new(), |place| format!(" (wchan {place})"));
    format!(
        "{} sleeps in {} of descriptor {}{since}{place}",
        name(holder),
        call.name,
        call.fd
    )
}

/// What each of the holders does, or that none was seen.
fn doings(end: &str, holders: &[Holder]) -> Vec<String> {
    if holders.is_empty() {
        return vec![format!("the {end} is held by no process that can be seen")];
    }
    let doing = |holder: &Holder| format!("{} holds the {end} and {}", name(holder), holder.doing);
    holders.iter().map(doing).collect()
}
