//! One end of a link: a pty whose master we hold and whose slave clients open.

use std::fs::{self, Permissions};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{Gid, chown, read, write};

use crate::pty::{self, End, Flag, Mode, Pair, packet_mode, queued_input};

/// Who may open the slaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    /// The slaves' permission bits; None: those of the devpts mount.
    pub mode: Option<u32>,
    /// The slaves' group; None: that of the devpts mount.
    pub group: Option<Gid>,
}

/// The first byte of a read in packet mode that brings data (`TIOCPKT_DATA`).
pub const DATA: u8 = 0;

/// A master in packet mode that never blocks, and the path of its slave.
#[derive(Debug)]
pub struct Port {
    master: OwnedFd,
    slave: PathBuf,
}

impl Port {
    /// Opens a new raw pty. Its slave is closed again, so that from now on the
    /// master tells whether anybody else has it open: POLLHUP is on from the
    /// last close to the next open (`TTY_OTHER_CLOSED`, drivers/tty/pty.c).
    ///
    /// # Errors
    /// When the kernel refuses a pty, or the slave's mode or group.
    pub fn open(access: Access) -> pty::Result<Self> {
        let pair = Pair::open(Mode::RAW)?;
        let slave = pair.slave_path();
        access.apply(&slave)?;
        let master = pair.fd(End::Master);
        packet_mode(master, true)?;
        fcntl(master, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
            .map_err(|errno| pty::Error::new("set O_NONBLOCK of", "the master", errno))?;
        let (master, _) = pair.into_fds();
        Ok(Self { master, slave })
    }

    /// The slave's path.
    pub fn slave(&self) -> &Path {
        &self.slave
    }

    /// Reads what is there: a status byte, or [`DATA`] and bytes.
    ///
    /// # Errors
    /// EAGAIN when there is nothing, EIO when moreover nobody has the slave
    /// open.
    pub fn read(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        read(&self.master, buffer)
    }

    /// Whether nothing waits to be read at the slave, which nobody may have open:
    /// it is opened for a moment. `false` where it cannot be known.
    pub fn is_read_empty(&self) -> bool {
        // In canonical mode a line without its end is there and does not show.
        if !Mode::of(&self.master).is_ok_and(|mode| !mode.has(Flag::Icanon)) {
            return false;
        }
        let flags = OFlag::O_RDONLY | OFlag::O_NOCTTY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let Ok(slave) = open(&self.slave, flags, nix::sys::stat::Mode::empty()) else {
            return false;
        };
        let mut entries = [PollFd::new(slave.as_fd(), PollFlags::POLLIN)];
        // A poll that finds nothing waits for what is in flip buffers (n_tty_poll,
        // before 3.12 and since 4.6), so that FIONREAD counts it.
        poll(&mut entries, PollTimeout::ZERO).is_ok_and(|ready| ready == 0)
            && queued_input(&slave).is_ok_and(|bytes| bytes == 0)
    }

    /// Writes what there is room for.
    ///
    /// # Errors
    /// EAGAIN when there is none.
    pub fn write(&self, data: &[u8]) -> Result<usize, Errno> {
        write(&self.master, data)
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

impl Access {
    fn apply(self, slave: &Path) -> pty::Result<()> {
        let path = || slave.display().to_string();
        if let Some(group) = self.group {
            chown(slave, None, Some(group)).map_err(|errno| {
                pty::Error::new("set the group of", path(), errno)
                    .or_hint(Some("only a group that you belong to can be given"))
            })?;
        }
        // After the group: chown(2) may clear permission bits.
        if let Some(mode) = self.mode {
            fs::set_permissions(slave, Permissions::from_mode(mode & 0o777)).map_err(|error| {
                let errno = error.raw_os_error().map_or(Errno::EIO, Errno::from_raw);
                pty::Error::new("set the mode of", path(), errno)
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn slaves_have_the_mode_and_group_that_were_asked_for() {
        let access = Access {
            mode: Some(0o640),
            group: Some(nix::unistd::getgid()),
        };
        let port = Port::open(access).unwrap();
        let metadata = fs::metadata(port.slave()).unwrap();
        assert_eq!(metadata.mode() & 0o777, 0o640);
        assert_eq!(metadata.gid(), nix::unistd::getgid().as_raw());
    }
}
