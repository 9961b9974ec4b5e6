//! XMODEM between two ends of ours: the stop-and-wait transfer that shows what
//! a round trip costs.
//!
//! The protocol is that of Ward Christensen (1977) with the CRC and the 1 KiB
//! blocks that came later (Forsberg, "XMODEM/YMODEM protocol reference", 1988).

mod block;
mod experiment;
mod patience;
mod receiver;
mod sender;
mod terminals;
mod tick;
mod traffic;
mod wire;

use std::time::Duration;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

use crate::words::counted;

pub use experiment::{Experiment, Outcome, Place, Run};
pub use patience::shortest;
pub use tick::{Tick, TickVerdict};
pub use traffic::keep_busy;

use patience::Patience;

const SOH: u8 = 0x01;
const STX: u8 = 0x02;
const EOT: u8 = 0x04;
const ACK: u8 = 0x06;
const NAK: u8 = 0x15;
const CAN: u8 = 0x18;
/// Asks for blocks with a CRC.
const CRC_REQUEST: u8 = b'C';
/// What the last block is filled up with (SUB).
const PADDING: u8 = 0x1A;

/// Bytes of the file in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockSize {
    /// 128, as in 1977.
    #[serde(rename = "128")]
    Short,
    /// 1024 (XMODEM-1K), 128 for what is left over.
    #[serde(rename = "1k")]
    Long,
}

impl BlockSize {
    /// The number.
    pub fn bytes(self) -> usize {
        match self {
            Self::Short => 128,
            Self::Long => 1024,
        }
    }
}

/// What tells a good block from a bad one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// The sum of all bytes, modulo 256.
    Checksum,
    /// CRC-16 with the polynomial 0x1021.
    Crc,
}

/// How a transfer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// Bytes of the file in a block.
    pub block: BlockSize,
    /// What is checked.
    pub check: Check,
    /// How often in a row a block may fail.
    pub retries: u32,
    /// How long to wait for an answer, or for the next byte of a block, beside
    /// the time that bytes are on the line.
    pub timeout: Duration,
}

/// Why a transfer failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// The kernel refused a call.
    #[error("cannot {action} {object}: {errno:?} ({})", errno.desc())]
    Io {
        /// What was done.
        action: &'static str,
        /// To which end of the line.
        object: String,
        /// Why it was refused.
        errno: Errno,
    },
    /// The other side never asked to begin, or never sent.
    #[error(
        "the other side does not answer: is it the other end of this line, does nobody else read it, and does --timeout suffice for the line?"
    )]
    Silent,
    /// One block failed too often.
    #[error(
        "block {block} failed {} in a row: more --retries bear a worse line, a longer --timeout a slower one",
        counted(*tries, "time")
    )]
    Retries {
        /// Which, from 1.
        block: usize,
        /// How often.
        tries: u32,
    },
    /// The other side gave up.
    #[error("the other side cancelled at block {0}")]
    Cancelled(usize),
    /// Somebody asked to end it.
    #[error("interrupted")]
    Interrupted,
    /// A block came that is neither the next nor the last again.
    #[error("block {got} came where {expected} was expected")]
    OutOfStep {
        /// Its number, modulo 256.
        got: u8,
        /// The one expected.
        expected: u8,
    },
}

/// What a sender saw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sent {
    /// From the block's first write to its acknowledgement, for each block in
    /// nanoseconds, retries included.
    pub block_ns: Vec<u64>,
    /// Blocks sent again.
    pub retries: u64,
    /// From the request to begin to the last acknowledgement; 0 for a transfer
    /// that did not get so far.
    pub total_ns: u64,
}

#[cfg(test)]
mod tests;
