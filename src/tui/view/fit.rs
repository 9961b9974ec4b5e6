//! Text where it may have no room: what is cut off ends in dots.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::state::App;

/// What stands for text that has no room.
pub fn dots(ascii: bool) -> &'static str {
    if ascii { "..." } else { "…" }
}

/// Columns that `text` takes on a terminal.
pub fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// The beginning of `text` in at most `width` columns.
fn beginning(text: &str, width: usize) -> String {
    let mut taken = 0;
    let text = Span::raw(text);
    let letters = text.styled_graphemes(Style::new());
    let fit = letters.take_while(|letter| {
        taken += columns(letter.symbol);
        taken <= width
    });
    fit.map(|letter| letter.symbol).collect()
}

/// The beginning of `text` and dots, in `width` columns.
pub fn cut(text: &str, width: usize, dots: &str) -> String {
    let kept = beginning(text, width.saturating_sub(columns(dots)));
    format!("{}{dots}", kept.trim_end())
}

/// Draws `line` into the first row of `area`. Gives the column behind it.
pub fn put_line(app: &App, line: &Line, area: Rect, buffer: &mut Buffer) -> u16 {
    if area.is_empty() {
        return area.x;
    }
    let width = usize::from(area.width);
    let whole: String = line.iter().map(|span| &*span.content).collect();
    if columns(whole.trim_end()) <= width {
        return buffer.set_line(area.x, area.y, line, area.width).0;
    }
    let dots = dots(app.ascii);
    let mut room = width;
    let mut kept = Line::default();
    let mut spans = line.iter().peekable();
    while let Some(span) = spans.next() {
        let takes = columns(&span.content);
        let rest = spans.peek().map_or(0, |_| columns(dots));
        if takes + rest <= room {
            room -= takes;
            kept.push_span(span.clone());
            continue;
        }
        kept.push_span(Span::styled(cut(&span.content, room, dots), span.style));
        break;
    }
    buffer.set_line(area.x, area.y, &kept, area.width).0
}

/// Draws `text` at a place of `buffer`, in at most `room` columns. Gives the
/// column behind it.
pub fn put(
    app: &App,
    (x, y): (u16, u16),
    text: &str,
    room: usize,
    style: Style,
    buffer: &mut Buffer,
) -> u16 {
    let room = room.min(usize::from(buffer.area.right().saturating_sub(x))) as u16;
    let area = Rect::new(x, y, room, 1);
    put_line(app, &Line::from(Span::styled(text, style)), area, buffer)
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::super::super::tests::empty;
    use super::*;

    /// The one row of a picture, without the blanks at its end.
    fn row(buffer: &Buffer) -> String {
        let mut text = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let letter = buffer[(x, 0)].symbol();
            text.push_str(letter);
            x += columns(letter).max(1) as u16;
        }
        text.trim_end().to_owned()
    }

    /// The row that a line of these pieces makes.
    fn drawn(pieces: &[&str], width: u16, ascii: bool) -> String {
        let mut app = empty();
        app.ascii = ascii;
        let line = Line::from_iter(pieces.iter().copied().map(Span::raw));
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        put_line(&app, &line, buffer.area, &mut buffer);
        row(&buffer)
    }

    #[test]
    fn what_has_no_room_ends_in_dots() {
        for (pieces, width, whole, ascii) in [
            (&["one two"][..], 7, "one two", "one two"),
            (&["one two"], 6, "one t…", "one..."),
            (&["one", " two"], 6, "one t…", "one..."),
            (&["one ", "two"], 5, "one …", "on..."),
            (&["one", "two"], 3, "on…", "..."),
            (&["one", "   "], 3, "one", "one"),
            (&["one", "  ", "x"], 5, "one…", "on..."),
            (&["端末装置"], 7, "端末装…", "端末..."),
            (&["端末装置"], 8, "端末装置", "端末装置"),
            (&["one"], 1, "…", "."),
            (&["one"], 0, "", ""),
        ] {
            assert_eq!(drawn(pieces, width, false), whole, "{pieces:?} {width}");
            assert_eq!(drawn(pieces, width, true), ascii, "{pieces:?} {width}");
        }
    }

    #[test]
    fn dots_have_the_style_of_what_is_cut_and_stay_in_the_room() {
        let app = empty();
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        let style = Style::new().fg(Color::Red);
        assert_eq!(put(&app, (2, 0), "one two", 4, style, &mut buffer), 6);
        assert_eq!(row(&buffer), "  one…");
        assert_eq!(buffer[(5, 0)].fg, Color::Red);
        assert_eq!(put(&app, (6, 0), "three", 9, style, &mut buffer), 8);
        assert_eq!(row(&buffer), "  one…t…");
    }
}
