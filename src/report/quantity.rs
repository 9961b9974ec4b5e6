//! Numbers with their unit as a type. In a report each is a plain number; the
//! schema names the unit.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::workload::units;

/// A time, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanoseconds(pub f64);

/// A number of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A rate, in bytes a second.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BytesPerSecond(pub f64);

/// A frequency, in kilohertz.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Kilohertz(pub u64);

impl Nanoseconds {
    /// So many seconds.
    pub fn seconds(seconds: f64) -> Self {
        Self(seconds * 1e9)
    }

    /// The same time in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 / 1e9
    }

    /// This time shared among `parts`; None for no parts.
    pub fn per(self, parts: u64) -> Option<Self> {
        (parts > 0).then(|| Self(self.0 / parts as f64))
    }
}

impl From<u64> for Nanoseconds {
    fn from(ns: u64) -> Self {
        Self(ns as f64)
    }
}

impl From<Duration> for Nanoseconds {
    fn from(duration: Duration) -> Self {
        Self(duration.as_nanos() as f64)
    }
}

impl Bytes {
    /// The rate that moves so many bytes in `time`; None in no time.
    pub fn over(self, time: Nanoseconds) -> Option<BytesPerSecond> {
        (time.0 > 0.0).then(|| BytesPerSecond(self.0 as f64 / time.as_seconds()))
    }
}

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&units::time(self.0))
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&units::size(self.0 as f64))
    }
}

impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&units::rate(self.0))
    }
}

impl fmt::Display for Kilohertz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.0} MHz", self.0 as f64 / 1000.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_divided_by_nothing() {
        assert_eq!(Nanoseconds(10.0).per(0), None);
        assert_eq!(Nanoseconds(10.0).per(4), Some(Nanoseconds(2.5)));
        assert_eq!(Bytes(1).over(Nanoseconds(0.0)), None);
        let rate = Bytes(500).over(Nanoseconds::seconds(0.25));
        assert_eq!(rate, Some(BytesPerSecond(2000.0)));
    }

    #[test]
    fn a_quantity_is_a_plain_number_in_json() {
        assert_eq!(serde_json::to_string(&Bytes(7)).unwrap(), "7");
        assert_eq!(serde_json::to_string(&Nanoseconds(1.5)).unwrap(), "1.5");
    }
}
