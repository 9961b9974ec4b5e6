//! Throughput and time per byte against chunk size.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::analysis::{Curve as Values, Ratio, Summary};
use crate::pty::capacity::boundaries;
use crate::words::counted;
use crate::workload::units;

use super::super::state::{App, Axes, Walk};
use super::super::theme::Ink;
use super::axis::Axis;
use super::chunk_axis::ChunkAxis;
use super::difference::number;
use super::plot::{Plot, Series, Stroke};
use super::text::Pieces;
use super::time::{beside_gutter, tick_labels};

/// Columns of the table of points, and from which width on there is one.
const TABLE: u16 = 46;
const WITH_TABLE: u16 = 110;

/// Draws both curves, and what a walk around a boundary has found.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let curve = &app.shown().curve;
    let [verdict, body] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let line = match &curve.walk {
        Some(walk) => walked(walk),
        None => Pieces::default().add(
            "chunks visited stay here; v visits those around a boundary, interleaved",
            Ink::Label,
        ),
    };
    line.draw(app, verdict, buffer);
    let table = if area.width >= WITH_TABLE { TABLE } else { 0 };
    let [plots, table] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(table)]).areas(body);
    draw_table(app, &curve.throughput, table, buffer);
    draw_plots(app, plots, buffer);
}

fn draw_plots(app: &App, area: Rect, buffer: &mut Buffer) {
    let curve = &app.shown().curve;
    let two = area.height >= 12;
    let [upper, lower, chunks] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Fill(u16::from(two)),
        Constraint::Length(1),
    ])
    .areas(area);
    let x = ChunkAxis::new(curve.throughput.points().map(|(chunk, _)| chunk));
    let legend = Pieces::default()
        .add("throughput  ", Ink::Label)
        .add("o median", Ink::Flow)
        .add("  | quartiles", Ink::Writer);
    legend.draw(app, upper, buffer);
    draw_curve(app, &curve.throughput, units::rate, &x, upper, buffer);
    if two {
        let name = "time per byte";
        Pieces::default()
            .add(name, Ink::Label)
            .draw(app, lower, buffer);
        boundary_names(app, &x, name.len() as u16 + 2, lower, buffer);
        draw_curve(app, &curve.time_per_byte, units::time, &x, lower, buffer);
    }
    chunk_labels(app, &curve.throughput, &x, chunks, buffer);
}

fn walked(walk: &Walk) -> Pieces {
    let (step, control) = walk.ratios();
    let (low, high) = (walk.boundary, walk.boundary + 1);
    let blocks = walk.blocks();
    let line = Pieces::default().add(format!("{high}/{low} "), Ink::Label);
    let Some((step, control)) = step.zip(control) else {
        return line
            .add("not yet", Ink::Text)
            .add(format!("; block {blocks} of the visits"), Ink::Label);
    };
    let interval = |ratio: &Ratio| format!("[{}, {}]", number(ratio.low), number(ratio.high));
    let (word, ink) = word_for(&step, &control);
    line.add(format!("x{} ", number(step.estimate)), Ink::Strong)
        .add(interval(&step), Ink::Text)
        .add(format!(": {word}"), ink)
        .add(
            format!(
                "; {low}/{low} {}, {}, 95 %",
                interval(&control),
                counted(blocks, "block")
            ),
            Ink::Label,
        )
}

/// A step counts only beyond what the control shows of itself.
fn word_for(step: &Ratio, control: &Ratio) -> (String, Ink) {
    let far = |ratio: f64| ratio.ln().abs();
    let floor = far(control.low).max(far(control.high));
    if step.differs() && far(step.estimate) > floor {
        return ("a step".to_owned(), Ink::Warning);
    }
    let seen = far(step.low).max(far(step.high)).max(floor).exp_m1();
    (format!("no step above {:.1} %", seen * 100.0), Ink::Text)
}

