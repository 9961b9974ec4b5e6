//! A moment of the calendar.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment to the second in UTC, written as RFC 3339 has it:
/// `2026-11-30T21:04:15Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Timestamp {
    /// Seconds since 1970.
    seconds: u64,
}

/// A text that is no such moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no UTC time of the form 2026-11-30T21:04:15Z")]
pub struct TimestampError(String);

const DAY: u64 = 86_400;
/// The last second that four digits of year can write.
const LAST: u64 = 253_402_300_799;

impl Timestamp {
    /// Now; 1970 on a clock that is set before it.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            seconds: since.map_or(0, |since| since.as_secs()).min(LAST),
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.seconds / DAY);
        let time = self.seconds % DAY;
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        f.pad(&format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        ))
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        parse(text)
            .filter(|moment| moment.to_string() == text)
            .ok_or_else(|| TimestampError(text.chars().take(40).collect()))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    let known = (1970..=9999).contains(&year) && (1..=12).contains(&month) && day <= 31;
    let seconds = |days: u64| (days * DAY) + hour * 3600 + minute * 60 + second;
    (known && hour < 24 && minute < 60 && second < 60).then(|| Timestamp {
        seconds: seconds(days(year, month, day)),
    })
}

fn numbers(text: &str, separator: char) -> Option<[u64; 3]> {
    let mut parts = text.split(separator).map(|part| part.parse().ok());
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

/// Year, month and day of a day counted from 1970, in the proleptic Gregorian
/// calendar. Years are counted from March, so that a leap day comes last.
fn date(day: u64) -> (u64, u64, u64) {
    const CYCLE: u64 = 146_097;
    let from_march = day + MARCH_OF_YEAR_0;
    let (cycle, in_cycle) = (from_march / CYCLE, from_march % CYCLE);
    let leaps = in_cycle / 1460 - in_cycle / 36_524 + in_cycle / (CYCLE - 1);
    let year = (in_cycle - leaps) / 365;
    let in_year = in_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (cycle * 400 + year + next, month, day)
}

/// Days from 1 March of the year 0 to 1970.
const MARCH_OF_YEAR_0: u64 = 719_468;

/// The inverse of [`date`], for days that exist.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let in_year = (153 * month + 2) / 5 + day;
    (365 * year + year / 4 - year / 100 + year / 400 + in_year).saturating_sub(MARCH_OF_YEAR_0 + 1)
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, TimestampError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_date() {
        // date -u -d @SECONDS +%FT%TZ
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_796_072_655, "2026-11-30T21:04:15Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
        ] {
            let moment = Timestamp { seconds };
            assert_eq!(moment.to_string(), text);
            assert_eq!(text.parse(), Ok(moment));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "Z",
            "2026-11-30",
            "2026-11-30T21:04:15",
            "2026-13-01T00:00:00Z",
            "2026-02-30T00:00:00Z",
            "2026-11-30T24:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "99999-01-01T00:00:00Z",
            "2026-11-30T21:04:15Z ",
            "+2026-11-30T21:04:15Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}
