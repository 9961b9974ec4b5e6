//! How many bytes one direction of a pty takes before its writer blocks.
//!
//! A writer's bytes lie in the peer's flip buffers until a worker
//! (`flush_to_ldisc`) moves them into the reader's queue of 4095. With nobody
//! reading, the capacity is what both hold, and it depends on the size of the
//! writes: a piece is not split to use up the end of a flip buffer. The model
//! here follows tty_buffer.c, pty.c and n_tty.c of each era, and reproduces
//! what was measured on Linux 2.6.38, 3.13, 4.2, 4.8, 4.17, 5.5, 6.1, 6.12 and
//! 6.18.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

mod boundary;
mod explain;
mod flow;
mod geometry;
mod port;
#[cfg(test)]
mod tests;

pub use boundary::{Boundary, boundaries, next_boundary, previous_boundary};
pub use explain::{Explanation, Uniform};
pub use flow::{Amount, Flow};
pub use geometry::{Delivery, Era, Geometry, READ_QUEUE};

use flow::{Worker, fill};

/// What a pty with nobody reading takes, by when the worker ran.
///
/// Each time a writer finds no room it has filled the last buffer to the brim,
/// past the last whole chunk; so a worker that comes late leaves more room
/// used. Anything in [`Capacity::accepted`] can be seen on a busy machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    /// The worker ran after every write.
    pub kept_up: Amount,
    /// The worker ran only when the writer first found no room.
    pub asleep: Amount,
    /// The worker freed a buffer at a time, and the writer filled each at once.
    pub in_step: Amount,
}

impl Capacity {
    /// Bytes accepted: the least and the most that the model allows.
    pub fn accepted(&self) -> RangeInclusive<usize> {
        self.range(|amount| amount.accepted)
    }

    /// Bytes that a reader will get: the least and the most.
    pub fn delivered(&self) -> RangeInclusive<usize> {
        self.range(|amount| amount.delivered)
    }

    fn range(&self, of: impl Fn(Amount) -> usize) -> RangeInclusive<usize> {
        let [a, b, c] = [self.kept_up, self.asleep, self.in_step].map(of);
        a.min(b).min(c)..=a.max(b).max(c)
    }
}

/// What the model says of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Prediction {
    /// The writer blocks at this capacity.
    Full(Capacity),
    /// The writer never blocks: a canonical reader's line has no newline, and
    /// what does not fit in its queue is thrown away without an error
    /// (`n_tty_receive_buf_common`).
    NeverFull,
}

impl Geometry {
    /// What a fresh pty takes of `flow` with nobody reading, or `None` where
    /// the kernel's rules for this case are not known.
    pub fn expected(self, flow: Flow) -> Option<Prediction> {
        if !self.knows(flow) {
            return None;
        }
        if flow.canonical() && flow.line.is_none() {
            return Some(Prediction::NeverFull);
        }
        let amount = |worker| fill(self, flow, worker).0;
        Some(Prediction::Full(Capacity {
            kept_up: amount(Worker::KeptUp),
            asleep: amount(Worker::Asleep),
            in_step: amount(Worker::InStep),
        }))
    }

    /// A canonical reader's first line must fit in its queue, or its tail is
    /// dropped before the queue can fill.
    fn knows(self, flow: Flow) -> bool {
        let split_known = self.era != Era::Early || flow.chunk.get() <= self.split;
        let line_fits = flow.line.is_none_or(|line| line.get() <= READ_QUEUE);
        split_known && (line_fits || !flow.canonical())
    }
}
