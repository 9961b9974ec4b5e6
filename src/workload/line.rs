//! A serial line as it may be imitated between two ptys: speed, delay and
//! faults, as plain data.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::units::{self, UnitError};

/// Slowest line that can be asked for, in bits a second (B50 of termios(3)).
const MIN_BAUD: u32 = 50;
/// Fastest, four times B4000000: beyond it a character takes less than a
/// timer can tell apart.
const MAX_BAUD: u32 = 16_000_000;
/// Longest delay, jitter or settling pause.
const MAX_DELAY: Duration = Duration::from_secs(60);

/// How fast bits leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Baud {
    /// So many bits a second, both ways, 50 to 16 million.
    Fixed(u32),
    /// What the sending client has set with tcsetattr(3); a client that sets
    /// 0 is not held back.
    Client,
}

impl fmt::Display for Baud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(rate) => f.pad(&rate.to_string()),
            Self::Client => f.pad("client"),
        }
    }
}

impl FromStr for Baud {
    type Err = UnitError;

    /// A number of bits a second, or `client`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "client" {
            return Ok(Self::Client);
        }
        let rate: u64 = text.parse().map_err(|_| UnitError::Malformed {
            text: text.to_owned(),
            expected: "a speed in bits a second, as 115200, or client",
        })?;
        let rate = units::within(text, rate, MIN_BAUD.into(), MAX_BAUD.into())?;
        Ok(Self::Fixed(rate as u32))
    }
}

/// How many bits a character takes on the line, a start bit included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Frame {
    data: u8,
    parity: Parity,
    stop: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Parity {
    None,
    Even,
    Odd,
    Mark,
    Space,
}

impl Parity {
    const ALL: [(Self, char); 5] = [
        (Self::None, 'N'),
        (Self::Even, 'E'),
        (Self::Odd, 'O'),
        (Self::Mark, 'M'),
        (Self::Space, 'S'),
    ];
}

impl Frame {
    /// Eight data bits, no parity, one stop bit.
    pub const EIGHT_N_ONE: Self = Self {
        data: 8,
        parity: Parity::None,
        stop: 1,
    };

    /// Bits on the line for one character.
    pub fn bits(self) -> u32 {
        1 + u32::from(self.data) + u32::from(self.parity != Parity::None) + u32::from(self.stop)
    }

    /// Nanoseconds on the line for one character at `baud` bits a second.
    pub fn character_ns(self, baud: u32) -> u64 {
        u64::from(self.bits()) * 1_000_000_000 / u64::from(baud.max(1))
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parity = Parity::ALL
            .iter()
            .find(|(parity, _)| *parity == self.parity);
        let letter = parity.map_or('N', |(_, letter)| *letter);
        f.pad(&format!("{}{letter}{}", self.data, self.stop))
    }
}

impl FromStr for Frame {
    type Err = UnitError;

    /// Data bits 5 to 8, parity of N E O M S, stop bits 1 or 2: `8N1`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let malformed = || UnitError::Malformed {
            text: text.to_owned(),
            expected: "a frame: data bits 5 to 8, parity N E O M or S, stop bits 1 or 2, as 8N1",
        };
        let mut letters = text.chars();
        let (Some(data), Some(parity), Some(stop), None) = (
            letters.next(),
            letters.next(),
            letters.next(),
            letters.next(),
        ) else {
            return Err(malformed());
        };
        let parity = Parity::ALL
            .iter()
            .find(|(_, letter)| *letter == parity.to_ascii_uppercase());
        match (data, parity, stop) {
            ('5'..='8', Some((parity, _)), '1' | '2') => Ok(Self {
                data: data as u8 - b'0',
                parity: *parity,
                stop: stop as u8 - b'0',
            }),
            _ => Err(malformed()),
        }
    }
}

/// The share of bytes that something happens to, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Share(f64);

impl Share {
    /// It happens to no byte.
    pub const NONE: Self = Self(0.0);

    /// The share as a number, 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether it happens at all.
    pub fn is_some(self) -> bool {
        self.0 > 0.0
    }
}

impl TryFrom<f64> for Share {
    type Error = UnitError;

    fn try_from(value: f64) -> Result<Self, UnitError> {
        if (0.0..=1.0).contains(&value) {
            return Ok(Self(value));
        }
        Err(UnitError::OutOfRange {
            text: value.to_string(),
            range: "0 to 1, or 0% to 100%".to_owned(),
        })
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> Self {
        share.0
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_string())
    }
}

impl FromStr for Share {
    type Err = UnitError;

    /// `0.001`, `1e-3` or `0.1%`.
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let (number, scale) = match text.strip_suffix('%') {
            Some(number) => (number, 100.0),
            None => (text, 1.0),
        };
        let value: f64 = number.trim().parse().map_err(|_| UnitError::Malformed {
            text: text.to_owned(),
            expected: "a share of the bytes, as 0.001 or 0.1%",
        })?;
        Self::try_from(value / scale)
    }
}

