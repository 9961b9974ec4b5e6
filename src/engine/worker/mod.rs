//! What runs at one end of a pty, in a thread or a process of its own.

mod call;
mod pingpong;
mod read;
mod write;

use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::pty::{End, Mode};
use crate::sample::Call;
use crate::workload::{Pace, Payload, Streams};

use super::futex;
use super::orders::{Command, Order};
use super::shared::{Header, Shared, Slot};
use super::status::State;
use super::verify::Verifier;
use crate::host::CallClock;

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Writes the stream.
    Writer,
    /// Reads the stream.
    Reader,
    /// Reads what the line discipline echoes, and only counts it.
    Drain,
    /// Ping-pong: writes a message, then reads one.
    Initiator,
    /// Ping-pong: reads a message, then writes one.
    Responder,
}

impl Role {
    /// Whether it writes the stream from its end.
    pub fn writes(self) -> bool {
        matches!(self, Self::Writer | Self::Initiator | Self::Responder)
    }

    /// Whether it reads the stream to its end.
    pub fn reads(self) -> bool {
        matches!(self, Self::Reader | Self::Initiator | Self::Responder)
    }

    /// Whether it must get what is still under way once the traffic stops.
    pub fn is_served_last(self) -> bool {
        matches!(self, Self::Reader | Self::Responder)
    }

    /// Whether the traffic begins with it: to stop, stop these first.
    pub fn starts_traffic(self) -> bool {
        matches!(self, Self::Writer | Self::Initiator)
    }
}

/// All that a worker must know before it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The engine's process.
    pub engine: i32,
    /// What times its calls.
    pub clock: CallClock,
    /// Its slot in the shared memory.
    pub slot: usize,
    /// How many slots there are.
    pub slots: usize,
    /// What it does.
    pub role: Role,
    /// The end of the pty that it holds.
    pub end: End,
    /// What is written.
    pub payload: Payload,
    /// The line discipline's flags.
    pub mode: Mode,
    /// Whether a reader compares every byte.
    pub verify: bool,
    /// Bytes of its stream that its pty holds already.
    pub prefilled: u64,
    /// The CPU that it is bound to.
    pub cpu: Option<usize>,
    /// Whether it panics after a megabyte: see [`Options`](super::Options).
    pub panics: bool,
}

/// A worker at work.
struct Worker<'a> {
    header: &'a Header,
    slot: &'a Slot,
    fd: BorrowedFd<'a>,
    clock: CallClock,
    order: Order,
    seen: u32,
    /// The end of the last call, or of the own work after it: the beginning of
    /// the next call.
    now: u64,
    /// When the paced work began, and how many bytes it moved since.
    paced_since: u64,
    paced_bytes: u64,
}

/// Why a worker's loop ends.
enum Stop {
    /// It was told to.
    Ordered,
    /// The kernel refused a call.
    Failed(Errno),
    /// The other end is gone.
    HungUp,
}

/// Own work after a call is taken out of the next call's time by a second
/// clock reading when the call moved more bytes than this; below, the reading
/// costs more than the work.
const WORTH_A_CLOCK_READING: usize = 4096;

/// Runs the assignment until told to end.
pub fn run(assignment: &Assignment, streams: &Streams, shared: &Shared, fd: BorrowedFd<'_>) {
    let header = shared.header();
    let slot = shared.slot(assignment.slot);
    let mut worker = Worker {
        header,
        slot,
        fd,
        clock: assignment.clock,
        order: slot.orders.take(),
        seen: 0,
        now: 0,
        paced_since: 0,
        paced_bytes: 0,
    };
    let result = bind_to(assignment.cpu)
        .map_err(Stop::Failed)
        .and_then(|()| worker.begin())
        .and_then(|()| worker.work(assignment, streams));
    slot.status.leave();
    slot.status.publish_use();
    slot.status.report(
        header,
        match result {
            Ok(()) | Err(Stop::Ordered) => State::Done,
            Err(Stop::Failed(errno)) => State::Failed(errno),
            Err(Stop::HungUp) => State::HungUp,
        },
    );
}

fn bind_to(cpu: Option<usize>) -> Result<(), Errno> {
    let Some(cpu) = cpu else { return Ok(()) };
    let mut set = CpuSet::new();
    set.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &set)
}

