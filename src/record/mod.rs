//! Recordings: a run as a file, and a file as a run.
//!
//! A recording is lines of JSON, compressed if its name ends in `.gz`:
//! a [`Header`], then one [`Entry`] a line in the order in which things
//! happened. assets/recording.md describes the format. It is only ever added
//! to, so that a run that is killed leaves a file that plays up to there.

mod differ;
mod entry;
mod file;
mod header;
mod journal;
mod lines;
mod ranks;
mod read;
mod tee;
#[cfg(test)]
mod tests;
mod trust;
mod walk;

pub use entry::{Ended, Entry, Look, What};
pub use header::{Header, HeaderError, SourceKind};
pub use journal::{Journal, JournalError};
pub use ranks::thinned;
pub use read::{ReadError, Recording, Tail, read};
pub use tee::tee;

/// Counts the changes of the format that an older program cannot read.
pub const VERSION: u32 = 1;
