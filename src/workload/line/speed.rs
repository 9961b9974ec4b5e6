//! How fast a line carries its characters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::workload::units::{self, UnitError};

/// Slowest line that can be asked for, in bits a second (B50 of termios(3)).
pub(super) const MIN_BAUD: u32 = 50;
/// Fastest, four times B4000000: beyond it a character takes less than a
/// timer can tell apart.
pub(super) const MAX_BAUD: u32 = 16_000_000;

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
    use crate::workload::Line;

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
}
