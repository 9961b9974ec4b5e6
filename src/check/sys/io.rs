//! Files: open, read, write, close, and what stat(2) says of them.

use std::os::fd::AsRawFd;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, open};
use nix::libc;
use nix::sys::stat::{self, FileStat, Mode};
use nix::unistd;

use super::{Effect, Fd, Role, Sys, bend};

/// What stat(2) says of a file, as far as checks look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Device of the file system.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
    /// Type and permissions.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// The device that the node stands for.
    pub rdev: u64,
    /// Last change of the data, in seconds.
    pub mtime: i64,
}

impl From<FileStat> for Stat {
    fn from(stat: FileStat) -> Self {
        Self {
            dev: stat.st_dev,
            ino: stat.st_ino,
            mode: stat.st_mode,
            uid: stat.st_uid,
            gid: stat.st_gid,
            rdev: stat.st_rdev,
            mtime: stat.st_mtime,
        }
    }
}

impl Stat {
    /// Major and minor of the device that the node stands for.
    pub fn device(&self) -> (u64, u64) {
        (stat::major(self.rdev), stat::minor(self.rdev))
    }

    fn bent(mut self, effect: Option<Effect>) -> nix::Result<Self> {
        match effect {
            Some(Effect::Errno(errno)) => return Err(Errno::from_raw(errno)),
            Some(Effect::Bits { field, set, clear }) => match field.as_str() {
                "mode" => self.mode = bend(self.mode.into(), set, clear) as u32,
                "uid" => self.uid = bend(self.uid.into(), set, clear) as u32,
                "ino" => self.ino = bend(self.ino, set, clear),
                "rdev" => self.rdev = bend(self.rdev, set, clear),
                _ => {}
            },
            Some(Effect::Add(seconds)) => self.mtime += seconds,
            _ => {}
        }
        Ok(self)
    }
}

impl Sys {
    /// open(2); the role follows from the path.
    pub fn open(&self, path: impl AsRef<Path>, flags: OFlag) -> nix::Result<Fd> {
        let path = path.as_ref();
        let role = match path.to_str() {
            Some("/dev/tty") => Role::Tty,
            Some(text) if text.ends_with("ptmx") => Role::Master,
            Some(text) if text.contains("/pts/") => Role::Slave,
            _ => Role::Other,
        };
        self.open_as(path, flags, role)
    }

    /// open(2) of a path that does not tell its role.
    pub fn open_as(&self, path: impl AsRef<Path>, flags: OFlag, role: Role) -> nix::Result<Fd> {
        let go = || open(path.as_ref(), flags | OFlag::O_CLOEXEC, Mode::empty());
        let fd = match self.effect("open", role) {
            Some(Effect::Errno(errno)) => return Err(Errno::from_raw(errno)),
            _ => go()?,
        };
        Ok(Fd::new(fd, role))
    }

    /// close(2). A fault leaves the file open, as a forgotten duplicate would.
    pub fn close(&self, fd: Fd) {
        match self.effect("close", fd.role) {
            Some(_) => std::mem::forget(fd),
            None => drop(fd),
        }
    }

    /// read(2) of up to `max` bytes. Faults of `data` strike only reads that
    /// brought some.
    pub fn read(&self, fd: &Fd, max: usize) -> nix::Result<Vec<u8>> {
        let effect = self.effect("read", fd.role);
        if let Some(Effect::Errno(errno)) = effect {
            return Err(Errno::from_raw(errno));
        }
        let mut data = vec![0; max];
        let read = unistd::read(fd, &mut data);
        if let Some(Effect::Bytes(bytes)) = effect {
            return Ok(bytes);
        }
        data.truncate(read?);
        let Some(&first) = data.first() else {
            return Ok(data);
        };
        match self.effect("data", fd.role) {
            Some(Effect::Drop) => drop(data.remove(0)),
            Some(Effect::DropLast) => drop(data.pop()),
            Some(Effect::Flip) => data[0] ^= 1,
            Some(Effect::Double) => data.insert(0, first),
            _ => {}
        }
        Ok(data)
    }

