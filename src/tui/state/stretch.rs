//! A stretch of the run under one set of settings, for comparing it with
//! another.

use std::collections::VecDeque;

use crate::analysis::{Ratio, before_after};
use crate::sample::{Calls, Sample};

use super::history::{Times, all_calls};

/// Values kept of each metric: a minute at ten a second.
const KEPT: usize = 600;
/// The confidence of the intervals on the screen.
const CONFIDENCE: f64 = 0.95;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Bytes read per second.
    Throughput,
    /// Median time of a write call.
    WriteTime,
    /// Median time of a read call.
    ReadTime,
    /// CPU time of both ends' threads per byte read.
    CpuPerByte,
    /// Mean bytes that a read gave.
    BytesPerRead,
    /// Median time of a round trip.
    RoundTrip,
}

impl Metric {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::RoundTrip,
        Self::Throughput,
        Self::WriteTime,
        Self::ReadTime,
        Self::CpuPerByte,
        Self::BytesPerRead,
    ];

    /// Its name on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::WriteTime => "write p50",
            Self::ReadTime => "read p50",
            Self::BytesPerRead => "bytes/read",
            Self::CpuPerByte => "CPU/byte",
            Self::RoundTrip => "round trip",
        }
    }

    /// Its value in one sample, whose writes and reads these are; None without
    /// calls.
    fn of(self, sample: &Sample, (writes, reads): &(Calls, Calls)) -> Option<f64> {
        match self {
            Self::Throughput => Some(sample.throughput()),
            Self::WriteTime => Times::of(writes).p50,
            Self::ReadTime => Times::of(reads).p50,
            Self::BytesPerRead => {
                let calls = reads.count();
                (calls > 0).then(|| reads.bytes as f64 / calls as f64)
            }
            Self::CpuPerByte => {
                let threads = sample
                    .flows
                    .iter()
                    .flat_map(|f| [f.writer.thread, f.reader.thread]);
                let cpu: u64 = threads.flatten().map(|t| t.cpu.total_ns()).sum();
                (reads.bytes > 0).then(|| cpu as f64 / reads.bytes as f64)
            }
            Self::RoundTrip => sample
                .round_trips
                .as_ref()?
                .quantile(0.5)
                .map(|ns| ns as f64),
        }
    }
}

/// The values of each metric under one set of settings.
#[derive(Debug, Clone)]
pub struct Stretch {
    /// What the settings are called, in a few words.
    pub label: String,
    /// When it began, in seconds since the source started.
    pub began: f64,
    values: [VecDeque<f64>; Metric::ALL.len()],
}

impl Stretch {
    /// A stretch that begins at `began` seconds.
    pub fn new(label: String, began: f64) -> Self {
        Self {
            label,
            began,
            values: Default::default(),
        }
    }

    /// Adds a sample of its epoch. Those that straddle a change or were held
    /// do not count.
    pub fn push(&mut self, sample: &Sample) {
        if !sample.counts() {
            return;
        }
        let calls = all_calls(sample);
        for (metric, values) in Metric::ALL.into_iter().zip(&mut self.values) {
            if let Some(value) = metric.of(sample, &calls) {
                if values.len() == KEPT {
                    values.pop_front();
                }
                values.push_back(value);
            }
        }
    }

    /// Whether no sample has counted yet.
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(VecDeque::is_empty)
    }

    /// This stretch over `before`, by metric; None: not yet. Round trips are
    /// left out where not both have them.
    pub fn against(&mut self, before: &mut Self) -> Vec<(Metric, Option<Ratio>)> {
        Metric::ALL
            .into_iter()
            .zip(self.values.iter_mut().zip(&mut before.values))
            .filter(|(metric, (now, then))| {
                *metric != Metric::RoundTrip || !(now.is_empty() || then.is_empty())
            })
            .map(|(metric, (now, then))| {
                let ratio = before_after(then.make_contiguous(), now.make_contiguous(), CONFIDENCE);
                (metric, ratio)
            })
            .collect()
    }
}
