//! The result of `bench`.

use serde::{Deserialize, Serialize};

use crate::workload::{Channel, Settings};

use super::quantity::{Bytes, Nanoseconds};
use super::{Measurement, Visit, Warning, warning};

/// One workload, measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bench {
    /// What was done.
    pub settings: Settings,
    /// Bytes that each writer was to write, if that was the length of the run.
    pub limit: Option<Bytes>,
    /// Whole chunks that were written: the loops of the 2012 benchmark.
    pub loops: u64,
    /// Wall time of the whole command up to the end of the workload.
    pub real: Nanoseconds,
    /// CPU time outside of the kernel of this process and its children.
    pub user: Nanoseconds,
    /// CPU time inside the kernel.
    pub sys: Nanoseconds,
    /// Bytes that the ptys were filled with before the workers started.
    pub prefilled: Bytes,
    /// The pty.
    pub pty: Measurement,
    /// The same work without a line discipline, one after the other.
    pub yardsticks: Vec<Yardstick>,
}

/// The same work through something else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Yardstick {
    /// Through what.
    pub channel: Channel,
    /// What was measured.
    pub run: Measurement,
}

impl Bench {
    /// What is doubtful about it.
    pub fn warnings(&self) -> Vec<Warning> {
        let rates: Vec<f64> = self
            .pty
            .visits
            .iter()
            .filter_map(Visit::throughput)
            .collect();
        warning::of_throughputs(&rates)
    }
}
