//! Reports: one model, and one writer for each format.
//!
//! A report says what was done, where, under what conditions, what came out
//! with all its raw values, and what is doubtful about it. Numbers have their
//! unit as a type; the schema (assets/report.schema.json) names it.
//!
//! JSON and CSV write the model as it is. Text and Markdown write a [`Page`],
//! which each kind of result makes of itself.

mod bars;
mod bench;
mod capacity;
mod comparison;
mod conditions;
mod csv;
mod format;
mod guest;
mod json;
mod layout;
mod link;
mod markdown;
mod matrix;
mod measurement;
mod metric;
mod page;
mod quantity;
mod read;
mod svg;
mod sweep;
mod text;
mod timestamp;
mod visit;
mod warning;
mod xmodem;

use serde::{Deserialize, Serialize};

use crate::check::checkup::Checkup;
use crate::host::HostFacts;
use crate::inspect::Inspection;

pub use bars::Axis;
pub use bench::{Bench, Yardstick};
pub use capacity::{Agreement, CapacityCase, CapacityReport};
pub use comparison::{Change, Comparison, Difference, Entry, Judgement, Subject};
pub use conditions::{Conditions, Program, Recorder};
pub use format::{Document, Format};
pub use guest::Guest;
pub use link::{
    CallEntry, LinkEndEntry, LinkEntry, LinkReport, LinkReportKind, RelayCalls, SizeEntry, WayEntry,
};
pub use matrix::{Came, Matrix, MatrixRow, Trouble};
pub use measurement::{
    BlockedCall, Collector, EndReport, FlowReport, Measurement, Quantiles, Spread, ThreadReport,
};
pub use metric::Metric;
pub use page::{Align, Block, Column, Page, Table};
pub use quantity::{Bytes, BytesPerSecond, Kilohertz, Nanoseconds};
pub use read::ReadError;
pub use svg::Theme;
pub(crate) use svg::escape;
pub use sweep::{
    BoundaryReport, Evidence, MetricInterval, PointReport, Round, Sides, Sweep, SweepPlan,
    SweepRun, SweepVisit, Table as SweepTable,
};
pub use timestamp::{Timestamp, TimestampError};
pub use visit::Visit;
pub use warning::Warning;
pub use xmodem::{BlockRow, BlockTime, TransferReport, XmodemReport};

/// Counts the incompatible changes of the model.
pub const SCHEMA_VERSION: u32 = 1;

/// All that a run has to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`] of the program that made it.
    pub schema_version: u32,
    /// That program.
    pub program: Program,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// What the user calls the run.
    pub label: Option<String>,
    /// The virtual machine, where one was booted for the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<Guest>,
    /// The machine.
    pub host: HostFacts,
    /// What it was doing beside.
    pub conditions: Conditions,
    /// Why the run ended before its time, if it did.
    pub cut_short: Option<String>,
    /// What a reader should know before believing the numbers.
    pub warnings: Vec<Warning>,
    /// What came out.
    pub result: Outcome,
}

/// What came out, by the command that found it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// One workload.
    Bench(Bench),
    /// One workload at many chunk sizes.
    Sweep(Sweep),
    /// Whether this kernel's ptys behave.
    Check(Checkup),
    /// How many bytes a pty takes.
    Capacity(CapacityReport),
    /// What a stop-and-wait transfer costs.
    Xmodem(XmodemReport),
    /// What is the matter with ptys of others.
    Inspect(Inspection),
}
