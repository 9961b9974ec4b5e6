//! Looking at ptys, twice where something is blocked.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::linux::fs::MetadataExt;

use nix::errno::Errno;

use crate::host::terminals::Device;

use super::calls::{self, ProcessLook, ThreadLook};
use super::ends::{Ends, PtyKey};
use super::judge::judge;
use super::machine::Machine;
use super::target::{Error, Target};
use super::{
    Answer, BETWEEN, Call, Held, Holder, MasterState, PtyFacts, SlaveState, Unseen, Way, ask,
    asleep, copy,
};

/// All processes that were looked at.
type Processes = BTreeMap<u32, ProcessLook>;

/// Between two looks the queues are asked as often: those of a pty in use can
/// be the same twice by chance.
const SAMPLES: u32 = 10;

/// Looks at `targets`, a second time after a moment if anything is blocked, and
/// judges.
///
/// # Errors
/// Where there is no /proc any more.
pub fn settle(machine: Machine, targets: &[Target]) -> Result<(Vec<PtyFacts>, Unseen), Error> {
    let first = Look::take(&machine, targets);
    if !first.ptys.iter().any(is_blocked) {
        return Ok(first.judged(machine.unseen));
    }
    let moved = watch(&machine, targets, &first.ptys);
    let machine = Machine::look()?;
    let mut second = Look::take(&machine, targets);
    second.compare(&first, &moved);
    Ok(second.judged(machine.unseen))
}

fn is_blocked(pty: &PtyFacts) -> bool {
    let writes = |holder: &Holder| holder.calls.iter().any(|call| call.way == Way::Write);
    let mut holders = pty.slave_holders.iter().chain(&pty.master_holders);
    let slave_full = pty.slave.said().is_some_and(|slave| !slave.is_writable);
    let master_full = pty.master.said().is_some_and(|master| !master.is_writable);
    holders.any(writes) || slave_full || master_full
}

/// Waits for [`BETWEEN`]; of each pty, whether something moved meanwhile.
fn watch(machine: &Machine, targets: &[Target], ptys: &[PtyFacts]) -> Vec<bool> {
    let mut moved = vec![false; ptys.len()];
    for _ in 0..SAMPLES {
        std::thread::sleep(BETWEEN / SAMPLES);
        for ((target, pty), moved) in targets.iter().zip(ptys).zip(&mut moved) {
            let ends = machine.ends.ptys.get(&target.key);
            if let Some(ends) = ends.filter(|_| is_blocked(pty) && !*moved) {
                let (slave, master, _) = ask_both(target.key, ends);
                *moved = Queues::of(&slave, &master) != Queues::of(&pty.slave, &pty.master);
            }
        }
    }
    moved
}

/// One look.
struct Look {
    ptys: Vec<PtyFacts>,
    processes: Processes,
}

impl Look {
    fn take(machine: &Machine, targets: &[Target]) -> Self {
        let mut processes = Processes::new();
        let ptys = targets
            .iter()
            .map(|target| look_at(target, machine, &mut processes))
            .collect();
        Self { ptys, processes }
    }

    /// Says of each call whether it is the one of the look before.
    fn compare(&mut self, before: &Self, moved: &[bool]) {
        for ((pty, old), moved) in self.ptys.iter_mut().zip(&before.ptys).zip(moved) {
            let [now, then] = [&*pty, old].map(|pty| Queues::of(&pty.slave, &pty.master));
            pty.has_moved = Some(*moved || now != then);
            let holders = pty.slave_holders.iter_mut().chain(&mut pty.master_holders);
            for holder in holders {
                let looks = [&self.processes, &before.processes].map(|all| all.get(&holder.pid));
                if let [Some(now), Some(then)] = looks {
                    compare_holder(holder, now, then);
                }
            }
        }
    }

    fn judged(self, unseen: Unseen) -> (Vec<PtyFacts>, Unseen) {
        let mut ptys = self.ptys;
        for pty in &mut ptys {
            pty.findings = judge(pty, &unseen);
        }
        (ptys, unseen)
    }
}

/// Whether what the holders have open has a name still, whatever it is: a slave
/// loses it when the master is closed (`devpts_pty_kill` in fs/devpts/inode.c).
fn has_name(ends: &[(u32, Vec<Held>)]) -> bool {
    each(ends).any(|(pid, fd)| {
        let open = std::fs::metadata(format!("/proc/{pid}/fd/{fd}"));
        open.is_ok_and(|open| open.st_nlink() > 0)
    })
}

