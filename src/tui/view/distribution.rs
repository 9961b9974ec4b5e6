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
    Pieces::default()
        .add(
            format!(
                "{call} time of {} calls",
                units::count(calls.count() as f64)
            ),
            ink,
        )
        .draw(app.theme, head, buffer);
    bars::draw(
        app,
        &time_bars(&calls.time, times.height),
        ink,
        times,
        buffer,
    );
    Pieces::default()
        .add(format!("bytes a {call}"), ink)
        .add(short(calls), Ink::Warning)
        .draw(app.theme, size_head, buffer);
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
        (short, count) => format!("  {} short", percent(short as f64 / count as f64)),
    }
}

/// Times in steps of a factor 2, or 4 and more where there is little room.
fn time_bars(times: &Histogram, rows: u16) -> Vec<Bar> {
    let (Some(min), Some(max), total) = (times.min(), times.max(), times.count()) else {
        return Vec::new();
    };
    let (first, last) = (min.max(1).ilog2(), max.max(1).ilog2());
    let width = (last - first + 1).div_ceil(u32::from(rows.max(1))).max(1);
    (first..=last)
        .step_by(width as usize)
        .map(|exponent| {
            let low = 1u64 << exponent;
            let high = (1u64 << (exponent + width).min(62)) - 1;
            // The lowest step takes what lies below it too.
            let from = if exponent == first { 0 } else { low };
            Bar {
                label: format!(">={}", units::time(low as f64)),
                share: times.count_between(from, high) as f64 / total as f64,
                note: "",
            }
        })
        .collect()
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
