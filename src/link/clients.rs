//! Which programs have a slave open.

use std::collections::BTreeSet;
use std::fs;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sample::Client;

/// It looks up at most so often while nobody comes or goes.
const EVERY: Duration = Duration::from_millis(900);

/// The programs that have each of `slaves` open, by the descriptors in
/// /proc/PID/fd (proc_pid_fd(5)). Those of other users are seen by root only.
///
/// It looks at every descriptor of the machine, so ask about all slaves at
/// once, and seldom.
pub fn clients_of(slaves: &[&Path]) -> Vec<Vec<Client>> {
    let devices: Vec<_> = slaves.iter().map(|slave| device(slave)).collect();
    let mut found = vec![Vec::new(); slaves.len()];
    let own = std::process::id();
    for pid in processes().filter(|&pid| pid != own) {
        let open = open_devices(pid);
        for (clients, device) in found.iter_mut().zip(&devices) {
            if device.is_some_and(|device| open.contains(&device)) {
                clients.push(Client {
                    pid,
                    program: program(pid),
                });
            }
        }
    }
    found
}

/// Who was seen at the ends, looked up seldom.
#[derive(Debug, Default)]
pub struct Clients {
    looked_up: Option<Instant>,
    now: Vec<Vec<Client>>,
    last: Vec<Vec<Client>>,
}

impl Clients {
    /// Looks up who has `slaves` open, if that was long ago or `has_changed`.
    pub fn look(&mut self, slaves: &[&Path], has_changed: bool) {
        let is_fresh = |at: Instant| at.elapsed() < EVERY && !has_changed;
        if self.looked_up.is_some_and(is_fresh) {
            return;
        }
        self.now = clients_of(slaves);
        self.looked_up = Some(Instant::now());
        self.last.resize(slaves.len(), Vec::new());
        for (last, now) in self.last.iter_mut().zip(&self.now) {
            if !now.is_empty() {
                last.clone_from(now);
            }
        }
    }

    /// Who has the slave number `at` open, and who had when somebody was seen
    /// there last; None where nobody has looked.
    pub fn of(&self, at: usize) -> Option<(Vec<Client>, Vec<Client>)> {
        Some((self.now.get(at)?.clone(), self.last.get(at)?.clone()))
    }
}

/// What tells one slave from another, also in different devpts instances.
type Device = (u64, u64);

fn device(path: &Path) -> Option<Device> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.st_dev(), metadata.st_rdev()))
}

fn processes() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn open_devices(pid: u32) -> BTreeSet<Device> {
    let descriptors = fs::read_dir(PathBuf::from(format!("/proc/{pid}/fd")));
    descriptors
        .into_iter()
        .flatten()
        .filter_map(|entry| device(&entry.ok()?.path()))
        .collect()
}

fn program(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::process::Command;

    use super::*;
    use crate::link::port::{Access, Port};

    #[test]
    fn a_program_is_found_by_what_it_has_open() {
        let ports = [(); 2].map(|()| Port::open(Access::default()).unwrap());
        let slave = File::open(ports[0].slave()).unwrap();
        let mut child = Command::new("sleep")
            .arg("60")
            .stdin(slave)
            .spawn()
            .unwrap();
        let found = clients_of(&[ports[0].slave(), ports[1].slave()]);
        child.kill().unwrap();
        child.wait().unwrap();
        let pids: Vec<_> = found[0].iter().map(|client| client.pid).collect();
        assert_eq!(pids, [child.id()]);
        assert_eq!(found[1], []);
    }
}
