//! Opening a pseudo-terminal.

use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode as FileMode;
use serde::{Deserialize, Serialize};

use super::error::open_hint;
use super::{Error, Mode, Result, ioctl};

/// One of the two ends of a pty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The end that a terminal emulator holds (`/dev/ptmx`).
    Master,
    /// The end that a program sees as its terminal (`/dev/pts/N`).
    Slave,
}

impl End {
    /// The other end.
    pub fn peer(self) -> Self {
        match self {
            Self::Master => Self::Slave,
            Self::Slave => Self::Master,
        }
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Master => "master",
            Self::Slave => "slave",
        })
    }
}

/// Both ends of one pty. Dropping it closes them.
#[derive(Debug)]
pub struct Pair {
    master: OwnedFd,
    slave: OwnedFd,
    index: u32,
}

impl Pair {
    /// Opens a new pty with both ends close-on-exec and nobody's controlling
    /// terminal, in the given mode.
    ///
    /// # Errors
    /// What the kernel said, with advice: ENODEV and ENOENT without devpts,
    /// EACCES with `ptmxmode=000`, ENOSPC when all ptys are in use, EMFILE
    /// when all descriptors are.
    pub fn open(mode: Mode) -> Result<Self> {
        const PTMX: &str = "/dev/ptmx";
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let master = open(PTMX, flags, FileMode::empty())
            .map_err(|errno| Error::new("open", PTMX, errno).or_hint(open_hint(errno)))?;
        let index = ioctl::index(&master)?;
        ioctl::unlock_slave(&master)?;
        let slave = open_slave(&master, index, flags)?;
        mode.apply(&slave)?;
        Ok(Self {
            master,
            slave,
            index,
        })
    }

    /// The descriptor of one end.
    pub fn fd(&self, end: End) -> BorrowedFd<'_> {
        match end {
            End::Master => self.master.as_fd(),
            End::Slave => self.slave.as_fd(),
        }
    }

    /// N of `/dev/pts/N`.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// The slave's path on the usual devpts mount.
    pub fn slave_path(&self) -> PathBuf {
        slave_path(self.index)
    }

    /// Gives up both descriptors: master, then slave.
    pub fn into_fds(self) -> (OwnedFd, OwnedFd) {
        (self.master, self.slave)
    }
}

fn slave_path(index: u32) -> PathBuf {
    Path::new("/dev/pts").join(index.to_string())
}

/// TIOCGPTPEER finds the slave even where its path belongs to another devpts
/// mount; kernels before 4.13 do not have it and answer ENOTTY or EINVAL.
fn open_slave(master: &OwnedFd, index: u32, flags: OFlag) -> Result<OwnedFd> {
    match ioctl::peer(master, flags.bits()) {
        // SAFETY: the kernel just returned this descriptor, so nobody else owns it.
        Ok(fd) => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        Err(Errno::ENOTTY | Errno::EINVAL) => {
            let path = slave_path(index);
            open(&path, flags, FileMode::empty()).map_err(|errno| {
                Error::new("open", path.display().to_string(), errno).or_hint(open_hint(errno))
            })
        }
        Err(errno) => Err(
            Error::new("open", format!("the slave of pty {index}"), errno)
                .or_hint(open_hint(errno)),
        ),
    }
}

#[cfg(test)]
mod tests {
    use nix::unistd::{read, write};

    use super::*;

    #[test]
    fn bytes_cross_a_raw_pair_unchanged_both_ways() {
        let pair = Pair::open(Mode::RAW).unwrap();
        let message: Vec<u8> = (0..=255).collect();
        for end in [End::Master, End::Slave] {
            write(pair.fd(end), &message).unwrap();
            let mut got = Vec::new();
            while got.len() < message.len() {
                let mut buffer = [0; 256];
                let n = read(pair.fd(end.peer()), &mut buffer).unwrap();
                got.extend_from_slice(&buffer[..n]);
            }
            assert_eq!(got, message, "written to the {end}");
        }
    }
}
