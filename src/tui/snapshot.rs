//! The screen as it would be, without a terminal: as a picture, or as text.

use std::path::Path;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::state::App;
use super::view;
use super::{paint, picture};

/// What a snapshot is drawn as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// A picture for browsers and slides.
    Svg,
    /// Text with the colours and weights of a terminal (ECMA-48).
    Ansi,
    /// Text alone.
    Text,
}

impl Drawing {
    /// What a file's name asks for, if it is a known one.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "svg" => Some(Self::Svg),
            "ans" | "ansi" => Some(Self::Ansi),
            "txt" | "text" => Some(Self::Text),
            _ => None,
        }
    }
}

/// The screen of `app` at a size in columns and rows.
pub fn draw(app: &App, (width, height): (u16, u16), drawing: Drawing) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    view::draw(app, area, &mut buffer);
    match drawing {
        Drawing::Svg => picture::svg(&buffer, app.theme),
        Drawing::Ansi => ansi(&buffer),
        Drawing::Text => text(&buffer),
    }
}

/// The cells of a row, without those that a letter of two columns covers.
fn row(buffer: &Buffer, y: u16) -> impl Iterator<Item = &Cell> {
    let mut covered = 0;
    let columns = buffer.area.left()..buffer.area.right();
    let cells = columns.map(move |x| &buffer[(x, y)]);
    cells.filter(move |cell| {
        let is_covered = covered > 0;
        covered = if is_covered {
            covered - 1
        } else {
            Span::raw(cell.symbol()).width().saturating_sub(1)
        };
        !is_covered
    })
}

fn text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let line: String = row(buffer, y).map(Cell::symbol).collect();
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn ansi(buffer: &Buffer) -> String {
    let mut out = Vec::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        paint::line(&mut out, row(buffer, y));
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::{Color, Modifier, Style};

    #[test]
    fn a_terminal_shows_the_text_as_it_was_drawn() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 2));
        let bold = Style::new().fg(Color::Indexed(214));
        buffer.set_string(0, 0, "a ⠁", bold.add_modifier(Modifier::BOLD));
        buffer.set_string(4, 0, "b", Style::new().bg(Color::LightRed));
        buffer.set_string(0, 1, "端cd", Style::new());
        assert_eq!(text(&buffer), "a ⠁ b\n端cd\n");
        let mut parser = vt100::Parser::new(2, 9, 0);
        parser.process(ansi(&buffer).replace('\n', "\r\n").trim_end().as_bytes());
        let screen = parser.screen();
        assert_eq!(screen.contents(), "a ⠁ b    \n端cd");
        let cell = screen.cell(0, 0).unwrap();
        assert!(cell.bold());
        assert_eq!(cell.fgcolor(), vt100::Color::Idx(214));
        let cell = screen.cell(0, 4).unwrap();
        assert_eq!(cell.bgcolor(), vt100::Color::Idx(9));
        assert_eq!(cell.fgcolor(), vt100::Color::Default);
    }
}
