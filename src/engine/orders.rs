//! What the engine wants of a worker, in the words of shared memory.
//!
//! A worker looks whenever the version says that anybody's orders have
//! changed, or that the sampler wants to see its counters: also while the
//! engine is about to give it another order. It must never act by half of one.
//! What it does under an epoch that it says it has seen is counted as done
//! under that epoch's settings, and "finish" with the limit of the order
//! before would end a reader too early or never. A word alone cannot promise
//! that for seven: were the epoch stored last and loaded first, an old epoch
//! could still come with new words, and the other way round the command with
//! an old limit. So there is a sequence number around them, odd while the
//! engine, their only writer, is at it:
//!
//! - The engine makes it odd before it stores the words (the release fence
//!   keeps them behind it), and even after them (a release store).
//! - A worker loads the number first (acquire: no word before it), then the
//!   words, then the number again (the acquire fence keeps it behind them).
//!   Twice the same even number: no word is newer than that order, since a
//!   newer one would have shown the odd number with it, and none is older.
//!
//! Whoever has seen the version that [`announce`] made sees the orders that
//! were given before it.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::fence;
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    pub command: Command,
    pub epoch: u32,
    pub chunk: usize,
    pub read_size: usize,
    pub pace: Pace,
    pub limit: u64,
}

impl Orders {
    /// Gives the order. It is noticed once [`announce`] was called. Only one
    /// thread may give orders.
    pub fn give(&self, order: &Order) {
        let (kind, value) = match order.pace {
            Pace::None => (0, 0),
            Pace::Delay(delay) => (1, delay.as_nanos().min(u128::from(u64::MAX)) as u64),
            Pace::Rate(rate) => (2, rate),
            Pace::Stopped => (3, 0),
        };
        let sequence = self.sequence.load(Relaxed);
        self.sequence.store(sequence.wrapping_add(1), Relaxed);
        fence(Release);
        self.chunk.store(order.chunk as u64, Relaxed);
        self.read_size.store(order.read_size as u64, Relaxed);
        self.pace_kind.store(kind, Relaxed);
        self.pace_value.store(value, Relaxed);
        self.limit.store(order.limit, Relaxed);
        self.epoch.store(order.epoch, Relaxed);
        self.command.store(order.command as u32, Relaxed);
        self.sequence.store(sequence.wrapping_add(2), Release);
    }

    /// Reads the order; while another is being given, waits for that.
    pub fn take(&self) -> Order {
        loop {
            let sequence = self.sequence.load(Acquire);
            let order = self.words();
            fence(Acquire);
            if sequence.is_multiple_of(2) && self.sequence.load(Relaxed) == sequence {
                return order;
            }
            // A few stores away, unless the engine has lost its CPU to us.
            std::thread::yield_now();
        }
    }

    fn words(&self) -> Order {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::shared::Shared;
    use super::*;

    #[test]
    fn no_order_is_seen_by_halves() {
        let shared = Shared::new(1).unwrap();
        let orders = &shared.slot(0).orders;
        let order = |number: u32| Order {
            command: [Command::Run, Command::Finish][number as usize % 2],
            epoch: number,
            chunk: number as usize,
            read_size: number as usize,
            pace: Pace::Rate(number.into()),
            limit: number.into(),
        };
        orders.give(&order(0));
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let mut seen = std::collections::BTreeSet::new();
                while !is_over.load(Relaxed) || seen.is_empty() {
                    let taken = orders.take();
                    if taken != order(taken.epoch) {
                        return Err(taken);
                    }
                    seen.insert(taken.epoch);
                }
                Ok(seen)
            });
            for number in 1..200_000 {
                orders.give(&order(number));
            }
            is_over.store(true, Relaxed);
            let seen = worker.join().unwrap();
            let seen = seen.unwrap_or_else(|half| panic!("half an order: {half:?}"));
            assert!(seen.last().is_some_and(|&last| last < 200_000));
        });
        assert_eq!(orders.take(), order(199_999));
    }
}
