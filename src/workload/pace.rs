//! How fast one side may go.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::units::{self, UnitError};

/// What holds a writer or a reader back between its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Pace {
    /// Nothing: the next call follows at once.
    #[default]
    None,
    /// This long after each call.
    Delay(Duration),
    /// So many bytes a second on average.
    Rate(u64),
    /// It makes no call at all.
    Stopped,
}

impl Pace {
    /// Delays that the keys step through.
    const DELAYS: [Duration; 12] = {
        const fn us(n: u64) -> Duration {
            Duration::from_micros(n)
        }
        [
            us(10),
            us(20),
            us(50),
            us(100),
            us(200),
            us(500),
            us(1_000),
            us(2_000),
            us(5_000),
            us(20_000),
            us(100_000),
            us(1_000_000),
        ]
    };

    /// The next kind: none, delay, rate, stopped, and around.
    pub fn next_kind(self) -> Self {
        match self {
            Self::None => Self::Delay(Duration::from_millis(1)),
            Self::Delay(_) => Self::Rate(1_000_000),
            Self::Rate(_) => Self::Stopped,
            Self::Stopped => Self::None,
        }
    }

    /// One step faster (`true`) or slower: the next delay of a 1-2-5 series,
    /// or a rate doubled or halved. Kinds without a value stay as they are.
    pub fn stepped(self, faster: bool) -> Self {
        match self {
            Self::Delay(delay) => {
                let next = if faster {
                    Self::DELAYS.iter().rev().find(|&&d| d < delay)
                } else {
                    Self::DELAYS.iter().find(|&&d| d > delay)
                };
                Self::Delay(next.copied().unwrap_or(delay))
            }
            Self::Rate(rate) if faster => Self::Rate(rate.saturating_mul(2).min(1 << 40)),
            Self::Rate(rate) => Self::Rate((rate / 2).max(1)),
            other => other,
        }
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => f.pad("none"),
            Self::Stopped => f.pad("stopped"),
            Self::Delay(delay) => f.pad(&exact_duration(delay)),
            Self::Rate(rate) => f.pad(&format!("{}/s", exact_size(rate))),
        }
    }
}

fn exact_duration(delay: Duration) -> String {
    let ns = delay.as_nanos();
    for (unit, scale) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] {
        if ns >= scale && ns.is_multiple_of(scale) {
            return format!("{}{unit}", ns / scale);
        }
    }
    format!("{ns}ns")
}

fn exact_size(bytes: u64) -> String {
    for (unit, scale) in [("MB", 1_000_000), ("kB", 1_000)] {
        if bytes >= scale && bytes.is_multiple_of(scale) {
            return format!("{}{unit}", bytes / scale);
        }
    }
    format!("{bytes}B")
}

impl FromStr for Pace {
    type Err = UnitError;

    /// `none`, `stopped`, a delay (`1ms`) or a rate (`10MB/s`).
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "none" => Ok(Self::None),
            "stopped" => Ok(Self::Stopped),
            _ if text.ends_with("/s") => units::parse_rate(text).map(Self::Rate),
            _ => match units::parse_duration(text) {
                Ok(Duration::ZERO) => Ok(Self::None),
                Ok(delay) => Ok(Self::Delay(delay)),
                Err(UnitError::Malformed { text, .. }) => Err(UnitError::Malformed {
                    text,
                    expected: "a pace: none, a delay per call (1ms), a rate (10MB/s) or stopped",
                }),
                Err(error) => Err(error),
            },
        }
    }
}

impl From<Pace> for String {
    fn from(pace: Pace) -> Self {
        pace.to_string()
    }
}

impl TryFrom<String> for Pace {
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
        for pace in [
            Pace::None,
            Pace::Stopped,
            Pace::Delay(Duration::from_micros(1500)),
            Pace::Delay(Duration::from_secs(2)),
            Pace::Rate(10_000_000),
            Pace::Rate(1234),
        ] {
            assert_eq!(pace.to_string().parse(), Ok(pace));
        }
        assert!("fast".parse::<Pace>().is_err());
        assert!("0/s".parse::<Pace>().is_err());
    }

    #[test]
    fn steps_stay_in_range_and_come_back() {
        let mut pace = Pace::Delay(Duration::from_millis(1));
        for _ in 0..40 {
            pace = pace.stepped(true);
        }
        assert_eq!(pace, Pace::Delay(Duration::from_micros(10)));
        assert_eq!(pace.stepped(false).stepped(true), pace);
        assert_eq!(Pace::Rate(1).stepped(false), Pace::Rate(1));
        assert_eq!(Pace::None.stepped(true), Pace::None);
    }
}
