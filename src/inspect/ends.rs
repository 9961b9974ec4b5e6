//! Which descriptors are ends of which pty.

use std::collections::BTreeMap;
use std::fs;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::statfs::statfs;

use crate::host::ProcessStat;
use crate::host::terminals::{OpenTerminals, TerminalDescriptor};

use super::copy::copy;
use super::{Flags, Held};

/// One pty among all devpts instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtyKey {
    /// The st_dev of its devpts instance.
    pub instance: u64,
    /// Its number there.
    pub index: u32,
}

/// Who has the two ends of one pty open: processes, with their descriptors.
#[derive(Debug, Clone, Default)]
pub struct Ends {
    /// Of the slave.
    pub slave: Vec<(u32, Vec<Held>)>,
    /// Of the master.
    pub master: Vec<(u32, Vec<Held>)>,
}

/// The ends of all ptys that are open somewhere.
#[derive(Debug, Default)]
pub struct AllEnds {
    /// By pty.
    pub ptys: BTreeMap<PtyKey, Ends>,
    /// Masters of which it could not be told to which devpts they belong.
    pub lost_masters: u32,
}

impl AllEnds {
    /// Sorts what is open by pty.
    pub fn of(open: &OpenTerminals) -> Self {
        let mut all = Self::default();
        for user in &open.users {
            for descriptor in &user.descriptors {
                all.add(user.pid, descriptor);
            }
        }
        all
    }

    fn add(&mut self, pid: u32, descriptor: &TerminalDescriptor) {
        let info = FdInfo::of(pid, descriptor.fd);
        if info.is_path_only {
            return;
        }
        let held = Held {
            fd: descriptor.fd,
            flags: info.flags.map(|flags| Flags {
                close_on_exec: closes_on_exec(pid, descriptor, flags),
                ..flags
            }),
            as_own_terminal: descriptor.device.is_own_terminal(),
        };
        if descriptor.device.is_multiplexer() {
            match master_key(pid, descriptor, info.tty_index) {
                Some(key) => put(&mut self.ptys.entry(key).or_default().master, pid, held),
                None => self.lost_masters += 1,
            }
        } else if let Some(key) = slave_key(pid, descriptor) {
            put(&mut self.ptys.entry(key).or_default().slave, pid, held);
        }
    }
}

/// What fdinfo says of FD_CLOEXEC, unless it may be wrong. It adds O_CLOEXEC to
/// the flags of the open file, and those have it already if the file came from
/// TIOCGPTPEER with O_CLOEXEC (`ptm_open_peer` in pty.c passes all flags on;
/// seen on 6.18, where open(2) keeps it out). F_GETFL of a copy shows which.
fn closes_on_exec(pid: u32, descriptor: &TerminalDescriptor, flags: Flags) -> Option<bool> {
    if flags.close_on_exec != Some(true) || descriptor.device.is_multiplexer() {
        return flags.close_on_exec;
    }
    let copied = copy(pid, descriptor.fd).ok()?;
    let own = fcntl(&copied, FcntlArg::F_GETFL).ok()?;
    (own & libc::O_CLOEXEC == 0).then_some(true)
}

fn put(holders: &mut Vec<(u32, Vec<Held>)>, pid: u32, held: Held) {
    match holders.last_mut() {
        Some((last, descriptors)) if *last == pid => descriptors.push(held),
        _ => holders.push((pid, vec![held])),
    }
}

fn slave_key(pid: u32, descriptor: &TerminalDescriptor) -> Option<PtyKey> {
    if let Some(index) = descriptor.device.slave_index() {
        return Some(PtyKey {
            instance: descriptor.device.file_system,
            index,
        });
    }
    // /dev/tty: the terminal of its session.
    Some(PtyKey {
        index: ProcessStat::of(pid)?.terminal_index()?,
        instance: usual_instance(pid)?,
    })
}

/// fdinfo has a master's number as `tty-index` (4.17 does, 4.8 does not); a copy
/// of the master tells it too.
fn master_key(pid: u32, descriptor: &TerminalDescriptor, index: Option<u32>) -> Option<PtyKey> {
    let asked = || crate::pty::index(copy(pid, descriptor.fd).ok()?).ok();
    Some(PtyKey {
        index: index.or_else(asked)?,
        instance: instance_of_master(pid, descriptor)?,
    })
}

/// The devpts instance of a master: that of the ptmx it was opened by, if that
/// is in one, else the one mounted on "pts" beside it (devpts_mntget in
/// fs/devpts/inode.c, Linux 4.7).
fn instance_of_master(pid: u32, descriptor: &TerminalDescriptor) -> Option<u64> {
    if is_devpts(Path::new(&format!("/proc/{pid}/fd/{}", descriptor.fd))) {
        return Some(descriptor.device.file_system);
    }
    instance_at(&seen_by(pid, descriptor.name.parent()?).join("pts"))
}

