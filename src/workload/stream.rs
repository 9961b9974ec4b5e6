//! What a reader should get of what a writer sent.
//!
//! The line discipline changes bytes on their way: OPOST with ONLCR turns NL
//! into CR NL on the way out of the slave (`do_output_char` in n_tty.c), and a
//! canonical reader gets whole lines of at most 4096 bytes, whose tail past
//! character 4095 is thrown away (`n_tty_receive_buf_common`). Both are known
//! functions of the position, so every byte can still be verified.

use std::sync::Arc;

use crate::pty::{End, Flag, Mode};

use super::{MAX_CHUNK, Payload};

/// Most characters of one line that a canonical reader gets, without its
/// newline: `N_TTY_BUF_SIZE` less one (n_tty.c, all kernels).
pub const CANONICAL_LINE: usize = 4095;

/// A repeating sequence of bytes of which any stretch of up to
/// [`MAX_CHUNK`] can be taken as one slice.
#[derive(Debug, Clone)]
pub struct Pattern {
    bytes: Vec<u8>,
    period: usize,
}

impl Pattern {
    fn repeating(mut bytes: Vec<u8>) -> Self {
        let period = bytes.len();
        let length = period + MAX_CHUNK;
        bytes.reserve_exact(length - period);
        while bytes.len() < length {
            let more = bytes.len().min(length - bytes.len());
            bytes.extend_from_within(..more);
        }
        Self { bytes, period }
    }

    /// The length after which it repeats.
    pub fn period(&self) -> usize {
        self.period
    }

    /// The `length` bytes from `position`, which is below the period.
    #[inline(always)]
    pub fn at(&self, position: usize, length: usize) -> &[u8] {
        &self.bytes[position..position + length]
    }

    /// `position` moved on by `length`, wrapped into the period.
    #[inline(always)]
    pub fn advance(&self, position: usize, length: usize) -> usize {
        let next = position + length;
        if next < self.period {
            next
        } else {
            next % self.period
        }
    }

    /// The position, counted from the period's start, of the first place where
    /// `window` occurs.
    pub fn find(&self, window: &[u8]) -> Option<usize> {
        let reach = (self.period + window.len()).saturating_sub(1);
        self.bytes[..reach.min(self.bytes.len())]
            .windows(window.len().max(1))
            .position(|w| w == window)
    }
}

/// One direction's bytes, as sent and as they should be received.
#[derive(Debug, Clone)]
pub struct Stream {
    /// What the writer sends.
    pub sent: Arc<Pattern>,
    /// What the reader gets when all goes well.
    pub received: Arc<Pattern>,
    rule: Rule,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Bytes pass as they are.
    Same,
    /// NL becomes CR NL.
    Crlf,
    /// Whole lines of so many bytes, None when no newline ever comes.
    Canonical(Option<usize>),
}

/// Where the bytes written so far have gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// Bytes that the reader gets of them.
    pub delivered: u64,
    /// Bytes that the line discipline put in (CR before NL).
    pub added: u64,
    /// Bytes that the line discipline threw away (past 4095 of a line).
    pub dropped: u64,
    /// Bytes of a line whose newline has not been written yet.
    pub held: u64,
}

impl Stream {
    fn new(payload: Payload, sent: &Arc<Pattern>, mode: Mode, from: End) -> Self {
        let sent = Arc::clone(sent);
        let rule = Rule::of(payload, mode, from);
        let period = sent.at(0, sent.period);
        let changed = match rule {
            Rule::Same => None,
            Rule::Crlf => Some(with_cr(period)),
            Rule::Canonical(line) => cut_lines(period, line),
        };
        Self {
            received: changed
                .map_or_else(|| Arc::clone(&sent), |c| Arc::new(Pattern::repeating(c))),
            sent,
            rule,
        }
    }

    /// What becomes of the first `written` bytes.
    pub fn account(&self, written: u64) -> Account {
        match self.rule {
            Rule::Same => Account {
                delivered: written,
                ..Account::default()
            },
            Rule::Crlf => {
                let period = self.sent.period as u64;
                let newlines = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'\n').count() as u64;
                let rest = (written % period) as usize;
                let added = written / period * newlines(self.sent.at(0, self.sent.period))
                    + newlines(self.sent.at(0, rest));
                Account {
                    delivered: written + added,
                    added,
                    ..Account::default()
                }
            }
            Rule::Canonical(line) => {
                let limit = CANONICAL_LINE as u64;
                let line = line.map_or(u64::MAX, |line| line as u64);
                let (lines, partial) = (written / line, written % line);
                let held = partial.min(limit);
                let delivered = lines * line.min(limit + 1);
                Account {
                    delivered,
                    added: 0,
                    dropped: written - delivered - held,
                    held,
                }
            }
        }
    }
}

