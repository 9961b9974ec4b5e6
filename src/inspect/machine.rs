//! One look at all processes.

use std::collections::BTreeMap;
use std::os::linux::fs::MetadataExt;

use nix::unistd::geteuid;

use crate::host::ProcessStat;
use crate::host::terminals::{OpenTerminals, processes};

use super::ends::{AllEnds, PtyKey, usual_instance};
use super::target::Error;
use super::{Named, Session, Unseen};

/// What all processes were at one moment.
#[derive(Debug)]
pub struct Machine {
    /// Who has which end of which pty.
    pub ends: AllEnds,
    /// What could not be seen.
    pub unseen: Unseen,
    processes: BTreeMap<u32, ProcessStat>,
}

impl Machine {
    /// Looks at every process and every descriptor.
    ///
    /// # Errors
    /// Where there is no /proc.
    pub fn look() -> Result<Self, Error> {
        let open = OpenTerminals::look().map_err(Error::NoProc)?;
        let ends = AllEnds::of(&open);
        let pids = processes().map_err(Error::NoProc)?;
        Ok(Self {
            unseen: Unseen {
                processes: open.hidden,
                hidepid: hidepid(),
                masters: ends.lost_masters,
            },
            ends,
            processes: pids
                .filter_map(|pid| Some((pid, ProcessStat::of(pid)?)))
                .collect(),
        })
    }

    /// A process.
    pub fn process(&self, pid: u32) -> Option<&ProcessStat> {
        self.processes.get(&pid)
    }

    /// The session of a pty: as the master says, else as the processes of it
    /// say that are surely of this devpts and no other.
    pub fn session(&self, key: PtyKey, by_master: Option<(i32, Option<i32>)>) -> Option<Session> {
        let (id, foreground) = match by_master {
            Some(said) => said,
            None => self.session_by_processes(key)?,
        };
        let named = |(&pid, stat): (&u32, &ProcessStat)| Named {
            pid,
            comm: stat.comm.clone(),
        };
        let leader = u32::try_from(id)
            .ok()
            .and_then(|pid| self.processes.get_key_value(&pid));
        let in_front = |stat: &ProcessStat| {
            stat.session == id && Some(stat.group) == foreground && stat.state != 'Z'
        };
        let members = self.processes.iter().filter(|(_, stat)| in_front(stat));
        Some(Session {
            id,
            leader: leader.map(named),
            foreground,
            members: members.map(named).collect(),
        })
    }

    fn session_by_processes(&self, key: PtyKey) -> Option<(i32, Option<i32>)> {
        let of_number = |stat: &ProcessStat| stat.terminal_index() == Some(key.index);
        let holds = |pid: &u32| {
            let ends = self.ends.ptys.get(&key);
            ends.is_some_and(|ends| ends.slave.iter().any(|(holder, _)| holder == pid))
        };
        let mut candidates = self.processes.iter().filter(|(_, stat)| of_number(stat));
        let (_, stat) = candidates
            .find(|(pid, _)| holds(pid) || usual_instance(**pid) == Some(key.instance))?;
        Some((
            stat.session,
            Some(stat.foreground).filter(|&group| group > 0),
        ))
    }
}

/// What /proc leaves out (proc(5)), where it does so from this process: a
/// process of another user that can be seen tells that it does not.
fn hidepid() -> Option<String> {
    let own = geteuid().as_raw();
    let init = std::fs::metadata("/proc/1").ok().map(|init| init.st_uid());
    if own == 0 || init.is_some_and(|owner| owner != own) && ProcessStat::of(1).is_some() {
        return None;
    }
    let text = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    // The last mount on /proc is the one that is seen.
    let line = text.lines().rfind(|line| {
        let mut fields = line.split(' ');
        fields.nth(4) == Some("/proc") && line.contains(" - proc ")
    })?;
    hidepid_of(line)
}

fn hidepid_of(line: &str) -> Option<String> {
    let options = line.rsplit(' ').next()?.split(',');
    let value = options
        .filter_map(|option| option.strip_prefix("hidepid="))
        .next()?;
    (!matches!(value, "0" | "off")).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidepid_is_read_in_both_forms() {
        let line = |options| format!("22 27 0:21 / /proc rw,relatime - proc proc {options}");
        for (options, want) in [
            ("rw", None),
            ("rw,hidepid=0", None),
            ("rw,hidepid=2,gid=4", Some("2")),
            ("rw,hidepid=invisible", Some("invisible")),
        ] {
            assert_eq!(hidepid_of(&line(options)).as_deref(), want);
        }
    }
}
