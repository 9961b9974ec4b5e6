//! Threads and processes that move the bytes, and the samples of what they
//! saw.
//!
//! Each end of a pty has a worker. Workers and engine share memory: the engine
//! writes orders, a worker writes counters, and nobody waits for anybody. Once
//! an interval the engine takes a snapshot of all counters; the difference of
//! two snapshots is a sample.

mod counters;
mod crew;
mod ends;
mod files;
mod futex;
mod meters;
mod observe;
mod orders;
mod peer;
mod rig;
mod run;
mod shared;
mod signal;
mod source;
mod status;
mod verify;
mod worker;

pub use peer::{PEER_ARGUMENT, main as peer_main};
pub use rig::Options;
pub use run::{Engine, Error};
pub use source::{INTERVAL, start};