fn draw_curve(
    app: &App,
    values: &Values,
    label: fn(f64) -> String,
    x: &ChunkAxis,
    area: Rect,
    buffer: &mut Buffer,
) {
    let [_, canvas] = Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    let points: Vec<(f64, Summary)> = values
        .points()
        .filter_map(|(chunk, summary)| Some((x.place(chunk as f64)?, summary)))
        .collect();
    let top = points.iter().map(|(_, s)| s.q3).fold(0.0, f64::max);
    let y = match app.axes {
        Axes::Log => {
            let low = points
                .iter()
                .map(|(_, s)| s.q1)
                .fold(f64::INFINITY, f64::min);
            Axis::log(low, top)
        }
        Axes::Automatic | Axes::Linear => Axis::linear(top),
    };
    let spreads: Vec<(f64, Option<f64>)> = points
        .iter()
        .flat_map(|(x, s)| [(*x, Some(s.q1)), (*x, Some(s.q3)), (*x, None)])
        .collect();
    let medians: Vec<(f64, Option<f64>)> =
        points.iter().map(|(x, s)| (*x, Some(s.median))).collect();
    let series = |points, ink, letter, stroke| Series {
        points,
        style: app.theme.style(ink),
        letter,
        stroke,
    };
    Plot {
        x: (0.0, 1.0),
        y,
        series: &[
            series(&medians, Ink::Flow, '.', Stroke::Line),
            series(&spreads, Ink::Writer, '|', Stroke::Line),
            series(&medians, Ink::Flow, 'o', Stroke::Letters),
        ],
        marks: &boundary_places(app, x)
            .map(|(_, place)| place)
            .collect::<Vec<_>>(),
        mark_style: app.theme.style(Ink::Mark),
        ascii: app.ascii,
        name_lines: false,
    }
    .render(beside_gutter(canvas), buffer);
    tick_labels(app, y, label, canvas, buffer);
}

/// The boundaries in view, each between the two chunks that it parts.
fn boundary_places(app: &App, x: &ChunkAxis) -> impl Iterator<Item = (usize, f64)> {
    let page_size = app.facts.host.page_size.unwrap_or(4096);
    boundaries(page_size)
        .into_iter()
        .filter_map(|boundary| Some((boundary.at, x.place(boundary.at as f64 + 0.5)?)))
}

/// The last chunk before each boundary, above its line, from column `from` on.
fn boundary_names(app: &App, x: &ChunkAxis, from: u16, area: Rect, buffer: &mut Buffer) {
    let canvas = beside_gutter(area);
    let style = app.theme.style(Ink::Mark);
    let mut free = area.x + from;
    for (at, place) in boundary_places(app, x) {
        let name = at.to_string();
        let begin = canvas.x + (place * f64::from(canvas.width)) as u16;
        let end = begin + name.len() as u16;
        if begin >= free && end <= canvas.right() {
            buffer.set_string(begin, area.y, &name, style);
            free = end + 1;
        }
    }
}

/// The chunks visited, below the curves; the current one first if not all fit.
fn chunk_labels(app: &App, values: &Values, x: &ChunkAxis, area: Rect, buffer: &mut Buffer) {
    let canvas = beside_gutter(area);
    let style = app.theme.style(Ink::Label);
    buffer.set_stringn(area.x, area.y, "   chunk", usize::from(area.width), style);
    let current = app.settings.chunk;
    let mut chunks: Vec<usize> = values.points().map(|(chunk, _)| chunk).collect();
    chunks.sort_by_key(|&chunk| chunk != current);
    let mut taken: Vec<(u16, u16)> = Vec::new();
    for chunk in chunks {
        let Some(place) = x.place(chunk as f64) else {
            continue;
        };
        let text = chunk.to_string();
        let length = text.len() as u16;
        let at = canvas.x + (place * f64::from(canvas.width)) as u16;
        let begin = at.saturating_sub(length / 2).max(canvas.x);
        let end = begin + length;
        let is_free = taken.iter().all(|&(b, e)| end < b || begin > e);
        if is_free && end <= canvas.right() {
            let ink = if chunk == current {
                Ink::Strong
            } else {
                Ink::Label
            };
            buffer.set_string(begin, canvas.y, &text, app.theme.style(ink));
            taken.push((begin, end));
        }
    }
}

/// The points in numbers, those around the current chunk if not all fit.
fn draw_table(app: &App, values: &Values, area: Rect, buffer: &mut Buffer) {
    let mut rows = area.rows();
    let Some(head) = rows.next() else { return };
    Pieces::default()
        .add("   chunk    median       quartiles        n", Ink::Label)
        .draw(app, head, buffer);
    let points: Vec<(usize, Summary)> = values.points().collect();
    let height = usize::from(area.height).saturating_sub(1);
    let here = points.partition_point(|(chunk, _)| *chunk < app.settings.chunk);
    let first = here
        .saturating_sub(height / 2)
        .min(points.len().saturating_sub(height));
    for (row, (chunk, s)) in rows.zip(points.iter().skip(first)) {
        let ink = if *chunk == app.settings.chunk {
            Ink::Strong
        } else {
            Ink::Text
        };
        Pieces::default()
            .add(format!("{chunk:>8}"), ink)
            .add(format!(" {:>9}", units::rate(s.median)), Ink::Flow)
            .add(
                format!(" {:>9} {:>9}", units::rate(s.q1), units::rate(s.q3)),
                Ink::Writer,
            )
            .add(format!(" {:>5}", s.n), Ink::Label)
            .draw(app, row, buffer);
    }
}
