//! What a check is given: the kernel, a deadline, and the waits that every
//! check is made of. No wait is a sleep; each looks until the deadline.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;

use super::Stop;
use super::entry::Gates;
use super::expect::ok;
use super::sys::{Attr, Fd, IN, OUT, Sys, req};
use crate::pty::KernelVersion;
use crate::pty::capacity::READ_QUEUE;

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
            Errno::ENODEV | Errno::ENOENT | Errno::ENXIO => {
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

    /// FIONREAD.
    pub(super) fn queued(&self, fd: &Fd) -> Result<i32, Stop> {
        ok("FIONREAD", self.sys.ioctl_int(fd, req::FIONREAD, 0))
    }

    /// Looks until `look` finds something; `what` names what was waited for
    /// and `seen` what was there instead.
    pub(super) fn until<T>(
        &self,
        what: &str,
        mut look: impl FnMut() -> Result<Result<T, String>, Stop>,
    ) -> Result<T, Stop> {
        let start = Instant::now();
        loop {
            // The clock is read first: a process that was off the CPU for long
            // still looks once more before it gives up.
            let late = start.elapsed() >= self.deadline;
            match look()? {
                Ok(found) => return Ok(found),
                Err(seen) if late => {
                    return Err(Stop::fail(
                        format!("{what} within {:?}", self.deadline),
                        seen,
                    ));
                }
                Err(_) => nap(start),
            }
        }
    }

    /// Waits until FIONREAD is `want`.
    pub(super) fn until_queued(&self, fd: &Fd, want: i32) -> Result<(), Stop> {
        self.until(&format!("FIONREAD {want}"), || {
            let got = self.queued(fd)?;
            Ok(if got == want {
                Ok(())
            } else {
                Err(got.to_string())
            })
        })
    }

    /// Waits for one of `events`; fails when none comes.
    pub(super) fn until_ready(&self, fd: &Fd, events: i16, what: &str) -> Result<i16, Stop> {
        let start = Instant::now();
        loop {
            let left = self.deadline.saturating_sub(start.elapsed());
            match ok("poll", self.sys.poll(fd, events, left))? {
                0 if left.is_zero() => {
                    return Err(Stop::fail(
                        format!("{what} within {:?}", self.deadline),
                        "poll reported nothing",
                    ));
                }
                0 => {}
                revents => return Ok(revents),
            }
        }
    }

    /// One read, as soon as there is something: up to `max` bytes.
    pub(super) fn read(&self, fd: &Fd, max: usize) -> Result<Vec<u8>, Stop> {
        let start = Instant::now();
        loop {
            let left = self.deadline.saturating_sub(start.elapsed());
            match self.sys.read(fd, max) {
                Err(Errno::EAGAIN | Errno::EINTR) if left.is_zero() => {
                    return Err(Stop::fail(
                        format!("data within {:?}", self.deadline),
                        "none: read says EAGAIN",
                    ));
                }
                Err(Errno::EAGAIN | Errno::EINTR) => {
                    let revents = ok("poll", self.sys.poll(fd, IN, left))?;
                    if revents != 0 && revents & IN == 0 {
                        nap(start);
                    }
                }
                other => return ok("read", other),
            }
        }
    }

    /// Reads until `n` bytes came (or an end: a read of 0 bytes).
    pub(super) fn read_exactly(&self, fd: &Fd, n: usize) -> Result<Vec<u8>, Stop> {
        let mut data = Vec::with_capacity(n);
        while data.len() < n {
            let got = data.len();
            let more = self
                .read(fd, n - got)
                .map_err(|stop| stop.within(format_args!("{n} bytes (after {got})")))?;
            if more.is_empty() {
                return Err(Stop::fail(
                    format!("{n} bytes"),
                    format!("an end after {got}"),
                ));
            }
            data.extend_from_slice(&more);
        }
        Ok(data)
    }

    /// Reads until the data ends with `marker`, which was sent after all else:
    /// what came before it is all that there is.
    pub(super) fn read_until(&self, fd: &Fd, marker: &[u8]) -> Result<Vec<u8>, Stop> {
        let mut data = Vec::new();
        while !data.ends_with(marker) {
            let more = self.read(fd, 4096).map_err(|stop| {
                let seen = tail(&data);
                stop.within(format_args!("\"{}\" (after {seen})", marker.escape_ascii()))
            })?;
            if more.is_empty() {
                return Err(Stop::fail(
                    format!("\"{}\"", marker.escape_ascii()),
                    format!("an end after {}", tail(&data)),
                ));
            }
            data.extend_from_slice(&more);
        }
        Ok(data)
    }

    /// Writes all of `data`.
    pub(super) fn write(&self, fd: &Fd, data: &[u8]) -> Result<(), Stop> {
        let mut start = Instant::now();
        let mut rest = data;
        while !rest.is_empty() {
            match self.sys.write(fd, rest) {
                Ok(n) => {
                    rest = rest.get(n..).unwrap_or_default();
                    start = Instant::now();
                }
                Err(Errno::EAGAIN) if start.elapsed() >= self.deadline => {
                    return Err(Stop::fail(
                        format!("room for a write within {:?}", self.deadline),
                        format!("EAGAIN with {} bytes to go", rest.len()),
                    ));
                }
                // Looks again and again: a sleeping poller is woken by the
                // reader alone, not by the worker that makes room.
                Err(Errno::EAGAIN) => {
                    let slice = Duration::from_millis(5).min(self.deadline);
                    ok("poll", self.sys.poll(fd, OUT, slice))?;
                }
                Err(Errno::EINTR) => {}
                Err(errno) => return ok("write", Err(errno)),
            }
        }
        Ok(())
    }

    /// Writes all of `data` and waits until the other end has it queued.
    pub(super) fn deliver(&self, from: &Fd, to: &Fd, data: &[u8]) -> Result<(), Stop> {
        let before = self.queued(to)?;
        self.write(from, data)?;
        self.until_queued(to, before + data.len() as i32)
    }

    /// Writes `chunk` bytes at a time until EAGAIN; returns how many bytes
    /// were taken.
    pub(super) fn fill(&self, fd: &Fd, chunk: &[u8]) -> Result<usize, Stop> {
        const ENOUGH: usize = 1 << 20;
        let mut total = 0;
        loop {
            match self.sys.write(fd, chunk) {
                Ok(n) => total += n,
                Err(Errno::EAGAIN) => return Ok(total),
                Err(errno) => return ok("write", Err(errno)),
            }
            if total > ENOUGH {
                return Err(Stop::fail(
                    "EAGAIN from a full pty",
                    format!("{total} bytes taken"),
                ));
            }
        }
    }

    /// Writes until nothing more is taken and none will be: the reader's queue
    /// was full before the write that was refused, so the worker, which frees
    /// buffers as it fills that queue, has nothing left to do.
    pub(super) fn settle(&self, from: &Fd, to: &Fd, chunk: &[u8]) -> Result<usize, Stop> {
        let mut total = 0;
        self.until("a full pty", || {
            let queued = self.queued(to)?;
            let more = self.fill(from, chunk)?;
            total += more;
            Ok(if more == 0 && queued >= READ_QUEUE as i32 {
                Ok(())
            } else {
                Err(format!("FIONREAD {queued}"))
            })
        })?;
        Ok(total)
    }

    /// Reads and drops whatever comes until `n` bytes have.
    pub(super) fn drain(&self, fd: &Fd, n: usize) -> Result<(), Stop> {
        let mut got = 0;
        while got < n {
            let more = self.read(fd, (n - got).min(4096))?.len();
            if more == 0 {
                return Err(Stop::fail(
                    format!("{n} bytes"),
                    format!("an end after {got}"),
                ));
            }
            got += more;
        }
        Ok(())
    }

    /// Reads the `taken` bytes that are queued, then passes `end`: nothing else
    /// may come before it.
    pub(super) fn write_end_after(
        &self,
        from: &Fd,
        to: &Fd,
        taken: usize,
        end: &[u8],
    ) -> Result<(), Stop> {
        self.drain(to, taken)
            .map_err(|stop| stop.within("the bytes taken are the bytes read"))?;
        self.write(from, end)?;
        let after = self.read_until(to, end)?;
        super::expect::bytes("what comes after the bytes taken", &after, end)
    }

    /// What a non-blocking read says now.
    pub(super) fn peek(&self, fd: &Fd) -> nix::Result<Vec<u8>> {
        self.sys.read(fd, 4096)
    }
}

/// Lets others run: the first looks follow each other at once, later ones
/// after a millisecond, since what is waited for may need this CPU.
pub(super) fn nap(since: Instant) {
    if since.elapsed() < Duration::from_millis(1) {
        std::thread::yield_now();
    } else {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn tail(data: &[u8]) -> String {
    let from = data.len().saturating_sub(40);
    format!("{} bytes \"{}\"", data.len(), data[from..].escape_ascii())
}