/// A line between two ptys: everything about it that can be turned while it
/// carries bytes. The default is a wire that adds nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// How fast bytes leave, each way on its own; None: as fast as they can.
    pub baud: Option<Baud>,
    /// How many bits a byte is on the line.
    pub frame: Frame,
    /// How long each byte is under way, at most a minute.
    pub latency: Duration,
    /// Up to how much longer, drawn for each message; order is kept.
    pub jitter: Duration,
    /// A pause before each message is passed on, for clients that are not
    /// ready yet when the answer comes.
    pub settle: Duration,
    /// The share of bytes that are lost.
    pub drop: Share,
    /// The share of bytes in which one bit is turned.
    pub flip: Share,
    /// The share of bytes that arrive twice.
    pub duplicate: Share,
    /// Whether bytes for an end that nobody has open are thrown away, as on a
    /// wire, and not kept for who opens it next.
    pub drop_unattached: bool,
    /// What faults and jitter are drawn from: equal seeds do equal damage to
    /// equal bytes.
    pub seed: u64,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            baud: None,
            frame: Frame::EIGHT_N_ONE,
            latency: Duration::ZERO,
            jitter: Duration::ZERO,
            settle: Duration::ZERO,
            drop: Share::NONE,
            flip: Share::NONE,
            duplicate: Share::NONE,
            drop_unattached: false,
            seed: 1,
        }
    }
}

impl Line {
    /// Whether bytes are passed on at once, none held back.
    pub fn is_immediate(&self) -> bool {
        self.baud.is_none() && self.delay().is_zero() && self.jitter.is_zero()
    }

    /// Whether bytes are passed on unchanged.
    pub fn is_faultless(&self) -> bool {
        !(self.drop.is_some() || self.flip.is_some() || self.duplicate.is_some())
    }

    /// What each byte waits beside its time on the line.
    pub fn delay(&self) -> Duration {
        self.latency.saturating_add(self.settle)
    }

    /// Whether the line can be imitated.
    ///
    /// # Errors
    /// Names what is out of range.
    pub fn check(&self) -> Result<(), UnitError> {
        for delay in [self.latency, self.jitter, self.settle] {
            if delay > MAX_DELAY {
                return Err(UnitError::OutOfRange {
                    text: units::duration(delay),
                    range: format!("0 to {}", units::duration(MAX_DELAY)),
                });
            }
        }
        match self.baud {
            Some(Baud::Fixed(rate)) => units::within(
                &rate.to_string(),
                rate.into(),
                MIN_BAUD.into(),
                MAX_BAUD.into(),
            )
            .map(drop),
            _ => Ok(()),
        }
    }
}

/// `plain`, or what is imitated: `115200 8N1, latency 5.00 ms`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(baud) = self.baud {
            parts.push(format!("{baud} {}", self.frame));
        }
        for (name, delay) in [
            ("latency", self.latency),
            ("jitter", self.jitter),
            ("settle", self.settle),
        ] {
            if !delay.is_zero() {
                parts.push(format!("{name} {}", units::duration(delay)));
            }
        }
        for (name, share) in [
            ("drop", self.drop),
            ("flip", self.flip),
            ("dup", self.duplicate),
        ] {
            if share.is_some() {
                parts.push(format!("{name} {share}"));
            }
        }
        if self.drop_unattached {
            parts.push("drop unattached".to_owned());
        }
        if parts.is_empty() {
            return f.pad("plain");
        }
        f.pad(&parts.join(", "))
    }
}

macro_rules! through_text {
    ($($kind:ty),*) => {$(
        impl From<$kind> for String {
            fn from(value: $kind) -> Self {
                value.to_string()
            }
        }

        impl TryFrom<String> for $kind {
            type Error = UnitError;

            fn try_from(text: String) -> Result<Self, UnitError> {
                text.parse()
            }
        }
    )*};
}

through_text!(Baud, Frame);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_know_their_bits() {
        for (text, bits) in [
            ("8N1", 10),
            ("7E1", 10),
            ("8O2", 12),
            ("5n1", 7),
            ("8M1", 11),
        ] {
            let frame: Frame = text.parse().unwrap();
            assert_eq!(frame.bits(), bits, "{text}");
            assert_eq!(frame.to_string(), text.to_ascii_uppercase());
        }
        for text in ["", "8N", "8N3", "9N1", "4N1", "8X1", "8N1x", "N81"] {
            assert!(text.parse::<Frame>().is_err(), "{text}");
        }
        assert_eq!(Frame::EIGHT_N_ONE.character_ns(9600), 1_041_666);
    }

    #[test]
    fn speeds_are_in_range_or_of_the_client() {
        assert_eq!("115200".parse(), Ok(Baud::Fixed(115_200)));
        assert_eq!("client".parse(), Ok(Baud::Client));
        for text in ["0", "-1", "49", "16000001", "fast", ""] {
            assert!(text.parse::<Baud>().is_err(), "{text}");
        }
        let line = Line {
            baud: Some(Baud::Fixed(0)),
            ..Line::default()
        };
        assert!(line.check().unwrap_err().to_string().contains("50 to"));
    }

    #[test]
    fn shares_lie_between_nothing_and_all() {
        assert_eq!("0.1%".parse::<Share>().unwrap().get(), 0.001);
        assert_eq!("1e-3".parse::<Share>().unwrap().get(), 0.001);
        for text in ["-0.1", "1.01", "101%", "NaN", "inf", "", "x"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_line_reads_back_and_says_what_it_is() {
        let mut line = Line::default();
        assert_eq!(line.to_string(), "plain");
        assert!(line.is_immediate() && line.is_faultless());
        line.baud = Some(Baud::Client);
        line.settle = Duration::from_micros(200);
        line.drop = "1e-4".parse().unwrap();
        assert_eq!(line.to_string(), "client 8N1, settle 200 us, drop 0.0001");
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line);
        line.latency = Duration::from_secs(61);
        assert!(line.check().is_err());
    }
}
