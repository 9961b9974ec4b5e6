//! Letters, stretched to the grid.

use std::fmt::Write;

use crate::report::escape;

use super::path::Short;
use super::{HEIGHT, WIDTH};

/// Blanks that end a stretch of text, so that what follows has a place of its
/// own: not every viewer stretches.
const GAP: usize = 2;

/// Text of one look in one row.
#[derive(Debug)]
pub struct Words<'a> {
    y: f64,
    fill: &'a str,
    bold: bool,
    /// What is not written yet, where it begins, and its columns.
    text: String,
    begin: f64,
    columns: usize,
    /// Blanks at its end, which are in neither.
    blanks: usize,
    /// Where the next letter continues it.
    next: f64,
}

impl<'a> Words<'a> {
    /// Text in the row whose upper edge is `y`.
    pub fn new(y: f64, fill: &'a str, bold: bool) -> Self {
        Self {
            y,
            fill,
            bold,
            text: String::new(),
            begin: 0.0,
            columns: 0,
            blanks: 0,
            next: 0.0,
        }
    }

    /// Adds a letter of so many columns at `x`.
    pub fn add(&mut self, symbol: &str, x: f64, columns: usize, out: &mut String) {
        let continues = self.next == x && self.blanks < GAP;
        // Whatever room a font gives a wide letter, or a composed one: it has
        // its cells.
        let alone = columns > 1 || symbol.chars().nth(1).is_some();
        if !continues || alone {
            self.end(out);
        }
        self.next = x + columns as f64 * WIDTH;
        if symbol == " " {
            self.blanks += usize::from(!self.text.is_empty());
            return;
        }
        if self.text.is_empty() {
            self.begin = x;
        }
        self.text.extend(std::iter::repeat_n(' ', self.blanks));
        self.text.push_str(symbol);
        self.columns += self.blanks + columns;
        self.blanks = 0;
        if alone {
            self.end(out);
        }
    }

    /// Writes what was added.
    pub fn end(&mut self, out: &mut String) {
        if !self.text.is_empty() {
            let (x, y) = (Short(self.begin), Short(self.y + HEIGHT * 0.76));
            let length = Short(self.columns as f64 * WIDTH);
            let weight = if self.bold {
                " font-weight=\"bold\""
            } else {
                ""
            };
            // Memory takes all.
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" fill=\"{}\"{weight} textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                self.fill,
                escape(&self.text)
            );
        }
        self.text.clear();
        self.columns = 0;
        self.blanks = 0;
    }
}
