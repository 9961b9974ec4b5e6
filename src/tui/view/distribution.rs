//! Histograms: how long the calls took, and how many bytes they moved.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::pty::capacity::READ_QUEUE;
use crate::sample::{Calls, Histogram};
use crate::workload::units;

use super::super::state::App;
use super::super::theme::Ink;
use super::bars::{self, Bar};
use super::text::{Pieces, percent};

/// Draws the writing end on the left and the reading end on the right.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let epoch = &app.shown().epoch;
    let (writes, reads) = epoch.all_calls();
    let [left, _, right] = Layout::horizontal([
        Constraint::Fill(1),
        Constraint::Length(2),
        Constraint::Fill(1),
    ])
    .areas(area);
    column(app, "write", &writes, Ink::Writer, left, buffer);
    column(app, "read", &reads, Ink::Reader, right, buffer);
}

fn column(app: &App, call: &str, calls: &Calls, ink: Ink, area: Rect, buffer: &mut Buffer) {
    let sizes = area.height / 3;
    let [head, times, size_head, size_rows] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
        Constraint::Length(sizes.saturating_sub(1)),
    ])
    .areas(area);
    let count = match calls.count() {
        1 => "1 call".to_owned(),
        count => units::count(count as f64) + " calls",
    };
    let [long, brief] = [format!("{call} time of {count}"), format!("{call} {count}")];
    let fits = long.len() <= usize::from(head.width);
    Pieces::default()
        .add(if fits { long } else { brief }, ink)
        .draw(app, head, buffer);
    bars::draw(
        app,
        &time_bars(&calls.time, times.height),
        ink,
        times,
        buffer,
    );
    Pieces::default()
        .add(format!("bytes a {call}"), ink)
        .add(short(calls), Ink::Label)
        .draw(app, size_head, buffer);
    bars::draw(
        app,
        &size_bars(&calls.size, size_rows.height),
        ink,
        size_rows,
        buffer,
    );
}

fn short(calls: &Calls) -> String {
    match (calls.short, calls.count()) {
        (0, _) | (_, 0) => String::new(),
        (short, count) => {
            let share = percent(short as f64 / count as f64);
            format!(", {share} fewer than asked")
        }
    }
}

/// Steps that an octave of times is cut into where there is room; such steps
/// begin where buckets do.
const CUTS: [u64; 4] = [8, 4, 2, 1];

/// Bars of times, in the finest steps of which no more than `rows` are needed.
pub(super) fn time_bars(times: &Histogram, rows: u16) -> Vec<Bar> {
    let (Some(min), Some(max), total) = (times.min(), times.max(), times.count()) else {
        return Vec::new();
    };
    let lows = steps(min.max(1), max.max(1), usize::from(rows.max(1)));
    let nexts = lows.iter().skip(1).map(|next| next - 1);
    let highs = nexts.chain(std::iter::once(u64::MAX));
    lows.iter()
        .zip(highs)
        .enumerate()
        .map(|(number, (&low, high))| Bar {
            label: format!(">={}", units::time(low as f64)),
            share: times.count_between(if number == 0 { 0 } else { low }, high) as f64
                / total as f64,
            note: "",
        })
        .collect()
}

/// Where the steps begin that cover `min` to `max`: parts of an octave, or
/// several octaves where there is little room.
fn steps(min: u64, max: u64, rows: usize) -> Vec<u64> {
    let (first, last) = (min.ilog2(), max.ilog2());
    let cut = |cuts: u64| -> Vec<u64> {
        let lows: Vec<u64> = (first..=last)
            .flat_map(|e| (0..cuts).map(move |part| (1 << e) + (part << e) / cuts))
            .collect();
        let begin = lows.partition_point(|&low| low <= min).saturating_sub(1);
        let end = lows.partition_point(|&low| low <= max);
        lows[begin..end].to_vec()
    };
    // Below 8 an octave has no eighths.
    let cuts = CUTS.into_iter().filter(|cuts| *cuts <= 1 << first);
    let octaves = (last - first + 1) as usize;
    cuts.map(cut)
        .find(|lows| lows.len() <= rows)
        .unwrap_or_else(|| {
            (first..=last)
                .step_by(octaves.div_ceil(rows))
                .map(|e| 1 << e)
                .collect()
        })
}

/// The most frequent sizes, ascending.
fn size_bars(sizes: &Histogram, rows: u16) -> Vec<Bar> {
    let total = sizes.count().max(1) as f64;
    let mut buckets: Vec<_> = sizes.buckets().collect();
    buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.count));
    buckets.truncate(usize::from(rows));
    buckets.sort_by_key(|bucket| bucket.low);
    buckets
        .iter()
        .map(|bucket| Bar {
            label: if bucket.low == bucket.high {
                bucket.low.to_string()
            } else {
                format!("{}..{}", bucket.low, bucket.high)
            },
            share: bucket.count as f64 / total,
            note: if bucket.low == READ_QUEUE as u64 {
                "a full reader's queue"
            } else {
                ""
            },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Kind;

    #[test]
    fn the_bars_of_times_hold_every_call_and_fit_their_rows() {
        for (low, high) in [
            (0, 3),
            (1, 1),
            (5, 900),
            (700, 90_000_000),
            (1 << 40, 1 << 41),
        ] {
            let mut times = Histogram::empty(Kind::Time);
            let values = [low, low + (high - low) / 3, high, high];
            values.into_iter().for_each(|value| times.record(value));
            for rows in 0..80 {
                let bars = time_bars(&times, rows);
                let whole: f64 = bars.iter().map(|bar| bar.share).sum();
                assert!((whole - 1.0).abs() < 1e-9, "{low} {high} {rows}: {whole}");
                assert!(bars.len() <= usize::from(rows.max(1)));
            }
        }
    }
}
