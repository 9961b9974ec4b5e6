//! What a check is given: the kernel, a deadline, and ways to open ptys and to
//! wait. No wait is a sleep; each looks until the deadline.

mod io;

use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;

use super::Stop;
use super::entry::Gates;
use super::expect::ok;
use super::sys::{Attr, Fd, Sys, req};
use crate::pty::KernelVersion;

/// The surroundings of one check.
#[derive(Debug)]
pub struct Cx {
    /// The kernel.
    pub sys: Sys,
    /// The longest that one wait may take before the check fails.
    pub deadline: Duration,
    /// The running kernel's release.
    pub release: KernelVersion,
    /// Where a check's pseudo-random numbers start.
    pub seed: u64,
    /// Speeds that it must keep.
    pub gates: Gates,
}

/// A fresh pty of a check, both ends non-blocking.
#[derive(Debug)]
pub(super) struct Pty {
    pub(super) master: Fd,
    pub(super) slave: Fd,
    pub(super) index: u32,
}

impl Pty {
    /// The slave's name.
    pub(super) fn path(&self) -> String {
        format!("/dev/pts/{}", self.index)
    }
}

pub(super) const PTMX: &str = "/dev/ptmx";

/// How pty ends are opened: for both directions, as nobody's controlling
/// terminal, non-blocking.
pub(super) const FLAGS: OFlag = OFlag::O_RDWR
    .union(OFlag::O_NOCTTY)
    .union(OFlag::O_NONBLOCK);

impl Cx {
    /// A master whose slave is locked.
    pub(super) fn master(&self) -> Result<Fd, Stop> {
        self.sys.open(PTMX, FLAGS).map_err(|errno| match errno {
            Errno::ENOENT => Stop::Env(format!(
                "{PTMX}: ENOENT: no devpts is mounted behind it, or the kernel has none \
                 (CONFIG_UNIX98_PTYS)"
            )),
            Errno::ENODEV | Errno::ENXIO => {
                Stop::Env(format!("{PTMX}: {errno:?}: no devpts is mounted beside it"))
            }
            Errno::EACCES | Errno::EPERM => {
                Stop::Env(format!("{PTMX}: {errno:?}: its mode forbids it"))
            }
            Errno::ENOSPC => Stop::Env("every pty is in use (ENOSPC)".to_owned()),
            Errno::EMFILE | Errno::ENFILE => {
                Stop::Env(format!("{errno:?}: no descriptor is left to open {PTMX}"))
            }
            other => Stop::fail(format!("open {PTMX} succeeds"), format!("{other:?}")),
        })
    }

    /// N of `/dev/pts/N`.
    pub(super) fn index(&self, master: &Fd) -> Result<u32, Stop> {
        let index = ok("TIOCGPTN", self.sys.ioctl_int(master, req::TIOCGPTN, 0))?;
        u32::try_from(index).map_err(|_| Stop::fail("TIOCGPTN: a number", index.to_string()))
    }

    /// Unlocks the slave.
    pub(super) fn unlock(&self, master: &Fd) -> Result<(), Stop> {
        ok(
            "TIOCSPTLCK 0",
            self.sys.ioctl_int(master, req::TIOCSPTLCK, 0),
        )
        .map(drop)
    }

    /// Opens the slave of an unlocked master: without its path where the
    /// kernel can (TIOCGPTPEER, 4.13), else by its path.
    pub(super) fn slave(&self, master: &Fd) -> Result<Fd, Stop> {
        let index = self.index(master)?;
        match self.sys.peer(master, (FLAGS | OFlag::O_CLOEXEC).bits()) {
            Err(Errno::ENOTTY | Errno::EINVAL | Errno::EPERM | Errno::ENOSYS) => {
                self.open_slave(index)
            }
            other => ok("TIOCGPTPEER", other),
        }
    }

    /// Opens `/dev/pts/N` by name.
    pub(super) fn open_slave(&self, index: u32) -> Result<Fd, Stop> {
        let path = format!("/dev/pts/{index}");
        self.sys.open(&path, FLAGS).map_err(|errno| match errno {
            Errno::ENOENT => Stop::Env(format!("{path}: ENOENT: is devpts mounted at /dev/pts?")),
            Errno::EACCES => Stop::Env(format!("{path}: EACCES: its mode forbids it")),
            other => Stop::fail(format!("open {path} succeeds"), format!("{other:?}")),
        })
    }

    /// A new pty with the termios that the kernel gives it.
    pub(super) fn pty(&self) -> Result<Pty, Stop> {
        let master = self.master()?;
        self.unlock(&master)?;
        let slave = self.slave(&master)?;
        let index = self.index(&master)?;
        Ok(Pty {
            master,
            slave,
            index,
        })
    }

    /// A new pty in raw mode.
    pub(super) fn raw(&self) -> Result<Pty, Stop> {
        self.with(Attr::raw)
    }

    /// A new pty with changed termios.
    pub(super) fn with(&self, change: impl FnOnce(Attr) -> Attr) -> Result<Pty, Stop> {
        let pty = self.pty()?;
        self.change(&pty.slave, change)?;
        Ok(pty)
    }

    /// A new pty in canonical mode without echo.
    pub(super) fn canon(&self) -> Result<Pty, Stop> {
        self.with(|attr| attr.lflag(libc::ECHO, false))
    }

    /// Changes termios at once.
    pub(super) fn change(&self, fd: &Fd, change: impl FnOnce(Attr) -> Attr) -> Result<(), Stop> {
        let attr = ok("tcgetattr", self.sys.attr(fd))?;
        ok(
            "tcsetattr",
            self.sys.set_attr(fd, libc::TCSANOW, &change(attr)),
        )
    }
}