impl Worker<'_> {
    /// Reports for duty and waits for the order to run.
    fn begin(&mut self) -> Result<(), Stop> {
        self.slot.status.report(self.header, State::Ready);
        self.look()
    }

    fn work(&mut self, assignment: &Assignment, streams: &Streams) -> Result<(), Stop> {
        let out = streams.from(assignment.end);
        let back = streams.from(assignment.end.peer());
        let verify = assignment.verify && assignment.payload.is_verifiable();
        let verifier = verify.then(Verifier::default);
        match assignment.role {
            Role::Writer => self.write_stream(out, assignment.prefilled),
            Role::Reader if assignment.panics => self.panic_after(1_000_000),
            Role::Reader => self.read_stream(back, verifier),
            Role::Drain => self.read_stream(back, None),
            Role::Initiator => self.initiate(out, back, verifier),
            Role::Responder => self.respond(out, back, verifier),
        }
    }

    /// Whether orders may have changed since they were last looked at.
    #[inline(always)]
    fn has_news(&self) -> bool {
        self.header.version.load(Relaxed) != self.seen
    }

    /// Lets the sampler see everything up to now.
    fn publish(&self) {
        self.slot.status.publish_use();
        self.slot.read.publish();
        self.slot.write.publish();
    }

    /// Takes the orders in, and stays here while they are to hold.
    #[cold]
    fn look(&mut self) -> Result<(), Stop> {
        loop {
            let version = self.header.version.load(Acquire);
            let order = self.slot.orders.take();
            self.publish();
            if order.pace != self.order.pace {
                self.paced_since = 0;
            }
            self.order = order;
            self.seen = version;
            self.slot.status.seen_epoch.store(order.epoch, Release);
            self.slot.status.seen_version.store(version, Release);
            match order.command {
                Command::Abort => return Err(Stop::Ordered),
                Command::Run if order.pace != Pace::Stopped => break,
                Command::Finish => break,
                Command::Run | Command::Hold => {
                    self.slot.status.leave();
                    self.paced_since = 0;
                    futex::wait(&self.header.version, version, Duration::from_secs(1));
                }
            }
        }
        self.now = self.clock.now_ns();
        let _ = self
            .slot
            .status
            .first_ns
            .compare_exchange(0, self.now, Relaxed, Relaxed);
        Ok(())
    }

    /// Says that nothing is left to do, and waits for other orders.
    fn rest(&mut self) -> Result<(), Stop> {
        self.slot.status.leave();
        self.slot.status.publish_use();
        self.slot.status.report(self.header, State::Satisfied);
        while !self.has_news() {
            futex::wait(&self.header.version, self.seen, Duration::from_secs(1));
        }
        self.look()
    }

    /// After a call that returned at `end`: what comes before the next.
    #[inline(always)]
    fn after_call(&mut self, end: u64, bytes: usize) -> Result<(), Stop> {
        self.now = end;
        if self.order.pace != Pace::None {
            self.pace(bytes)?;
        } else if bytes > WORTH_A_CLOCK_READING {
            self.now = self.clock.now_ns();
        }
        Ok(())
    }

    /// Waits as the pace asks, unless it is changed meanwhile.
    #[cold]
    fn pace(&mut self, bytes: usize) -> Result<(), Stop> {
        let pace = self.order.pace;
        if self.paced_since == 0 {
            self.paced_since = self.now;
            self.paced_bytes = 0;
        }
        self.paced_bytes += bytes as u64;
        let (since, ns) = match pace {
            Pace::None | Pace::Stopped => (self.now, 0),
            Pace::Delay(delay) => (self.now, delay.as_nanos()),
            Pace::Rate(rate) => (
                self.paced_since,
                u128::from(self.paced_bytes) * 1_000_000_000 / u128::from(rate.max(1)),
            ),
        };
        let due = since.saturating_add(u64::try_from(ns).unwrap_or(u64::MAX));
        self.slot.status.leave();
        self.now = self.clock.now_ns();
        while self.now < due && self.order.command != Command::Finish && self.order.pace == pace {
            if self.has_news() {
                self.look()?;
                continue;
            }
            let left = Duration::from_nanos(due - self.now);
            futex::wait(
                &self.header.version,
                self.seen,
                left.min(Duration::from_secs(1)),
            );
            self.now = self.clock.now_ns();
        }
        Ok(())
    }

    /// One write(2), timed and counted. Gives the bytes it took (0 when our
    /// signal came first) and when it returned.
    #[inline(always)]
    fn write(&mut self, bytes: &[u8]) -> Result<(usize, u64), Stop> {
        self.slot.status.enter(Call::Write, bytes.len(), self.now);
        let result = call::write(self.fd, bytes);
        let end = self.clock.now_ns();
        match result {
            Ok(n) => {
                self.slot
                    .write
                    .record(end.saturating_sub(self.now), n, bytes.len());
                self.slot.status.last_ns.store(end, Relaxed);
                Ok((n, end))
            }
            Err(Errno::EINTR) => Ok((0, end)),
            Err(errno) => {
                self.slot.write.record_error();
                Err(Stop::Failed(errno))
            }
        }
    }

    /// One read(2), timed and counted. Gives the bytes it brought (0 when our
    /// signal came first) and when it returned.
    #[inline(always)]
    fn read(&mut self, buffer: &mut [u8]) -> Result<(usize, u64), Stop> {
        self.slot.status.enter(Call::Read, buffer.len(), self.now);
        let result = call::read(self.fd, buffer);
        let end = self.clock.now_ns();
        match result {
            Ok(0) => Err(Stop::HungUp),
            Ok(n) => {
                self.slot
                    .read
                    .record(end.saturating_sub(self.now), n, buffer.len());
                self.slot.status.last_ns.store(end, Relaxed);
                Ok((n, end))
            }
            Err(Errno::EINTR) => Ok((0, end)),
            Err(errno) => {
                self.slot.read.record_error();
                Err(Stop::Failed(errno))
            }
        }
    }
}
