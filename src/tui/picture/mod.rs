//! The screen as an SVG picture.
//!
//! Braille dots, block elements and lines are drawn as shapes, so that they
//! look alike whatever fonts the viewer has; all else is text, stretched to the
//! grid. What has one colour is one path: neighbours in it leave no gap, however
//! the picture is scaled.

mod lines;
mod path;
mod shapes;
mod words;

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Span;

use super::theme::{Theme, rgb};
use path::Layer;
use shapes::{Shape, shapes};
use words::Words;

/// The size of a cell in the picture's units: whole ones, and twice as high as
/// wide, so that half blocks are squares.
const WIDTH: f64 = 9.0;
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
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"15\">\n<rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        paper.background
    );
    let mut layers = Layers::default();
    for row in 0..area.height {
        let cells: Vec<&Cell> = (0..area.width)
            .map(|column| &buffer[(area.x + column, area.y + row)])
            .collect();
        let y = MARGIN + f64::from(row) * HEIGHT;
        draw_row(&mut layers, &cells, y, paper);
    }
    layers.write(&mut out);
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

    /// What a style's letters and ground look like on this paper.
    fn colors(self, style: Style) -> (String, String) {
        let own = |color: Option<Color>, paper: &str| {
            let rgb = color.and_then(rgb);
            rgb.map_or(paper.to_owned(), |(r, g, b)| {
                format!("#{r:02x}{g:02x}{b:02x}")
            })
        };
        let foreground = own(style.fg, self.foreground);
        let background = own(style.bg, self.background);
        if style.add_modifier.contains(Modifier::REVERSED) {
            (background, foreground)
        } else {
            (foreground, background)
        }
    }
}

/// What lies below comes first.
#[derive(Default)]
struct Layers {
    grounds: Layer,
    blocks: Layer,
    dots: Layer,
    texts: String,
}

impl Layers {
    fn write(&self, out: &mut String) {
        for (fill, path) in self.grounds.paths().chain(self.blocks.paths()) {
            // Edges on pixels: no seam between rows, either.
            let _ = writeln!(
                out,
                "<path shape-rendering=\"crispEdges\" fill=\"{fill}\" d=\"{path}\"/>"
            );
        }
        for (fill, path) in self.dots.paths() {
            let _ = writeln!(out, "<path fill=\"{fill}\" d=\"{path}\"/>");
        }
        out.push_str(&self.texts);
    }
}

fn draw_row(layers: &mut Layers, cells: &[&Cell], y: f64, paper: Paper) {
    let mut x = MARGIN;
    for run in cells.chunk_by(|a, b| a.style() == b.style()) {
        let width = run.len() as f64 * WIDTH;
        if let Some(style) = run.first().map(|cell| cell.style()) {
            let (foreground, background) = paper.colors(style);
            if background != paper.background {
                let ground = layers.grounds.of(&background);
                ground.rectangle((x, y), (width, HEIGHT));
            }
            let bold = style.add_modifier.contains(Modifier::BOLD);
            draw_run(layers, run, (x, y), &foreground, bold);
        }
        x += width;
    }
}

/// Draws cells that look alike.
fn draw_run(layers: &mut Layers, cells: &[&Cell], (x, y): (f64, f64), fill: &str, bold: bool) {
    let mut words = Words::new(y, fill, bold);
    let mut at = 0;
    while let Some(cell) = cells.get(at) {
        let left = x + at as f64 * WIDTH;
        let symbol = cell.symbol();
        let columns = Span::raw(symbol).width().max(1);
        at += columns;
        let mut letters = symbol.chars();
        let found = match (letters.next(), letters.next()) {
            (Some(letter), None) => shapes(letter, (WIDTH, HEIGHT)),
            _ => None,
        };
        let Some(found) = found else {
            words.add(symbol, left, columns, &mut layers.texts);
            continue;
        };
        for shape in found {
            match shape {
                Shape::Block((dx, dy), size) => {
                    let blocks = layers.blocks.of(fill);
                    blocks.rectangle((left + dx, y + dy), size);
                }
                Shape::Dot((dx, dy), radius) => {
                    layers.dots.of(fill).circle((left + dx, y + dy), radius);
                }
            }
        }
    }
    words.end(&mut layers.texts);
}

#[cfg(test)]
mod tests;
