//! Filling, draining and comparing: the capacity of one direction.

use nix::unistd::write;
use serde::{Deserialize, Serialize};

use super::{FillLimits, Filled, Stop, drain, fill, name};
use crate::pty::capacity::Flow;
use crate::pty::{Error, Pair, Result};

/// A direction filled and drained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// What was written.
    pub flow: Flow,
    /// How the filling went.
    pub filled: Filled,
    /// Bytes that were to come out, and did.
    pub drained: Option<Drained>,
}

/// What came out of a filled direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drained {
    /// Bytes that had to come: one more per newline where OPOST is on.
    pub expected: u64,
    /// Bytes that came.
    pub got: u64,
    /// Offset of the first byte that was not the one expected.
    pub first_wrong: Option<u64>,
}

impl Drained {
    /// Whether exactly what was to come came.
    pub fn intact(&self) -> bool {
        self.got == self.expected && self.first_wrong.is_none()
    }
}

/// Fills one direction of a new pty, drains it and compares every byte.
///
/// `drained` is `None` when the direction was not found full: nobody knows then
/// how much a canonical reader threw away.
///
/// # Errors
/// What [`Pair::open`], [`fill`] and [`drain`] say.
pub fn measure(flow: Flow, limits: FillLimits) -> Result<Measured> {
    let pair = Pair::open(flow.mode)?;
    let mut payload = |offset: u64, buffer: &mut [u8]| {
        for (byte, at) in buffer.iter_mut().zip(offset..) {
            *byte = byte_at(flow, at);
        }
    };
    let filled = fill(&pair, flow.from, flow.chunk.get(), limits, &mut payload)?;
    let drained = match filled.stop {
        Stop::Full => Some(drain_and_compare(&pair, flow, filled.accepted, limits)?),
        Stop::MaxBytes | Stop::Deadline => None,
    };
    Ok(Measured {
        flow,
        filled,
        drained,
    })
}

fn drain_and_compare(
    pair: &Pair,
    flow: Flow,
    accepted: u64,
    limits: FillLimits,
) -> Result<Drained> {
    let line = flow.line.map_or(u64::MAX, |line| line.get() as u64);
    let unfinished = match flow.canonical() {
        true => accepted % line,
        false => 0,
    };
    let mut stream = Compare::new(flow, accepted);
    let to = flow.from.peer();
    let whole = stream.expected - unfinished;
    let mut got = drain(pair, to, whole, limits.deadline, &mut |_, bytes| {
        stream.check(bytes);
    })?;
    if unfinished > 0 && got == whole {
        // The reader sees the last line only once it is ended.
        write(pair.fd(flow.from), b"\n")
            .map_err(|errno| Error::new("write to", name(flow.from), errno))?;
        stream.expected += 1;
        let rest = unfinished + 1;
        got += drain(pair, to, rest, limits.deadline, &mut |_, bytes| {
            stream.check(bytes);
        })?;
    }
    Ok(Drained {
        expected: stream.expected,
        got,
        first_wrong: stream.first_wrong,
    })
}

/// The payload: newlines where the flow has them, and a run of printable
/// characters whose length shares no factor with any chunk of interest.
fn byte_at(flow: Flow, offset: u64) -> u8 {
    const RUN: u64 = 89;
    let newline = usize::try_from(offset).is_ok_and(|offset| flow.newline_at(offset));
    match newline {
        true => b'\n',
        false => b'!' + (offset % RUN) as u8,
    }
}

/// What the reader has to get, byte for byte.
struct Compare {
    flow: Flow,
    accepted: u64,
    /// The next byte's offset in what was written.
    next: u64,
    /// The NL that follows a CR already seen.
    after_return: bool,
    seen: u64,
    expected: u64,
    first_wrong: Option<u64>,
}

impl Compare {
    fn new(flow: Flow, accepted: u64) -> Self {
        let newlines = match (flow.processed(), flow.line) {
            (true, Some(line)) => accepted / line.get() as u64,
            _ => 0,
        };
        Self {
            flow,
            accepted,
            next: 0,
            after_return: false,
            seen: 0,
            expected: accepted + newlines,
            first_wrong: None,
        }
    }

