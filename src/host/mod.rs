//! What the machine is, and what it spends while we measure.
//!
//! Nothing of what describes it fails: what the kernel does not tell is `None`, so that all of
//! it works without /proc or /sys, in containers and in sandboxes.

mod boot;
mod clock;
mod cpu_mask;
mod errno;
mod facts;
mod files;
mod kworkers;
mod mounts;
mod parent;
mod perf;
mod process;
mod program;
mod signals;
mod surroundings;
pub mod terminals;
mod usage;

pub use crate::pty::KernelVersion;
pub use clock::{CallClock, ClockCost, ClockSource, monotonic_ns};
pub use cpu_mask::cpu_list;
pub use errno::errno_text;
pub use facts::{CpuFacts, HostFacts, KernelFacts, PtyFacts, load_average};
pub use kworkers::{KworkerTime, Kworkers, Resolution};
pub use mounts::Mount;
pub use parent::die_with;
pub use perf::{KmallocCounter, PerfUnavailable};
pub use process::ProcessStat;
pub use program::{bear_name, this_program};
pub use signals::{ENDING, suspend};
pub use surroundings::Surroundings;
pub use usage::{Usage, cpu_khz, stolen};
