//! A measure against chunk size, filled in as points are visited.

use std::collections::{BTreeMap, VecDeque};

use super::quantile::Summary;

/// Values kept of each point: the latest.
const VALUES: usize = 256;

/// Points kept: those visited last. With all of them full a curve takes 2 MiB.
const POINTS: usize = 1024;

/// What was measured at each chunk size.
///
/// It holds values of one kind under one set of settings (apart from the chunk);
/// whoever changes another setting starts a new one.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    points: BTreeMap<usize, Point>,
    pushes: u64,
}

#[derive(Debug, Clone, Default)]
struct Point {
    values: VecDeque<f64>,
    /// The curve's count of values when this point got its last.
    last: u64,
}

impl Curve {
    /// Adds a value measured at `chunk`; one that is not finite is ignored.
    pub fn push(&mut self, chunk: usize, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.pushes += 1;
        let point = self.points.entry(chunk).or_default();
        point.last = self.pushes;
        if point.values.len() == VALUES {
            point.values.pop_front();
        }
        point.values.push_back(value);
        if self.points.len() > POINTS {
            let oldest = self.points.iter().min_by_key(|(_, point)| point.last);
            if let Some((&chunk, _)) = oldest {
                self.points.remove(&chunk);
            }
        }
    }

    /// Each chunk size visited, ascending, with its latest values (at most 256)
    /// summed up.
    pub fn points(&self) -> impl Iterator<Item = (usize, Summary)> {
        let summed = |(&chunk, point): (&usize, &Point)| {
            Some((chunk, Summary::of(point.values.iter().copied())?))
        };
        self.points.iter().filter_map(summed)
    }

    /// The values kept of one chunk size, in order of time.
    pub fn values(&self, chunk: usize) -> impl Iterator<Item = f64> {
        let point = self.points.get(&chunk);
        point
            .into_iter()
            .flat_map(|point| point.values.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_summed_up_in_order() {
        let mut curve = Curve::default();
        for (chunk, value) in [(257, 9.0), (1, 4.0), (257, 11.0), (257, f64::NAN)] {
            curve.push(chunk, value);
        }
        let points: Vec<_> = curve.points().map(|(c, s)| (c, s.n, s.median)).collect();
        assert_eq!(points, [(1, 1, 4.0), (257, 2, 10.0)]);
        assert_eq!(curve.values(257).collect::<Vec<_>>(), [9.0, 11.0]);
        assert_eq!(curve.values(2).count(), 0);
    }

    #[test]
    fn the_latest_values_are_kept() {
        let mut curve = Curve::default();
        (0..VALUES + 100).for_each(|i| curve.push(7, i as f64));
        let (_, summary) = curve.points().next().unwrap();
        assert_eq!((summary.n, summary.min), (VALUES, 100.0));
    }

    #[test]
    fn the_points_visited_last_are_kept() {
        let mut curve = Curve::default();
        (0..POINTS).for_each(|chunk| curve.push(chunk, 1.0));
        curve.push(0, 2.0);
        curve.push(POINTS, 3.0);
        assert_eq!(curve.points().count(), POINTS);
        assert_eq!(curve.values(0).collect::<Vec<_>>(), [1.0, 2.0]);
        assert_eq!(curve.values(1).count(), 0);
    }
}
