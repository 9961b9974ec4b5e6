//! What the engine promises of its numbers, whatever the workload.

#[path = "../support/drive.rs"]
mod drive;
#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/wait.rs"]
mod wait;

mod blocked;
mod bytes;
mod ledger;
mod settings;
