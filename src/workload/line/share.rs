//! A share of the bytes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::workload::units::UnitError;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_lie_between_nothing_and_all() {
        assert_eq!("0.1%".parse::<Share>().unwrap().get(), 0.001);
        assert_eq!("1e-3".parse::<Share>().unwrap().get(), 0.001);
        for text in ["-0.1", "1.01", "101%", "NaN", "inf", "", "x"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
