//! Rows of a label, a bar and a share.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::state::App;
use super::super::theme::Ink;
use super::fit::columns;
use super::text::{Pieces, bar, percent};

/// One row.
pub struct Bar {
    /// What is counted.
    pub label: String,
    /// Its part of all, 0 to 1.
    pub share: f64,
    /// A remark behind the share.
    pub note: &'static str,
}

/// Columns of the share.
const SHARE: usize = 6;

/// Draws as many of `bars` as fit below each other.
pub fn draw(app: &App, bars: &[Bar], ink: Ink, area: Rect, buffer: &mut Buffer) {
    let widest = |of: fn(&Bar) -> usize| bars.iter().map(of).max().unwrap_or(0);
    let label = widest(|bar| columns(&bar.label));
    let room = usize::from(area.width).saturating_sub(label + 1 + SHARE + 2);
    let most = bars.iter().map(|bar| bar.share).fold(0.0, f64::max);
    for (row, entry) in area.rows().zip(bars) {
        let width = room.saturating_sub(if entry.note.is_empty() {
            0
        } else {
            entry.note.len() + 1
        });
        let length = if most > 0.0 { entry.share / most } else { 0.0 };
        let drawn = bar(length, width as u16, app.ascii);
        let pad = width.saturating_sub(drawn.chars().count());
        Pieces::default()
            .add(format!("{:>label$} ", entry.label), Ink::Label)
            .add(format!("{:>SHARE$} ", percent(entry.share)), Ink::Text)
            .add(drawn, ink)
            .add(" ".repeat(pad + 1), Ink::Text)
            .add(entry.note, Ink::Warning)
            .draw(app, row, buffer);
    }
}
