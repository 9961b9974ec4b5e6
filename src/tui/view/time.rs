//! Throughput, call times and sizes against time, on one shared axis.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::sample::Sum;
use crate::words::counted;
use crate::workload::units;

use super::super::state::{App, Axes, Point, Times, WINDOWS};
use super::super::theme::Ink;
use super::axis::Axis;
use super::fit::{columns, put};
use super::plot::{Plot, Series, Stroke};
use super::text::{Pieces, clock};

/// Columns left of the plots, for the labels of the vertical axes.
pub const GUTTER: u16 = 9;
/// The window moves on by this part of itself at a time, so that in between
/// only the newest columns have to be drawn.
const STEP: f64 = 1.0 / 12.0;
/// The part of the window that stays free, for the letters at the lines' ends.
const FREE: f64 = 0.04;

type Value = fn(&Point) -> Option<f64>;

/// A line of a plot: its value, ink, letter and stroke.
type Trace = (Value, Ink, char, Stroke);

struct Chart {
    traces: &'static [Trace],
    label: fn(f64) -> String,
    is_time: bool,
}

const THROUGHPUT: Chart = Chart {
    traces: &[(|p| p.throughput, Ink::Flow, 't', Stroke::Line)],
    label: units::rate,
    is_time: false,
};

const CALL_TIME: Chart = Chart {
    traces: &[
        (|p| p.write_time.max, Ink::WriterTail, '^', Stroke::Dots),
        (|p| p.read_time.max, Ink::ReaderTail, '*', Stroke::Dots),
        (|p| p.write_time.p99, Ink::WriterTail, 'w', Stroke::Line),
        (|p| p.read_time.p99, Ink::ReaderTail, 'r', Stroke::Line),
        (|p| p.round_trip, Ink::Flow, 't', Stroke::Line),
        (|p| p.write_time.p50, Ink::Writer, 'W', Stroke::Line),
        (|p| p.read_time.p50, Ink::Reader, 'R', Stroke::Line),
    ],
    label: units::time,
    is_time: true,
};

const SIZES: Chart = Chart {
    traces: &[
        (|p| Some(p.asked), Ink::Label, '-', Stroke::Line),
        (|p| p.read, Ink::Reader, 'R', Stroke::Line),
        (|p| p.written, Ink::Writer, 'W', Stroke::Line),
    ],
    label: units::size,
    is_time: false,
};

/// Draws the plots that fit: throughput first, then call times, then sizes.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let plots = ((area.height.saturating_sub(1)) / 4).clamp(1, 3) as usize;
    let rows = Layout::vertical(
        std::iter::repeat_n(Constraint::Fill(1), plots).chain([Constraint::Length(1)]),
    )
    .split(area);
    let window = window(app);
    for (number, chart) in [&THROUGHPUT, &CALL_TIME, &SIZES]
        .into_iter()
        .enumerate()
        .take(plots)
    {
        let [head, canvas] =
            Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(rows[number]);
        draw_chart(app, chart, window, canvas, buffer);
        let legend = legend(app, number);
        if number == 0 {
            mark_labels(app, window, head, legend.width() as u16, buffer);
        }
        legend.draw(app, head, buffer);
    }
    time_axis(app, window, rows[plots], buffer);
}

/// The seconds that are in view.
fn window(app: &App) -> (f64, f64) {
    let length = WINDOWS[app.window.min(WINDOWS.len() - 1)];
    let step = length * STEP;
    let end = ((app.shown().history.now() + length * FREE) / step).ceil() * step;
    let end = end.max(length);
    (end - length, end)
}

fn draw_chart(app: &App, chart: &Chart, x: (f64, f64), area: Rect, buffer: &mut Buffer) {
    let history = &app.shown().history;
    let points: Vec<&Point> = history.since(x.0).collect();
    let traces: Vec<Vec<(f64, Option<f64>)>> = chart
        .traces
        .iter()
        .map(|(value, ..)| {
            points
                .iter()
                .map(|point| (point.at, value(point)))
                .collect()
        })
        .collect();
    let y = axis(app, chart, &traces);
    let marks: Vec<f64> = history.marks_since(x.0).map(|mark| mark.at).collect();
    let series: Vec<Series<'_>> = chart
        .traces
        .iter()
        .zip(&traces)
        .map(|(&(_, ink, letter, stroke), points)| Series {
            points,
            style: app.theme.style(ink),
            letter,
            stroke,
        })
        .collect();
    let canvas = beside_gutter(area);
    Plot {
        x,
        y,
        series: &series,
        marks: &marks,
        mark_style: app.theme.style(Ink::Mark),
        ascii: app.ascii,
        name_lines: series.len() > 1,
    }
    .render(canvas, buffer);
    tick_labels(app, y, chart.label, area, buffer);
}

/// The part of `area` right of the labels.
pub fn beside_gutter(area: Rect) -> Rect {
    let gutter = GUTTER.min(area.width);
    Rect {
        x: area.x + gutter,
        width: area.width - gutter,
        ..area
    }
}

fn axis(app: &App, chart: &Chart, traces: &[Vec<(f64, Option<f64>)>]) -> Axis {
    let values = || traces.iter().flatten().filter_map(|(_, value)| *value);
    let max = values().fold(0.0, f64::max);
    let is_log = match app.axes {
        Axes::Automatic => chart.is_time,
        Axes::Linear => false,
        Axes::Log => true,
    };
    if is_log {
        let min = values().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        Axis::log(min, max)
    } else {
        Axis::linear(max)
    }
}

