//! Small pieces of text that several regions share.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::workload::units;

use super::super::state::App;
use super::super::theme::{Ink, Theme};
use super::fit::{columns, put_line};

/// A line put together from pieces of different ink.
#[derive(Debug, Default)]
pub struct Pieces(Vec<(String, Ink)>);

impl Pieces {
    /// Adds a piece.
    pub fn add(mut self, text: impl Into<String>, ink: Ink) -> Self {
        self.0.push((text.into(), ink));
        self
    }

    /// Columns that it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| columns(text)).sum()
    }

    /// The line in the theme's colours.
    pub fn line(self, theme: Theme) -> Line<'static> {
        let span = |(text, ink)| Span::styled(text, theme.style(ink));
        Line::from_iter(self.0.into_iter().map(span))
    }

    /// Draws it into the first row of `area`, with dots where it has no room.
    pub fn draw(self, app: &App, area: Rect, buffer: &mut Buffer) {
        put_line(app, &self.line(app.theme), area, buffer);
    }
}

/// A time in at least seven columns, or a dash.
pub fn time(ns: Option<f64>) -> String {
    format!("{:>7}", ns.map_or("-".to_owned(), units::time))
}

/// `text` in lines of at most `width` columns where words allow it, broken at
/// spaces.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines
            .last_mut()
            .filter(|line| line.is_empty() || columns(line) + 1 + columns(word) <= width);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A share as a percentage in at most five columns.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0%".to_owned(),
        p if p < 0.01 => "<.01%".to_owned(),
        p if p < 0.995 => format!("{p:.2}%"),
        p => format!("{p:.1}%"),
    }
}

/// Minutes and seconds since the source started.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, m, s) => format!("{m}:{s:02}"),
        (h, m, s) => format!("{h}:{m:02}:{s:02}"),
    }
}

/// A bar of `share` (0 to 1) of `width` columns, in eighths of a column.
pub fn bar(share: f64, width: u16, ascii: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    if ascii {
        return "#".repeat((share * f64::from(width)).round() as usize);
    }
    let eighths = (share * f64::from(width) * 8.0).round() as usize;
    // Something that is there shows, however little.
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// Fills a row with `style`.
pub fn fill(area: Rect, style: Style, buffer: &mut Buffer) {
    buffer.set_style(area.intersection(buffer.area), style);
}
