//! What the speaker wants said, right below the title.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::words::words;

use super::super::state::App;
use super::super::theme::Ink;
use super::fit::{columns, cut, dots, put};
use super::text::fill;

/// Rows that the caption takes of a screen.
pub fn height(app: &App, area: Rect) -> u16 {
    lines(app, area).len() as u16
}

/// Draws the caption into the rows that [`height`] gave it of `screen`.
pub fn draw(app: &App, screen: Rect, area: Rect, buffer: &mut Buffer) {
    let style = app.theme.style(Ink::Caption);
    fill(area, style, buffer);
    for (row, line) in area.rows().zip(lines(app, screen)) {
        put(app, (row.x + 1, row.y), &line, room(row), style, buffer);
    }
}

fn lines(app: &App, screen: Rect) -> Vec<String> {
    let most = match screen.height {
        0..=15 => 1,
        16..=29 => 2,
        _ => 3,
    };
    let caption = app.stage.said().unwrap_or_default();
    fitted(caption, room(screen), most, dots(app.ascii))
}

/// Columns of a line: one is left free at each edge.
fn room(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(2))
}

/// `text` in at most so many lines of at most `width` columns, broken between
/// words where that is possible, with dots at its end where there is more.
fn fitted(text: &str, width: usize, most: usize, dots: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
        let fits = |line: &&mut String| columns(line) + 1 + columns(word) <= width;
        if let Some(line) = lines.last_mut().filter(fits) {
            line.push(' ');
            line.push_str(word);
        } else {
            let more = most + 1 - lines.len();
            lines.extend(parts(word, width, more));
        }
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                *last = cut(last, width, dots);
            }
            return lines;
        }
    }
    lines
}

/// The first parts of a word that is longer than a line.
fn parts(word: &str, width: usize, most: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut taken = 0;
    for letter in Span::raw(word).styled_graphemes(Style::new()) {
        let takes = columns(letter.symbol);
        if taken > 0 && taken + takes > width {
            if parts.len() == most {
                break;
            }
            parts.push(String::new());
            taken = 0;
        }
        taken += takes;
        if let Some(part) = parts.last_mut() {
            part.push_str(letter.symbol);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(text: &str, width: usize, most: usize) -> Vec<String> {
        super::fitted(text, width, most, "...")
    }

    #[test]
    fn words_are_kept_whole_where_a_line_has_room() {
        assert_eq!(fitted("", 10, 2), [""; 0]);
        assert_eq!(fitted(" \t\n ", 10, 2), [""; 0]);
        assert_eq!(fitted("one two", 10, 2), ["one two"]);
        assert_eq!(fitted("one two  three", 10, 2), ["one two", "three"]);
        assert_eq!(fitted("one\ntwo\u{1b}[1m", 20, 2), ["one two [1m"]);
    }

    #[test]
    fn what_is_too_long_ends_in_dots() {
        assert_eq!(fitted("one two three", 9, 1), ["one tw..."]);
        assert_eq!(fitted("one two three", 8, 1), ["one t..."]);
        assert_eq!(fitted("abcdefghijkl", 5, 2), ["abcde", "fg..."]);
        assert_eq!(fitted("abcdefghij", 5, 2), ["abcde", "fghij"]);
        let long = "word ".repeat(100_000);
        assert_eq!(fitted(&long, 10, 2), ["word word", "word wo..."]);
    }

    #[test]
    fn wide_letters_take_two_columns() {
        assert_eq!(fitted("端末装置", 4, 3), ["端末", "装置"]);
        assert_eq!(fitted("端末装置", 5, 1), ["端..."]);
        assert_eq!(fitted("端", 1, 1), ["端"]);
        for line in fitted(&"擬似端末 pty ".repeat(50), 21, 3) {
            assert!(columns(&line) <= 21, "{line}");
        }
    }
}
