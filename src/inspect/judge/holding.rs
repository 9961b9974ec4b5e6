//! Who keeps a pty open, and what that means for the other end.

use super::{Finding, Holder, Kind, PtyFacts, Unseen, finding, name};

pub fn judge(pty: &PtyFacts, unseen: &Unseen) -> Vec<Finding> {
    if !pty.exists {
        return vec![hung_up(pty)];
    }
    let mut found = Vec::new();
    found.extend(locked(pty));
    found.extend(closed_meanwhile(pty));
    if pty.slave_holders.is_empty() {
        found.push(slave_free(pty, unseen));
    }
    found.extend(held_by_reader(pty));
    found.extend(held_outside(pty));
    if pty.master_holders.is_empty() {
        found.push(master_unseen(pty));
    }
    found
}

/// Descriptors by number, with what lets them pass into other programs.
fn descriptors(holder: &Holder) -> String {
    let inherits = |held: &super::super::Held| {
        held.flags
            .is_some_and(|flags| flags.close_on_exec == Some(false))
    };
    let numbers: Vec<String> = holder
        .descriptors
        .iter()
        .map(|held| held.fd.to_string())
        .collect();
    let noun = if numbers.len() == 1 {
        "descriptor"
    } else {
        "descriptors"
    };
    let inherited = if holder.descriptors.iter().any(inherits) {
        ", without FD_CLOEXEC: programs that it starts get it too"
    } else {
        ""
    };
    format!(
        "{} has it as {noun} {}{inherited}",
        name(holder),
        numbers.join(", ")
    )
}

fn names(holders: &[&Holder]) -> String {
    let names: Vec<String> = holders.iter().map(|holder| name(holder)).collect();
    names.join(", ")
}

fn hung_up(pty: &PtyFacts) -> Finding {
    let holders: Vec<&Holder> = pty.slave_holders.iter().collect();
    finding(
        Kind::HungUp,
        format!(
            "Hung up: the master is closed. Reads of the slave give end of file, writes EIO; the number is free again when {} closes it.",
            names(&holders)
        ),
        vec![format!("{} is gone", pty.path)],
    )
}

fn locked(pty: &PtyFacts) -> Option<Finding> {
    (pty.master.said()?.is_locked == Some(true)).then(|| {
        finding(
            Kind::Locked,
            "The slave is locked: every open of it gives EIO until the master's holder calls unlockpt(3).",
            vec!["TIOCGPTLCK says so".to_owned()],
        )
    })
}

fn closed_meanwhile(pty: &PtyFacts) -> Option<Finding> {
    pty.was_closed_meanwhile.then(|| {
        finding(
            Kind::ClosedMeanwhile,
            "A holder closed the slave while it was being asked: if that was the last one, the master's reader saw its end of file only when ptyscope closed its own copy, a moment later.",
            Vec::new(),
        )
    })
}

/// No holder of the slave is seen. The master knows whether there is one:
/// it says POLLHUP only after the last close (TTY_OTHER_CLOSED).
fn slave_free(pty: &PtyFacts, unseen: &Unseen) -> Finding {
    let sees_all = unseen.processes == 0 && unseen.hidepid.is_none();
    match pty.master.said() {
        Some(master) if master.is_hung_up => finding(
            Kind::SlaveClosed,
            match master.queued {
                Some(0) | None => "Nobody holds the slave any more: the next read of the master gives EIO, which is its end of file.".to_owned(),
                Some(bytes) => format!("Nobody holds the slave any more: a read of the master gives what is left ({bytes} bytes by FIONREAD), then EIO, which is its end of file."),
            },
            vec!["poll says POLLHUP at the master".to_owned()],
        ),
        Some(_) if sees_all => finding(
            Kind::SlaveNeverOpened,
            "Nobody has opened the slave yet: a read of the master waits.",
            vec!["no process holds it, and poll says no POLLHUP at the master".to_owned()],
        ),
        Some(_) => finding(
            Kind::SlaveHolderUnseen,
            "The slave was never opened, or somebody holds it who cannot be seen; which of them cannot be seen.",
            vec!["no process that can be seen holds it, and poll says no POLLHUP at the master".to_owned()],
        ),
        None => finding(
            Kind::SlaveHolderUnseen,
            "Nobody is seen to hold the slave; if it was opened once and nobody holds it, the next read of the master gives EIO. The master could not be asked.",
            Vec::new(),
        ),
    }
}

/// One process with both ends keeps itself from seeing the end.
fn held_by_reader(pty: &PtyFacts) -> Option<Finding> {
    let has_master = |holder: &&Holder| {
        let mut masters = pty.master_holders.iter();
        masters.any(|master| master.pid == holder.pid)
    };
    let both: Vec<&Holder> = pty.slave_holders.iter().filter(has_master).collect();
    (!both.is_empty()).then(|| {
        finding(
            Kind::HeldByReader,
            format!(
                "{} holds both ends: as long as its own descriptor of the slave is open, its reads of the master see no end of file.",
                names(&both)
            ),
            both.iter().map(|holder| descriptors(holder)).collect(),
        )
    })
}

/// Processes that keep the master's reader from its end of file and have no
/// part in what goes on there: of another session than the terminal's; where
/// it has none, of another than whoever reads, or with the slave as none of
/// their first three descriptors.
fn held_outside(pty: &PtyFacts) -> Option<Finding> {
    let session = pty.session.as_ref().map(|session| session.id);
    let has_master = |holder: &Holder| {
        let mut masters = pty.master_holders.iter();
        masters.any(|master| master.pid == holder.pid)
    };
    let is_stray = |holder: &Holder| match session {
        Some(id) => holder.session != id,
        // Only the master can say that it has none.
        None if pty.master.said().is_none() => false,
        None => {
            let mut masters = pty.master_holders.iter();
            masters.all(|master| master.session != holder.session)
                || holder.descriptors.iter().all(|held| held.fd > 2)
        }
    };
    let is_outside = |holder: &&Holder| is_stray(holder) && !has_master(holder);
    let outside: Vec<&Holder> = pty.slave_holders.iter().filter(is_outside).collect();
    if outside.is_empty() {
        return None;
    }
    let (whose, verb) = match session {
        Some(id) => (format!("the session of this terminal is {id}"), "will see"),
        None => (
            "it is the controlling terminal of no session".to_owned(),
            "sees",
        ),
    };
    let mut evidence = vec![whose];
    evidence.extend(
        outside
            .iter()
            .map(|holder| format!("{}; its session is {}", descriptors(holder), holder.session)),
    );
    Some(finding(
        Kind::HeldOutside,
        format!(
            "The master's reader {verb} no end of file as long as {} holds the slave.",
            names(&outside)
        ),
        evidence,
    ))
}

/// A node in devpts is there as long as its master is open.
fn master_unseen(pty: &PtyFacts) -> Finding {
    finding(
        Kind::MasterHolderUnseen,
        "The master is held by a process that cannot be seen: another user's, or in another PID namespace (a container's host), or on its way through a socket.",
        vec![format!("{} exists, so its master is open", pty.path)],
    )
}