/// The devpts instance at /dev/pts as a process sees it.
pub fn usual_instance(pid: u32) -> Option<u64> {
    instance_at(&seen_by(pid, Path::new("/dev/pts")))
}

/// The devpts instance whose root is at `directory`.
pub fn instance_at(directory: &Path) -> Option<u64> {
    is_devpts(directory).then(|| Some(fs::metadata(directory).ok()?.st_dev()))?
}

/// A path of a process's own, as it can be reached from here.
fn seen_by(pid: u32, path: &Path) -> PathBuf {
    let below = path.strip_prefix("/").unwrap_or(path);
    Path::new(&format!("/proc/{pid}/root")).join(below)
}

/// DEVPTS_SUPER_MAGIC of linux/magic.h.
fn is_devpts(path: &Path) -> bool {
    statfs(path).is_ok_and(|found| found.filesystem_type().0 == 0x1cd1)
}

/// What /proc/PID/fdinfo/FD tells of a descriptor (proc_pid_fdinfo(5)).
#[derive(Debug, Default, PartialEq, Eq)]
struct FdInfo {
    flags: Option<Flags>,
    /// Opened with O_PATH: it names the terminal and does not hold it.
    is_path_only: bool,
    tty_index: Option<u32>,
}

impl FdInfo {
    fn of(pid: u32, fd: i32) -> Self {
        let text = fs::read_to_string(format!("/proc/{pid}/fdinfo/{fd}"));
        text.map(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Self {
        let mut info = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
            match name {
                "flags" => {
                    let Ok(bits) = i32::from_str_radix(value.trim(), 8) else {
                        continue;
                    };
                    info.is_path_only = bits & libc::O_PATH != 0;
                    info.flags = Some(flags(bits));
                }
                "tty-index" => info.tty_index = value.trim().parse().ok(),
                _ => {}
            }
        }
        info
    }
}

fn flags(bits: i32) -> Flags {
    let access = bits & libc::O_ACCMODE;
    Flags {
        reads: access != libc::O_WRONLY,
        writes: access != libc::O_RDONLY,
        nonblocking: bits & libc::O_NONBLOCK != 0,
        close_on_exec: Some(bits & libc::O_CLOEXEC != 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fdinfo_tells_how_a_master_was_opened_and_its_number() {
        let octal = |bits: i32| format!("pos:\t0\nflags:\t0{bits:o}\nmnt_id:\t24\n");
        let text = octal(libc::O_RDWR | libc::O_CLOEXEC) + "tty-index:\t17\n";
        let info = FdInfo::parse(&text);
        assert_eq!(info.tty_index, Some(17));
        let flags = info.flags.unwrap();
        assert!(flags.reads && flags.writes && !flags.nonblocking);
        assert_eq!(flags.close_on_exec, Some(true));
        let flags = FdInfo::parse(&octal(libc::O_NONBLOCK)).flags.unwrap();
        assert!(flags.reads && !flags.writes && flags.nonblocking);
        assert!(FdInfo::parse(&octal(libc::O_PATH)).is_path_only);
        assert_eq!(FdInfo::parse("flags:\tx\n"), FdInfo::default());
    }

    #[test]
    fn a_path_that_only_names_a_slave_does_not_hold_it() {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::OpenOptionsExt;
        let pair = crate::pty::Pair::open(crate::pty::Mode::RAW).unwrap();
        let mut named = fs::OpenOptions::new();
        let named = named.read(true).custom_flags(libc::O_PATH);
        let named = named.open(pair.slave_path()).unwrap();
        let all = AllEnds::of(&OpenTerminals::look().unwrap());
        let key = PtyKey {
            instance: instance_at(Path::new("/dev/pts")).unwrap(),
            index: pair.index(),
        };
        let ends = &all.ptys[&key];
        let ours = |holders: &[(u32, Vec<Held>)]| {
            let own = holders.iter().find(|(pid, _)| *pid == std::process::id());
            let fds = own.map(|(_, held)| held.iter().map(|held| held.fd).collect::<Vec<_>>());
            fds.unwrap_or_default()
        };
        let fd = |end| pair.fd(end).as_raw_fd();
        assert_eq!(ours(&ends.slave), [fd(crate::pty::End::Slave)]);
        assert_eq!(ours(&ends.master), [fd(crate::pty::End::Master)]);
        assert!(!ours(&ends.slave).contains(&named.as_raw_fd()));
    }
}
