//! The way of the result from the guest to its host: frames over a line that
//! others may write on too.
//!
//! A frame is four bytes of magic, the kind of message (1 byte), its number (4), the
//! length of what follows (4), a CRC-32 of these three and of what follows (4),
//! and that; numbers are little-endian.

use serde::{Deserialize, Serialize};

/// What the guest tells its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// Init runs and has set up what it could.
    Started(Start),
    /// Init still gets to run.
    Alive,
    /// The command wrote this to standard output.
    Output(Vec<u8>),
    /// The command wrote this to standard error.
    Complaint(Vec<u8>),
    /// The command has ended.
    Ended(End),
    /// The command could not be started, and why.
    Refused(String),
}

/// How init found its kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The running kernel (`uname -r`).
    pub release: String,
    /// Nanoseconds of the guest's `CLOCK_MONOTONIC` when init began.
    pub at_ns: u64,
    /// What this kernel lacks, and what was done instead.
    pub lacks: Vec<String>,
}

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Its exit code.
    pub code: Option<u8>,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// How long it ran by the guest's clock, in nanoseconds.
    pub took_ns: u64,
}

/// Begins with a byte that no UTF-8 text holds.
const MAGIC: [u8; 4] = *b"\xf5PTY";
/// Bytes before what a frame carries.
const HEADER: usize = MAGIC.len() + 1 + 4 + 4 + 4;
/// The most that a frame carries: a line that lost a byte is found out soon.
pub const MOST: usize = 16 << 10;

impl Message {
    fn kind(&self) -> u8 {
        match self {
            Self::Started(_) => 1,
            Self::Alive => 2,
            Self::Output(_) => 3,
            Self::Complaint(_) => 4,
            Self::Ended(_) => 5,
            Self::Refused(_) => 6,
        }
    }

    fn payload(&self) -> Vec<u8> {
        // What has string keys only can always be written.
        let mut payload = match self {
            Self::Started(start) => serde_json::to_vec(start).unwrap_or_default(),
            Self::Alive => Vec::new(),
            Self::Output(bytes) | Self::Complaint(bytes) => bytes.clone(),
            Self::Ended(end) => serde_json::to_vec(end).unwrap_or_default(),
            Self::Refused(why) => why.clone().into_bytes(),
        };
        payload.truncate(MOST);
        payload
    }

    fn parse(kind: u8, payload: &[u8]) -> Option<Self> {
        Some(match kind {
            1 => Self::Started(serde_json::from_slice(payload).ok()?),
            2 => Self::Alive,
            3 => Self::Output(payload.to_vec()),
            4 => Self::Complaint(payload.to_vec()),
            5 => Self::Ended(serde_json::from_slice(payload).ok()?),
            6 => Self::Refused(String::from_utf8_lossy(payload).into_owned()),
            _ => return None,
        })
    }

    /// The message as a frame, the `number`th from 0.
    pub fn frame(&self, number: u32) -> Vec<u8> {
        let payload = self.payload();
        let mut checked = vec![self.kind()];
        checked.extend_from_slice(&number.to_le_bytes());
        checked.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        let sum = checksum(&[&checked, &payload]);
        [&MAGIC, checked.as_slice(), &sum.to_le_bytes(), &payload].concat()
    }
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut sum = flate2::Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.sum()
}

/// Finds frames among whatever else comes over the line.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    next: u32,
    has_gap: bool,
}

/// What stands at the front of the buffer.
enum Front {
    /// A frame of so many bytes, with that number and, if it is known, message.
    Frame(usize, u32, Option<Message>),
    /// The beginning of one, perhaps.
    Incomplete,
    /// None.
    Noise,
}

