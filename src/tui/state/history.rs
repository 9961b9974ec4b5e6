//! What the time plots show: one point a sample, for so long.

use std::collections::VecDeque;

use crate::sample::{Calls, Sample};

/// Points kept: 20 minutes at ten a second.
const KEPT: usize = 12_000;
/// Markers kept.
const MARKS: usize = 500;

/// What one sample adds to the plots.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Seconds since the source started, at the end of the interval.
    pub at: f64,
    /// Bytes read per second; None in a sample that straddles a change or was
    /// held, which is drawn as a gap.
    pub throughput: Option<f64>,
    /// Write call times in nanoseconds.
    pub write_time: Times,
    /// Read call times.
    pub read_time: Times,
    /// Median time of a round trip, where the workload makes them.
    pub round_trip: Option<f64>,
    /// Median time from the last byte one way to the first back, of a link.
    pub turnaround: Option<f64>,
    /// Bytes on their way.
    pub in_flight: f64,
    /// Bytes asked of each write.
    pub asked: f64,
    /// Mean bytes that a write took.
    pub written: Option<f64>,
    /// Mean bytes that a read gave.
    pub read: Option<f64>,
}

/// Quantiles of the calls of one interval; None without calls.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Times {
    /// Half of the calls took no longer.
    pub p50: Option<f64>,
    /// 99 of 100 calls took no longer.
    pub p99: Option<f64>,
    /// The longest.
    pub max: Option<f64>,
}

impl Times {
    /// The quantiles of all `calls`.
    pub fn of(calls: &Calls) -> Self {
        let quantile = |q| calls.time.quantile(q).map(|ns| ns as f64);
        Self {
            p50: quantile(0.5),
            p99: quantile(0.99),
            max: calls.time.max().map(|ns| ns as f64),
        }
    }
}

impl Point {
    /// The point of a sample.
    pub fn of(sample: &Sample) -> Self {
        let (writes, reads) = all_calls(sample);
        let mean = |calls: &Calls| {
            let count = calls.count();
            (count > 0).then(|| calls.bytes as f64 / count as f64)
        };
        Self {
            at: sample.end_ns as f64 / 1e9,
            throughput: sample.counts().then(|| sample.throughput()),
            write_time: Times::of(&writes),
            read_time: Times::of(&reads),
            round_trip: sample
                .round_trips
                .as_ref()
                .and_then(|trips| trips.quantile(0.5))
                .map(|ns| ns as f64),
            turnaround: turnaround(sample),
            in_flight: sample.in_flight() as f64,
            asked: sample.settings.chunk as f64,
            written: mean(&writes),
            read: mean(&reads),
        }
    }
}

fn turnaround(sample: &Sample) -> Option<f64> {
    sample
        .link
        .as_ref()?
        .turnaround()
        .quantile(0.5)
        .map(|ns| ns as f64)
}

/// The calls of all flows together: writes, and reads.
pub fn all_calls(sample: &Sample) -> (Calls, Calls) {
    let (mut writes, mut reads) = (Calls::default(), Calls::default());
    for flow in &sample.flows {
        writes.add(&flow.writer.calls);
        reads.add(&flow.reader.calls);
    }
    (writes, reads)
}

/// A moment at which a setting changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Seconds since the source started.
    pub at: f64,
    /// What it changed to.
    pub label: String,
}

/// Points and markers, the oldest of which are forgotten.
#[derive(Debug, Clone, Default)]
pub struct History {
    points: VecDeque<Point>,
    marks: VecDeque<Mark>,
}

impl History {
    /// What is left of these points and markers.
    pub fn of(points: &[Point], marks: &[Mark]) -> Self {
        let points = points.split_at(points.len().saturating_sub(KEPT)).1;
        let marks = marks.split_at(marks.len().saturating_sub(MARKS)).1;
        Self {
            points: points.iter().cloned().collect(),
            marks: marks.iter().cloned().collect(),
        }
    }

    /// The last point.
    pub fn latest(&self) -> Option<&Point> {
        self.points.back()
    }

    /// The last marker.
    pub fn latest_mark(&self) -> Option<&Mark> {
        self.marks.back()
    }

    /// Adds a point.
    pub fn push(&mut self, point: Point) {
        if self.points.len() == KEPT {
            self.points.pop_front();
        }
        self.points.push_back(point);
    }

    /// Adds a marker.
    pub fn mark(&mut self, at: f64, label: String) {
        if self.marks.len() == MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { at, label });
    }

    /// Adds a marker unless the last one says the same.
    pub fn mark_once(&mut self, at: f64, label: &str) {
        if self.marks.back().is_none_or(|mark| mark.label != label) {
            self.mark(at, label.to_owned());
        }
    }

    /// The points from `since` on, in seconds, and the one before them.
    pub fn since(&self, since: f64) -> impl Iterator<Item = &Point> {
        let first = self.points.partition_point(|point| point.at < since);
        self.points.range(first.saturating_sub(1)..)
    }

    /// The markers from `since` on, in seconds.
    pub fn marks_since(&self, since: f64) -> impl Iterator<Item = &Mark> {
        let first = self.marks.partition_point(|mark| mark.at < since);
        self.marks.range(first..)
    }

    /// The end of the last point, in seconds.
    pub fn now(&self) -> f64 {
        self.points.back().map_or(0.0, |point| point.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(at: f64) -> Point {
        Point {
            at,
            throughput: Some(1.0),
            write_time: Times::default(),
            read_time: Times::default(),
            round_trip: None,
            turnaround: None,
            in_flight: 0.0,
            asked: 256.0,
            written: None,
            read: None,
        }
    }

    #[test]
    fn it_forgets_the_oldest_and_stays_small() {
        let mut history = History::default();
        for n in 0..KEPT * 2 {
            history.push(point(n as f64));
            history.mark(n as f64, "257".to_owned());
        }
        assert_eq!(history.points.len(), KEPT);
        assert_eq!(history.marks.len(), MARKS);
        assert_eq!(history.now(), (KEPT * 2 - 1) as f64);
    }

    #[test]
    fn a_window_begins_one_point_early_so_that_its_line_does() {
        let mut history = History::default();
        (0..10).for_each(|n| history.push(point(f64::from(n))));
        let seen: Vec<f64> = history.since(7.0).map(|p| p.at).collect();
        assert_eq!(seen, [6.0, 7.0, 8.0, 9.0]);
    }
}
