//! Values that several flags take.

use std::time::Duration;

use crate::workload::{MAX_CHUNK, units};

/// Bytes of a write, 1 to [`MAX_CHUNK`].
pub fn chunk(text: &str) -> Result<usize, units::UnitError> {
    let bytes = units::parse_size(text)?;
    units::within(text, bytes, 1, MAX_CHUNK as u64).map(|bytes| bytes as usize)
}

/// Bytes, at least one.
pub fn positive_size(text: &str) -> Result<u64, units::UnitError> {
    match units::parse_size(text)? {
        0 => Err(units::UnitError::OutOfRange {
            text: text.to_owned(),
            range: "at least 1 byte".to_owned(),
        }),
        bytes => Ok(bytes),
    }
}

/// A share of 100 % exclusive, as 5% or 0.05.
pub fn effect(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    let value = number
        .parse::<f64>()
        .map_err(|_| format!("{text:?} is no effect: 5%, 0.5%"))?
        / scale;
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(format!("{text}: an effect lies between 0 and 100 %"))
    }
}

/// A time above 0.
pub fn positive_duration(text: &str) -> Result<Duration, units::UnitError> {
    match units::parse_duration(text)? {
        Duration::ZERO => Err(units::UnitError::OutOfRange {
            text: text.to_owned(),
            range: "a time above 0".to_owned(),
        }),
        duration => Ok(duration),
    }
}
