//! Clocks, and what reading them costs.

mod call;
mod tsc;

use std::ops::RangeInclusive;
use std::time::Duration;

use nix::time::{ClockId, clock_getres, clock_gettime};
use serde::{Deserialize, Serialize};

pub use call::{CallClock, ClockSource};

/// Nanoseconds of CLOCK_MONOTONIC, clock_gettime(2): comparable between the
/// processes of one boot.
#[inline]
pub fn monotonic_ns() -> u64 {
    // The call fails for unknown clocks only, and this one is known since 2.6.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| {
        time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
    })
}

/// What one reading of the [`CallClock`] costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ClockCost {
    /// What is read.
    pub source: ClockSource,
    /// Nanoseconds per read: the median of several batches.
    pub ns: f64,
}

impl ClockCost {
    const BATCHES: usize = 9;
    const READS: u32 = 200;
    const BUDGET_NS: u64 = 1_500_000;

    /// Reads the clock some 1800 times; fewer where that would take longer
    /// than 1.5 ms, because the clock is a system call.
    pub fn calibrate() -> Self {
        let clock = CallClock::of_process();
        let started = clock.now_ns();
        let mut costs = Vec::with_capacity(Self::BATCHES);
        while costs.len() < Self::BATCHES {
            let before = clock.now_ns();
            for _ in 1..Self::READS {
                std::hint::black_box(clock.now_ns());
            }
            let after = clock.now_ns();
            costs.push((after - before) as f64 / f64::from(Self::READS));
            if after - started > Self::BUDGET_NS {
                break;
            }
        }
        costs.sort_by(f64::total_cmp);
        Self {
            source: clock.source(),
            ns: costs[costs.len() / 2],
        }
    }
}

/// Timer ticks per second (CONFIG_HZ): the resolution of
/// CLOCK_MONOTONIC_COARSE is one tick (`LOW_RES_NSEC`, time/posix-timers.c).
pub(super) fn ticks_per_second() -> Option<u32> {
    let tick = clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).ok()?;
    hz_of_tick(tick.into())
}

fn hz_of_tick(tick: Duration) -> Option<u32> {
    // Sandboxes answer with the resolution of their own clock.
    const TICKS: RangeInclusive<Duration> = Duration::from_micros(100)..=Duration::from_millis(100);
    TICKS
        .contains(&tick)
        .then(|| (1.0 / tick.as_secs_f64()).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_advances_and_has_a_cost() {
        let clock = CallClock::of_process();
        let before = clock.now_ns();
        let cost = ClockCost::calibrate();
        assert!(before > 0 && clock.now_ns() > before);
        assert_eq!(cost.source, clock.source());
        assert!(cost.ns.is_finite() && cost.ns > 0.0);
    }

    #[test]
    fn ticks_are_the_coarse_resolution() {
        for (tick, hz) in [
            (10_000_000, 100),
            (4_000_000, 250),
            (3_333_333, 300),
            (1_000_000, 1000),
        ] {
            assert_eq!(hz_of_tick(Duration::from_nanos(tick)), Some(hz));
        }
        for no_tick in [0, 1, 1_000_000_000] {
            assert_eq!(hz_of_tick(Duration::from_nanos(no_tick)), None);
        }
    }
}
