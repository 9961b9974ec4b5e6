//! Which processes have which terminals open, by /proc/PID/fd (proc_pid_fd(5)).

use std::fs;
use std::io::{self, ErrorKind};
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::sys::stat::{major, minor};

use super::ProcessStat;

/// A device node: what tells one slave from another, also in different devpts
/// instances, which count their ptys each for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device {
    /// The file system that the node is in (st_dev).
    pub file_system: u64,
    /// The device's number (st_rdev).
    pub number: u64,
}

/// One descriptor of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalDescriptor {
    /// Its number.
    pub fd: i32,
    /// What is open there.
    pub device: Device,
    /// The name that the kernel knows it by, in the process's own view.
    pub name: PathBuf,
}

/// A process that has terminals open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalUser {
    /// The process.
    pub pid: u32,
    /// Its descriptors of terminals, by number.
    pub descriptors: Vec<TerminalDescriptor>,
}

/// All that this process may see of who has a terminal open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenTerminals {
    /// Those that have one, this process among them.
    pub users: Vec<TerminalUser>,
    /// Processes whose descriptors are not ours to see; kernel threads, which
    /// have none, are not counted where they can be told.
    pub hidden: u32,
}

impl Device {
    /// The node at `path`, through links; None where there is no device.
    pub fn at(path: impl AsRef<Path>) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        (metadata.st_rdev() != 0).then(|| Self {
            file_system: metadata.st_dev(),
            number: metadata.st_rdev(),
        })
    }

    /// N, if it is the slave of a pty: Linux's Unix98 slaves are 136:N
    /// (Documentation/admin-guide/devices.txt; majors 137 to 143 are reserved
    /// for them and not used since minors have 20 bits).
    pub fn slave_index(self) -> Option<u32> {
        (major(self.number) == 136).then(|| u32::try_from(minor(self.number)).ok())?
    }

    /// Whether it is /dev/ptmx, whose every open is a new master.
    pub fn is_multiplexer(self) -> bool {
        (major(self.number), minor(self.number)) == (5, 2)
    }

    /// Whether it is /dev/tty, the terminal of whoever opens it.
    pub fn is_own_terminal(self) -> bool {
        (major(self.number), minor(self.number)) == (5, 0)
    }

    fn is_terminal(self) -> bool {
        self.slave_index().is_some() || self.is_multiplexer() || self.is_own_terminal()
    }
}

impl OpenTerminals {
    /// Looks at every descriptor of the machine: seldom, then.
    ///
    /// # Errors
    /// Where there is no /proc.
    pub fn look() -> io::Result<Self> {
        let mut found = Self::default();
        for pid in processes()? {
            match descriptors(pid) {
                Ok(descriptors) if descriptors.is_empty() => {}
                Ok(descriptors) => found.users.push(TerminalUser { pid, descriptors }),
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    let kernel = ProcessStat::of(pid).is_some_and(|stat| stat.is_kernel_thread());
                    found.hidden += u32::from(!kernel);
                }
                // It has ended meanwhile.
                Err(_) => {}
            }
        }
        Ok(found)
    }
}

/// All processes that /proc shows.
///
/// # Errors
/// Where there is no /proc.
pub fn processes() -> io::Result<impl Iterator<Item = u32>> {
    let entries = fs::read_dir("/proc")?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()))
}

/// The terminals that a process has open.
///
/// # Errors
/// PermissionDenied where it is not ours to see, NotFound when it has ended.
pub fn descriptors(pid: u32) -> io::Result<Vec<TerminalDescriptor>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
        let entry = entry?;
        let fd = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let path = entry.path();
        let (Some(fd), Ok(name)) = (fd, fs::read_link(&path)) else {
            continue;
        };
        // A file system that does not answer would keep stat(2) for ever.
        if !may_be_terminal(&name) {
            continue;
        }
        let device = Device::at(&path).filter(|device| device.is_terminal());
        found.extend(device.map(|device| TerminalDescriptor { fd, device, name }));
    }
    found.sort_by_key(|descriptor| descriptor.fd);
    Ok(found)
}

/// In a devpts, wherever it is, slaves have a number for a name and masters are
/// of ptmx; what is mounted over another name is in some /dev.
fn may_be_terminal(name: &Path) -> bool {
    let name = name.to_string_lossy();
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
    let last = name.rsplit('/').next().unwrap_or_default();
    let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    name.contains("/dev/") || last == "ptmx" || is_number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pty::{End, Mode, Pair};

    #[test]
    fn names_that_no_terminal_has_are_not_looked_at() {
        for name in [
            "/dev/pts/7",
            "/dev/pts/7 (deleted)",
            "/mnt/x/12",
            "/mnt/x/ptmx",
            "/dev/tty",
            "/dev/pts/ptmx",
            "/srv/root/dev/console",
        ] {
            assert!(may_be_terminal(Path::new(name)), "{name}");
        }
        for name in ["socket:[7]", "/mnt/nfs/file", "anon_inode:[eventfd]", "/"] {
            assert!(!may_be_terminal(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn both_ends_of_a_pty_are_found_in_this_process() {
        use std::os::fd::AsRawFd;
        let pair = Pair::open(Mode::RAW).unwrap();
        let own = descriptors(std::process::id()).unwrap();
        let at = |end| {
            let fd = pair.fd(end).as_raw_fd();
            own.iter().find(|found| found.fd == fd).unwrap()
        };
        assert!(at(End::Master).device.is_multiplexer());
        assert_eq!(at(End::Slave).device.slave_index(), Some(pair.index()));
        assert_eq!(Some(at(End::Slave).device), Device::at(pair.slave_path()));
    }
}
