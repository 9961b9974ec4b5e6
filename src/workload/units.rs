//! Sizes, durations and rates as people write and read them.

use std::time::Duration;

/// A text that is not a size, duration or rate, or one that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Not a number with a known unit.
    #[error("{text:?} is not {expected}")]
    Malformed {
        /// What was given.
        text: String,
        /// What would have been understood.
        expected: &'static str,
    },
    /// A number outside of what makes sense here.
    #[error("{text} is out of range: {range}")]
    OutOfRange {
        /// What was given.
        text: String,
        /// What would have been accepted.
        range: String,
    },
}

const SIZE_FORM: &str =
    "a size: bytes, or with a unit as dd has them (kB MB GB decimal; K KiB M MiB G GiB binary)";
const DURATION_FORM: &str = "a duration: a number with ns, us, ms, s, m or h, as 250ms or 5s";
const RATE_FORM: &str = "a rate: a size a second, as 10MB/s";

/// Units of size as dd(1) reads them.
const SIZE_UNITS: [(&str, u64); 15] = [
    ("", 1),
    ("B", 1),
    ("kB", 1000),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("KiB", 1 << 10),
    ("M", 1 << 20),
    ("MiB", 1 << 20),
    ("G", 1 << 30),
    ("GiB", 1 << 30),
    ("T", 1 << 40),
    ("TiB", 1 << 40),
];

const DURATION_UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a size in bytes: `256`, `4K`, `1GB`.
///
/// # Errors
/// When the text is no size, is negative, or does not fit in 64 bits.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    scaled(text, &SIZE_UNITS, SIZE_FORM)
}

/// Reads a duration: `250ms`, `1.5s`, `2m`. Only `0` may stand without a unit.
///
/// # Errors
/// When the text is no duration, is negative, or is longer than 584 years.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    if text.trim() == "0" {
        return Ok(Duration::ZERO);
    }
    scaled(text, &DURATION_UNITS, DURATION_FORM).map(Duration::from_nanos)
}

/// Reads a rate in bytes a second: `10MB/s`; the `/s` may be left out.
///
/// # Errors
/// When the text is no rate or the rate is zero.
pub fn parse_rate(text: &str) -> Result<u64, UnitError> {
    let size = text.trim().strip_suffix("/s").unwrap_or(text);
    match scaled(size, &SIZE_UNITS, RATE_FORM)? {
        0 => Err(UnitError::OutOfRange {
            text: text.to_owned(),
            range: "at least 1 byte a second".to_owned(),
        }),
        rate => Ok(rate),
    }
}

/// `value` if it lies in `low..=high`.
///
/// # Errors
/// Names the range otherwise.
pub fn within(text: &str, value: u64, low: u64, high: u64) -> Result<u64, UnitError> {
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    Err(UnitError::OutOfRange {
        text: text.to_owned(),
        range: format!("{low} to {high}"),
    })
}

/// Reads a duration in `low..=high`.
///
/// # Errors
/// When the text is no duration, or names the range.
pub fn parse_duration_within(
    text: &str,
    low: Duration,
    high: Duration,
) -> Result<Duration, UnitError> {
    let value = parse_duration(text)?;
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    let low = match low {
        Duration::ZERO => "0".to_owned(),
        low => duration(low),
    };
    Err(UnitError::OutOfRange {
        text: text.to_owned(),
        range: format!("{low} to {}", duration(high)),
    })
}

fn scaled(text: &str, units: &[(&str, u64)], expected: &'static str) -> Result<u64, UnitError> {
    let text = text.trim();
    let malformed = || UnitError::Malformed {
        text: text.to_owned(),
        expected,
    };
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start();
    let (_, scale) = units
        .iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(malformed)?;
    let number = number.replace('_', "");
    let value = match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(*scale),
        Err(_) => {
            let value = number.parse::<f64>().map_err(|_| malformed())? * *scale as f64;
            (value < u64::MAX as f64).then_some(value.round() as u64)
        }
    };
    value.ok_or_else(|| UnitError::OutOfRange {
        text: text.to_owned(),
        range: "at most 2^64 - 1 of the smallest unit".to_owned(),
    })
}

/// Bytes in decimal units with three significant digits: `20.5 kB`.
pub fn size(bytes: f64) -> String {
    scale_down(bytes, &["B", "kB", "MB", "GB", "TB"])
}

/// A rate in decimal units with three significant digits: `47.1 MB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    scale_down(bytes_per_second, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"])
}

/// A count with three significant digits: `183 k`.
pub fn count(value: f64) -> String {
    scale_down(value, &["", "k", "M", "G", "T"])
        .trim_end()
        .to_owned()
}

/// A time with three significant digits: `6.91 us`.
pub fn time(nanoseconds: f64) -> String {
    if nanoseconds >= 59.95e9 {
        return format!("{:.1} min", nanoseconds / 60e9);
    }
    scale_down(nanoseconds, &["ns", "us", "ms", "s"])
}

/// A duration with three significant digits.
pub fn duration(duration: Duration) -> String {
    time(duration.as_nanos() as f64)
}

fn scale_down(value: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut unit = 0;
    while value.abs() >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = match value.abs() {
        v if unit == 0 && v.fract() == 0.0 => 0,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_dd_reads_them() {
        for (text, bytes) in [
            ("1", 1),
            ("256", 256),
            ("4K", 4096),
            ("4k", 4096),
            ("4KiB", 4096),
            ("4kB", 4000),
            ("1MB", 1_000_000),
            ("1M", 1 << 20),
            ("1GB", 1_000_000_000),
            ("1.5 K", 1536),
            ("1_000", 1000),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "-1",
            "abc",
            "4Q",
            "1.2.3",
            "K",
            ".",
            "NaN",
            "1e3",
            "99999999999999999999",
            "20000000T",
        ] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse_duration("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_duration("0"), Ok(Duration::ZERO));
        for text in ["5", "-1s", "s", "5 parsecs", "99999999999h"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_have_a_range() {
        let within = |text| {
            let within = parse_duration_within(text, Duration::ZERO, Duration::from_secs(60));
            within.map_err(|error| error.to_string())
        };
        assert_eq!(within("60s"), Ok(Duration::from_secs(60)));
        let said = "61s is out of range: 0 to 1.0 min";
        assert_eq!(within("61s"), Err(said.to_owned()));
    }

    #[test]
    fn rates_are_above_zero() {
        assert_eq!(parse_rate("10MB/s"), Ok(10_000_000));
        assert_eq!(parse_rate("64K"), Ok(65536));
        assert!(parse_rate("0").is_err());
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(size(0.0), "0 B");
        assert_eq!(size(20480.0), "20.5 kB");
        assert_eq!(size(999.7), "1.00 kB");
        assert_eq!(rate(47_123_456.0), "47.1 MB/s");
        assert_eq!(time(6912.0), "6.91 us");
        assert_eq!(time(42.0), "42 ns");
        assert_eq!(time(169e9), "2.8 min");
        assert_eq!(count(183_000.0), "183 k");
        assert_eq!(count(12.0), "12");
    }
}