impl Decoder {
    /// Takes what came and gives the messages that are complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Message> {
        self.buffer.extend_from_slice(bytes);
        let mut messages = Vec::new();
        let mut at = 0;
        while let Some(rest) = self.buffer.get(at..).filter(|rest| !rest.is_empty()) {
            match front(rest) {
                Front::Incomplete => break,
                Front::Noise => at += 1,
                Front::Frame(length, number, message) => {
                    at += length;
                    self.has_gap |= number != self.next;
                    self.next = number.wrapping_add(1);
                    messages.extend(message);
                }
            }
        }
        self.buffer.drain(..at);
        messages
    }

    /// Whether a frame that must have been sent did not come whole.
    pub fn has_gap(&self) -> bool {
        self.has_gap
    }
}

fn front(bytes: &[u8]) -> Front {
    let magic = MAGIC.iter().zip(bytes).all(|(a, b)| a == b);
    if !magic {
        return Front::Noise;
    }
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else {
        return Front::Incomplete;
    };
    let word = |at: usize| {
        let four = header.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map_or(0, u32::from_le_bytes)
    };
    let (number, length, sum) = (word(5), word(9) as usize, word(13));
    if length > MOST {
        return Front::Noise;
    }
    let Some(payload) = rest.get(..length) else {
        return Front::Incomplete;
    };
    let checked = header.get(MAGIC.len()..HEADER - 4).unwrap_or_default();
    if checksum(&[checked, payload]) != sum {
        return Front::Noise;
    }
    let kind = checked.first().copied().unwrap_or_default();
    Front::Frame(HEADER + length, number, Message::parse(kind, payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<Message> {
        vec![
            Message::Started(Start {
                release: "6.12.0".to_owned(),
                at_ns: 7,
                lacks: vec!["CONFIG_DEVTMPFS".to_owned()],
            }),
            Message::Alive,
            Message::Output((0..=255).cycle().take(5000).collect()),
            Message::Complaint(MAGIC.repeat(3)),
            Message::Ended(End {
                code: Some(3),
                signal: None,
                took_ns: u64::MAX,
            }),
            Message::Refused("no pty".to_owned()),
        ]
    }

    /// The frames of `messages` with `noise` before, between and after them.
    fn line(noise: &[u8]) -> Vec<u8> {
        let mut line = noise.to_vec();
        for (number, message) in messages().iter().enumerate() {
            line.extend(message.frame(number as u32));
            line.extend_from_slice(noise);
        }
        line
    }

    #[test]
    fn messages_come_through_whatever_else_is_on_the_line() {
        for noise in [
            &b""[..],
            b"[    1.2] tty: hello\r\n",
            b"\xf5",
            b"\xf5PTY",
            b"\xf5PT\xf5PTY\x03\0\0\0\0\xff\0\0\0",
            b"\xf5PTY\x03\0\0\0\0\x05\0\0\0aaaabbbb",
        ] {
            for step in [1, 3, 4096, usize::MAX] {
                let mut decoder = Decoder::default();
                let line = line(noise);
                let chunks = line.chunks(step.min(line.len()));
                let mut got: Vec<_> = chunks.flat_map(|chunk| decoder.push(chunk)).collect();
                got.extend(decoder.push(&[0; HEADER + 255]));
                assert_eq!(got, messages(), "{noise:?} by {step}");
                assert!(!decoder.has_gap());
            }
        }
    }

    #[test]
    fn no_damage_goes_unnoticed() {
        let line = line(b"x");
        let mut random = 1_u64;
        for at in 0..line.len() {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut damaged = line.clone();
            match random >> 62 {
                0 => damaged.truncate(at),
                1 => drop(damaged.remove(at)),
                2 => damaged.insert(at, (random >> 32) as u8),
                _ => damaged[at] ^= 1 << ((random >> 32) % 8),
            }
            let mut decoder = Decoder::default();
            let got = decoder.push(&damaged);
            let sent = messages();
            assert!(got.iter().all(|message| sent.contains(message)), "{at}");
            // Those at the end can only be missed: nothing follows them.
            let is_whole = got == sent[..got.len()];
            assert!(is_whole || decoder.has_gap(), "{at}: {got:?}");
        }
    }
}
