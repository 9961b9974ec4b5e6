//! The clock that times the calls of a workload.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

use super::monotonic_ns;
use super::tsc::Tsc;

/// What a [`CallClock`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockSource {
    /// clock_gettime(2) of CLOCK_MONOTONIC.
    #[default]
    ClockGettime,
    /// The time stamp counter, converted as the kernel's own reading of it is,
    /// without the way there. Only where the kernel takes CLOCK_MONOTONIC from
    /// this counter itself, which it does while it finds it steady and the
    /// same on all CPUs (tsc.c, `check_tsc_unstable`).
    Tsc,
}

impl std::fmt::Display for ClockSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ClockGettime => "clock_gettime",
            Self::Tsc => "TSC",
        })
    }
}

/// Nanoseconds on the time base of CLOCK_MONOTONIC, as cheap as the machine
/// allows.
///
/// The counter's rate is measured once, to some ten millionths: what is timed
/// by this clock is compared with nothing that another clock timed. All
/// workers of an engine, in whatever process, are given one copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallClock(Option<Tsc>);

impl CallClock {
    /// The one of this process. The first call takes some milliseconds.
    pub fn of_process() -> Self {
        static CLOCK: OnceLock<CallClock> = OnceLock::new();
        *CLOCK.get_or_init(|| Self(Tsc::calibrate()))
    }

    /// What it reads.
    pub fn source(self) -> ClockSource {
        match self.0 {
            Some(_) => ClockSource::Tsc,
            None => ClockSource::ClockGettime,
        }
    }

    /// The time.
    #[inline(always)]
    pub fn now_ns(self) -> u64 {
        match self.0 {
            Some(tsc) => tsc.now_ns(),
            None => monotonic_ns(),
        }
    }
}
