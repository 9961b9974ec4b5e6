//! Writers that fill one direction, and what they get in.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::geometry::{Geometry, WRITE_PIECE};
use super::port::Port;
use crate::pty::{End, Flag, Mode};

/// What is written into one direction of a pty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Flow {
    /// The writing end.
    pub from: End,
    /// The line discipline's mode.
    pub mode: Mode,
    /// Bytes per write(2).
    pub chunk: NonZeroUsize,
    /// Bytes per line with its newline, or `None` where no newline is written.
    /// Everything else must be printable where the mode is not raw.
    pub line: Option<NonZeroUsize>,
}

impl Flow {
    /// A raw flow, in which every byte is alike.
    pub fn raw(from: End, chunk: NonZeroUsize) -> Self {
        Self {
            from,
            mode: Mode::RAW,
            chunk,
            line: None,
        }
    }

    /// Whether the writer's line discipline processes the output.
    pub(in crate::pty) fn processed(self) -> bool {
        self.from == End::Slave && self.mode.has(Flag::Opost)
    }

    /// Whether the reader takes whole lines only.
    pub(in crate::pty) fn canonical(self) -> bool {
        self.from == End::Master && self.mode.has(Flag::Icanon)
    }

    /// Whether byte `offset` is a newline.
    pub(in crate::pty) fn newline_at(self, offset: usize) -> bool {
        self.line
            .is_some_and(|line| offset % line == line.get() - 1)
    }

    /// Bytes from `offset` up to the next newline, `limit` at most.
    fn run_from(self, offset: usize, limit: usize) -> usize {
        match self.line {
            Some(line) => limit.min(line.get() - 1 - offset % line),
            None => limit,
        }
    }
}

/// When the worker that empties the flip buffers runs, against the writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worker {
    /// After every write.
    KeptUp,
    /// Only when the writer finds no room.
    Asleep,
    /// As `Asleep`, and the writer refills each buffer as soon as it is freed.
    InStep,
}

/// Bytes that write(2) accepted, and what they became on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Amount {
    /// Bytes accepted from the writer.
    pub accepted: usize,
    /// Bytes that the reader will get: more where OPOST makes CR NL of NL.
    pub delivered: usize,
}

/// Writes non-blocking until the port takes nothing any more.
pub(super) fn fill(geometry: Geometry, flow: Flow, worker: Worker) -> (Amount, Port) {
    let mut writer = Writer {
        flow,
        worker,
        port: Port::new(geometry),
        amount: Amount::default(),
    };
    loop {
        let accepted = writer.write();
        if accepted == flow.chunk.get() {
            continue;
        }
        let freed = match worker {
            Worker::InStep => writer.port.flush_one(),
            Worker::KeptUp | Worker::Asleep => {
                let emptied = writer.port.emptied().len();
                writer.port.flush();
                writer.port.emptied().len() > emptied
            }
        };
        if accepted == 0 && !freed {
            return (writer.amount, writer.port);
        }
    }
}

struct Writer {
    flow: Flow,
    worker: Worker,
    port: Port,
    amount: Amount,
}

impl Writer {
    /// One write(2): pieces for the line discipline until one is cut short.
    fn write(&mut self) -> usize {
        let before = self.amount.accepted;
        let end = before.saturating_add(self.flow.chunk.get());
        while self.amount.accepted < end {
            let stop = end.min(self.amount.accepted + WRITE_PIECE);
            if self.flow.processed() {
                self.write_processed(stop);
            } else {
                self.write_plain(stop);
            }
            if self.worker == Worker::KeptUp {
                self.port.flush();
            }
            if self.amount.accepted < stop {
                break;
            }
        }
        self.amount.accepted - before
    }

    /// `n_tty_write` without OPOST: no room is asked for.
    fn write_plain(&mut self, stop: usize) {
        while self.amount.accepted < stop {
            let taken = self.port.insert(stop - self.amount.accepted);
            if taken == 0 {
                break;
            }
            self.accept(taken, taken);
        }
    }

    /// `n_tty_write` with OPOST and ONLCR: `process_output_block` up to the
    /// next newline, `process_output` for the newline, both after asking for
    /// room.
    fn write_processed(&mut self, stop: usize) {
        while self.amount.accepted < stop {
            let offset = self.amount.accepted;
            let room = self.port.room();
            let block = self.flow.run_from(offset, (stop - offset).min(room));
            let taken = self.port.insert(block);
            self.accept(taken, taken);
            let offset = self.amount.accepted;
            if offset == stop {
                break;
            }
            let room = self.port.room();
            if self.flow.newline_at(offset) && room >= 2 {
                let delivered = self.port.insert(2);
                self.accept(1, delivered);
            } else if taken == 0 || room == 0 {
                break;
            }
        }
    }

    fn accept(&mut self, accepted: usize, delivered: usize) {
        self.amount.accepted += accepted;
        self.amount.delivered += delivered;
    }
}
