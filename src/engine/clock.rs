//! The one clock of the engine.

use nix::time::{ClockId, clock_gettime};

/// Nanoseconds of `CLOCK_MONOTONIC`. The same in every process of a machine,
/// which is what lets a peer process share its times with us.
#[inline(always)]
pub fn now_ns() -> u64 {
    // The clock always exists (POSIX); a kernel without it would give zeros.
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |t| {
        t.tv_sec() as u64 * 1_000_000_000 + t.tv_nsec() as u64
    })
}