/// The streams of both directions of a pty. Clones share their bytes.
#[derive(Debug, Clone)]
pub struct Streams {
    from_master: Stream,
    from_slave: Stream,
}

impl Streams {
    /// The streams of `payload` through a pty in `mode`.
    pub fn new(payload: Payload, mode: Mode) -> Self {
        let sent = Arc::new(Pattern::repeating(payload.period()));
        let stream = |from| Stream::new(payload, &sent, mode, from);
        Self {
            from_master: stream(End::Master),
            from_slave: stream(End::Slave),
        }
    }

    /// The stream that one end writes.
    pub fn from(&self, end: End) -> &Stream {
        match end {
            End::Master => &self.from_master,
            End::Slave => &self.from_slave,
        }
    }
}

impl Rule {
    fn of(payload: Payload, mode: Mode, from: End) -> Self {
        match from {
            End::Slave if mode.has(Flag::Opost) => Self::Crlf,
            End::Master if mode.has(Flag::Icanon) => Self::Canonical(match payload {
                Payload::Lines(length) => Some(length as usize),
                _ => None,
            }),
            _ => Self::Same,
        }
    }
}

fn with_cr(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() * 2);
    for &byte in bytes {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}

/// The lines as a canonical reader gets them, if that differs.
fn cut_lines(bytes: &[u8], line: Option<usize>) -> Option<Vec<u8>> {
    let line = line.filter(|&line| line > CANONICAL_LINE + 1)?;
    let cut = |line: &[u8]| [&line[..CANONICAL_LINE], b"\n"].concat();
    Some(bytes.chunks(line).flat_map(cut).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(payload: Payload, mode: Mode, from: End) -> Stream {
        Streams::new(payload, mode).from(from).clone()
    }

    fn canonical(payload: Payload) -> Stream {
        stream(payload, Mode::COOKED, End::Master)
    }

    #[test]
    fn raw_bytes_pass_as_they_are() {
        for from in [End::Master, End::Slave] {
            let stream = stream(Payload::Sequence, Mode::RAW, from);
            assert_eq!(stream.sent.at(0, 65498), stream.received.at(0, 65498));
            assert_eq!(stream.account(12345).delivered, 12345);
        }
    }

    #[test]
    fn newlines_grow_on_the_way_out() {
        let stream = stream(Payload::Lines(4), Mode::COOKED, End::Slave);
        let sent = stream.sent.at(0, 8).to_vec();
        let want: Vec<u8> = [&sent[..3], b"\r\n", &sent[4..7], b"\r\n"].concat();
        assert_eq!(stream.received.at(0, 10), want);
        let account = stream.account(7);
        assert_eq!((account.delivered, account.added), (8, 1));
        let many = stream.account(4_000_000);
        assert_eq!((many.delivered, many.added), (5_000_000, 1_000_000));
    }

    #[test]
    fn canonical_lines_lose_their_tail_past_4095() {
        let stream = canonical(Payload::Lines(5000));
        let account = stream.account(10_000 + 4500);
        assert_eq!(account.delivered, 2 * 4096);
        assert_eq!(account.dropped, 2 * 904 + 405);
        assert_eq!(account.held, 4095);
        assert_eq!(stream.received.at(4095, 1), b"\n");
        assert_eq!(stream.received.at(4096, 9), stream.sent.at(5000, 9));

        let short = canonical(Payload::Lines(80)).account(200);
        assert_eq!((short.delivered, short.held, short.dropped), (160, 40, 0));
    }

    #[test]
    fn without_a_newline_a_canonical_reader_gets_nothing() {
        let account = canonical(Payload::Constant).account(1_000_000);
        assert_eq!(account.delivered, 0);
        assert_eq!(account.held, 4095);
        assert_eq!(account.dropped, 1_000_000 - 4095);
    }

    #[test]
    fn accounts_add_up_everywhere() {
        for payload in [Payload::Constant, Payload::LINES, Payload::Lines(4097)] {
            for mode in [Mode::RAW, Mode::COOKED] {
                for from in [End::Master, End::Slave] {
                    let stream = stream(payload, mode, from);
                    for written in (0..200_000).step_by(9973) {
                        let a = stream.account(written);
                        assert_eq!(written + a.added, a.delivered + a.dropped + a.held);
                    }
                }
            }
        }
    }
}
