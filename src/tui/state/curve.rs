//! What was measured at each chunk size, and the walk that fills it in.

use std::collections::BTreeMap;

use crate::analysis::{Curve as Values, Plan, Ratio, paired_ratio};
use crate::sample::Sample;
use crate::workload::Settings;

/// Samples of one visit: the first straddles the change and does not count.
const VISIT: u32 = 2;
/// The points of a walk, from its boundary.
const AROUND: [i64; 5] = [-16, -1, 0, 1, 16];
/// The confidence of the intervals on the screen.
const CONFIDENCE: f64 = 0.95;

/// Throughput and time per byte against chunk size, for one set of settings
/// apart from the chunk.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// Bytes read per second.
    pub throughput: Values,
    /// Nanoseconds per byte read.
    pub time_per_byte: Values,
    /// The settings that the points share.
    under: Option<Settings>,
    /// The walk around a boundary, while it goes or once it has gone.
    pub walk: Option<Walk>,
}

impl Curve {
    /// Adds a sample that counts. Settings other than the chunk begin a new
    /// curve.
    pub fn push(&mut self, sample: &Sample) {
        let under = Settings {
            chunk: 0,
            ..(*sample.settings).clone()
        };
        if self.under.as_ref() != Some(&under) {
            *self = Self {
                under: Some(under),
                walk: self.walk.take().filter(|walk| walk.going),
                ..Self::default()
            };
        }
        let throughput = sample.throughput();
        if sample.counts() && throughput > 0.0 {
            let chunk = sample.settings.chunk;
            self.throughput.push(chunk, throughput);
            self.time_per_byte.push(chunk, 1e9 / throughput);
        }
    }
}

/// A walk that visits the points around a boundary in randomised blocks, one
/// of them twice as a control.
#[derive(Debug, Clone)]
pub struct Walk {
    /// The chunk before the boundary.
    pub boundary: usize,
    /// Whether it still goes on.
    pub going: bool,
    points: Vec<usize>,
    plan: Plan,
    here: crate::analysis::Visit,
    left: u32,
    seen: Vec<f64>,
    /// The mean throughput of each visit, by block, point and twin.
    visits: BTreeMap<(u32, usize, bool), f64>,
}

/// Blocks that are remembered.
const BLOCKS: u32 = 500;

impl Walk {
    /// A walk around `boundary`, the largest chunk before a change. The order
    /// follows from `seed`.
    pub fn around(boundary: usize, seed: u64) -> Option<Self> {
        let points: Vec<usize> = AROUND
            .into_iter()
            .filter_map(|off| usize::try_from(boundary as i64 + off).ok())
            .filter(|&chunk| chunk >= 1)
            .collect();
        let control = points.iter().position(|&chunk| chunk == boundary);
        let mut plan = Plan::new(points.len(), control, seed);
        let here = plan.next()?;
        Some(Self {
            boundary,
            going: true,
            points,
            plan,
            here,
            left: VISIT,
            seen: Vec::new(),
            visits: BTreeMap::new(),
        })
    }

    /// The chunk to be at now.
    pub fn chunk(&self) -> usize {
        self.points[self.here.point]
    }

    /// Takes a sample in, and gives the chunk to go to once the visit is over.
    /// While the workload is held the visit waits.
    pub fn step(&mut self, sample: &Sample) -> Option<usize> {
        if sample.settings.chunk != self.chunk() || sample.paused {
            return None;
        }
        if sample.counts() {
            self.seen.push(sample.throughput());
        }
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return None;
        }
        if !self.seen.is_empty() {
            let mean = self.seen.iter().sum::<f64>() / self.seen.len() as f64;
            let key = (self.here.block, self.here.point, self.here.twin);
            self.visits.insert(key, mean);
        }
        self.seen.clear();
        self.left = VISIT;
        match self.plan.next() {
            Some(next) => self.here = next,
            None => self.going = false,
        }
        let oldest = self.here.block.saturating_sub(BLOCKS);
        self.visits.retain(|(block, ..), _| *block >= oldest);
        Some(self.chunk())
    }

    /// Throughput above the boundary over that at it, and of the boundary over
    /// itself: the step, and what the machine makes of none. None: not yet.
    pub fn ratios(&self) -> (Option<Ratio>, Option<Ratio>) {
        let at = |chunk| self.points.iter().position(|&point| point == chunk);
        let (Some(low), Some(high)) = (at(self.boundary), at(self.boundary + 1)) else {
            return (None, None);
        };
        let pairs = |second: (usize, bool)| -> Vec<(f64, f64)> {
            (self.oldest_block()..=self.here.block)
                .filter_map(|block| {
                    let first = self.visits.get(&(block, low, false))?;
                    let second = self.visits.get(&(block, second.0, second.1))?;
                    Some((*first, *second))
                })
                .collect()
        };
        (
            paired_ratio(&pairs((high, false)), CONFIDENCE),
            paired_ratio(&pairs((low, true)), CONFIDENCE),
        )
    }

    /// Blocks visited so far, the current one included.
    pub fn blocks(&self) -> u32 {
        self.here.block + 1
    }

    fn oldest_block(&self) -> u32 {
        self.visits.keys().next().map_or(0, |key| key.0)
    }
}
