//! A second in words.

use crate::sample::{Calls, Flow, FlowSum, Histogram, Sample, Sum};
use crate::tui::{Step, Tour};
use crate::words::words;
use crate::workload::units;

/// A caption in a line of its own.
pub fn caption_line(caption: &str) -> String {
    let words: Vec<_> = words(caption).collect();
    format!("caption: {}", words.join(" "))
}

/// What stands where a tour has ended.
pub const TOUR_OVER: &str = "tour: over";

/// A step of a tour, counted from 1, in a line of its own.
pub fn step_line(tour: &Tour, number: usize, step: &Step) -> String {
    format!(
        "tour: {} {number} of {}; {}",
        tour.name,
        tour.steps.len(),
        caption_line(&step.caption)
    )
}

/// The settings in force, or the line of a link.
pub fn in_force(sample: &Sample) -> String {
    if let Some(link) = &sample.link {
        return format!("line: {}", link.line);
    }
    let entries = sample.settings.entries();
    let words = entries
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    format!("settings: {}", words.collect::<Vec<_>>().join(", "))
}

/// What was seen since the last line, and how things stand at its end.
pub fn line(sum: &Sum, last: &Sample) -> String {
    let at = last.end_ns as f64 / 1e9;
    let mut parts = vec![format!(
        "at {at:.1} s: throughput {}",
        units::rate(sum.throughput())
    )];
    for (sum, last) in sum.flows.iter().zip(&last.flows) {
        parts.push(format!("{} to {}", sum.from, sum.from.peer()));
        parts.extend(way(sum, last));
    }
    let turnaround = sum.link.as_ref().map(|link| link.turnaround());
    let whole = [
        ("round trip", &sum.round_trips),
        ("turnaround", &turnaround),
    ];
    for (name, times) in whole {
        if let Some(times) = times.as_ref().filter(|times| times.count() > 0) {
            parts.push(format!("{name} {}", spread(times)));
        }
    }
    if last.paused {
        parts.push("held".to_owned());
    }
    parts.join("; ")
}

/// One way: its calls, and the bytes under way at the end.
fn way(sum: &FlowSum, last: &Flow) -> Vec<String> {
    let calls = |name, calls: &Calls| match calls.time.count() {
        0 => format!("no {name}"),
        _ => format!("{name} {}", spread(&calls.time)),
    };
    let in_flight = units::size(last.totals.in_flight.max(0) as f64);
    let mut parts = vec![
        calls("write", &sum.writes),
        calls("read", &sum.reads),
        format!("in flight {in_flight}"),
    ];
    if last.totals.dropped > 0 {
        let size = units::size(last.totals.dropped as f64);
        parts.push(format!("dropped {size} by the line discipline so far"));
    }
    for (end, side) in [(last.from, &last.writer), (last.from.peer(), &last.reader)] {
        if let Some(blocked) = side.blocked {
            let time = units::time(blocked.for_ns as f64);
            parts.push(format!("{end}: {} blocked for {time}", blocked.call));
        }
    }
    parts
}

fn spread(times: &Histogram) -> String {
    let time = |q| {
        let quantile = times.quantile(q);
        quantile.map_or("unknown".to_owned(), |ns| units::time(ns as f64))
    };
    format!("median {}, 99 % within {}", time(0.5), time(0.99))
}
