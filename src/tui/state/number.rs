//! The one number of the big view.

use crate::analysis::Ratio;
use crate::sample::Histogram;
use crate::workload::units;

use super::data::Data;
use super::history::{Point, Times};
use super::stretch::Metric;

/// Which number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Number {
    /// Bytes read per second.
    #[default]
    Throughput,
    /// Bytes on their way.
    InFlight,
    /// Median time of a write call.
    WriteP50,
    /// The time that 99 of 100 write calls do not exceed.
    WriteP99,
    /// Median time of a read call.
    ReadP50,
    /// The time that 99 of 100 read calls do not exceed.
    ReadP99,
    /// Median time of a round trip of direction echo.
    RoundTrip,
    /// Median time from the last byte one way over a link to the first back.
    Turnaround,
    /// What the last change made of the throughput, or of the round trip where
    /// there is one.
    Difference,
}

/// A number as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Its digits, three or so.
    pub digits: String,
    /// Its unit.
    pub unit: String,
}

impl Reading {
    fn of(text: &str) -> Self {
        let (digits, unit) = text.split_once(' ').unwrap_or((text, ""));
        Self {
            digits: digits.to_owned(),
            unit: unit.to_owned(),
        }
    }

    /// A change in per cent, or beyond ten times as much as a factor.
    fn of_ratio(ratio: f64) -> Self {
        let percent = (ratio - 1.0) * 100.0;
        Self::of(&match ratio {
            r if r >= 9.995 => format!("{} times", units::count(r).replace(' ', "")),
            _ if percent.abs() < 9.95 => format!("{percent:+.1} %"),
            _ => format!("{percent:+.0} %"),
        })
    }
}

impl Number {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 9] = [
        Self::Throughput,
        Self::InFlight,
        Self::WriteP50,
        Self::WriteP99,
        Self::ReadP50,
        Self::ReadP99,
        Self::RoundTrip,
        Self::Turnaround,
        Self::Difference,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::InFlight => "in flight",
            Self::WriteP50 => "write p50",
            Self::WriteP99 => "write p99",
            Self::ReadP50 => "read p50",
            Self::ReadP99 => "read p99",
            Self::RoundTrip => "round trip p50",
            Self::Turnaround => "turnaround p50",
            Self::Difference => "difference",
        }
    }

    /// The next one that `data` can have, and around.
    pub fn next(self, data: &Data) -> Self {
        let at = Self::ALL.iter().position(|&number| number == self);
        let after = Self::ALL.iter().cycle().skip(at.unwrap_or(0) + 1);
        let mut others = after.take(Self::ALL.len());
        let next = others.find(|number| number.is_of(data));
        next.copied().unwrap_or(self)
    }

    /// Whether the workload or link has it.
    fn is_of(self, data: &Data) -> bool {
        let latest = data.latest.as_ref();
        match self {
            Self::RoundTrip => latest.is_some_and(|sample| sample.round_trips.is_some()),
            Self::Turnaround => latest.is_some_and(|sample| sample.link.is_some()),
            _ => true,
        }
    }

    /// Its value over the last half second; None while there is none.
    pub fn reading(self, data: &Data) -> Option<Reading> {
        if self == Self::Difference {
            let (_, ratio) = difference(data)?;
            return Some(Reading::of_ratio(ratio.estimate));
        }
        if self == Self::InFlight {
            let bytes = data.latest.as_ref()?.in_flight();
            return Some(Reading::of(&units::size(bytes as f64)));
        }
        let sum = data.readout.as_ref()?;
        let (writes, reads) = sum.all_calls();
        let value = match self {
            Self::Throughput => return Some(Reading::of(&units::rate(sum.throughput()))),
            Self::WriteP50 => Times::of(&writes).p50,
            Self::WriteP99 => Times::of(&writes).p99,
            Self::ReadP50 => Times::of(&reads).p50,
            Self::ReadP99 => Times::of(&reads).p99,
            Self::RoundTrip => median(sum.round_trips.as_ref()?),
            Self::Turnaround => median(&sum.link.as_ref()?.turnaround()),
            Self::InFlight | Self::Difference => None,
        };
        value.map(|ns| Reading::of(&units::time(ns)))
    }

    /// Its value in one sample, for its way through time.
    pub fn at(self, data: &Data, point: &Point) -> Option<f64> {
        match self {
            Self::Throughput => point.throughput,
            Self::InFlight => Some(point.in_flight),
            Self::WriteP50 => point.write_time.p50,
            Self::WriteP99 => point.write_time.p99,
            Self::ReadP50 => point.read_time.p50,
            Self::ReadP99 => point.read_time.p99,
            Self::RoundTrip => point.round_trip,
            Self::Turnaround => point.turnaround,
            Self::Difference => match difference(data) {
                Some((Metric::RoundTrip, _)) => point.round_trip,
                _ => point.throughput,
            },
        }
    }
}

/// What the last change made of the first metric that has been compared.
pub fn difference(data: &Data) -> Option<(Metric, Ratio)> {
    let mut compared = data.differences.iter();
    compared.find_map(|&(metric, ratio)| Some((metric, ratio?)))
}

fn median(times: &Histogram) -> Option<f64> {
    times.quantile(0.5).map(|ns| ns as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_in_per_cent_or_as_a_factor() {
        for (ratio, digits, unit) in [
            (0.803, "-20", "%"),
            (1.0421, "+4.2", "%"),
            (1.0, "+0.0", "%"),
            (2.5, "+150", "%"),
            (12.34, "12.3", "times"),
            (5_600.0, "5.60k", "times"),
        ] {
            let reading = Reading::of_ratio(ratio);
            assert_eq!(
                (&*reading.digits, &*reading.unit),
                (digits, unit),
                "{ratio}"
            );
        }
    }

    #[test]
    fn without_samples_there_is_no_number() {
        let data = Data::default();
        for number in Number::ALL {
            assert_eq!(number.reading(&data), None, "{number:?}");
        }
        assert_eq!(Number::ReadP99.next(&data), Number::Difference);
        assert_eq!(Number::Difference.next(&data), Number::Throughput);
    }
}