fn compare_holder(holder: &mut Holder, now: &ProcessLook, then: &ProcessLook) {
    holder.has_written = now.written.zip(then.written).map(|(now, then)| now != then);
    for call in &mut holder.calls {
        let at = |look: &'_ ProcessLook| {
            let mut threads = look.threads.iter();
            threads.find(|thread| thread.tid == call.tid).cloned()
        };
        let (Some(now), then) = (at(now), at(then)) else {
            continue;
        };
        let since = then.is_some_and(|then| now.is_since(&then));
        call.is_stuck = Some(since);
        if since {
            call.asleep_ms = asleep::asleep_ms(holder.pid, call.tid, now.stat.cpu);
        }
    }
}

/// What moves when somebody reads: FIONREAD and POLLOUT of an end.
type Queue = Option<(Option<u64>, bool)>;

/// Those of both ends.
#[derive(PartialEq, Eq)]
struct Queues {
    slave: Queue,
    master: Queue,
}

impl Queues {
    fn of(slave: &Answer<SlaveState>, master: &Answer<MasterState>) -> Self {
        let slave = slave.said();
        let master = master.said();
        Self {
            slave: slave.map(|slave| (slave.queued, slave.is_writable)),
            master: master.map(|master| (master.queued, master.is_writable)),
        }
    }
}

/// Asks both ends; whether the slave's holder was gone when it had answered.
/// The master tells first whether the slave may be opened.
fn ask_both(key: PtyKey, ends: &Ends) -> (Answer<SlaveState>, Answer<MasterState>, bool) {
    let master = ask_master(key, &ends.master);
    let is_locked = master.said().and_then(|master| master.is_locked) == Some(true);
    let (slave, is_gone) = ask_slave(key, &ends.slave, is_locked);
    (slave, master, is_gone)
}

fn look_at(target: &Target, machine: &Machine, processes: &mut Processes) -> PtyFacts {
    let none = Ends::default();
    let ends = machine.ends.ptys.get(&target.key).unwrap_or(&none);
    let (slave, master, was_closed_meanwhile) = ask_both(target.key, ends);
    let said = master.said();
    let by_master = said.and_then(|master| Some((master.session?, master.foreground)));
    // A master that says it is nobody's is believed.
    let is_nobodys = said.is_some_and(|master| master.session.is_none());
    let session = match is_nobodys {
        true => None,
        false => machine.session(target.key, by_master),
    };
    PtyFacts {
        path: target.path.display().to_string(),
        index: target.key.index,
        exists: !ends.master.is_empty() || is_there(target) || has_name(&ends.slave),
        slave_holders: holders(&ends.slave, machine, processes),
        master_holders: holders(&ends.master, machine, processes),
        session,
        slave,
        master,
        has_moved: None,
        was_closed_meanwhile,
        findings: Vec::new(),
    }
}

fn is_there(target: &Target) -> bool {
    Device::at(&target.path).is_some_and(|device| device.file_system == target.key.instance)
}

fn holders(ends: &[(u32, Vec<Held>)], machine: &Machine, processes: &mut Processes) -> Vec<Holder> {
    let holder = |(pid, held): &(u32, Vec<Held>)| {
        let stat = machine.process(*pid)?;
        let look = processes
            .entry(*pid)
            .or_insert_with(|| calls::look_at(*pid));
        let first = look.threads.iter().find(|look| look.tid == *pid);
        Some(Holder {
            pid: *pid,
            comm: stat.comm.clone(),
            state: first.map_or(stat.state, |look| look.stat.state),
            session: stat.session,
            group: stat.group,
            descriptors: held.clone(),
            calls: look
                .threads
                .iter()
                .filter_map(|look| call(look, held))
                .collect(),
            doing: first.map_or("has ended".to_owned(), ThreadLook::doing),
            calls_seen: look.calls_seen,
            has_written: None,
        })
    };
    ends.iter().filter_map(holder).collect()
}

/// The call of a thread, if it is one on these descriptors.
fn call(look: &ThreadLook, held: &[Held]) -> Option<Call> {
    let (name, way, fd) = look.transfer()?;
    held.iter().any(|held| held.fd == fd).then(|| Call {
        tid: look.tid,
        name: name.to_owned(),
        way,
        fd,
        wchan: look.wchan.clone(),
        is_stuck: None,
        asleep_ms: None,
    })
}

