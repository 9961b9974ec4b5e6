//! Lines on a grid of braille dots, or of letters where braille is not wanted.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::axis::Axis;

/// One line or cloud of points.
pub struct Series<'a> {
    /// Values by place on the horizontal axis, ascending; None breaks the line.
    pub points: &'a [(f64, Option<f64>)],
    /// Its colour.
    pub style: Style,
    /// What stands for it without braille, and at the end of its line.
    pub letter: char,
    /// How its points are drawn.
    pub stroke: Stroke,
}

/// How the points of a series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// Joined by lines.
    Line,
    /// Each for itself.
    Dots,
    /// Each as its letter, even where there is braille.
    Letters,
}

/// Where and how series are drawn.
pub struct Plot<'a> {
    /// The horizontal range.
    pub x: (f64, f64),
    /// The vertical scale.
    pub y: Axis,
    /// What is drawn, first to last; later ones cover earlier ones.
    pub series: &'a [Series<'a>],
    /// Places of vertical lines behind the series.
    pub marks: &'a [f64],
    /// How those lines look.
    pub mark_style: Style,
    /// Letters instead of braille.
    pub ascii: bool,
    /// Whether each line ends in its letter, where there is room: colours
    /// alone do not tell lines apart for everybody.
    pub name_lines: bool,
}

/// Bits of the dots of a braille character, by row and column (Unicode block
/// U+2800).
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

#[derive(Clone, Copy, Default)]
struct Cell {
    dots: u8,
    letter: Option<char>,
    is_letter: bool,
    style: Style,
}

struct Grid {
    width: usize,
    height: usize,
    cells: Vec<Cell>,
}

impl Grid {
    fn new(area: Rect) -> Self {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        Self {
            width,
            height,
            cells: vec![Cell::default(); width * height],
        }
    }

    /// Sets the dot at column `x` and row `y`, in dots from the top left.
    fn dot(&mut self, x: usize, y: usize, series: &Series<'_>) {
        let (column, row) = (x / 2, y / 4);
        if column >= self.width || row >= self.height {
            return;
        }
        let cell = &mut self.cells[row * self.width + column];
        if cell.letter != Some(series.letter) {
            // Two series in one cell: the later one has it alone.
            cell.dots = 0;
        }
        cell.dots |= DOTS[y % 4][x % 2];
        cell.letter = Some(series.letter);
        cell.is_letter = series.stroke == Stroke::Letters;
        cell.style = series.style;
    }

    /// Sets the series' letter in the first free cell from `column` on, of
    /// three.
    fn name(&mut self, column: usize, row: usize, series: &Series<'_>) {
        let cells = row * self.width..(row + 1) * self.width;
        let row = self.cells.get_mut(cells).unwrap_or_default();
        let mut few = row.iter_mut().skip(column).take(3);
        if let Some(cell) = few.find(|cell| cell.letter.is_none()) {
            cell.letter = Some(series.letter);
            cell.is_letter = true;
            cell.style = series.style;
        }
    }
}