/// Labels in the gutter, at the rows of the ticks.
pub fn tick_labels(
    app: &App,
    axis: Axis,
    label: fn(f64) -> String,
    area: Rect,
    buffer: &mut Buffer,
) {
    for (value, place) in axis.ticks(area.height) {
        let down = ((1.0 - place) * f64::from(area.height.saturating_sub(1))).round() as u16;
        let text = format!("{:>8}", label(value));
        let width = usize::from(GUTTER.min(area.width));
        buffer.set_stringn(
            area.x,
            area.y + down,
            text,
            width,
            app.theme.style(Ink::Label),
        );
    }
}

/// The name of a plot, its latest numbers, and by their ink and letter what is
/// what.
fn legend(app: &App, number: usize) -> Pieces {
    let empty = Sum::default();
    let sum = app.shown().readout.as_ref().unwrap_or(&empty);
    match number {
        0 => Pieces::default()
            .add("throughput ", Ink::Label)
            .add(units::rate(sum.throughput()), Ink::Flow),
        1 => call_times(sum, app.ascii),
        _ => sizes(app, sum),
    }
}

fn call_times(sum: &Sum, ascii: bool) -> Pieces {
    // Without a blank before the unit, all of it fits 80 columns.
    let tight = |ns: Option<f64>| {
        let text = ns.map_or("-".to_owned(), units::time).replace(' ', "");
        format!("{text:>6}")
    };
    let (writes, reads) = sum.all_calls();
    let (write, read) = (Times::of(&writes), Times::of(&reads));
    let tail = |times: Times, p99, max| {
        let max = if ascii { max } else { '⠂' };
        format!(" {p99} {} {max} {}", tight(times.p99), tight(times.max))
    };
    Pieces::default()
        .add("p50 p99 max", Ink::Label)
        .add(format!("  write W {}", tight(write.p50)), Ink::Writer)
        .add(tail(write, 'w', '^'), Ink::WriterTail)
        .add(format!("  read R {}", tight(read.p50)), Ink::Reader)
        .add(tail(read, 'r', '*'), Ink::ReaderTail)
}

fn sizes(app: &App, sum: &Sum) -> Pieces {
    let (writes, reads) = sum.all_calls();
    let mean = |calls: &crate::sample::Calls| match calls.count() {
        0 => "-".to_owned(),
        count => format!("{:.0} B", calls.bytes as f64 / count as f64),
    };
    let short = writes.short;
    let mut line = Pieces::default()
        .add("bytes a call", Ink::Label)
        .add(format!("  - asked {} B", app.settings.chunk), Ink::Label)
        .add(format!("  W written {}", mean(&writes)), Ink::Writer)
        .add(format!("  R read {}", mean(&reads)), Ink::Reader);
    if short > 0 {
        line = line.add(format!("  {}", counted(short, "short write")), Ink::Warning);
    }
    line
}

/// What each marker stands for: in the first plot's head where its legend
/// leaves room, else on the row below.
fn mark_labels(app: &App, x: (f64, f64), head: Rect, legend: u16, buffer: &mut Buffer) {
    let canvas = beside_gutter(head);
    let style = app.theme.style(Ink::Mark);
    let column = |at: f64| {
        let share = (at - x.0) / (x.1 - x.0);
        canvas.x + (share * f64::from(canvas.width)) as u16
    };
    let marks: Vec<_> = app.shown().history.marks_since(x.0).collect();
    for (number, mark) in marks.iter().enumerate() {
        let mut begin = column(mark.at);
        // A blank stays free before the next label.
        let end = marks
            .get(number + 1)
            .map_or(canvas.right(), |next| column(next.at).saturating_sub(1));
        let mut row = head.y;
        if begin < head.x + legend + 2 {
            (begin, row) = (begin + 1, row + 1);
        }
        // A label that does not fit before the next marker would mislead.
        let room = usize::from(end.min(canvas.right()).saturating_sub(begin));
        if room >= columns(&mark.label).min(6) && begin < canvas.right() {
            put(app, (begin, row), &mark.label, room, style, buffer);
        }
    }
}

fn time_axis(app: &App, x: (f64, f64), area: Rect, buffer: &mut Buffer) {
    let canvas = beside_gutter(area);
    let style = app.theme.style(Ink::Label);
    buffer.set_stringn(
        area.x,
        area.y,
        "    m:ss",
        usize::from(GUTTER.min(area.width)),
        style,
    );
    let length = x.1 - x.0;
    let most = f64::from(canvas.width / 10).max(1.0);
    let step = [1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0]
        .into_iter()
        .find(|step| length / step <= most)
        .unwrap_or(600.0);
    let mut at = (x.0 / step).ceil() * step;
    while at < x.1 {
        let column = ((at - x.0) / length * f64::from(canvas.width)) as u16;
        let room = usize::from(canvas.width.saturating_sub(column));
        let text = clock(at);
        if text.len() < room {
            buffer.set_stringn(canvas.x + column, canvas.y, text, room, style);
        }
        at += step;
    }
}
