//! Which programs have a slave open.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::host::terminals::{Device, OpenTerminals};
use crate::sample::Client;

/// It looks up at most so often while nobody comes or goes.
const EVERY: Duration = Duration::from_millis(900);

/// The programs that have each of `slaves` open. Those of other users are seen
/// by root only.
///
/// It looks at every descriptor of the machine, so ask about all slaves at
/// once, and seldom.
pub fn clients_of(slaves: &[&Path]) -> Vec<Vec<Client>> {
    let devices: Vec<_> = slaves.iter().map(Device::at).collect();
    let mut found = vec![Vec::new(); slaves.len()];
    let own = std::process::id();
    let users = OpenTerminals::look().unwrap_or_default().users;
    for user in users.iter().filter(|user| user.pid != own) {
        for (clients, device) in found.iter_mut().zip(&devices) {
            let has = |device| user.descriptors.iter().any(|open| open.device == device);
            if device.is_some_and(has) {
                clients.push(Client {
                    pid: user.pid,
                    program: program(user.pid),
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
