//! Whether round trips wait for the timer tick.

use nix::time::{ClockId, clock_getres};
use serde::{Deserialize, Serialize};

/// Round trips this near to a whole number of ticks, as a share of a tick...
const NEAR: f64 = 0.1;
/// ... and so large a share of them, are no chance: 20 % would be.
const MOST: f64 = 0.8;

/// The kernel's timer tick, and what round trips have to do with it.
///
/// From Linux 2.6.31 to 2.6.38 each byte that crossed a pty waited for the
/// next tick (`schedule_delayed_work(.., 1)` in `tty_flip_buffer_push`, mended
/// by f23eb2b2b285). Only a reader that is asleep already, in another thread or
/// process, sees it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tick {
    /// Ticks a second (CONFIG_HZ).
    pub hz: u32,
    /// The share of round trips that are a whole number of ticks, 0 to 1.
    pub whole_ticks: f64,
    /// What that means.
    pub verdict: TickVerdict,
}

/// Whether round trips wait for the tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TickVerdict {
    /// They are whole numbers of ticks.
    Bound,
    /// They have nothing to do with it.
    Free,
    /// They are about as long as a tick, but not whole numbers of it; or there
    /// are too few.
    Undecided,
}

impl std::fmt::Display for TickVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Bound => "bound to the tick",
            Self::Free => "not bound to the tick",
            Self::Undecided => "undecided whether bound to the tick",
        })
    }
}

impl Tick {
    /// What `round_trips_ns` say on this kernel; None where it does not tell
    /// its tick.
    pub fn of(round_trips_ns: &[u64]) -> Option<Self> {
        Some(Self::with_tick(tick_ns()?, round_trips_ns))
    }

    fn with_tick(tick_ns: u64, round_trips_ns: &[u64]) -> Self {
        let tick = tick_ns as f64;
        let count = round_trips_ns.len();
        let is_whole = |&&ns: &&u64| {
            let ticks = ns as f64 / tick;
            ticks.round() >= 1.0 && (ticks - ticks.round()).abs() <= NEAR
        };
        let whole = round_trips_ns.iter().filter(is_whole).count();
        let short = |&&ns: &&u64| (ns as f64) < tick * (1.0 - NEAR);
        let short = round_trips_ns.iter().filter(short).count();
        let share = |n: usize| n as f64 / count.max(1) as f64;
        let verdict = match count {
            0..10 => TickVerdict::Undecided,
            _ if share(whole) >= MOST => TickVerdict::Bound,
            // Whoever waits for a tick is never faster than one.
            _ if share(short) > 1.0 - MOST => TickVerdict::Free,
            _ => TickVerdict::Undecided,
        };
        Self {
            hz: (1e9 / tick).round() as u32,
            whole_ticks: share(whole),
            verdict,
        }
    }
}

/// The length of a tick: the resolution of the coarse clock is exactly that
/// (`KTIME_LOW_RES`, posix_get_coarse_res in kernel/time/posix-timers.c).
fn tick_ns() -> Option<u64> {
    let tick = clock_getres(ClockId::CLOCK_MONOTONIC_COARSE).ok()?;
    let ns =
        u64::try_from(tick.tv_sec()).ok()? * 1_000_000_000 + u64::try_from(tick.tv_nsec()).ok()?;
    (ns > 0).then_some(ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_ticks_are_told_from_short_trips_and_from_long_ones() {
        let verdict = |trips: &[u64]| Tick::with_tick(1_000_000, trips).verdict;
        // What 2.6.38 does at HZ=1000: two ticks, give or take.
        let old: Vec<u64> = (0..100).map(|n| 1_997_000 + n * 700).collect();
        assert_eq!(verdict(&old), TickVerdict::Bound);
        let modern: Vec<u64> = (0..100).map(|n| 60_000 + n * 500).collect();
        assert_eq!(verdict(&modern), TickVerdict::Free);
        let slow: Vec<u64> = (0..100).map(|n| 1_200_000 + n * 31_000).collect();
        assert_eq!(verdict(&slow), TickVerdict::Undecided);
        assert_eq!(verdict(&[2_000_000]), TickVerdict::Undecided);
    }

    #[test]
    fn the_kernel_tells_its_tick() {
        let hz = Tick::of(&[]).unwrap().hz;
        assert!((24..=1200).contains(&hz), "{hz}");
    }
}
