//! What is written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::units::{self, UnitError};

/// The bytes that a writer sends, as a function of their position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Payload {
    /// The byte `1` for ever, as in the 2012 benchmark. A lost byte shows only
    /// in the totals.
    Constant,
    /// Big-endian 16-bit numbers that count up: any lost, doubled, changed or
    /// moved byte shows.
    Sequence,
    /// Lines of so many bytes, the newline included, of printable ASCII.
    Lines(u32),
    /// All byte values in the order that the seed gives.
    Random(u64),
}

/// The usual width of a line, its newline included.
const LINE: u32 = 80;
/// Longest line that can be asked for.
const MAX_LINE: u32 = 65536;
/// Length of a payload's period: near 64 KiB so that the buffer stays in a
/// second-level cache, and no multiple of any size the kernel moves at once.
const PERIOD: usize = 65498;

impl Payload {
    /// Lines of the usual width.
    pub const LINES: Self = Self::Lines(LINE);

    /// The next kind, and around.
    pub fn next_kind(self) -> Self {
        match self {
            Self::Sequence => Self::Lines(LINE),
            Self::Lines(_) => Self::Random(1),
            Self::Random(_) => Self::Constant,
            Self::Constant => Self::Sequence,
        }
    }

    /// Whether the position of a byte can be told from the bytes around it.
    pub fn is_verifiable(self) -> bool {
        self != Self::Constant
    }

    /// Whether it holds control characters that a line discipline acts on.
    pub fn has_control_characters(self) -> bool {
        matches!(self, Self::Sequence | Self::Random(_))
    }

    /// One period of the payload.
    pub(super) fn period(self) -> Vec<u8> {
        match self {
            Self::Constant => vec![b'1'],
            Self::Sequence => (0..PERIOD / 2)
                .flat_map(|n| (n as u16).to_be_bytes())
                .collect(),
            Self::Lines(length) => lines(length as usize),
            Self::Random(seed) => random(seed, |word| word.to_le_bytes()[7])
                .take(PERIOD)
                .collect(),
        }
    }
}

fn lines(length: usize) -> Vec<u8> {
    const PRINTABLE: &[u8; 64] =
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let length = length.max(1);
    let mut text = random(0, |word| PRINTABLE[(word >> 58) as usize]);
    let mut bytes = Vec::with_capacity(PERIOD.max(length));
    for _ in 0..(PERIOD / length).max(1) {
        bytes.extend(text.by_ref().take(length - 1));
        bytes.push(b'\n');
    }
    bytes
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), a byte from each word.
fn random(seed: u64, byte: fn(u64) -> u8) -> impl Iterator<Item = u8> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        byte(word ^ (word >> 31))
    })
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Constant => f.pad("constant"),
            Self::Sequence => f.pad("sequence"),
            Self::Lines(LINE) => f.pad("lines"),
            Self::Lines(length) => f.pad(&format!("lines:{length}")),
            Self::Random(seed) => f.pad(&format!("random:{seed}")),
        }
    }
}

impl FromStr for Payload {
    type Err = UnitError;

    /// `constant`, `sequence`, `lines`, `lines:LENGTH`, `random` or `random:SEED`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let malformed = || UnitError::Malformed {
            text: text.to_owned(),
            expected: "a payload: constant, sequence, lines, lines:LENGTH, random or random:SEED",
        };
        match text.split_once(':') {
            None => match text {
                "constant" => Ok(Self::Constant),
                "sequence" => Ok(Self::Sequence),
                "lines" => Ok(Self::LINES),
                "random" => Ok(Self::Random(1)),
                _ => Err(malformed()),
            },
            Some(("lines", length)) => {
                let bytes = units::parse_size(length)?;
                let bytes = units::within(text, bytes, 1, u64::from(MAX_LINE))?;
                Ok(Self::Lines(bytes as u32))
            }
            Some(("random", seed)) => seed.parse().map(Self::Random).map_err(|_| malformed()),
            Some(_) => Err(malformed()),
        }
    }
}

impl From<Payload> for String {
    fn from(payload: Payload) -> Self {
        payload.to_string()
    }
}

impl TryFrom<String> for Payload {
    type Error = UnitError;

    fn try_from(text: String) -> Result<Self, UnitError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_reads_back() {
        for payload in [
            Payload::Constant,
            Payload::Sequence,
            Payload::LINES,
            Payload::Lines(5000),
            Payload::Random(7),
        ] {
            assert_eq!(payload.to_string().parse(), Ok(payload));
        }
        for text in ["", "lines:0", "lines:1G", "random:x", "zeros:3"] {
            assert!(text.parse::<Payload>().is_err(), "{text}");
        }
    }

    #[test]
    fn lines_have_the_asked_length_and_nothing_but_printable_ascii() {
        for length in [1, 2, 80, 4096, 5000, MAX_LINE] {
            let bytes = Payload::Lines(length).period();
            for line in bytes.chunks(length as usize) {
                assert_eq!(line.last(), Some(&b'\n'));
                assert_eq!(line.len(), length as usize);
                assert!(line[..line.len() - 1].iter().all(u8::is_ascii_graphic));
            }
        }
    }

    #[test]
    fn sixteen_bytes_tell_their_position() {
        for payload in [Payload::Sequence, Payload::LINES, Payload::Random(3)] {
            let period = payload.period();
            let mut windows: Vec<&[u8]> = period.windows(16).collect();
            let all = windows.len();
            windows.sort_unstable();
            windows.dedup();
            assert_eq!(windows.len(), all, "{payload}");
        }
    }
}
