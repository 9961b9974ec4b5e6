//! What the engine wants of a worker, in the words of shared memory.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

use crate::workload::Pace;

use super::futex;
use super::shared::{Header, Orders, Slot};

/// What a worker is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Command {
    /// Make no call, but stay.
    Hold = 0,
    /// Work.
    Run = 1,
    /// Writer: end after the current call. Reader: read without pacing up to
    /// the limit, then end.
    Finish = 2,
    /// End at once.
    Abort = 3,
}

/// A worker's own copy of its orders.
#[derive(Debug, Clone, Copy)]
pub struct Order {
    pub command: Command,
    pub epoch: u32,
    pub chunk: usize,
    pub read_size: usize,
    pub pace: Pace,
    pub limit: u64,
}

impl Orders {
    /// Gives the order. It is noticed once [`announce`] was called.
    pub fn give(&self, order: &Order) {
        let (kind, value) = match order.pace {
            Pace::None => (0, 0),
            Pace::Delay(delay) => (1, delay.as_nanos().min(u128::from(u64::MAX)) as u64),
            Pace::Rate(rate) => (2, rate),
            Pace::Stopped => (3, 0),
        };
        self.chunk.store(order.chunk as u64, Relaxed);
        self.read_size.store(order.read_size as u64, Relaxed);
        self.pace_kind.store(kind, Relaxed);
        self.pace_value.store(value, Relaxed);
        self.limit.store(order.limit, Relaxed);
        self.epoch.store(order.epoch, Relaxed);
        self.command.store(order.command as u32, Relaxed);
    }

    /// Reads the order.
    pub fn take(&self) -> Order {
        let value = self.pace_value.load(Relaxed);
        Order {
            command: match self.command.load(Relaxed) {
                0 => Command::Hold,
                1 => Command::Run,
                2 => Command::Finish,
                _ => Command::Abort,
            },
            epoch: self.epoch.load(Relaxed),
            chunk: self.chunk.load(Relaxed) as usize,
            read_size: self.read_size.load(Relaxed) as usize,
            pace: match self.pace_kind.load(Relaxed) {
                0 => Pace::None,
                1 => Pace::Delay(Duration::from_nanos(value)),
                2 => Pace::Rate(value),
                _ => Pace::Stopped,
            },
            limit: self.limit.load(Relaxed),
        }
    }
}

/// Makes all workers look at their orders.
pub fn announce(header: &Header) {
    header.version.fetch_add(1, Release);
    futex::wake(&header.version);
}

/// Whether the worker of `slot` has looked since the last [`announce`].
pub fn is_seen(header: &Header, slot: &Slot) -> bool {
    slot.status.seen_version.load(Acquire) == header.version.load(Relaxed)
}
