//! A number's way through time as a row of bars.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Bars by eighths of a cell.
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The same by thirds, where there is only ASCII.
const THIRDS: [char; 3] = ['.', ':', '#'];

/// Where and how bars are drawn, from zero up to the largest.
pub struct Spark<'a> {
    /// Values by their time, ascending; None where there is none.
    pub points: &'a [(f64, Option<f64>)],
    /// Seconds from the left to the right edge.
    pub window: (f64, f64),
    /// How bars look.
    pub style: Style,
    /// Times of changes.
    pub marks: &'a [f64],
    /// How those look.
    pub mark_style: Style,
    /// Letters instead of blocks.
    pub ascii: bool,
}

impl Spark<'_> {
    /// Draws into `area`.
    pub fn render(&self, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        let means = self.means(usize::from(area.width));
        let top = means.iter().flatten().copied().fold(0.0, f64::max);
        for (column, mean) in means.iter().enumerate() {
            let x = area.x + column as u16;
            if let Some(mean) = mean.filter(|_| top > 0.0) {
                self.bar(mean / top, x, area, buffer);
            }
        }
        for &mark in self.marks {
            if let Some(column) = self.column(mark, usize::from(area.width)) {
                let x = area.x + column as u16;
                for y in area.top()..area.bottom() {
                    let glyph = if self.ascii { '|' } else { '│' };
                    buffer[(x, y)].set_char(glyph).set_style(self.mark_style);
                }
            }
        }
    }

    fn bar(&self, share: f64, x: u16, area: Rect, buffer: &mut Buffer) {
        let glyphs: &[char] = if self.ascii { &THIRDS } else { &EIGHTHS };
        let parts = glyphs.len();
        let steps = (share * f64::from(area.height) * parts as f64).round() as usize;
        // Something that is there shows, however little.
        let steps = steps.max(1);
        for (up, y) in (area.top()..area.bottom()).rev().enumerate() {
            let here = steps.saturating_sub(up * parts).min(parts);
            if let Some(glyph) = here.checked_sub(1).and_then(|at| glyphs.get(at)) {
                buffer[(x, y)].set_char(*glyph).set_style(self.style);
            }
        }
    }

    /// The mean of the values in each column. A value holds from the point
    /// before on, so that wide screens show no gaps between samples.
    fn means(&self, columns: usize) -> Vec<Option<f64>> {
        let mut sums = vec![(0.0, 0u32); columns];
        let mut before = None;
        for &(at, value) in self.points {
            let last = self.column(at, columns);
            let first = before.map(|column: usize| column + 1);
            before = last;
            let (Some(last), Some(value)) = (last, value) else {
                continue;
            };
            let covered = sums.get_mut(first.unwrap_or(last).min(last)..=last);
            for (sum, count) in covered.into_iter().flatten() {
                *sum += value;
                *count += 1;
            }
        }
        let mean = |(sum, count)| (count > 0).then(|| sum / f64::from(count));
        sums.into_iter().map(mean).collect()
    }

    fn column(&self, at: f64, columns: usize) -> Option<usize> {
        let share = (at - self.window.0) / (self.window.1 - self.window.0);
        let is_inside = (0.0..1.0).contains(&share);
        is_inside.then_some((share * columns as f64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(points: &[(f64, Option<f64>)], marks: &[f64], ascii: bool) -> Vec<String> {
        let area = Rect::new(0, 0, 8, 2);
        let mut buffer = Buffer::empty(area);
        Spark {
            points,
            window: (0.0, 8.0),
            style: Style::new(),
            marks,
            mark_style: Style::new(),
            ascii,
        }
        .render(area, &mut buffer);
        let row = |y| (0..8).map(|x| buffer[(x, y)].symbol()).collect();
        (0..2).map(row).collect()
    }

    #[test]
    fn bars_stand_on_zero_and_gaps_stay_empty() {
        let points: Vec<_> = (0..8).map(|n| (f64::from(n), Some(f64::from(n)))).collect();
        assert_eq!(drawn(&points, &[], false), ["    ▁▃▆█", "▁▂▅▇████"]);
        let gap = [(0.0, Some(4.0)), (1.0, None), (3.0, Some(2.0))];
        assert_eq!(drawn(&gap, &[5.0], true), ["#    |  ", "# ## |  "]);
    }

    #[test]
    fn bad_values_and_times_draw_nothing() {
        let odd = [(99.0, Some(1.0)), (f64::NAN, Some(1.0)), (1.0, Some(0.0))];
        assert_eq!(drawn(&odd, &[-1.0], false), ["        ", "        "]);
    }
}
