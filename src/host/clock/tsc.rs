//! Time from the x86 time stamp counter.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::monotonic_ns;
use crate::host::files::text;

const CURRENT: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/// How long the counter is watched: a reading is placed to some 20 ns, so its
/// rate is known to 1 in 100,000.
const WATCHED: Duration = Duration::from_millis(2);

/// Readings of which the one least disturbed is taken.
const READINGS: usize = 5;

/// The counter's value at one time, and its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tsc {
    count: u64,
    ns: u64,
    /// Nanoseconds per count, times 2^32.
    scale: u64,
}

/// The counter and CLOCK_MONOTONIC at the same time, give or take half the
/// time that reading both took.
struct Reading {
    count: u64,
    ns: u64,
    took: u64,
}

impl Tsc {
    /// Measures the counter's rate; None where the kernel keeps time by
    /// something else, or does not tell.
    pub fn calibrate() -> Option<Self> {
        if !cfg!(target_arch = "x86_64") || text(CURRENT)? != "tsc" {
            return None;
        }
        let first = Reading::best();
        std::thread::sleep(WATCHED);
        Self::between(&first, &Reading::best())
    }

    fn between(first: &Reading, last: &Reading) -> Option<Self> {
        let counts = last.count.checked_sub(first.count).filter(|&n| n > 0)?;
        let ns = last.ns.checked_sub(first.ns).filter(|&n| n > 0)?;
        let scale = (u128::from(ns) << 32) / u128::from(counts);
        Some(Self {
            count: last.count,
            ns: last.ns,
            scale: u64::try_from(scale).ok().filter(|&scale| scale > 0)?,
        })
    }

    #[inline(always)]
    pub fn now_ns(self) -> u64 {
        self.ns_at(count())
    }

    /// Counts before the first one are that: a CPU may lag by some.
    #[inline(always)]
    fn ns_at(self, count: u64) -> u64 {
        let counts = count.saturating_sub(self.count);
        let ns = (u128::from(counts) * u128::from(self.scale)) >> 32;
        self.ns.wrapping_add(ns as u64)
    }
}

impl Reading {
    fn best() -> Self {
        let readings = (0..READINGS).map(|_| {
            let before = count();
            let ns = monotonic_ns();
            let took = count().saturating_sub(before);
            Self {
                count: before + took / 2,
                ns,
                took,
            }
        });
        let least = readings.min_by_key(|reading| reading.took);
        least.unwrap_or(Self {
            count: 0,
            ns: 0,
            took: 0,
        })
    }
}

/// The counter. It is not ordered against what stands around it, as the
/// kernel's `get_cycles` is not: the system call between two readings is.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn count() -> u64 {
    // SAFETY: every x86_64 CPU has the instruction. A process may be forbidden
    // it (PR_SET_TSC), but then the C library's clock is as well.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn count() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(count: u64, ns: u64) -> Reading {
        Reading { count, ns, took: 0 }
    }

    #[test]
    fn counts_become_nanoseconds() {
        // 2.5 counts a nanosecond.
        let tsc = Tsc::between(&reading(1_000, 10), &reading(5_001_000, 2_000_010)).unwrap();
        assert_eq!(tsc.ns_at(5_001_000), 2_000_010);
        // An hour later, to a part in a thousand million.
        let hour: u64 = 3_600_000_000_000;
        let off = tsc
            .ns_at(5_001_000 + hour / 2 * 5)
            .abs_diff(2_000_010 + hour);
        assert!(off < 3_600, "{off}");
        assert_eq!(tsc.ns_at(0), 2_000_010);
    }

    #[test]
    fn a_counter_that_stands_still_or_goes_back_is_none() {
        for (first, last) in [
            (reading(5, 10), reading(5, 20)),
            (reading(6, 10), reading(5, 20)),
            (reading(5, 10), reading(9, 10)),
            (reading(5, 10), reading(u64::MAX, 11)),
        ] {
            assert_eq!(Tsc::between(&first, &last), None);
        }
    }
}
