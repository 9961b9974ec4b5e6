//! Filling one direction of a pty until it takes no more, and draining it.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::unistd::write;
use serde::{Deserialize, Serialize};

use super::capacity::READ_QUEUE;
use super::{End, Error, Flag, Mode, Pair, Result, queued_input};

mod drain;
mod measure;
mod nonblocking;

pub use drain::drain;
pub use measure::{Drained, Measured, measure};

use nonblocking::NonBlocking;

/// When filling gives up.
#[derive(Debug, Clone, Copy)]
pub struct FillLimits {
    /// Bytes to write at most; a canonical reader without newlines takes any
    /// number.
    pub max_bytes: u64,
    /// Time for all of it.
    pub deadline: Duration,
    /// How long nothing must move before a direction counts as full, where the
    /// reader's queue does not show it.
    pub patience: Duration,
}

impl Default for FillLimits {
    /// 1 MiB, 5 s, 250 ms: far beyond any known kernel's capacity, and beyond
    /// the tens of milliseconds that a worker can be late on a busy machine.
    fn default() -> Self {
        Self {
            max_bytes: 1 << 20,
            deadline: Duration::from_secs(5),
            patience: Duration::from_millis(250),
        }
    }
}

/// Why filling ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The direction takes no more.
    Full,
    /// [`FillLimits::max_bytes`] were taken.
    MaxBytes,
    /// Things still moved at the deadline, or the writer was never refused.
    Deadline,
}

/// What filling did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filled {
    /// Bytes accepted.
    pub accepted: u64,
    /// Calls that took something.
    pub writes: u64,
    /// The reader's FIONREAD at the end.
    pub queued: usize,
    /// Why it ended.
    pub stop: Stop,
}

/// Writes into the `from` end without blocking until its direction is full.
///
/// The reader's queue must be empty at the start and nobody may read
/// meanwhile. Each write asks for `chunk` bytes, which `payload` makes from
/// their offset in what was accepted so far. The writing descriptor is
/// O_NONBLOCK meanwhile, in every process and thread that shares it.
///
/// Full means: the writer is refused again and again while the worker that
/// empties the flip buffers has nothing left to do, which a full reader's
/// queue shows, or else `limits.patience` without any movement.
///
/// # Errors
/// EIO when the other end is closed.
pub fn fill(
    pair: &Pair,
    from: End,
    chunk: usize,
    limits: FillLimits,
    payload: &mut dyn FnMut(u64, &mut [u8]),
) -> Result<Filled> {
    let _nonblocking = NonBlocking::set(pair.fd(from), from)?;
    let reader = pair.fd(from.peer());
    let most = usize::try_from(limits.max_bytes)
        .unwrap_or(usize::MAX)
        .max(1);
    let mut filler = Filler {
        writer: pair.fd(from),
        from,
        limits,
        deadline: after(limits.deadline),
        payload,
        buffer: vec![0; chunk.clamp(1, most)],
        accepted: 0,
        writes: 0,
        canonical: from == End::Master && Mode::of(reader)?.has(Flag::Icanon),
        first_lines: 0,
    };
    let (stop, queued) = filler.run(reader)?;
    Ok(Filled {
        accepted: filler.accepted,
        writes: filler.writes,
        queued,
        stop,
    })
}

/// No event tells a writer that the worker freed a flip buffer (only the
/// reader wakes it, `n_tty_check_unthrottle`), so the write is tried again.
const RETRY_INTERVAL: Duration = Duration::from_micros(500);
/// With the reader's queue full the worker has at most one buffer to free.
const READER_FULL_PATIENCE: Duration = Duration::from_millis(5);
const MIN_REFUSALS: u32 = 4;

struct Filler<'a> {
    writer: BorrowedFd<'a>,
    from: End,
    limits: FillLimits,
    deadline: Instant,
    payload: &'a mut dyn FnMut(u64, &mut [u8]),
    buffer: Vec<u8>,
    accepted: u64,
    writes: u64,
    canonical: bool,
    /// Bytes up to the last newline that fits in the reader's queue: what a
    /// canonical reader's FIONREAD says once the queue is full.
    first_lines: usize,
}

impl Filler<'_> {
    /// Writes and waits by turns: why it ended, and the reader's FIONREAD.
    fn run(&mut self, reader: BorrowedFd<'_>) -> Result<(Stop, usize)> {
        let mut queued = queued_input(reader)?;
        let mut moved_at = Instant::now();
        let mut refusals = 0;
        loop {
            let progress = self.burst()?;
            let now = Instant::now();
            let before = std::mem::replace(&mut queued, queued_input(reader)?);
            if progress || before != queued {
                (moved_at, refusals) = (now, 0);
            }
            refusals += 1;
            if self.accepted >= self.limits.max_bytes {
                return Ok((Stop::MaxBytes, queued));
            }
            if now >= self.deadline {
                return Ok((Stop::Deadline, queued));
            }
            if refusals >= MIN_REFUSALS && now - moved_at >= self.patience(queued) {
                return Ok((Stop::Full, queued));
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Writes until refused or at a limit; whether anything was accepted.
    fn burst(&mut self) -> Result<bool> {
        let before = self.accepted;
        while self.accepted < self.limits.max_bytes && Instant::now() < self.deadline {
            let left = self.limits.max_bytes - self.accepted;
            let size =
                usize::try_from(left).map_or(self.buffer.len(), |left| left.min(self.buffer.len()));
            let bytes = &mut self.buffer[..size];
            (self.payload)(self.accepted, bytes);
            match write(self.writer, bytes) {
                Ok(0) | Err(Errno::EAGAIN) => break,
                Ok(taken) => self.accept(taken),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(Error::new("write to", name(self.from), errno)),
            }
        }
        Ok(self.accepted > before)
    }

    fn accept(&mut self, taken: usize) {
        let offset = usize::try_from(self.accepted).unwrap_or(usize::MAX);
        let in_queue = READ_QUEUE.saturating_sub(offset).min(taken);
        let newline = self.buffer[..in_queue].iter().rposition(|&b| b == b'\n');
        if let Some(at) = newline {
            self.first_lines = offset + at + 1;
        }
        self.accepted += taken as u64;
        self.writes += 1;
    }

    /// How long nothing must move with `queued` bytes at the reader.
    fn patience(&self, queued: usize) -> Duration {
        let full = if self.canonical {
            self.first_lines
        } else {
            READ_QUEUE
        };
        if queued > 0 && queued == full {
            READER_FULL_PATIENCE.min(self.limits.patience)
        } else {
            self.limits.patience
        }
    }
}

/// The end of a wait; one too long for the clock ends in a year.
fn after(wait: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);
    let now = Instant::now();
    now.checked_add(wait).unwrap_or(now + YEAR)
}

fn name(end: End) -> String {
    format!("the {end}")
}
