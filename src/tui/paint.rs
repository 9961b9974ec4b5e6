//! Cells as the bytes that put them on a terminal.
//!
//! crossterm writes each colour as one of xterm's 256, also the first 16, which
//! terminals of 16 colours do not understand; and it leaves out colours by a
//! switch of the whole process. Here a colour that has a name is written as
//! ECMA-48 and aixterm have it, and a cell without colours writes none.

use std::io::Write;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::theme::named_index;

/// Adds what puts `changes`, each at its column and row, on the terminal. It
/// begins and ends in the terminal's own look.
pub fn paint<'a>(out: &mut Vec<u8>, changes: impl IntoIterator<Item = (u16, u16, &'a Cell)>) {
    let mut look = Look::default();
    let mut next = None;
    for (x, y, cell) in changes {
        if next != Some((x, y)) {
            add(
                out,
                format_args!("\x1b[{};{}H", u32::from(y) + 1, u32::from(x) + 1),
            );
        }
        // After a letter of two columns the cell beside it is left out, and
        // terminals differ in the columns that a composed one takes: what
        // follows is told its place.
        let is_composed = cell.symbol().chars().nth(1).is_some();
        next = x.checked_add(1).filter(|_| !is_composed).map(|x| (x, y));
        look.put(cell, out);
    }
    look.turn(Look::default(), out);
}

/// Adds a line of text with its looks, which ends in the terminal's own.
pub fn line<'a>(out: &mut Vec<u8>, cells: impl IntoIterator<Item = &'a Cell>) {
    let mut look = Look::default();
    for cell in cells {
        look.put(cell, out);
    }
    look.turn(Look::default(), out);
    out.push(b'\n');
}

/// How a cell looks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Look {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            modifier: cell.modifier,
        }
    }

    /// Adds a cell, which is written in its own look from this one on.
    fn put(&mut self, cell: &Cell, out: &mut Vec<u8>) {
        self.turn(Self::of(cell), out);
        out.extend_from_slice(cell.symbol().as_bytes());
    }

    /// Turns into `next`, if it is another.
    fn turn(&mut self, next: Self, out: &mut Vec<u8>) {
        if *self != next {
            next.write(out);
            *self = next;
        }
    }

    /// The whole look, whatever was before.
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[0");
        for (modifier, code) in [
            (Modifier::BOLD, 1),
            (Modifier::DIM, 2),
            (Modifier::ITALIC, 3),
            (Modifier::UNDERLINED, 4),
            (Modifier::REVERSED, 7),
        ] {
            if self.modifier.contains(modifier) {
                add(out, format_args!(";{code}"));
            }
        }
        color(out, self.fg, 30);
        color(out, self.bg, 40);
        out.push(b'm');
    }
}

/// A colour's parameters of SGR, counted from `base`: 30 of the foreground, 40
/// of the background.
fn color(out: &mut Vec<u8>, color: Color, base: u8) {
    match (color, named_index(color)) {
        (_, Some(index @ 0..=7)) => add(out, format_args!(";{}", base + index)),
        (_, Some(index)) => add(out, format_args!(";{}", base + 60 + index - 8)),
        (Color::Indexed(index), _) => add(out, format_args!(";{};5;{index}", base + 8)),
        (Color::Rgb(r, g, b), _) => add(out, format_args!(";{};2;{r};{g};{b}", base + 8)),
        _ => {}
    }
}

fn add(out: &mut Vec<u8>, words: std::fmt::Arguments<'_>) {
    // Memory takes all.
    let _ = out.write_fmt(words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    fn painted(text: &str, style: Style) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 2));
        buffer.set_string(2, 1, text, style);
        let blank = Buffer::empty(buffer.area);
        let mut out = Vec::new();
        paint(&mut out, blank.diff(&buffer));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_kind_of_colour_has_its_parameters() {
        let style = Style::new().fg(Color::Yellow).bg(Color::LightBlue);
        assert_eq!(painted("ab", style), "\x1b[2;3H\x1b[0;33;104mab\x1b[0m");
        let style = Style::new().fg(Color::Indexed(3)).bg(Color::Gray);
        assert_eq!(painted("a", style), "\x1b[2;3H\x1b[0;38;5;3;47ma\x1b[0m");
        let style = Style::new().bg(Color::Rgb(1, 2, 3));
        assert_eq!(painted("a", style), "\x1b[2;3H\x1b[0;48;2;1;2;3ma\x1b[0m");
    }

    #[test]
    fn a_cell_without_looks_writes_none() {
        assert_eq!(painted("ab", Style::new()), "\x1b[2;3Hab");
        let bold = Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED);
        assert_eq!(painted("a", bold), "\x1b[2;3H\x1b[0;1;7ma\x1b[0m");
    }

    #[test]
    fn what_follows_a_wide_letter_is_told_its_place() {
        assert_eq!(painted("端a", Style::new()), "\x1b[2;3H端\x1b[2;5Ha");
        let composed = painted("e\u{301}a", Style::new());
        assert_eq!(composed, "\x1b[2;3He\u{301}\x1b[2;4Ha");
    }
}
