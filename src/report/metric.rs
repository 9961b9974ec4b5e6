//! What can be read off a visit, or a block.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::workload::units;

use super::Visit;

/// A number that every visit has, or can have; or that every block of a
/// transfer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Bytes read a second.
    Throughput,
    /// Nanoseconds of wall time a byte.
    TimePerByte,
    /// Nanoseconds of CPU a byte, of writers and readers.
    CpuPerByte,
    /// Nanoseconds of CPU a byte, of the kernel's unbound workers.
    KworkerPerByte,
    /// Median nanoseconds of a write(2).
    WriteTime,
    /// Median nanoseconds of a read(2).
    ReadTime,
    /// Bytes of the average read(2).
    BytesPerRead,
    /// Times a writer gave up its CPU to wait, for each write(2).
    WriterWaits,
    /// Times a reader gave up its CPU to wait, for each write(2).
    ReaderWaits,
    /// Times the CPU was taken from a writer or reader, for each write(2).
    Preemptions,
    /// kmalloc calls by the writers, for each write(2).
    Kmallocs,
    /// Nanoseconds from a block's first write to its acknowledgement.
    BlockTime,
}

impl Metric {
    /// Those that a report on two machines or settings compares.
    pub const COMPARED: [Self; 6] = [
        Self::Throughput,
        Self::CpuPerByte,
        Self::KworkerPerByte,
        Self::WriteTime,
        Self::ReadTime,
        Self::BlockTime,
    ];

    /// Those that describe a point of a sweep.
    pub const OF_A_POINT: [Self; 7] = [
        Self::Throughput,
        Self::TimePerByte,
        Self::CpuPerByte,
        Self::KworkerPerByte,
        Self::WriteTime,
        Self::ReadTime,
        Self::BytesPerRead,
    ];

    /// Those that may say what goes with a step.
    pub const EVIDENCE: [Self; 9] = [
        Self::CpuPerByte,
        Self::KworkerPerByte,
        Self::WriteTime,
        Self::ReadTime,
        Self::BytesPerRead,
        Self::WriterWaits,
        Self::ReaderWaits,
        Self::Preemptions,
        Self::Kmallocs,
    ];

    /// Its value in a visit; None where the visit does not have it.
    pub fn of(self, visit: &Visit) -> Option<f64> {
        let per_byte = |ns: f64| (visit.bytes.0 > 0).then(|| ns / visit.bytes.0 as f64);
        let per_write = |count: u64| (visit.writes > 0).then(|| count as f64 / visit.writes as f64);
        match self {
            Self::Throughput => visit.throughput(),
            Self::TimePerByte => per_byte(visit.length.0),
            Self::CpuPerByte => per_byte(visit.writer_cpu.0 + visit.reader_cpu.0),
            Self::KworkerPerByte => per_byte(visit.kworker_cpu?.0),
            Self::WriteTime => visit.write_time.map(|time| time.0),
            Self::ReadTime => visit.read_time.map(|time| time.0),
            Self::BytesPerRead => {
                (visit.reads > 0).then(|| visit.bytes.0 as f64 / visit.reads as f64)
            }
            Self::WriterWaits => per_write(visit.writer_switches.voluntary),
            Self::ReaderWaits => per_write(visit.reader_switches.voluntary),
            Self::Preemptions => per_write(
                visit
                    .writer_switches
                    .involuntary
                    .saturating_add(visit.reader_switches.involuntary),
            ),
            Self::Kmallocs => per_write(visit.kmallocs?),
            Self::BlockTime => None,
        }
    }

    /// Whether more of it is better.
    pub fn more_is_better(self) -> bool {
        self == Self::Throughput || self == Self::BytesPerRead
    }

    /// A value with its unit.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Throughput => units::rate(value),
            Self::TimePerByte | Self::CpuPerByte | Self::KworkerPerByte => {
                format!("{value:.2} ns/B")
            }
            Self::WriteTime | Self::ReadTime | Self::BlockTime => units::time(value),
            Self::BytesPerRead => format!("{value:.1} B"),
            Self::WriterWaits | Self::ReaderWaits | Self::Preemptions | Self::Kmallocs => {
                format!("{value:.3}")
            }
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Throughput => "throughput",
            Self::TimePerByte => "time a byte",
            Self::CpuPerByte => "CPU a byte",
            Self::KworkerPerByte => "kworker CPU a byte",
            Self::WriteTime => "write call",
            Self::ReadTime => "read call",
            Self::BytesPerRead => "bytes a read",
            Self::WriterWaits => "writer's waits a write",
            Self::ReaderWaits => "reader's waits a write",
            Self::Preemptions => "preemptions a write",
            Self::Kmallocs => "kmallocs a write",
            Self::BlockTime => "block",
        })
    }
}