impl Plot<'_> {
    /// Draws into `area`.
    pub fn render(&self, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        if area.is_empty() || self.x.1 <= self.x.0 {
            return;
        }
        self.draw_marks(area, buffer);
        let mut grid = Grid::new(area);
        let ends: Vec<_> = self
            .series
            .iter()
            .map(|series| (series, self.draw_series(series, &mut grid)))
            .filter(|(series, _)| self.name_lines && series.stroke == Stroke::Line)
            .collect();
        for (series, end) in ends {
            if let Some((x, y)) = end {
                grid.name(x / 2 + 1, y / 4, series);
            }
        }
        for row in 0..grid.height {
            for column in 0..grid.width {
                let cell = grid.cells[row * grid.width + column];
                let Some(letter) = cell.letter else { continue };
                let glyph = if self.ascii || cell.is_letter {
                    letter
                } else {
                    char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or(letter)
                };
                buffer[(area.x + column as u16, area.y + row as u16)]
                    .set_char(glyph)
                    .set_style(cell.style);
            }
        }
    }

    fn draw_marks(&self, area: Rect, buffer: &mut Buffer) {
        for &mark in self.marks {
            let Some(column) = self.column(mark, area.width) else {
                continue;
            };
            for row in area.top()..area.bottom() {
                buffer[(area.x + column, row)]
                    .set_char(if self.ascii { ':' } else { '┊' })
                    .set_style(self.mark_style);
            }
        }
    }

    /// The column of a place on the horizontal axis, if it is in view.
    pub fn column(&self, x: f64, width: u16) -> Option<u16> {
        let at = (x - self.x.0) / (self.x.1 - self.x.0);
        (0.0..=1.0)
            .contains(&at)
            .then(|| ((at * f64::from(width)) as u16).min(width.saturating_sub(1)))
    }

    /// Draws a series; gives the dot at which it ends, if it does in view.
    fn draw_series(&self, series: &Series<'_>, grid: &mut Grid) -> Option<(usize, usize)> {
        let (across, down) = (grid.width * 2, grid.height * 4);
        let mut last: Option<(usize, usize)> = None;
        for &(x, value) in series.points {
            let at = (x - self.x.0) / (self.x.1 - self.x.0);
            let height = value.and_then(|v| self.y.place(v));
            let Some(height) = height.filter(|_| (0.0..=1.0).contains(&at)) else {
                last = None;
                continue;
            };
            let column = ((at * across as f64) as usize).min(across - 1);
            let row = down - 1 - ((height * (down - 1) as f64).round() as usize).min(down - 1);
            match last.filter(|_| series.stroke == Stroke::Line) {
                Some(from) => line(grid, from, (column, row), series),
                None => grid.dot(column, row, series),
            }
            last = Some((column, row));
        }
        last
    }
}

/// All dots between two, the steps of a stair where they are far apart.
fn line(grid: &mut Grid, from: (usize, usize), to: (usize, usize), series: &Series<'_>) {
    let columns = to.0.saturating_sub(from.0);
    let row_at = |step: usize| {
        let share = step as f64 / columns.max(1) as f64;
        (from.1 as f64 + (to.1 as f64 - from.1 as f64) * share).round() as usize
    };
    let mut row = from.1;
    for step in 0..=columns {
        let next = if columns == 0 { to.1 } else { row_at(step) };
        for y in row.min(next)..=row.max(next) {
            grid.dot(from.0 + step, y, series);
        }
        row = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(points: &[(f64, Option<f64>)], ascii: bool) -> Vec<String> {
        let area = Rect::new(0, 0, 8, 3);
        let mut buffer = Buffer::empty(area);
        let series = [Series {
            points,
            style: Style::new(),
            letter: 'w',
            stroke: Stroke::Line,
        }];
        Plot {
            x: (0.0, 8.0),
            y: Axis::Linear(1.0),
            series: &series,
            marks: &[4.0],
            mark_style: Style::new(),
            ascii,
            name_lines: false,
        }
        .render(area, &mut buffer);
        (0..3)
            .map(|y| (0..8).map(|x| buffer[(x, y)].symbol()).collect())
            .collect()
    }

    #[test]
    fn a_line_runs_from_corner_to_corner_over_the_mark() {
        let rows = drawn(&[(0.0, Some(0.0)), (8.0, Some(1.0))], true);
        assert_eq!(rows, ["    :www", "  wwww  ", "www :   "]);
    }

    #[test]
    fn a_gap_breaks_the_line() {
        let rows = drawn(&[(0.0, Some(1.0)), (3.0, None), (7.0, Some(1.0))], false);
        assert_eq!(rows[0], "⠁   ┊  ⠁");
    }

    #[test]
    fn values_without_a_place_draw_nothing() {
        let rows = drawn(&[(0.0, Some(f64::NAN)), (99.0, Some(0.5))], true);
        assert!(rows.iter().all(|row| !row.contains('w')));
    }
}
