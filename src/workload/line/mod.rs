//! A serial line as it may be imitated between two ptys: speed, delay and
//! faults, as plain data.

mod share;
mod speed;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::units::{self, UnitError};

pub use share::Share;
pub use speed::{Baud, Frame};
use speed::{MAX_BAUD, MIN_BAUD};

/// Longest delay, jitter or settling pause.
pub const MAX_DELAY: Duration = Duration::from_secs(60);

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
        for (name, delay) in [
            ("latency", self.latency),
            ("jitter", self.jitter),
            ("settle", self.settle),
        ] {
            if delay > MAX_DELAY {
                return Err(UnitError::OutOfRange {
                    text: format!("{name} {delay:?}"),
                    range: format!("0 to {}", units::duration(MAX_DELAY)),
                });
            }
        }
        match self.baud {
            Some(Baud::Fixed(rate)) => units::within(
                &format!("baud {rate}"),
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let said = "latency 61s is out of range: 0 to 1.0 min";
        assert_eq!(line.check().unwrap_err().to_string(), said);
    }
}
