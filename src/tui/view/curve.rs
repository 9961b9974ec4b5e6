//! Throughput and time per byte against chunk size.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::analysis::{Curve as Values, Ratio, Summary};
use crate::pty::capacity::boundaries;
use crate::workload::units;

use super::super::state::{App, Axes, Walk};
use super::super::theme::Ink;
use super::axis::Axis;
use super::difference::number;
use super::plot::{Plot, Series};
use super::text::Pieces;
use super::time::{beside_gutter, tick_labels};

/// Draws both curves, and what a walk around a boundary has found.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let curve = &app.shown().curve;
    let two = area.height >= 13;
    let [verdict, upper, lower, axis] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Fill(u16::from(two)),
        Constraint::Length(1),
    ])
    .areas(area);
    match &curve.walk {
        Some(walk) => walked(walk).draw(app.theme, verdict, buffer),
        None => Pieces::default()
            .add("each chunk that is visited stays here; v visits those around the boundary, interleaved", Ink::Label)
            .draw(app.theme, verdict, buffer),
    }
    let x = range(&curve.throughput);
    draw_curve(
        app,
        "throughput: median and quartiles",
        &curve.throughput,
        units::rate,
        x,
        upper,
        buffer,
    );
    if two {
        draw_curve(
            app,
            "time per byte",
            &curve.time_per_byte,
            units::time,
            x,
            lower,
            buffer,
        );
    }
    chunk_axis(app, &curve.throughput, x, axis, buffer);
}

fn walked(walk: &Walk) -> Pieces {
    let (step, control) = walk.ratios();
    let (low, high) = (walk.boundary, walk.boundary + 1);
    let line = Pieces::default().add(
        format!("{low} to {high}, interleaved: throughput "),
        Ink::Label,
    );
    let Some((step, control)) = step.zip(control) else {
        let blocks = walk.blocks();
        return line.add(format!("not yet (block {blocks})"), Ink::Text);
    };
    let show = |ratio: &Ratio| {
        format!(
            "x{} [{}, {}]",
            number(ratio.estimate),
            number(ratio.low),
            number(ratio.high)
        )
    };
    let (word, ink) = word_for(&step, &control);
    line.add(show(&step), Ink::Strong)
        .add(format!(" {word}"), ink)
        .add(
            format!(
                "; {low} to itself {} in {} blocks",
                show(&control),
                walk.blocks()
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

/// The chunks in view, as logarithms to base 2; half an octave at least.
fn range(values: &Values) -> (f64, f64) {
    let chunks: Vec<f64> = values
        .points()
        .map(|(chunk, _)| (chunk as f64).log2())
        .collect();
    let (Some(&low), Some(&high)) = (chunks.first(), chunks.last()) else {
        return (7.0, 9.0);
    };
    let pad = ((high - low) * 0.06).max(0.04);
    (low - pad, high + pad)
}

fn draw_curve(
    app: &App,
    name: &str,
    values: &Values,
    label: fn(f64) -> String,
    x: (f64, f64),
    area: Rect,
    buffer: &mut Buffer,
) {
    let [head, canvas] = Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    Pieces::default()
        .add(name, Ink::Label)
        .draw(app.theme, head, buffer);
    let points: Vec<(f64, Summary)> = values
        .points()
        .map(|(chunk, summary)| ((chunk as f64).log2(), summary))
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
    let series = |points, ink, letter, joined| Series {
        points,
        style: app.theme.style(ink),
        letter,
        joined,
    };
    Plot {
        x,
        y,
        series: &[
            series(&medians, Ink::Flow, '.', true),
            series(&spreads, Ink::Writer, '|', true),
            series(&medians, Ink::Flow, 'o', false),
        ],
        marks: &boundary_places(app),
        mark_style: app.theme.style(Ink::Label),
        ascii: app.ascii,
    }
    .render(beside_gutter(canvas), buffer);
    tick_labels(app, y, label, canvas, buffer);
}

/// Between the two chunks that a boundary parts.
fn boundary_places(app: &App) -> Vec<f64> {
    let page_size = app.facts.host.page_size.unwrap_or(4096);
    boundaries(page_size)
        .iter()
        .map(|boundary| (boundary.at as f64 + 0.5).log2())
        .collect()
}

fn chunk_axis(app: &App, values: &Values, x: (f64, f64), area: Rect, buffer: &mut Buffer) {
    let canvas = beside_gutter(area);
    let style = app.theme.style(Ink::Label);
    buffer.set_stringn(area.x, area.y, "   chunk", usize::from(area.width), style);
    let mut free = canvas.x;
    for (chunk, _) in values.points() {
        let share = ((chunk as f64).log2() - x.0) / (x.1 - x.0);
        let text = chunk.to_string();
        let at = canvas.x + (share * f64::from(canvas.width)) as u16;
        let begin = at.saturating_sub(text.len() as u16 / 2);
        if begin >= free && begin + text.len() as u16 <= canvas.right() {
            let ink = if chunk == app.settings.chunk {
                Ink::Strong
            } else {
                Ink::Label
            };
            buffer.set_string(begin, canvas.y, &text, app.theme.style(ink));
            free = begin + text.len() as u16 + 1;
        }
    }
}
