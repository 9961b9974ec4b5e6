//! The waits, reads and writes that checks are made of.

use std::time::Duration;

use nix::errno::Errno;

use super::Cx;
use crate::check::Stop;
use crate::check::expect::{bytes, ok};
use crate::check::patience::Patience;
use crate::check::sys::{Fd, IN, OUT, req};
use crate::pty::capacity::READ_QUEUE;
use crate::words::counted;

impl Cx {
    /// FIONREAD.
    pub(in crate::check) fn queued(&self, fd: &Fd) -> Result<i32, Stop> {
        ok("FIONREAD", self.sys.ioctl_int(fd, req::FIONREAD, 0))
    }

    /// Looks until `look` finds something; `what` names what was waited for,
    /// and `look` says what was there instead.
    pub(in crate::check) fn until<T>(
        &self,
        what: &str,
        look: impl FnMut() -> Result<Result<T, String>, Stop>,
    ) -> Result<T, Stop> {
        self.until_within(self.deadline, what, look)
    }

    /// The same with another deadline.
    pub(in crate::check) fn until_within<T>(
        &self,
        deadline: Duration,
        what: &str,
        mut look: impl FnMut() -> Result<Result<T, String>, Stop>,
    ) -> Result<T, Stop> {
        let mut patience = Patience::new(deadline);
        loop {
            // Asked before the look: it always looks once more at the end.
            let late = patience.over();
            match look()? {
                Ok(found) => return Ok(found),
                Err(seen) if late => {
                    return Err(Stop::fail(format!("{what} within {deadline:?}"), seen));
                }
                Err(_) => patience.nap(),
            }
        }
    }

    /// Waits until FIONREAD is `want`.
    pub(in crate::check) fn until_queued(&self, fd: &Fd, want: i32) -> Result<(), Stop> {
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
    pub(in crate::check) fn until_ready(
        &self,
        fd: &Fd,
        events: i16,
        what: &str,
    ) -> Result<i16, Stop> {
        let mut patience = Patience::new(self.deadline);
        loop {
            let late = patience.over();
            match ok("poll", self.sys.poll(fd, events, patience.slice()))? {
                0 if late => {
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
    pub(in crate::check) fn read(&self, fd: &Fd, max: usize) -> Result<Vec<u8>, Stop> {
        let mut patience = Patience::new(self.deadline);
        loop {
            let late = patience.over();
            match self.sys.read(fd, max) {
                Err(Errno::EAGAIN | Errno::EINTR) if late => {
                    return Err(Stop::fail(
                        format!("data within {:?}", self.deadline),
                        "none: read says EAGAIN",
                    ));
                }
                Err(Errno::EAGAIN | Errno::EINTR) => {
                    let revents = ok("poll", self.sys.poll(fd, IN, patience.slice()))?;
                    if revents != 0 && revents & IN == 0 {
                        patience.nap();
                    }
                }
                other => return ok("read", other),
            }
        }
    }

    /// Reads until `n` bytes came (or an end: a read of 0 bytes).
    pub(in crate::check) fn read_exactly(&self, fd: &Fd, n: usize) -> Result<Vec<u8>, Stop> {
        let mut data = Vec::with_capacity(n);
        while data.len() < n {
            let got = data.len();
            let more = self.read(fd, n - got).map_err(|stop| {
                stop.within(format_args!("{} (after {got})", counted(n, "byte")))
            })?;
            if more.is_empty() {
                return Err(Stop::fail(
                    counted(n, "byte"),
                    format!("an end after {got}"),
                ));
            }
            data.extend_from_slice(&more);
        }
        Ok(data)
    }

    /// Reads until the data ends with `marker`, which was sent after all else:
    /// what came before it is all that there is.
    pub(in crate::check) fn read_until(&self, fd: &Fd, marker: &[u8]) -> Result<Vec<u8>, Stop> {
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
    pub(in crate::check) fn write(&self, fd: &Fd, data: &[u8]) -> Result<(), Stop> {
        let mut patience = Patience::new(self.deadline);
        let mut rest = data;
        while !rest.is_empty() {
            let late = patience.over();
            match self.sys.write(fd, rest) {
                Ok(n) => {
                    rest = rest.get(n..).unwrap_or_default();
                    patience = Patience::new(self.deadline);
                }
                Err(Errno::EAGAIN) if late => {
                    return Err(Stop::fail(
                        format!("room for a write within {:?}", self.deadline),
                        format!("EAGAIN with {} to go", counted(rest.len(), "byte")),
                    ));
                }
                Err(Errno::EAGAIN) => {
                    ok("poll", self.sys.poll(fd, OUT, patience.slice()))?;
                }
                Err(Errno::EINTR) => {}
                Err(errno) => return ok("write", Err(errno)),
            }
        }
        Ok(())
    }

    /// Writes all of `data` and waits until the other end has it queued.
    pub(in crate::check) fn deliver(&self, from: &Fd, to: &Fd, data: &[u8]) -> Result<(), Stop> {
        let before = self.queued(to)?;
        self.write(from, data)?;
        self.until_queued(to, before + data.len() as i32)
    }

    /// Writes `chunk` bytes at a time until EAGAIN; returns how many bytes
    /// were taken.
    pub(in crate::check) fn fill(&self, fd: &Fd, chunk: &[u8]) -> Result<usize, Stop> {
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
                    format!("{} taken", counted(total, "byte")),
                ));
            }
        }
    }

    /// Writes until nothing more is taken and none will be: the reader's queue
    /// was full before the write that was refused, so the worker, which frees
    /// buffers as it fills that queue, has nothing left to do.
    pub(in crate::check) fn settle(&self, from: &Fd, to: &Fd, chunk: &[u8]) -> Result<usize, Stop> {
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
    pub(in crate::check) fn drain(&self, fd: &Fd, n: usize) -> Result<(), Stop> {
        let mut got = 0;
        while got < n {
            let more = self.read(fd, (n - got).min(4096))?.len();
            if more == 0 {
                return Err(Stop::fail(
                    counted(n, "byte"),
                    format!("an end after {got}"),
                ));
            }
            got += more;
        }
        Ok(())
    }

    /// Reads the `taken` bytes that are queued, then passes `end`: nothing else
    /// may come before it.
    pub(in crate::check) fn write_end_after(
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
        bytes("what comes after the bytes taken", &after, end)
    }

    /// What a non-blocking read says now.
    pub(in crate::check) fn peek(&self, fd: &Fd) -> nix::Result<Vec<u8>> {
        self.sys.read(fd, 4096)
    }
}

fn tail(data: &[u8]) -> String {
    let from = data.len().saturating_sub(40);
    format!(
        "{} \"{}\"",
        counted(data.len(), "byte"),
        data[from..].escape_ascii()
    )
}
