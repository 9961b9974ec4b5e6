//! What the processes and the settings say for themselves.

use super::{Finding, Holder, Kind, PtyFacts, finding, name};

pub fn judge(pty: &PtyFacts) -> Vec<Finding> {
    let mut found = Vec::new();
    let holders = pty.slave_holders.iter().chain(&pty.master_holders);
    let mut stopped: Vec<&Holder> = holders
        .filter(|holder| matches!(holder.state, 'T' | 't'))
        .collect();
    stopped.dedup_by_key(|holder| holder.pid);
    found.extend(
        stopped
            .into_iter()
            .map(|holder| process_stopped(pty, holder)),
    );
    found.extend(foreground_gone(pty));
    found.extend(other_discipline(pty));
    found.extend(exclusive(pty));
    found
}

fn process_stopped(pty: &PtyFacts, holder: &Holder) -> Finding {
    let foreground = pty.session.as_ref().and_then(|session| session.foreground);
    let by = if holder.state == 't' {
        "a debugger holds it"
    } else {
        "a signal stopped it (^Z, SIGSTOP, or SIGTTIN and SIGTTOU in the background); SIGCONT lets it go on"
    };
    let place = match foreground {
        Some(group) if group == holder.group => "in the foreground",
        Some(_) => "in the background, or in another session",
        None => "of no known foreground",
    };
    finding(
        Kind::ProcessStopped,
        format!("{} is stopped: {by}.", name(holder)),
        vec![format!(
            "its state is {}, its process group {} is {place}",
            holder.state, holder.group
        )],
    )
}

fn foreground_gone(pty: &PtyFacts) -> Option<Finding> {
    let session = pty.session.as_ref()?;
    let group = session.foreground?;
    // A leader that cannot be seen: then its group may be hidden as well.
    (session.members.is_empty() && session.leader.is_some()).then(|| {
        finding(
            Kind::ForegroundGone,
            format!("The foreground process group {group} has no process: ^C and ^Z reach nobody, and who reads is in the background."),
            vec![format!("no process of session {} is in it", session.id)],
        )
    })
}

fn other_discipline(pty: &PtyFacts) -> Option<Finding> {
    let number = pty.slave.said()?.line_discipline;
    (number != 0).then(|| {
        finding(
            Kind::OtherDiscipline,
            format!("The slave has line discipline {number} (linux/tty.h), not N_TTY: what comes goes into the kernel (SLIP, PPP, …), and a read gives it to nobody."),
            vec!["TIOCGETD says so".to_owned()],
        )
    })
}

fn exclusive(pty: &PtyFacts) -> Option<Finding> {
    (pty.slave.said()?.is_exclusive == Some(true)).then(|| {
        finding(
            Kind::Exclusive,
            "The slave is in exclusive mode (TIOCEXCL): opens give EBUSY, except to CAP_SYS_ADMIN.",
            vec!["TIOCGEXCL says so".to_owned()],
        )
    })
}
