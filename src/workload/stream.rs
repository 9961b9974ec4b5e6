//! What a reader should get of what a writer sent.
//!
//! The line discipline changes bytes on their way: OPOST with ONLCR turns NL
//! into CR NL on the way out of the slave (`do_output_char` in n_tty.c), and a
//! canonical reader gets whole lines of at most 4096 bytes, whose tail past
//! character 4095 is thrown away (`n_tty_receive_buf_common`). Both are known
//! functions of the position, so every byte can still be verified.

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
    fn repeating(period: Vec<u8>) -> Self {
        let length = period.len();
        let bytes = period.into_iter().cycle();
        Self {
            bytes: bytes.take(length + MAX_CHUNK).collect(),
            period: length,
        }
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
    pub sent: Pattern,
    /// What the reader gets when all goes well.
    pub received: Pattern,
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
    /// The stream of `payload` from the end `from` of a pty in `mode`.
    pub fn new(payload: Payload, mode: Mode, from: End) -> Self {
        let period = payload.period();
        let rule = Rule::of(payload, mode, from);
        let received = match rule {
            Rule::Same => period.clone(),
            Rule::Crlf => with_cr(&period),
            Rule::Canonical(line) => cut_lines(&period, line),
        };
        Self {
            sent: Pattern::repeating(period),
            received: Pattern::repeating(received),
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

fn cut_lines(bytes: &[u8], line: Option<usize>) -> Vec<u8> {
    let Some(line) = line.filter(|&line| line > CANONICAL_LINE + 1) else {
        return bytes.to_vec();
    };
    bytes
        .chunks(line)
        .flat_map(|line| line[..CANONICAL_LINE].iter().copied().chain([b'\n']))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(payload: Payload) -> Stream {
        Stream::new(payload, Mode::COOKED, End::Master)
    }

    #[test]
    fn raw_bytes_pass_as_they_are() {
        for from in [End::Master, End::Slave] {
            let stream = Stream::new(Payload::Sequence, Mode::RAW, from);
            assert_eq!(stream.sent.at(0, 65498), stream.received.at(0, 65498));
            assert_eq!(stream.account(12345).delivered, 12345);
        }
    }

    #[test]
    fn newlines_grow_on_the_way_out() {
        let stream = Stream::new(Payload::Lines(4), Mode::COOKED, End::Slave);
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
                    let stream = Stream::new(payload, mode, from);
                    for written in (0..200_000).step_by(9973) {
                        let a = stream.account(written);
                        assert_eq!(written + a.added, a.delivered + a.dropped + a.held);
                    }
                }
            }
        }
    }
}
