//! How long each side waits for the other, on the line that lies between.

use std::time::Duration;

use crate::workload::{Baud, Line};

use super::Protocol;
use super::block::frame_length;

/// A line that is silent for so long has ended what it had to say.
const QUIET: Duration = Duration::from_millis(50);
/// The speed of a pty that nobody has set (`tty_std_termios`: B38400).
const NEW_PTY: u32 = 38_400;

/// How long each side waits: the protocol's time-out, and beside it what bytes
/// are under way. A write to a pty ends at once, however slow the line is, so
/// that nobody can wait for the last bit before he starts to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The sender's for the request to begin.
    pub request: Duration,
    /// The sender's for the answer to a block.
    pub answer: Duration,
    /// The receiver's for the first byte of what follows its answer.
    pub next: Duration,
    /// The receiver's from a byte of a block to the next.
    pub byte: Duration,
    /// For a line that is to be quiet.
    pub quiet: Duration,
}

impl Patience {
    /// On `line`; None: on one of which nothing is known.
    pub fn on(line: Option<&Line>, protocol: Protocol) -> Self {
        let way = Way::of(line);
        let timeout = protocol.timeout;
        let there_and_back = way.time(1) * 2;
        Self {
            request: timeout
                .saturating_mul(protocol.retries.saturating_add(1))
                .saturating_add(there_and_back),
            // A receiver that missed the start of a block answers only after its
            // own time-out, so the sender's is longer.
            answer: timeout
                .saturating_mul(3)
                .saturating_add(way.time(frame_length(protocol)) + way.time(1)),
            next: timeout.saturating_add(there_and_back),
            byte: timeout.saturating_add(way.character + way.jitter),
            quiet: QUIET + way.character * 2 + way.jitter,
        }
    }
}

/// How long it takes at least to send `bytes` over `line` and have an answer to
/// each block of them; None where nothing of it holds bytes back.
pub fn shortest(line: &Line, bytes: usize, protocol: Protocol) -> Option<Duration> {
    let way = Way {
        jitter: Duration::ZERO,
        ..Way::of(Some(line))
    };
    let block = way.time(frame_length(protocol)) + way.time(1);
    let blocks = bytes.div_ceil(protocol.block.bytes());
    let time = block.checked_mul(u32::try_from(blocks).ok()?)?;
    (!time.is_zero()).then_some(time)
}

/// One way over a line.
struct Way {
    character: Duration,
    delay: Duration,
    jitter: Duration,
}

impl Way {
    fn of(line: Option<&Line>) -> Self {
        let Some(line) = line else {
            return Self {
                character: Duration::ZERO,
                delay: Duration::ZERO,
                jitter: Duration::ZERO,
            };
        };
        let baud = line.baud.map(|baud| match baud {
            Baud::Fixed(baud) => baud,
            Baud::Client => NEW_PTY,
        });
        Self {
            character: baud.map_or(Duration::ZERO, |baud| {
                Duration::from_nanos(line.frame.character_ns(baud))
            }),
            delay: line.delay(),
            jitter: line.jitter,
        }
    }

    /// How long so many bytes are under way at most.
    fn time(&self, bytes: usize) -> Duration {
        self.character * bytes as u32 + self.delay + self.jitter
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BlockSize, Check};
    use super::*;

    const PROTOCOL: Protocol = Protocol {
        block: BlockSize::Short,
        check: Check::Crc,
        retries: 10,
        timeout: Duration::from_secs(1),
    };

    #[test]
    fn a_slow_line_is_waited_for() {
        let slow = Line {
            baud: "50".parse().ok(),
            ..Line::default()
        };
        // 133 characters of 10 bits there, one back.
        let block = Duration::from_millis(133 * 200 + 200);
        let patience = Patience::on(Some(&slow), PROTOCOL);
        assert_eq!(patience.answer, block + Duration::from_secs(3));
        assert_eq!(patience.byte, Duration::from_millis(1200));
        assert!(patience.quiet > Duration::from_millis(200));
        assert_eq!(shortest(&slow, 129, PROTOCOL), Some(block * 2));

        let far = Line {
            latency: Duration::from_secs(2),
            ..Line::default()
        };
        let patience = Patience::on(Some(&far), PROTOCOL);
        assert!(patience.next > Duration::from_secs(4));
        assert!(patience.request > Duration::from_secs(4));
    }

    #[test]
    fn the_longest_patience_has_no_end() {
        let endless = Protocol {
            retries: u32::MAX,
            timeout: Duration::MAX,
            ..PROTOCOL
        };
        let line = Line {
            baud: "1".parse().ok(),
            latency: Duration::from_secs(60),
            ..Line::default()
        };
        let patience = Patience::on(Some(&line), endless);
        let Patience {
            request,
            answer,
            next,
            byte,
            ..
        } = patience;
        assert_eq!([request, answer, next, byte], [Duration::MAX; 4]);
    }

    #[test]
    fn a_line_that_adds_nothing_takes_nothing() {
        let plain = Line::default();
        assert_eq!(
            Patience::on(Some(&plain), PROTOCOL),
            Patience::on(None, PROTOCOL)
        );
        assert_eq!(shortest(&plain, 1 << 20, PROTOCOL), None);
    }
}
