//! Where a value lies on an axis, and how the axis is labelled.

/// The vertical scale of a plot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Axis {
    /// From zero to the top.
    Linear(f64),
    /// From one power of ten to another.
    Log(i32, i32),
}

impl Axis {
    /// A linear axis whose top is the next of 1, 2, 3, 5 or 7 times a power of
    /// ten above `max`. Such steps keep it still while values wander.
    pub fn linear(max: f64) -> Self {
        if !(max > 0.0 && max.is_finite()) {
            return Self::Linear(1.0);
        }
        let decade = 10f64.powf(max.log10().floor());
        let top = [1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0]
            .into_iter()
            .map(|step| step * decade)
            .find(|top| *top >= max)
            .unwrap_or(max);
        Self::Linear(top)
    }

    /// A logarithmic axis of whole decades around the positive values.
    pub fn log(min: f64, max: f64) -> Self {
        if !(min > 0.0 && max.is_finite() && max >= min) {
            return Self::Log(0, 1);
        }
        let low = min.log10().floor() as i32;
        let high = max.log10().ceil() as i32;
        Self::Log(low, high.max(low + 1))
    }

    /// Where `value` lies, from 0 at the bottom to 1 at the top; None when it
    /// has no place: not a number, or not positive on a logarithmic axis.
    pub fn place(self, value: f64) -> Option<f64> {
        let at = match self {
            Self::Linear(top) => value / top,
            Self::Log(low, high) if value > 0.0 => {
                (value.log10() - f64::from(low)) / f64::from(high - low)
            }
            Self::Log(..) => return None,
        };
        at.is_finite().then(|| at.clamp(0.0, 1.0))
    }

    /// The values that deserve a label on `rows` rows, with their places.
    pub fn ticks(self, rows: u16) -> Vec<(f64, f64)> {
        match self {
            Self::Linear(top) if rows >= 7 => {
                vec![(0.0, 0.0), (top / 2.0, 0.5), (top, 1.0)]
            }
            Self::Linear(top) => vec![(0.0, 0.0), (top, 1.0)],
            Self::Log(low, high) => {
                let decades = (high - low) as usize;
                let step = decades.div_ceil(usize::from(rows.max(2) - 1)).max(1);
                (low..=high)
                    .step_by(step)
                    .map(|e| (10f64.powi(e), f64::from(e - low) / f64::from(high - low)))
                    .collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_axis_begins_at_zero_and_ends_at_a_round_number() {
        assert_eq!(Axis::linear(47.0), Axis::Linear(50.0));
        assert_eq!(Axis::linear(50.0), Axis::Linear(50.0));
        assert_eq!(Axis::linear(0.0), Axis::Linear(1.0));
        assert_eq!(Axis::linear(f64::NAN), Axis::Linear(1.0));
        assert_eq!(Axis::linear(47.0).place(25.0), Some(0.5));
    }

    #[test]
    fn a_log_axis_has_whole_decades_and_no_zero() {
        let axis = Axis::log(800.0, 5_000_000.0);
        assert_eq!(axis, Axis::Log(2, 7));
        assert_eq!(axis.place(0.0), None);
        assert_eq!(axis.place(100.0), Some(0.0));
        assert_eq!(axis.place(1e7), Some(1.0));
        assert_eq!(Axis::log(5.0, 5.0), Axis::Log(0, 1));
        for rows in 1..20 {
            let ticks = axis.ticks(rows);
            assert!(ticks.len() <= usize::from(rows.max(2)), "{rows}: {ticks:?}");
        }
    }
}
