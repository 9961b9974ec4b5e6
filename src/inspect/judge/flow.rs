//! Whether bytes move, and if not, who waits for whom.

use crate::pty::{End, Flag};

use super::{Call, Finding, Holder, Kind, PtyFacts, Way, calls, doings, finding, stuck, told};

pub fn judge(pty: &PtyFacts) -> Vec<Finding> {
    let mut found = Vec::new();
    let (output, input) = (is_blocked(pty, End::Slave), is_blocked(pty, End::Master));
    let waiting = pty.master.said().and_then(|master| master.queued);
    if output && input && waiting != Some(0) && both_write(pty) {
        found.push(mutual_block(pty));
    } else {
        if output {
            found.push(match waiting {
                Some(0) => stopped(pty),
                Some(bytes) => master_not_read(pty, bytes),
                None => output_blocked(pty),
            });
        }
        if input {
            found.push(slave_not_read(pty));
        }
    }
    found.extend(end_of_file(pty));
    found.extend(waits_for_line(pty));
    found
}

fn ends(pty: &PtyFacts, writer: End) -> (&[Holder], Option<bool>) {
    match writer {
        End::Slave => (
            &pty.slave_holders,
            pty.slave.said().map(|slave| slave.is_writable),
        ),
        End::Master => (
            &pty.master_holders,
            pty.master.said().map(|master| master.is_writable),
        ),
    }
}

/// Whether what is written to that end goes nowhere: a writer has slept in its
/// call from look to look, or the end says that it takes no more, and nothing
/// moved in between.
fn is_blocked(pty: &PtyFacts, writer: End) -> bool {
    let (holders, takes) = ends(pty, writer);
    let is_full = takes == Some(false) && pty.has_moved == Some(false) && !goes_on(pty, writer);
    !pty_is_gone(pty) && (!stuck(holders, Way::Write).is_empty() || is_full)
}

/// Whether somebody may be writing there all the time. In a write poll(2) says
/// that the end takes no more (`n_tty_poll` looks at the writers' lock), and
/// FIONREAD stays at 4095 where the reader is the slower one, so a pty in full
/// use can look like one that is stuck.
fn goes_on(pty: &PtyFacts, writer: End) -> bool {
    let (holders, _) = ends(pty, writer);
    let moves = |(_, call): &(&Holder, &Call)| call.is_stuck == Some(false);
    // The call of one that runs is not told, and does not count until it ends.
    let waits = pty
        .master
        .said()
        .is_some_and(|master| master.queued != Some(0));
    let may_write = |holder: &Holder| {
        holder.has_written == Some(true) || holder.state == 'R' && (waits || writer == End::Master)
    };
    calls(holders, Way::Write).iter().any(moves) || holders.iter().any(may_write)
}

/// After a hangup, or with another line discipline, poll(2) means other things.
fn pty_is_gone(pty: &PtyFacts) -> bool {
    let slave = pty.slave.said();
    !pty.exists || slave.is_some_and(|slave| slave.is_hung_up || slave.line_discipline != 0)
}

fn both_write(pty: &PtyFacts) -> bool {
    !stuck(&pty.slave_holders, Way::Write).is_empty()
        && !stuck(&pty.master_holders, Way::Write).is_empty()
}

fn evidence(pty: &PtyFacts, writer: End) -> Vec<String> {
    let (holders, takes) = ends(pty, writer);
    let mut lines: Vec<String> = stuck(holders, Way::Write).iter().map(told).collect();
    if takes == Some(false) {
        lines.push(format!("poll says that the {writer} takes no more"));
    }
    lines
}

fn mutual_block(pty: &PtyFacts) -> Finding {
    let mut lines = evidence(pty, End::Slave);
    lines.extend(evidence(pty, End::Master));
    lines.extend(queues(pty));
    finding(
        Kind::MutualBlock,
        "Mutual block: both ends are full, and each side waits in a write for the other to read.",
        lines,
    )
}

/// What FIONREAD says of both ends.
fn queues(pty: &PtyFacts) -> Vec<String> {
    let slave = pty.slave.said().and_then(|slave| slave.queued);
    let master = pty.master.said().and_then(|master| master.queued);
    let told = |end, bytes: Option<u64>| {
        Some(format!(
            "{} wait to be read at the {end}",
            told_bytes(bytes?)
        ))
    };
    told("slave", slave)
        .into_iter()
        .chain(told("master", master))
        .collect()
}

