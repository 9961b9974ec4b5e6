//! Which pty is meant.

use std::fs;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::host::errno_text;
use crate::host::terminals::Device;

use super::ends::{Ends, PtyKey, instance_at};
use super::machine::Machine;

/// A pty that is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The pty.
    pub key: PtyKey,
    /// The slave's name.
    pub path: PathBuf,
}

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no /proc.
    #[error("cannot list the processes in /proc: {}; mount it: mount -t proc proc /proc", errno_text(.0))]
    NoProc(#[source] io::Error),
    /// /dev/pts is no devpts.
    #[error("no devpts is mounted on {}: mount -t devpts devpts /dev/pts -o gid=5,mode=620,ptmxmode=666", .0.display())]
    NoDevpts(PathBuf),
    /// No such pty.
    #[error("there is no pty {}: {why}; `ptyscope inspect` without a name lists all", name.display())]
    NoSuchPty {
        /// What was named.
        name: PathBuf,
        /// What there is instead.
        why: String,
    },
    /// A process whose ptys cannot be listed.
    #[error("cannot list the ptys of process {pid}: {why}")]
    Process {
        /// The process.
        pid: u32,
        /// Why, and what to do.
        why: String,
    },
}

/// The usual devpts.
pub const DEVPTS: &str = "/dev/pts";

/// The pty that `name` means: `/dev/pts/7`, `7`, `pts/7`, or a link to one.
///
/// # Errors
/// When it means none.
pub fn named(name: &Path, machine: &Machine) -> Result<Target, Error> {
    let path = in_full(name);
    let refuse = |why: String| Error::NoSuchPty {
        name: name.to_owned(),
        why,
    };
    let metadata = match fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) => {
            // A slave that is still held after its master is gone has no name.
            let target = at(&path).filter(|target| machine.ends.ptys.contains_key(&target.key));
            let why = || format!("{}: {}", path.display(), errno_text(&error));
            return target.ok_or_else(|| refuse(why()));
        }
    };
    let device = Device {
        file_system: metadata.st_dev(),
        number: metadata.st_rdev(),
    };
    match device.slave_index() {
        Some(index) => Ok(Target {
            key: PtyKey {
                instance: device.file_system,
                index,
            },
            path: fs::canonicalize(&path).unwrap_or(path),
        }),
        None => Err(refuse(what_else(&path, device))),
    }
}

fn what_else(path: &Path, device: Device) -> String {
    let path = path.display();
    if device.is_multiplexer() {
        format!(
            "{path} makes a new pty at every open; --pid finds those of a process that has masters"
        )
    } else if device.is_own_terminal() {
        format!("{path} is another terminal for each process; tty(1) tells its name")
    } else {
        format!("{path} is no slave of a pty")
    }
}

/// `7` and `pts/7` are in /dev; what else is there goes before.
fn in_full(name: &Path) -> PathBuf {
    let text = name.to_string_lossy();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(&text) {
        return Path::new(DEVPTS).join(name);
    }
    let number = text.strip_prefix("pts/");
    if number.is_some_and(is_number) && !name.exists() {
        return Path::new("/dev").join(name);
    }
    name.to_owned()
}

/// The pty of that name, by the devpts that it would be in.
fn at(path: &Path) -> Option<Target> {
    Some(Target {
        key: PtyKey {
            index: path.file_name()?.to_str()?.parse().ok()?,
            instance: instance_at(path.parent()?)?,
        },
        path: path.to_owned(),
    })
}

/// Every pty that process `pid` has open, by either end.
///
/// # Errors
/// When there is none, or they are not ours to see.
pub fn of_process(pid: u32, machine: &Machine) -> Result<Vec<Target>, Error> {
    let refuse = |why: &str| Error::Process {
        pid,
        why: why.to_owned(),
    };
    if let Err(error) = fs::read_dir(format!("/proc/{pid}/fd")) {
        return Err(match error.kind() {
            io::ErrorKind::NotFound => refuse("there is no such process"),
            io::ErrorKind::PermissionDenied => {
                refuse("EACCES (Permission denied): it is another user's; run as root")
            }
            _ => refuse(&errno_text(&error)),
        });
    }
    let usual = instance_at(Path::new(DEVPTS));
    let has = |holders: &[(u32, Vec<_>)]| holders.iter().any(|(holder, _)| *holder == pid);
    let open = machine
        .ends
        .ptys
        .iter()
        .filter(|(_, ends)| has(&ends.slave) || has(&ends.master));
    let found: Vec<Target> = open
        .map(|(&key, ends)| Target {
            key,
            path: path_of(key, usual, pid, ends),
        })
        .collect();
    if found.is_empty() {
        return Err(refuse("it has no pty open"));
    }
    Ok(found)
}

/// Its name here, or the one by which that process can be asked for it.
fn path_of(key: PtyKey, usual: Option<u64>, pid: u32, ends: &Ends) -> PathBuf {
    let here = Path::new(DEVPTS).join(key.index.to_string());
    if usual == Some(key.instance) {
        return here;
    }
    let held = ends.slave.iter().find(|(holder, _)| *holder == pid);
    let opened = held
        .and_then(|(_, held)| fs::read_link(format!("/proc/{pid}/fd/{}", held.first()?.fd)).ok());
    let below = |path: &Path| format!("/proc/{pid}/root{}", path.display()).into();
    let candidates = [
        opened.clone(),
        opened.as_deref().map(below),
        Some(below(&here)),
    ];
    let is_it = |path: &PathBuf| {
        let device = Device::at(path);
        device.is_some_and(|device| {
            device.file_system == key.instance && device.slave_index() == Some(key.index)
        })
    };
    let mut names = candidates.into_iter().flatten();
    names
        .find(is_it)
        .unwrap_or_else(|| PathBuf::from(format!("{} of another devpts", key.index)))
}

/// All ptys of the devpts on /dev/pts, also those that are closed at the master
/// and still held.
///
/// # Errors
/// When there is no devpts.
pub fn all(machine: &Machine) -> Result<Vec<Target>, Error> {
    let devpts = Path::new(DEVPTS);
    let missing = || Error::NoDevpts(devpts.to_owned());
    let instance = instance_at(devpts).ok_or_else(missing)?;
    let entries = fs::read_dir(devpts).map_err(|_| missing())?;
    let mut found: Vec<Target> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .map(|index| PtyKey { instance, index })
        .chain(machine.ends.ptys.keys().copied())
        .filter(|key| key.instance == instance)
        .map(|key| Target {
            key,
            path: devpts.join(key.index.to_string()),
        })
        .collect();
    found.sort();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_completed() {
        for (name, full) in [
            ("7", "/dev/pts/7"),
            ("pts/7", "/dev/pts/7"),
            ("/dev/pts/7", "/dev/pts/7"),
            ("./7", "./7"),
            ("pts/ptmx", "pts/ptmx"),
            ("", ""),
        ] {
            assert_eq!(in_full(Path::new(name)), Path::new(full));
        }
    }
}
