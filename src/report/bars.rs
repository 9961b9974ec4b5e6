//! Intervals drawn with characters.

use crate::analysis::Interval;

/// A linear axis of so many columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    columns: usize,
}

impl Axis {
    /// From `low` to `high`; both must be finite.
    pub fn new(low: f64, high: f64, columns: usize) -> Self {
        Self { low, high, columns }
    }

    /// The column of a value; those outside stand at the edge.
    fn column(&self, value: f64) -> usize {
        let last = self.columns.saturating_sub(1);
        let share = (value - self.low) / (self.high - self.low);
        if share.is_finite() {
            ((share.clamp(0.0, 1.0) * last as f64).round() as usize).min(last)
        } else {
            0
        }
    }

    /// The interval as a bar with its estimate marked: `  ├──●─┤ `, and a thin
    /// line at each value of `lines`.
    pub fn bar(&self, interval: &Interval, lines: &[f64]) -> String {
        let mut cells = vec![' '; self.columns];
        let mut put = |column: usize, mark: char| {
            if let Some(cell) = cells.get_mut(column) {
                *cell = mark;
            }
        };
        for &line in lines {
            put(self.column(line), '┊');
        }
        let [low, middle, high] =
            [interval.low, interval.estimate, interval.high].map(|value| self.column(value));
        for column in low..=high {
            put(column, '─');
        }
        if low < high {
            put(low, '├');
            put(high, '┤');
        }
        put(middle, '●');
        cells.into_iter().collect::<String>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, estimate: f64, high: f64) -> Interval {
        Interval {
            low,
            estimate,
            high,
            n: 9,
        }
    }

    #[test]
    fn bars_stand_at_their_values() {
        let axis = Axis::new(0.0, 10.0, 11);
        assert_eq!(axis.bar(&interval(2.0, 4.0, 7.0), &[]), "  ├─●──┤   ");
        assert_eq!(
            axis.bar(&interval(4.0, 4.0, 4.0), &[0.0, 10.0]),
            "┊   ●     ┊"
        );
        assert_eq!(axis.bar(&interval(-5.0, -4.0, 99.0), &[]), "●─────────┤");
    }

    #[test]
    fn nothing_breaks_it() {
        let nan = interval(f64::NAN, f64::NAN, f64::NAN);
        assert_eq!(Axis::new(1.0, 1.0, 3).bar(&nan, &[f64::INFINITY]), "●  ");
        assert_eq!(
            Axis::new(0.0, 1.0, 0).bar(&interval(0.1, 0.2, 0.3), &[0.5]),
            ""
        );
    }
}
