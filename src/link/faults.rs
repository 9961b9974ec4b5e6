//! What a bad line does to bytes, repeatably.

use std::collections::VecDeque;

use crate::sample::FaultCounts;
use crate::workload::{Line, Share};

/// What is drawn, so that turning one fault on or off moves no other.
#[derive(Debug, Clone, Copy)]
enum Draw {
    Drop,
    Flip,
    Bit,
    Duplicate,
    Jitter,
}

/// The faults of one direction. What happens to a byte depends on the seed,
/// the direction and the byte's position only, not on how the bytes came.
#[derive(Debug)]
pub struct Faults {
    way: u64,
    seed: u64,
    position: u64,
    drop: Threshold,
    flip: Threshold,
    duplicate: Threshold,
}

/// A share as a bound on the numbers drawn; None: it happens to none.
#[derive(Debug, Clone, Copy)]
struct Threshold(Option<u64>);

impl Threshold {
    fn of(share: Share) -> Self {
        // 1.0 scales to 2^64, which the cast turns into the largest number.
        Self(
            share
                .is_some()
                .then(|| (share.get() * 2f64.powi(64)) as u64),
        )
    }

    fn holds(self, drawn: impl FnOnce() -> u64) -> bool {
        self.0.is_some_and(|bound| drawn() <= bound)
    }
}

impl Faults {
    /// No faults yet, on the direction `way`.
    pub fn new(way: u64) -> Self {
        let none = Threshold(None);
        Self {
            way,
            seed: 0,
            position: 0,
            drop: none,
            flip: none,
            duplicate: none,
        }
    }

    /// Does what `line` says from now on.
    pub fn set(&mut self, line: &Line) {
        self.seed = line.seed;
        self.drop = Threshold::of(line.drop);
        self.flip = Threshold::of(line.flip);
        self.duplicate = Threshold::of(line.duplicate);
    }

    /// Whether every byte passes as it is.
    pub fn are_none(&self) -> bool {
        [self.drop, self.flip, self.duplicate]
            .iter()
            .all(|threshold| threshold.0.is_none())
    }

    /// Puts onto `out` what is left of `data`.
    pub fn apply(&mut self, data: &[u8], out: &mut VecDeque<u8>) -> FaultCounts {
        let mut counts = FaultCounts::default();
        if self.are_none() {
            out.extend(data);
            return counts;
        }
        for &byte in data {
            self.position += 1;
            let draw = |what| self.draw(what, self.position);
            if self.drop.holds(|| draw(Draw::Drop)) {
                counts.dropped += 1;
                continue;
            }
            let mut byte = byte;
            if self.flip.holds(|| draw(Draw::Flip)) {
                byte ^= 1 << (draw(Draw::Bit) % 8);
                counts.flipped += 1;
            }
            out.push_back(byte);
            if self.duplicate.holds(|| draw(Draw::Duplicate)) {
                out.push_back(byte);
                counts.duplicated += 1;
            }
        }
        counts
    }

    /// A number from 0 to `bound`, for the message so numbered.
    pub fn draw_below(&self, message: u64, bound: u64) -> u64 {
        match bound {
            0 => 0,
            bound => self.draw(Draw::Jitter, message) % bound.saturating_add(1),
        }
    }

    fn draw(&self, what: Draw, position: u64) -> u64 {
        let stream = mix(self.seed ^ mix(self.way << 8 | what as u64));
        mix(stream.wrapping_add(position.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harm(line: &Line, way: u64, chunk: usize) -> (Vec<u8>, FaultCounts) {
        let mut faults = Faults::new(way);
        faults.set(line);
        let (mut out, mut counts) = (VecDeque::new(), FaultCounts::default());
        for data in vec![0xA5; 100_000].chunks(chunk) {
            counts.add(&faults.apply(data, &mut out));
        }
        (out.into(), counts)
    }

    fn line(text: [&str; 3]) -> Line {
        let [drop, flip, duplicate] = text.map(|share| share.parse().unwrap());
        Line {
            drop,
            flip,
            duplicate,
            ..Line::default()
        }
    }

    #[test]
    fn the_same_seed_harms_the_same_bytes_however_they_come() {
        let bad = line(["0.01", "0.01", "0.01"]);
        let (bytes, counts) = harm(&bad, 0, 1);
        assert_eq!(harm(&bad, 0, 4095), (bytes.clone(), counts));
        assert_ne!(harm(&bad, 1, 4095).0, bytes);
        let other = Line { seed: 2, ..bad };
        assert_ne!(harm(&other, 0, 4095).0, bytes);
    }

    #[test]
    fn each_fault_comes_as_often_as_asked_and_is_counted() {
        let (bytes, counts) = harm(&line(["0.02", "0.03", "0.04"]), 0, 4095);
        let about = |count: u64, expected: f64| (count as f64 / expected - 1.0).abs() < 0.1;
        assert!(about(counts.dropped, 2_000.0), "{counts:?}");
        assert!(about(counts.flipped, 2_940.0), "{counts:?}");
        assert!(about(counts.duplicated, 3_920.0), "{counts:?}");
        let expected = 100_000 - counts.dropped + counts.duplicated;
        assert_eq!(bytes.len() as u64, expected);
        let changed = bytes.iter().filter(|&&byte| byte != 0xA5);
        assert!(changed.clone().all(|byte| (byte ^ 0xA5).count_ones() == 1));
        assert!(changed.count() as u64 >= counts.flipped);
    }

    #[test]
    fn nothing_and_everything_are_exact() {
        assert_eq!(harm(&line(["0", "0", "0"]), 0, 100).0, vec![0xA5; 100_000]);
        let (bytes, counts) = harm(&line(["1", "0", "0"]), 0, 100);
        assert!(bytes.is_empty());
        assert_eq!(counts.dropped, 100_000);
        assert_eq!(harm(&line(["0", "0", "1"]), 0, 100).1.duplicated, 100_000);
    }

    #[test]
    fn turning_one_fault_on_moves_no_other() {
        let (_, alone) = harm(&line(["0", "0.01", "0"]), 0, 100);
        let (_, beside) = harm(&line(["0", "0.01", "0.5"]), 0, 100);
        assert_eq!(alone.flipped, beside.flipped);
    }
}