    fn check(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.next_byte() != byte && self.first_wrong.is_none() {
                self.first_wrong = Some(self.seen);
            }
            self.seen += 1;
        }
    }

    fn next_byte(&mut self) -> u8 {
        let byte = match self.next < self.accepted {
            true => byte_at(self.flow, self.next),
            false => b'\n',
        };
        if byte == b'\n' && self.flow.processed() && !self.after_return {
            self.after_return = true;
            return b'\r';
        }
        self.after_return = false;
        self.next += 1;
        byte
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::pty::capacity::{Geometry, Prediction, READ_QUEUE};
    use crate::pty::{End, Mode};
    use std::time::Duration;

    fn flow(from: End, mode: Mode, chunk: usize, line: Option<usize>) -> Flow {
        Flow {
            from,
            mode,
            chunk: NonZeroUsize::new(chunk).unwrap(),
            line: line.and_then(NonZeroUsize::new),
        }
    }

    /// On a busy machine the worker may run in the middle of the filling.
    const TRIES: u32 = 5;

    /// Measures `flow` on the running kernel and compares with the model, where
    /// the model knows the kernel.
    fn agrees_with_the_model(flow: Flow) {
        let tries = (0..TRIES).map_while(|_| complaint(flow));
        let outside: Vec<String> = tries.collect();
        assert!(outside.len() < TRIES as usize, "{outside:#?}");
    }

    /// What is outside of the model, if anything is.
    fn complaint(flow: Flow) -> Option<String> {
        let measured = measure(flow, FillLimits::default()).unwrap();
        assert_eq!(measured.filled.stop, Stop::Full, "{measured:?}");
        let drained = measured.drained.unwrap();
        assert!(drained.intact(), "{measured:?}");
        let Some(Prediction::Full(capacity)) = Geometry::running().and_then(|g| g.expected(flow))
        else {
            println!("not compared: this kernel is of no known era");
            return None;
        };
        let accepted = usize::try_from(measured.filled.accepted).unwrap();
        let is_inside = capacity.accepted().contains(&accepted);
        (!is_inside).then(|| format!("{measured:?} is outside of {capacity:?}"))
    }

    #[test]
    fn raw_directions_take_what_the_model_says() {
        for chunk in [
            1, 100, 128, 129, 256, 257, 513, 1000, 1025, 1793, 2049, 65536,
        ] {
            for from in [End::Master, End::Slave] {
                agrees_with_the_model(flow(from, Mode::RAW, chunk, None));
            }
        }
    }

    #[test]
    fn cooked_directions_take_what_the_model_says() {
        for chunk in [1, 257, 513, 4096] {
            agrees_with_the_model(flow(End::Slave, Mode::COOKED, chunk, None));
            agrees_with_the_model(flow(End::Slave, Mode::COOKED, chunk, Some(80)));
        }
        for chunk in [80, 256, 4096] {
            agrees_with_the_model(flow(End::Master, Mode::COOKED, chunk, Some(80)));
        }
    }

    #[test]
    fn a_canonical_reader_without_newlines_takes_any_number() {
        let flow = flow(End::Master, Mode::COOKED, 4096, None);
        let limits = FillLimits {
            max_bytes: 500_001,
            ..FillLimits::default()
        };
        let measured = measure(flow, limits).unwrap();
        assert_eq!(measured.filled.stop, Stop::MaxBytes);
        assert_eq!(measured.filled.accepted, 500_001);
        assert_eq!(measured.drained, None);
    }

    #[test]
    fn recycled_buffers_are_not_held_against_the_limit() {
        let Some(geometry) = Geometry::running() else {
            println!("not compared: this kernel is of no known era");
            return;
        };
        let pair = Pair::open(Mode::RAW).unwrap();
        let fill = |chunk| {
            let mut zeros = |_, buffer: &mut [u8]| buffer.fill(0);
            let filled = fill(&pair, End::Slave, chunk, FillLimits::default(), &mut zeros);
            filled.unwrap().accepted
        };
        // Leave a free list as long as it gets, then use it last.
        let small = fill(256);
        let patience = Duration::from_secs(5);
        let got = drain(&pair, End::Master, small, patience, &mut |_, _| {}).unwrap();
        assert_eq!(got, small);
        let large = fill(1792);
        let more = fill(256);
        // A buffer of 1792 ends on a whole chunk: without a free list there
        // would be no room for a single byte more.
        assert!(more > READ_QUEUE as u64, "{more} after {large}");
        let total = large + more;
        let most = geometry.most_in_flight() as u64;
        assert!(total <= most, "{total} of {most}");
        let got = drain(&pair, End::Master, total, patience, &mut |_, _| {}).unwrap();
        assert_eq!(got, total);
    }

    #[test]
    fn a_wrong_byte_is_found_where_it_is() {
        let flow = flow(End::Slave, Mode::COOKED, 100, Some(10));
        let mut right = Vec::new();
        let mut expected = Compare::new(flow, 95);
        right.extend((0..expected.expected).map(|_| expected.next_byte()));
        assert_eq!(right.len(), 95 + 9);
        assert_eq!(&right[..12], b"!\"#$%&'()\r\n+");
        for at in 0..right.len() {
            let mut stream = Compare::new(flow, 95);
            let mut wrong = right.clone();
            wrong[at] ^= 1;
            stream.check(&wrong);
            assert_eq!(stream.first_wrong, Some(at as u64));
        }
    }
}
