//! In which order a sweep visits its points.

use super::rng::SplitMix64;

/// One visit of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit {
    /// Which block it belongs to, from 0.
    pub block: u32,
    /// Which point, as an index below the plan's number of points.
    pub point: usize,
    /// The control point's second visit of this block: the other half of the A/A pair.
    pub twin: bool,
}

/// Randomised complete blocks without end: each block visits every point once,
/// and the A/A control point twice, in a freshly shuffled order.
///
/// The order within a block decides nothing but luck, so of two points that do
/// not differ, either is as likely to come out ahead, whatever the machine does
/// meanwhile: drift, bursts and modes of any shape become noise, and the test of
/// [`BoundaryTest`](super::BoundaryTest) is right without a model of them. (Randomised
/// blocks: Fisher, "The design of experiments", 1935.) It does not help against
/// a visit that slows down whichever comes next; the visits' warm-up and the
/// control are there for that.
#[derive(Debug, Clone)]
pub struct Plan {
    rng: SplitMix64,
    /// The current block's order; an index equal to `points` stands for the twin.
    order: Vec<usize>,
    points: usize,
    control: Option<usize>,
    block: u32,
    at: usize,
}

impl Plan {
    /// A plan for `points` points, of which `control` (if below `points`) is
    /// visited as two. The same arguments give the same visits.
    pub fn new(points: usize, control: Option<usize>, seed: u64) -> Self {
        let control = control.filter(|&point| point < points);
        let mut rng = SplitMix64::new(seed);
        let mut order: Vec<usize> = (0..points + usize::from(control.is_some())).collect();
        rng.shuffle(&mut order);
        Self {
            rng,
            order,
            points,
            control,
            block: 0,
            at: 0,
        }
    }

    /// Visits in a block.
    pub fn block_len(&self) -> usize {
        self.order.len()
    }
}

impl Iterator for Plan {
    type Item = Visit;

    /// The next visit; `None` only if there are no points or after 2^32 blocks.
    fn next(&mut self) -> Option<Visit> {
        if self.at == self.order.len() && self.at > 0 {
            self.block = self.block.checked_add(1)?;
            self.at = 0;
            self.rng.shuffle(&mut self.order);
        }
        let index = *self.order.get(self.at)?;
        self.at += 1;
        let twin = index == self.points;
        Some(Visit {
            block: self.block,
            point: if twin { self.control? } else { index },
            twin,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_visits_every_point_once_and_the_control_twice() {
        let plan = Plan::new(7, Some(3), 42);
        assert_eq!(plan.block_len(), 8);
        let visits: Vec<Visit> = plan.take(8 * 50).collect();
        for (number, block) in visits.chunks(8).enumerate() {
            let mut seen: Vec<(usize, bool)> = block.iter().map(|v| (v.point, v.twin)).collect();
            seen.sort_unstable();
            let mut expected: Vec<(usize, bool)> = (0..7).map(|point| (point, false)).collect();
            expected.push((3, true));
            expected.sort_unstable();
            assert_eq!(seen, expected);
            assert!(block.iter().all(|v| v.block == number as u32));
        }
    }

    #[test]
    fn the_seed_decides_the_order() {
        let visits = |seed| Plan::new(9, None, seed).take(90);
        let order = |seed| visits(seed).map(|v| v.point).collect::<Vec<_>>();
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_ne!(order(1)[..9], order(1)[9..18]);
    }

    #[test]
    fn either_of_two_points_comes_first_half_of_the_time() {
        let visits: Vec<Visit> = Plan::new(5, Some(0), 3).take(6 * 2000).collect();
        let first = |a: (usize, bool), b: (usize, bool)| {
            let ahead = |block: &&[Visit]| {
                let place = |x| block.iter().position(|v| (v.point, v.twin) == x);
                place(a) < place(b)
            };
            visits.chunks(6).filter(ahead).count()
        };
        assert!((900..1100).contains(&first((1, false), (2, false))));
        assert!((900..1100).contains(&first((0, false), (0, true))));
    }

    #[test]
    fn nothing_to_visit_ends_at_once() {
        assert_eq!(Plan::new(0, Some(0), 1).next(), None);
        assert_eq!(Plan::new(1, Some(7), 1).block_len(), 1);
    }
}