    /// write(2).
    pub fn write(&self, fd: &Fd, data: &[u8]) -> nix::Result<usize> {
        let effect = self.effect("write", fd.role);
        let altered: Vec<u8>;
        let mut sent = data;
        match effect {
            Some(Effect::Errno(errno)) => return Err(Errno::from_raw(errno)),
            Some(Effect::Return(n)) => return Ok(usize::try_from(n).unwrap_or(0)),
            Some(Effect::Drop) => sent = data.get(1..).unwrap_or_default(),
            Some(Effect::Bytes(bytes)) => {
                altered = bytes;
                sent = &altered;
            }
            _ => {}
        }
        let n = unistd::write(fd, sent)?;
        Ok(if sent.len() == data.len() {
            n
        } else {
            data.len()
        })
    }

    /// fstat(2).
    pub fn fstat(&self, fd: &Fd) -> nix::Result<Stat> {
        Stat::from(stat::fstat(fd)?).bent(self.effect("fstat", fd.role))
    }

    /// stat(2).
    pub fn stat(&self, path: impl AsRef<Path>) -> nix::Result<Stat> {
        match (self.effect("stat", Role::Other), stat::stat(path.as_ref())) {
            // A name that is gone is made to last by a number instead of an errno.
            (Some(Effect::Return(_)), Err(_)) => Ok(Stat::from(stat::stat("/dev/null")?)),
            (effect, found) => Stat::from(found?).bent(effect),
        }
    }

    /// The text of a small file, as those of /proc.
    pub fn text(&self, path: &str) -> nix::Result<String> {
        self.text_as(path, path)
    }

    /// The same of a file whose path differs from run to run; faults know it
    /// by `name`.
    pub fn text_as(&self, name: &str, path: &str) -> nix::Result<String> {
        match self.effect(name, Role::Other) {
            Some(Effect::Errno(errno)) => return Err(Errno::from_raw(errno)),
            Some(Effect::Text(text)) => return Ok(text),
            _ => {}
        }
        std::fs::read_to_string(path)
            .map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO)))
    }

    /// readlink(2).
    pub fn link(&self, path: &str) -> nix::Result<String> {
        match self.effect("readlink", Role::Other) {
            Some(Effect::Errno(errno)) => Err(Errno::from_raw(errno)),
            Some(Effect::Text(text)) => Ok(text),
            _ => nix::fcntl::readlink(path).map(|target| target.to_string_lossy().into_owned()),
        }
    }

    /// Turns O_NONBLOCK of an open file on or off.
    pub fn nonblocking(&self, fd: &Fd, on: bool) -> nix::Result<()> {
        let mut flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
        flags.set(OFlag::O_NONBLOCK, on);
        fcntl(fd, FcntlArg::F_SETFL(flags)).map(drop)
    }

    /// Another descriptor of the same open file.
    pub fn dup(&self, fd: &Fd) -> nix::Result<Fd> {
        Ok(Fd::new(unistd::dup(fd)?, fd.role))
    }

    /// Whether the descriptor closes on exec.
    pub fn closes_on_exec(&self, fd: &Fd) -> nix::Result<bool> {
        self.call("F_GETFD", fd.role, || {
            fcntl(fd, FcntlArg::F_GETFD).map(i64::from)
        })
        .map(|flags| flags & i64::from(libc::FD_CLOEXEC) != 0)
    }

    /// isatty(3): whether TCGETS is answered.
    pub fn is_tty(&self, fd: &Fd) -> bool {
        self.call("isatty", fd.role, || {
            // SAFETY: isatty takes a descriptor by value and touches no memory of ours.
            Ok(i64::from(unsafe { libc::isatty(fd.fd.as_raw_fd()) }))
        }) == Ok(1)
    }
}
