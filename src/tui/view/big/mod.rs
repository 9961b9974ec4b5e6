//! One number for the back row: as large as the screen allows, its unit, the
//! setting in force, and its way through time.

mod font;
mod spark;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::pty::Mode;
use crate::workload::Direction;

use super::super::state::{App, Number, Reading, WINDOWS, difference};
use super::super::theme::Ink;
use super::frame::with_blocked;
use super::text::{Pieces, fill};
use spark::Spark;

/// Rows of a screen from which on the settings have a line, and the unit large
/// letters.
pub const ROOMY: u16 = 16;
/// The room that a number takes at least, so that it does not grow and shrink
/// as its digits come and go.
const USUAL: &str = "88.8";
/// Rows that the bars take at least.
const BARS: u16 = 2;

/// What the number is, in ordinary letters.
pub fn name(app: &App, area: Rect, buffer: &mut Buffer) {
    fill(area, app.theme.style(Ink::Big), buffer);
    let data = app.shown();
    let number = app.stage.number;
    let mut line = match (number, difference(data), data.comparison()) {
        (Number::Difference, Some((metric, ratio)), Some(compared)) => {
            let percent = |ratio: f64| (ratio - 1.0) * 100.0;
            // What is compared is cut off first.
            let against = format!(", {} against {}", compared.now, compared.before);
            let interval = format!(
                ", 95 %: {:+.1} to {:+.1} %",
                percent(ratio.low),
                percent(ratio.high)
            );
            Pieces::default()
                .add(metric.name(), Ink::Strong)
                .add(interval, Ink::Text)
                .add(against, Ink::Text)
        }
        (Number::Difference, ..) => Pieces::default().add(
            "difference: turn a setting, and what it changes stands here",
            Ink::Text,
        ),
        _ => Pieces::default().add(number.name(), Ink::Strong),
    };
    if is_low(buffer) {
        let [whole, _] = setting(app);
        let unit = number
            .reading(data)
            .map_or(String::new(), |reading| reading.unit);
        line = line
            .add(format!(" {unit}  "), Ink::Strong)
            .add(whole, Ink::Text);
    }
    if let Some(latest) = &data.latest {
        line = with_blocked(line, latest);
    }
    line.draw(app, area, buffer);
}

/// Draws the number, its unit and the setting, and the bars below.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let style = app.theme.style(Ink::Big);
    fill(area, style, buffer);
    let reading = app.stage.number.reading(app.shown()).unwrap_or(Reading {
        digits: "-".to_owned(),
        unit: String::new(),
    });
    let lettering = (!is_low(buffer)).then(|| Lettering::of(app, &reading, area.width));
    let below = lettering.as_ref().map_or(0, Lettering::height);
    let dots = [&*reading.digits, USUAL].map(|text| font::width(text).unwrap_or(0));
    let dots = dots.into_iter().max().unwrap_or(0);
    let room = area.height.saturating_sub(below + BARS);
    let scale = font::scale(dots, (area.width, room)).max(1);
    if area.height < font::rows(scale) || area.width < font::columns(dots, scale) {
        let text = format!("{} {}", reading.digits, reading.unit);
        Pieces::default()
            .add(text, Ink::Strong)
            .draw(app, area, buffer);
        return;
    }
    let free = area.width.saturating_sub(font::columns(dots, scale));
    let place = Rect {
        x: area.x + free / 2,
        width: area.width - free / 2,
        ..area
    };
    font::draw(&reading.digits, scale, style, app.ascii, place, buffer);
    let mut rest = lower(area, font::rows(scale));
    if let Some(lettering) = lettering {
        lettering.draw(app, rest, buffer);
        rest = lower(rest, lettering.height());
    }
    bars(app, rest, buffer);
}

/// What is left of `area` below its first rows.
fn lower(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect {
        y: area.y + rows,
        height: area.height - rows,
        ..area
    }
}

/// Whether the setting has a place only beside the name.
fn is_low(buffer: &Buffer) -> bool {
    buffer.area.height < ROOMY
}

/// The setting in force, in a few words and then in fewer.
fn setting(app: &App) -> [String; 2] {
    let Some(sample) = &app.shown().latest else {
        return Default::default();
    };
    if let Some(link) = &sample.link {
        return [link.line.to_string(), String::new()];
    }
    let settings = &sample.settings;
    let chunk = settings.chunk;
    let words = match settings.direction {
        Direction::Echo if settings.mode == Mode::RAW => format!("{chunk} echo"),
        Direction::Echo => format!("{chunk} {} echo", settings.mode),
        _ => format!("{chunk} {}", settings.mode),
    };
    [words, chunk.to_string()]
}

/// The unit on the left and the setting on the right, as large as both fit;
/// fewer words where not all fit: all stand in a line of their own anyhow.
struct Lettering {
    unit: String,
    setting: String,
    scale: u16,
}

impl Lettering {
    fn of(app: &App, reading: &Reading, width: u16) -> Self {
        let unit = reading.unit.clone();
        // Four rows are left to it on a screen of 80x24.
        let fitting = |text: &str| {
            let dots = font::width(text)?;
            let scale = font::scale(dots, (width, width / 10));
            (scale > 0).then_some(scale)
        };
        for setting in setting(app) {
            if let Some(scale) = fitting(&format!("{unit}  {setting}")) {
                return Self {
                    unit,
                    setting,
                    scale,
                };
            }
        }
        Self {
            unit,
            setting: String::new(),
            scale: 1,
        }
    }

    fn height(&self) -> u16 {
        1 + font::rows(self.scale)
    }

    fn draw(&self, app: &App, area: Rect, buffer: &mut Buffer) {
        let row = lower(area, 1);
        let style = app.theme.style(Ink::Big);
        font::draw(&self.unit, self.scale, style, app.ascii, row, buffer);
        let dots = font::width(&self.setting).unwrap_or(0);
        let left = row.width.saturating_sub(font::columns(dots, self.scale));
        let right = Rect {
            x: row.x + left,
            width: row.width - left,
            ..row
        };
        let style = style.patch(app.theme.style(Ink::Writer));
        font::draw(&self.setting, self.scale, style, app.ascii, right, buffer);
    }
}

fn bars(app: &App, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let data = app.shown();
    let length = WINDOWS[app.window.min(WINDOWS.len() - 1)];
    // In whole columns, so that what is past keeps its shape.
    let column = length / f64::from(area.width);
    let end = ((data.history.now() / column).floor() + 1.0) * column;
    let window = (end - length, end);
    let number = app.stage.number;
    let points: Vec<_> = data
        .history
        .since(window.0)
        .map(|point| (point.at, number.at(data, point)))
        .collect();
    let marks: Vec<f64> = data
        .history
        .marks_since(window.0)
        .map(|mark| mark.at)
        .collect();
    Spark {
        points: &points,
        window,
        style: app.theme.style(Ink::Flow),
        marks: &marks,
        mark_style: app.theme.style(Ink::Mark),
        ascii: app.ascii,
    }
    .render(area, buffer);
}
