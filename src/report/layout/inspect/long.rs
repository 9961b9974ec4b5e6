//! One pty at length.

use crate::inspect::{Answer, Finding, Holder, MasterState, PtyFacts, Session, SlaveState};
use crate::report::page::{Page, Table};

use super::{descriptors, headline};

pub fn show(pty: &PtyFacts, page: &mut Page) {
    page.heading(format!("{}: {}", pty.path, headline(&pty.findings)));
    page.list(pty.findings.iter().map(told).collect());
    page.table(holders(pty));
    page.list(vec![
        session(pty),
        answer("slave", &pty.slave, slave),
        answer("master", &pty.master, master),
    ]);
}

fn told(finding: &Finding) -> String {
    match finding.evidence.as_slice() {
        [] => finding.text.clone(),
        lines => format!("{} Seen: {}.", finding.text, lines.join("; ")),
    }
}

fn holders(pty: &PtyFacts) -> Table {
    let mut table = Table::new(["end", "pid", "program", "state", "descriptors", "does"])
        .words_in(2)
        .words_in(3)
        .words_in(4)
        .words_in(5);
    let slaves = pty.slave_holders.iter().map(|holder| ("slave", holder));
    let masters = pty.master_holders.iter().map(|holder| ("master", holder));
    for (end, holder) in slaves.chain(masters) {
        table.row([
            end.to_owned(),
            holder.pid.to_string(),
            holder.comm.clone(),
            holder.state.to_string(),
            descriptors(&holder.descriptors),
            does(holder),
        ]);
    }
    table
}

fn does(holder: &Holder) -> String {
    let call = |call: &crate::inspect::Call| {
        let mut text = format!("{} of descriptor {}", call.name, call.fd);
        if call.is_stuck == Some(true) {
            text.push_str(match call.asleep_ms {
                Some(_) => ", not moved for ",
                None => ", not moved",
            });
        }
        if let Some(ms) = call.asleep_ms {
            text.push_str(&format!("{}.{} s", ms / 1000, ms % 1000 / 100));
        }
        text
    };
    let calls: Vec<String> = holder.calls.iter().map(call).collect();
    if !calls.is_empty() {
        return format!("in {}", calls.join(", "));
    }
    let unseen = if holder.calls_seen {
        ""
    } else {
        " (its calls cannot be seen)"
    };
    format!("{}{unseen}", holder.doing)
}

fn session(pty: &PtyFacts) -> String {
    let Some(session) = &pty.session else {
        return match pty.master.said() {
            Some(_) => "session: none has it as its terminal".to_owned(),
            None => "session: none is seen".to_owned(),
        };
    };
    let leader = match &session.leader {
        Some(leader) => format!("leader {}", leader.comm),
        None => "its leader cannot be seen".to_owned(),
    };
    format!(
        "session: {} ({leader}), {}",
        session.id,
        foreground(session)
    )
}

fn foreground(session: &Session) -> String {
    let Some(group) = session.foreground else {
        return "no foreground process group".to_owned();
    };
    let members: Vec<String> = session
        .members
        .iter()
        .map(|member| format!("{} {}", member.pid, member.comm))
        .collect();
    match members.as_slice() {
        [] => format!("foreground process group {group}: nobody in it is seen"),
        _ => format!("foreground process group {group}: {}", members.join(", ")),
    }
}

fn answer<T>(end: &str, answer: &Answer<T>, told: fn(&T) -> String) -> String {
    match answer {
        Answer::Copied(state) => format!("{end}: {}", told(state)),
        Answer::Opened(state) => format!("{end}: {} (asked by an open of our own)", told(state)),
        Answer::NotAsked(why) => format!("{end}: not asked: {why}"),
    }
}

fn slave(state: &SlaveState) -> String {
    let [rows, columns] = state.size;
    let mut words = vec![format!("mode {}", state.mode)];
    words.extend(state.unusual.iter().cloned());
    words.push(format!("{columns}x{rows}"));
    words.push(queued(state.queued));
    words.push(takes(state.is_writable).to_owned());
    words.extend(
        (state.line_discipline != 0).then(|| format!("line discipline {}", state.line_discipline)),
    );
    words.extend((state.is_exclusive == Some(true)).then(|| "exclusive".to_owned()));
    words.join(", ")
}

fn master(state: &MasterState) -> String {
    let mut words = vec![queued(state.queued), takes(state.is_writable).to_owned()];
    words.extend((state.is_packet_mode == Some(true)).then(|| "packet mode".to_owned()));
    words.extend((state.is_locked == Some(true)).then(|| "slave locked".to_owned()));
    words.join(", ")
}

fn queued(bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{bytes} to be read"),
        None => "FIONREAD not asked (this kernel could hang)".to_owned(),
    }
}

fn takes(is_writable: bool) -> &'static str {
    if is_writable {
        "takes more"
    } else {
        "takes no more"
    }
}
