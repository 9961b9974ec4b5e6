//! The screen as an SVG picture.
//!
//! Braille dots and block elements are drawn as shapes, so that they look
//! alike whatever fonts the viewer has; all else is text, stretched to the
//! grid.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::theme::{Theme, rgb};

/// The size of a cell in the picture's units.
const WIDTH: f64 = 8.4;
const HEIGHT: f64 = 18.0;
/// Room around the screen.
const MARGIN: f64 = 12.0;

/// Draws the screen in `buffer`.
pub fn svg(buffer: &Buffer, theme: Theme) -> String {
    let area = buffer.area;
    let width = f64::from(area.width) * WIDTH + 2.0 * MARGIN;
    let height = f64::from(area.height) * HEIGHT + 2.0 * MARGIN;
    let paper = Paper::of(theme);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        paper.background
    );
    for row in 0..area.height {
        let y = MARGIN + f64::from(row) * HEIGHT;
        let cells: Vec<&Cell> = (0..area.width)
            .map(|column| &buffer[(area.x + column, area.y + row)])
            .collect();
        for (begin, end) in runs(&cells) {
            draw_run(&mut out, &cells[begin..end], begin, y, paper);
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The colours that a terminal would supply.
#[derive(Clone, Copy)]
struct Paper {
    foreground: &'static str,
    background: &'static str,
}

impl Paper {
    fn of(theme: Theme) -> Self {
        match theme {
            Theme::Light => Self {
                foreground: "#1c1c1c",
                background: "#ffffff",
            },
            Theme::Contrast | Theme::Sixteen => Self {
                foreground: "#ffffff",
                background: "#000000",
            },
            Theme::Dark | Theme::Mono => Self {
                foreground: "#e4e4e4",
                background: "#121212",
            },
        }
    }
}

/// Stretches of cells that look alike.
fn runs(cells: &[&Cell]) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut begin = 0;
    for at in 1..=cells.len() {
        if at == cells.len() || cells[at].style() != cells[begin].style() {
            runs.push((begin, at));
            begin = at;
        }
    }
    runs
}

fn draw_run(out: &mut String, cells: &[&Cell], begin: usize, y: f64, paper: Paper) {
    let Some(first) = cells.first() else { return };
    let x = MARGIN + begin as f64 * WIDTH;
    let mut foreground = color(first.fg).unwrap_or_else(|| paper.foreground.to_owned());
    let mut background = color(first.bg);
    if first.modifier.contains(Modifier::REVERSED) {
        let paper_color = background.unwrap_or_else(|| paper.background.to_owned());
        background = Some(std::mem::replace(&mut foreground, paper_color));
    }
    if let Some(fill) = background {
        let width = cells.len() as f64 * WIDTH;
        rectangle(out, (x, y), (width, HEIGHT), &fill);
    }
    let mut text = String::new();
    for (at, cell) in cells.iter().enumerate() {
        let left = x + at as f64 * WIDTH;
        let glyph = cell.symbol().chars().next().unwrap_or(' ');
        if draw_shape(out, glyph, (left, y), &foreground) {
            text.push(' ');
        } else {
            text.push(glyph);
        }
    }
    draw_text(
        out,
        &text,
        (x, y),
        &foreground,
        first.modifier.contains(Modifier::BOLD),
    );
}

/// Text from its first to its last visible character.
fn draw_text(out: &mut String, text: &str, (x, y): (f64, f64), fill: &str, bold: bool) {
    let lead = text.chars().take_while(|c| *c == ' ').count();
    let words = text.trim();
    if words.is_empty() {
        return;
    }
    let length = words.chars().count() as f64 * WIDTH;
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let escaped = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let x = x + lead as f64 * WIDTH;
    let y = y + HEIGHT * 0.76;
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{fill}\"{weight} textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\">{escaped}</text>"
    );
}

fn rectangle(out: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>"
    );
}

/// Draws a character that is a shape; `false` when it is not.
fn draw_shape(out: &mut String, glyph: char, (x, y): (f64, f64), fill: &str) -> bool {
    match glyph {
        '\u{2800}'..='\u{28ff}' => {
            let dots = glyph as u32 - 0x2800;
            // Bits of the dots by column and row, as Unicode numbers them.
            for (bit, (column, row)) in [
                (0, 0),
                (0, 1),
                (0, 2),
                (1, 0),
                (1, 1),
                (1, 2),
                (0, 3),
                (1, 3),
            ]
            .iter()
            .enumerate()
            {
                if dots & (1 << bit) != 0 {
                    let left = x + WIDTH * (0.25 + 0.5 * f64::from(*column));
                    let top = y + HEIGHT * (0.125 + 0.25 * f64::from(*row));
                    let _ = writeln!(
                        out,
                        "<circle cx=\"{left:.1}\" cy=\"{top:.1}\" r=\"1.6\" fill=\"{fill}\"/>"
                    );
                }
            }
            true
        }
        // Left blocks, from a full one down to an eighth.
        '█'..='▏' => {
            let eighths = f64::from(8 - (glyph as u32 - '█' as u32));
            let size = (WIDTH * eighths / 8.0, HEIGHT * 0.7);
            rectangle(out, (x, y + HEIGHT * 0.15), size, fill);
            true
        }
        '┊' => {
            for part in 0..3 {
                let top = y + HEIGHT * (0.05 + 0.33 * f64::from(part));
                rectangle(out, (x + WIDTH / 2.0 - 0.5, top), (1.0, HEIGHT * 0.2), fill);
            }
            true
        }
        _ => false,
    }
}

/// A colour as SVG has it; None for the terminal's own.
fn color(color: Color) -> Option<String> {
    let (r, g, b) = rgb(color)?;
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn a_picture_has_the_text_the_dots_and_the_bars() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 1));
        buffer.set_string(0, 0, "a<b ⠁⣿█", Style::new().fg(Color::Indexed(214)));
        let picture = svg(&buffer, Theme::Dark);
        assert!(picture.contains(">a&lt;b</text>"), "{picture}");
        assert_eq!(picture.matches("<circle").count(), 1 + 8);
        assert_eq!(picture.matches("<rect").count(), 1 + 1);
        assert!(picture.contains("#ffaf00"));
        assert!(picture.ends_with("</svg>\n"));
    }
}