fn ask_master(key: PtyKey, ends: &[(u32, Vec<Held>)]) -> Answer<MasterState> {
    let is_it = |fd: &OwnedFd| crate::pty::index(fd).is_ok_and(|index| index == key.index);
    let mut why = "no process that can be seen holds it".to_owned();
    for (pid, fd) in each(ends) {
        match copy::copy(pid, fd).map(|copy| (is_it(&copy), copy)) {
            Ok((true, copy)) => match ask::master(&copy) {
                Ok(state) => return Answer::Copied(state),
                Err(error) => why = error.to_string(),
            },
            Ok((false, _)) => why = "its holder closed it meanwhile".to_owned(),
            Err(errno) => why = refused("copy", pid, fd, errno),
        }
    }
    Answer::NotAsked(why)
}

/// Asks the slave; whether its holder was gone when it had answered.
fn ask_slave(
    key: PtyKey,
    ends: &[(u32, Vec<Held>)],
    is_locked: bool,
) -> (Answer<SlaveState>, bool) {
    let is_gone = |pid, fd| {
        let now = Device::at(format!("/proc/{pid}/fd/{fd}"));
        now.and_then(Device::slave_index) != Some(key.index)
    };
    let is_it = |fd: &OwnedFd| {
        let device = copy::device(fd);
        device.is_some_and(|device| {
            device.file_system == key.instance && device.slave_index() == Some(key.index)
        })
    };
    let mut why = "nobody is seen to hold it, and an open would disturb it".to_owned();
    for (pid, fd) in each(ends) {
        match copy::copy(pid, fd) {
            Ok(copied) if is_it(&copied) => match ask::slave(&copied) {
                Ok(state) => return (Answer::Copied(state), is_gone(pid, fd)),
                Err(error) => why = error.to_string(),
            },
            Ok(_) => why = "its holder closed it meanwhile".to_owned(),
            Err(errno) if is_locked => why = refused("copy", pid, fd, errno),
            Err(_) => match copy::reopen(pid, fd) {
                Ok(opened) if is_it(&opened) => match ask::slave(&opened) {
                    Ok(state) => return (Answer::Opened(state), is_gone(pid, fd)),
                    Err(error) => why = error.to_string(),
                },
                Ok(_) => why = "its holder closed it meanwhile".to_owned(),
                Err(errno) => why = refused("open", pid, fd, errno),
            },
        }
    }
    (Answer::NotAsked(why), false)
}

/// Descriptors to try; what was opened as /dev/tty is not sure to be this one.
fn each(ends: &[(u32, Vec<Held>)]) -> impl Iterator<Item = (u32, i32)> {
    ends.iter().flat_map(|(pid, held)| {
        let own = held.iter().filter(|held| !held.as_own_terminal);
        own.map(|held| (*pid, held.fd)).collect::<Vec<_>>()
    })
}

fn refused(action: &str, pid: u32, fd: i32, errno: Errno) -> String {
    let hint = match errno {
        Errno::EBUSY => "; it is in exclusive mode (TIOCEXCL): run as root",
        Errno::EPERM | Errno::EACCES => "; run as root",
        Errno::ENOSYS => "; it takes Linux 5.6",
        _ => "",
    };
    format!(
        "cannot {action} descriptor {fd} of process {pid}: {errno:?} ({}){hint}",
        errno.desc()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::Kind;
    use crate::inspect::ends::instance_at;
    use crate::inspect::target::DEVPTS;
    use crate::pty::{Mode, Pair};

    /// A pty of a devpts that has no name here, and whose master is not seen.
    #[test]
    fn a_pty_without_a_name_here_is_not_called_hung_up() {
        let pair = Pair::open(Mode::COOKED).unwrap();
        let key = PtyKey {
            instance: instance_at(DEVPTS.as_ref()).unwrap(),
            index: pair.index(),
        };
        let target = Target {
            key,
            path: format!("{} of another devpts", key.index).into(),
        };
        let look = || {
            let mut machine = Machine::look().unwrap();
            machine.ends.ptys.get_mut(&key).unwrap().master.clear();
            let (mut ptys, _) = settle(machine, std::slice::from_ref(&target)).unwrap();
            ptys.remove(0)
        };
        let is = |pty: &PtyFacts, kind| pty.findings.iter().any(|finding| finding.kind == kind);
        let seen = look();
        assert!(
            seen.exists && is(&seen, Kind::MasterHolderUnseen),
            "{seen:?}"
        );
        let (master, _slave) = pair.into_fds();
        drop(master);
        let seen = look();
        assert!(!seen.exists && is(&seen, Kind::HungUp), "{seen:?}");
    }
}