/// FIONREAD never shows more than what the line discipline holds.
fn told_bytes(bytes: u64) -> String {
    if bytes >= 4095 {
        format!("{bytes} bytes or more (FIONREAD shows no more)")
    } else {
        crate::words::counted(bytes, "byte")
    }
}

/// The line discipline of the slave gives nothing on while its output is
/// stopped (`pty_write` and `pty_write_room` in pty.c look at flow.stopped), and
/// the kernel tells nobody so: it is inferred.
fn stopped(pty: &PtyFacts) -> Finding {
    let mut lines = evidence(pty, End::Slave);
    lines.push("nothing waits to be read at the master: it is not full".to_owned());
    let ixon = pty.slave.said().map(|slave| slave.mode.has(Flag::Ixon));
    let text = match ixon {
        Some(true) => {
            lines.push("IXON is on".to_owned());
            "Output is stopped: somebody typed ^S, or a program called tcflow(TCOOFF). ^Q lets the first go on, tcflow(TCOON) the second."
        }
        Some(false) => {
            lines.push("IXON is off: ^S means nothing".to_owned());
            "Output is stopped by a program: tcflow(TCOOFF). tcflow(TCOON) lets it go on."
        }
        None => {
            "Output is stopped: ^S, or tcflow(TCOOFF); the slave could not be asked whether IXON is on."
        }
    };
    finding(Kind::Stopped, text, lines)
}

fn master_not_read(pty: &PtyFacts, waiting: u64) -> Finding {
    let mut lines = evidence(pty, End::Slave);
    lines.push(format!(
        "{} wait at the master, and none was read between two looks",
        told_bytes(waiting)
    ));
    lines.extend(doings("master", &pty.master_holders));
    finding(
        Kind::MasterNotRead,
        "Nobody reads the master: what is written to the slave stays where it is.",
        lines,
    )
}

fn output_blocked(pty: &PtyFacts) -> Finding {
    let mut lines = evidence(pty, End::Slave);
    lines.extend(doings("master", &pty.master_holders));
    let text = match pty.slave.said().map(|slave| slave.mode.has(Flag::Ixon)) {
        Some(false) => {
            "Output is blocked: nobody reads the master, or a program called tcflow(TCOOFF). Which of them cannot be seen, as the master could not be asked."
        }
        _ => {
            "Output is blocked: nobody reads the master, or it is stopped (^S, tcflow). Which of them cannot be seen, as the master could not be asked."
        }
    };
    finding(Kind::OutputBlocked, text, lines)
}

fn slave_not_read(pty: &PtyFacts) -> Finding {
    let mut lines = evidence(pty, End::Master);
    if let Some(slave) = pty.slave.said()
        && let Some(bytes) = slave.queued
    {
        lines.push(format!("{} wait at the slave", told_bytes(bytes)));
    }
    lines.extend(doings("slave", &pty.slave_holders));
    finding(
        Kind::SlaveNotRead,
        "Nobody reads the slave: what is written to the master (typed, pasted) stays where it is.",
        lines,
    )
}

/// A canonical terminal that is readable with no byte of a line: ^D.
fn end_of_file(pty: &PtyFacts) -> Option<Finding> {
    let slave = pty.slave.said()?;
    let is_pending = slave.mode.has(Flag::Icanon) && slave.is_readable && slave.queued == Some(0);
    (is_pending && !pty_is_gone(pty)).then(|| {
        finding(
            Kind::EndOfFile,
            "An end of file (^D) waits: the next read of the slave gives 0 bytes.",
            vec!["canonical, readable by poll, and no byte by FIONREAD".to_owned()],
        )
    })
}

fn waits_for_line(pty: &PtyFacts) -> Option<Finding> {
    let slave = pty.slave.said()?;
    let readers = calls(&pty.slave_holders, Way::Read);
    let waits = slave.mode.has(Flag::Icanon) && !slave.is_readable && !readers.is_empty();
    waits.then(|| {
        finding(
            Kind::WaitsForLine,
            "The reader waits for the end of a line (ICANON). How much of a line is there cannot be seen; what goes beyond 4095 bytes of it is thrown away.",
            readers.iter().map(told).collect(),
        )
    })
}
