//! Where each byte of a capacity lies.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::words::counted;

use super::Prediction;
use super::flow::{Amount, Flow, Worker, fill};
use super::geometry::{Era, Geometry, READ_QUEUE};
use super::port::Buffer;

/// The arithmetic behind the capacity with a worker that kept up.
///
/// `held_chars + emptied_chars` is what the reader will get. Its Display is
/// one to four short lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// What is written.
    pub flow: Flow,
    /// The accounting rules.
    pub era: Era,
    /// Flip buffers in use when the writer finds no room.
    pub held: usize,
    /// Characters that were put into those.
    pub held_chars: usize,
    /// Flip buffers moved whole into the reader's queue, and so freed.
    pub emptied: usize,
    /// Characters that those held.
    pub emptied_chars: usize,
    /// The sizes, where all buffers are alike.
    pub uniform: Option<Uniform>,
    /// The capacity with a worker that kept up.
    pub kept_up: Amount,
    /// The capacity with a worker that ran only when there was no room.
    pub asleep: Amount,
}

/// Flip buffers that are all of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uniform {
    /// Accounted bytes of each: the piece rounded up to 256.
    pub size: usize,
    /// Characters that each can store.
    pub stores: usize,
    /// Characters in each but the last: as many whole pieces as fit.
    pub holds: usize,
    /// Characters in the last.
    pub last: usize,
}

impl Geometry {
    /// Why the capacity is what it is, or `None` where there is none.
    pub fn explain(self, flow: Flow) -> Option<Explanation> {
        let Prediction::Full(capacity) = self.expected(flow)? else {
            return None;
        };
        let (_, port) = fill(self, flow, Worker::KeptUp);
        let held: Vec<Buffer> = port.held().copied().collect();
        let chars = |buffers: &[Buffer]| buffers.iter().map(|buffer| buffer.used).sum();
        Some(Explanation {
            flow,
            era: self.era,
            held: held.len(),
            held_chars: chars(&held),
            emptied: port.emptied().len(),
            emptied_chars: chars(port.emptied()),
            uniform: self.uniform(port.emptied(), &held),
            kept_up: capacity.kept_up,
            asleep: capacity.asleep,
        })
    }

    fn uniform(self, emptied: &[Buffer], held: &[Buffer]) -> Option<Uniform> {
        let (last, whole) = held.split_last()?;
        let first = emptied.first().or(whole.first())?;
        let alike = |buffer: &Buffer| buffer.size == first.size && buffer.used == first.used;
        let all = last.size == first.size && emptied.iter().chain(whole).all(alike);
        all.then(|| Uniform {
            size: first.size,
            stores: self.era.chars_per_byte() * first.size,
            holds: first.used,
            last: last.used,
        })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            held,
            held_chars,
            emptied,
            emptied_chars,
            ..
        } = self;
        match self.uniform {
            Some(uniform) => {
                self.sizes(f, uniform)?;
                let (whole, Uniform { holds, last, .. }) = (held.saturating_sub(1), uniform);
                writeln!(
                    f,
                    "{} {}: {whole} x {holds} + {last} in the last = {held_chars}",
                    counted(*held, "buffer"),
                    self.rule()
                )?;
                writeln!(
                    f,
                    "the reader's queue of {READ_QUEUE} takes {emptied} more: {emptied} x {holds} = {emptied_chars}"
                )?;
            }
            None => {
                let buffers = counted(*held, "buffer");
                let hold = if *held == 1 { "holds" } else { "hold" };
                writeln!(f, "{buffers} {} {hold} {held_chars}", self.rule())?;
                writeln!(
                    f,
                    "the reader's queue of {READ_QUEUE} takes {emptied} more: {emptied_chars}"
                )?;
            }
        }
        self.total(f)
    }
}

impl Explanation {
    fn sizes(&self, f: &mut fmt::Formatter<'_>, uniform: Uniform) -> fmt::Result {
        let Uniform {
            size,
            stores,
            holds,
            ..
        } = uniform;
        let chunk = self.flow.chunk.get();
        write!(
            f,
            "a buffer of {size} stores {}",
            counted(stores, "character")
        )?;
        if holds % chunk == 0 && self.flow.line.is_none() {
            writeln!(f, ": {} x {chunk} = {holds}", holds / chunk)
        } else {
            writeln!(f, ", {holds} here")
        }
    }

    fn rule(&self) -> &'static str {
        match (self.flow.processed(), self.era) {
            (true, Era::Lockless | Era::Doubled) => "until no room is left (65536 - allocated)",
            (true, _) => "until no room is left (8192 - allocated)",
            (false, Era::Early | Era::Counted) => "within 65536",
            (false, Era::Lockless | Era::Doubled) => "until more than 65536 are allocated",
            (false, Era::Limited) => "until more than 8192 are allocated",
        }
    }

    fn total(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Amount {
            accepted,
            delivered,
        } = self.kept_up;
        write!(
            f,
            "{} + {} = {delivered}",
            self.held_chars, self.emptied_chars
        )?;
        if delivered != accepted {
            write!(f, ", of {accepted} written: each NL became CR NL")?;
        }
        if self.asleep != self.kept_up {
            write!(f, " ({} if the worker came late)", self.asleep.delivered)?;
        }
        Ok(())
    }
}
