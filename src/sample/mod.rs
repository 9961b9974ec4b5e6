//! The sample: what a source saw in one interval, as a plain value.
//!
//! Sources publish samples; sinks only read them, so every view works on every
//! source and what is on the screen cannot disagree with a report.

mod end;
mod histogram;
pub mod layout;
mod link;
mod stream;
mod sum;
mod value;

pub use end::FlowEnd;
pub use histogram::{Bucket, Histogram, Kind};
pub use link::{
    Cause, Client, EndView, EventCounts, EventKind, FaultCounts, LinkEvent, LinkSample, LinkView,
    NameLoss, Silence, Stall, StallCounts, StallsOfCause, WayView,
};
pub use stream::{Closing, Ending, Event, Notice, Request, Source, Verdict};
pub use sum::{FlowSum, Sum};
pub use value::{
    Blocked, Call, Calls, Cpu, Flow, HostUse, Integrity, Sample, Side, Switches, ThreadUse, Totals,
};
