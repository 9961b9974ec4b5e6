//! Transfers without an end, for a line that is to be looked at.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::experiment::{draw, transfer};
use super::patience::Patience;
use super::terminals::Ends;
use super::{Protocol, TransferError};
use crate::link::Error;

/// Bytes of the file: long enough that a look at the line seldom meets the
/// pause between two transfers.
const SIZE: usize = 1 << 20;
/// What the file's bytes are drawn from.
const SEED: u64 = 1;

/// Transfers a file from the first terminal to the second, over and over, until
/// one of them is gone. Both stay open in between. A transfer that fails on the
/// line is followed by the next.
///
/// # Errors
/// When one of the terminals cannot be opened.
pub fn keep_busy(terminals: &[PathBuf; 2], protocol: Protocol) -> Result<(), Error> {
    let file = draw(SEED, SIZE);
    let ends = Ends::open(terminals)?;
    let patience = Patience::on(None, protocol);
    // Nobody stops it but the end of the terminals.
    let stop = AtomicBool::new(false);
    loop {
        let run = transfer(ends.wires(&stop), &file, protocol, patience, 4);
        if let Some(TransferError::Io { .. }) = run.error {
            return Ok(());
        }
    }
}
