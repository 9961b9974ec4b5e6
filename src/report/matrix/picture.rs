//! A matrix as a picture: kernels down, findings across.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::report::Theme;
use crate::report::svg::{escape, open, text};
use crate::words::counted;

use super::{Came, Cell, Grid, Matrix, Tone};

/// With more columns a cell is a square with a letter instead of a word.
const MOST_WORDS: usize = 10;
/// Height of a row, and width of a square.
const ROW: f64 = 40.0;
const SQUARE: f64 = 28.0;
/// Width of a letter, about, and of a word's cell.
const LETTER: f64 = 12.5;
/// How high and how far to the right each letter of a slanted name reaches.
const RISE: f64 = 10.0;
const SLANT: f64 = 6.0;
const MARGIN: f64 = 30.0;
const TITLE: f64 = 60.0;
/// Width of a letter of the title, about.
const TITLE_LETTER: f64 = 18.0;
const FOOT: f64 = 50.0;
/// What the picture has beside the colours.
const STYLES: &str = ".title{font-size:28px;font-weight:600} .bad{font-weight:700}";

/// Writes the matrix as a picture.
///
/// # Errors
/// What writing says.
pub fn write(matrix: &Matrix, theme: Theme, out: &mut dyn Write) -> io::Result<()> {
    let picture = Picture::of(matrix);
    let mut svg = String::new();
    picture.head(&mut svg, theme);
    picture.names(&mut svg);
    for (at, row) in picture.grid.rows.iter().enumerate() {
        picture.row(&mut svg, at, row);
    }
    picture.foot(&mut svg);
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

/// Where things stand.
struct Picture<'a> {
    matrix: &'a Matrix,
    grid: Grid,
    left: f64,
    top: f64,
    column: f64,
    /// Letters of the longest column's name.
    name: f64,
}

impl<'a> Picture<'a> {
    fn of(matrix: &'a Matrix) -> Self {
        let grid = Grid::of(matrix);
        let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0) as f64;
        let name = longest(&mut grid.rows.iter().map(|(name, _)| name.chars().count()));
        let cells = grid
            .rows
            .iter()
            .flat_map(|(_, cells)| cells.iter().flatten());
        let column = longest(&mut grid.columns.iter().map(|name| name.chars().count()));
        let word = longest(&mut cells.map(|cell| cell.text.chars().count())).max(column);
        let has_words = grid.columns.len() <= MOST_WORDS;
        Self {
            left: MARGIN + name * LETTER + 10.0,
            top: TITLE + ROW.max(if has_words { 0.0 } else { column * RISE + 20.0 }),
            column: if has_words {
                (word + 2.0) * LETTER
            } else {
                SQUARE
            },
            name: column,
            matrix,
            grid,
        }
    }

    fn has_words(&self) -> bool {
        self.grid.columns.len() <= MOST_WORDS
    }

    fn width(&self) -> f64 {
        let slant = if self.has_words() {
            0.0
        } else {
            self.name * SLANT
        };
        let columns = self.left + self.column * self.grid.columns.len() as f64;
        let title = self.title().chars().count() as f64 * TITLE_LETTER + 2.0 * MARGIN;
        (columns + slant + MARGIN).max(title).max(900.0)
    }

    fn height(&self) -> f64 {
        self.top + ROW * self.grid.rows.len() as f64 + FOOT
    }

    fn x(&self, column: usize) -> f64 {
        self.left + self.column * column as f64
    }

    fn head(&self, svg: &mut String, theme: Theme) {
        open(svg, [self.width(), self.height()], 20, STYLES, theme);
        text(svg, "title", MARGIN, 40.0, "start", &self.title());
    }

    fn title(&self) -> String {
        let words = self.matrix.command.iter().skip_while(|word| *word != "--");
        let command = words.skip(1).cloned().collect::<Vec<_>>().join(" ");
        format!(
            "ptyscope {command}, {}",
            counted(self.grid.rows.len(), "kernel")
        )
    }

    fn names(&self, svg: &mut String) {
        for (at, name) in self.grid.columns.iter().enumerate() {
            let x = self.x(at) + self.column / 2.0;
            if self.has_words() {
                text(svg, "quiet", x, self.top - 14.0, "middle", name);
                continue;
            }
            let (x, y) = (x + 6.0, self.top - 8.0);
            let _ = writeln!(
                svg,
                r#"<text class="quiet" transform="translate({x:.1} {y:.1}) rotate(-60)">{}</text>"#,
                escape(name)
            );
        }
    }

    fn row(&self, svg: &mut String, at: usize, (name, cells): &(String, Vec<Option<Cell>>)) {
        let y = self.top + ROW * at as f64;
        text(svg, "name", self.left - 16.0, y + 27.0, "end", name);
        if let Some(Came::Trouble(trouble)) = self.matrix.rows.get(at).map(|row| &row.came) {
            text(
                svg,
                "bad",
                self.left + 6.0,
                y + 27.0,
                "start",
                &trouble.word,
            );
            return;
        }
        for (column, cell) in cells.iter().enumerate() {
            if let Some(cell) = cell {
                let name = self.grid.columns.get(column).map_or("", String::as_str);
                self.cell(svg, self.x(column), y, name, cell);
            }
        }
    }

    fn cell(&self, svg: &mut String, x: f64, y: f64, name: &str, cell: &Cell) {
        let class = match cell.tone {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Notable => "notable",
            Tone::Plain => "plain",
        };
        let width = self.column - 4.0;
        let more = escape(&format!("{name}: {} {}", cell.text, cell.more));
        let _ = writeln!(
            svg,
            r#"<rect class="cell {class}" x="{:.1}" y="{:.1}" width="{width:.1}" height="{:.1}" rx="3"><title>{more}</title></rect>"#,
            x + 2.0,
            y + 4.0,
            ROW - 8.0
        );
        let shown = match (self.has_words(), cell.tone) {
            (true, _) => cell.text.clone(),
            // What is as it should be needs no letter; colour is not alone.
            (false, Tone::Good) => return,
            (false, _) => cell.text.chars().take(1).collect::<String>().to_uppercase(),
        };
        text(
            svg,
            &format!("on-{class}"),
            x + self.column / 2.0,
            y + 27.0,
            "middle",
            &shown,
        );
    }

    fn foot(&self, svg: &mut String) {
        let program = &self.matrix.program;
        let mut foot = format!("{} {}", program.name, program.version);
        if !self.has_words() {
            foot.push_str("; letters: first of the word, as F for fail; none: pass");
        }
        text(svg, "quiet", MARGIN, self.height() - 16.0, "start", &foot);
    }
}
