//! Bytes to and from a terminal with a time limit.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use nix::unistd::{read, write};

use super::TransferError;

/// How long a wait may last before it is looked whether somebody asked to end.
const SLICE: Duration = Duration::from_millis(100);

/// One side of a line.
pub struct Wire<'a> {
    fd: BorrowedFd<'a>,
    name: &'a str,
    stop: &'a AtomicBool,
    buffer: Vec<u8>,
    /// What of the buffer has not been given out.
    left: std::ops::Range<usize>,
}

impl<'a> Wire<'a> {
    /// The side behind `fd`, a raw terminal with O_NONBLOCK set, which is called
    /// `name`; every wait fails with [`TransferError::Interrupted`] once `stop`
    /// is true.
    pub fn new(fd: BorrowedFd<'a>, name: &'a str, stop: &'a AtomicBool) -> Self {
        Self {
            fd,
            name,
            stop,
            buffer: vec![0; 4096],
            left: 0..0,
        }
    }

    /// Writes all of `data`, waiting for room as long as it takes.
    pub fn send(&self, data: &[u8]) -> Result<(), TransferError> {
        let mut data = data;
        while !data.is_empty() {
            match write(self.fd, data) {
                Ok(n) => data = &data[n.min(data.len())..],
                Err(Errno::EAGAIN) => drop(self.wait(PollFlags::POLLOUT, Duration::MAX)?),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(self.error("write to", errno)),
            }
        }
        Ok(())
    }

    /// The next byte, or None when none has come within `patience`.
    pub fn byte(&mut self, patience: Duration) -> Result<Option<u8>, TransferError> {
        if self.left.is_empty() && !self.fill(patience)? {
            return Ok(None);
        }
        let byte = self.buffer.get(self.left.start).copied();
        self.left.start += 1;
        Ok(byte)
    }

    /// Fills `out` to `length`; `false` when no byte has come for `patience`.
    pub fn bytes(
        &mut self,
        length: usize,
        out: &mut Vec<u8>,
        patience: Duration,
    ) -> Result<bool, TransferError> {
        while out.len() < length {
            if self.left.is_empty() && !self.fill(patience)? {
                return Ok(false);
            }
            let take = self.left.len().min(length - out.len());
            let end = self.left.start + take;
            out.extend(self.buffer.get(self.left.start..end).unwrap_or_default());
            self.left.start = end;
        }
        Ok(true)
    }

    /// Forgets what has come but was not asked for.
    pub fn forget(&mut self) {
        self.left = 0..0;
    }

    /// Forgets everything until nothing has come for `quiet`.
    pub fn purge(&mut self, quiet: Duration) -> Result<(), TransferError> {
        self.forget();
        while self.fill(quiet)? {
            self.forget();
        }
        Ok(())
    }

    fn error(&self, action: &'static str, errno: Errno) -> TransferError {
        TransferError::Io {
            action,
            object: self.name.to_owned(),
            errno,
        }
    }

    fn fill(&mut self, patience: Duration) -> Result<bool, TransferError> {
        loop {
            if !self.wait(PollFlags::POLLIN, patience)? {
                return Ok(false);
            }
            match read(self.fd, &mut self.buffer) {
                // The terminal was hung up.
                Ok(0) => return Err(self.error("read from", Errno::EIO)),
                Ok(n) => {
                    self.left = 0..n;
                    return Ok(true);
                }
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(errno) => return Err(self.error("read from", errno)),
            }
        }
    }

    /// Whether `events` came within `patience`.
    fn wait(&self, events: PollFlags, patience: Duration) -> Result<bool, TransferError> {
        let began = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(TransferError::Interrupted);
            }
            let left = patience.saturating_sub(began.elapsed());
            let mut entries = [PollFd::new(self.fd.as_fd(), events)];
            match ppoll(&mut entries, Some(TimeSpec::from(left.min(SLICE))), None) {
                Ok(0) if left > SLICE => {}
                Ok(ready) => return Ok(ready > 0),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(self.error("wait for", errno)),
            }
        }
    }
}
