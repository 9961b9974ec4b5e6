//! The result of `xmodem`.

use serde::{Deserialize, Serialize};

use crate::analysis::quantile;
use crate::link::xmodem::{BlockSize, Check, Experiment, Outcome, Place, Run, Tick, TransferError};

use super::{Bytes, Nanoseconds};

/// The transfer of the 2010 report, as it was, and with `low_latency` set.
const REPORTED: [f64; 2] = [169.0, 30.0];

/// A transfer, beside what it can be compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct XmodemReport {
    /// Length of the file.
    pub size: Bytes,
    /// Bytes of the file in a block.
    pub block: BlockSize,
    /// What was checked.
    pub check: Check,
    /// Over what: a line, or two terminals.
    pub place: String,
    /// The transfer.
    pub transfer: TransferReport,
    /// The same over one pty without a relay.
    pub floor: TransferReport,
    /// The same bytes to and fro over the same line, without a protocol; None
    /// on a line with delays or faults, and after a transfer that failed.
    pub bare: Option<TransferReport>,
    /// Whether the floor's blocks wait for the kernel's tick; None where the
    /// kernel does not tell its tick.
    pub tick: Option<Tick>,
    /// What the 2010 report says of a file of 538368 bytes: as it was, and
    /// with the kernel's `low_latency` set.
    pub reported_2010: [Nanoseconds; 2],
    /// What each block took, in the order in which they were sent.
    pub blocks: Vec<BlockRow>,
}

/// One block in each of the exchanges: from its first write to its
/// acknowledgement, retries included; None where it did not get so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    /// Its number, from 1.
    pub block: u64,
    /// In the transfer.
    pub transfer: Option<Nanoseconds>,
    /// Over one pty without a relay.
    pub floor: Option<Nanoseconds>,
    /// Over the same line without a protocol.
    pub bare: Option<Nanoseconds>,
}

/// One exchange of all blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferReport {
    /// Why it failed, if it did; the rest is what was seen until then.
    pub error: Option<String>,
    /// Whether the file came as it was; None where nobody looked.
    pub is_sound: Option<bool>,
    /// From the request to begin to the last acknowledgement; None where that
    /// did not come.
    pub time: Option<Nanoseconds>,
    /// Blocks that were acknowledged.
    pub blocks: u64,
    /// Blocks sent again.
    pub retries: u64,
    /// From a block's first write to its acknowledgement.
    pub block_time: Option<BlockTime>,
    /// Ptys that a block and its acknowledgement cross.
    pub hops: u32,
}

/// Exact quantiles of a block's time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockTime {
    /// The median.
    pub p50: Nanoseconds,
    /// 90 of 100 are not longer.
    pub p90: Nanoseconds,
    /// 99 of 100.
    pub p99: Nanoseconds,
    /// The longest.
    pub max: Nanoseconds,
}

impl XmodemReport {
    /// What to say of an experiment.
    pub fn new(experiment: &Experiment, outcome: &Outcome) -> Self {
        Self {
            size: Bytes(experiment.size as u64),
            block: experiment.protocol.block,
            check: experiment.protocol.check,
            place: match &experiment.place {
                Place::Line(line) => format!("a null modem, line {line}"),
                Place::Terminals([a, b]) => format!("{} and {}", a.display(), b.display()),
            },
            transfer: TransferReport::of(&outcome.transfer),
            floor: TransferReport::of(&outcome.floor),
            bare: outcome.bare.as_ref().map(TransferReport::of),
            tick: outcome.tick,
            reported_2010: REPORTED.map(Nanoseconds::seconds),
            blocks: rows(outcome),
        }
    }

    /// Whether the file came as it was.
    pub fn is_sound(&self) -> bool {
        self.transfer.is_sound == Some(true) && self.floor.is_sound == Some(true)
    }
}

fn rows(outcome: &Outcome) -> Vec<BlockRow> {
    let runs = [
        Some(&outcome.transfer),
        Some(&outcome.floor),
        outcome.bare.as_ref(),
    ];
    let times = runs.map(|run| run.map_or(&[][..], |run| &run.sent.block_ns));
    let count = times.iter().map(|times| times.len()).max().unwrap_or(0);
    let row = |at: usize| {
        let [transfer, floor, bare] = times.map(|times| times.get(at).map(|&ns| ns.into()));
        BlockRow {
            block: at as u64 + 1,
            transfer,
            floor,
            bare,
        }
    };
    (0..count).map(row).collect()
}

impl TransferReport {
    fn of(run: &Run) -> Self {
        let sent = &run.sent;
        Self {
            error: run.error.as_ref().map(TransferError::to_string),
            is_sound: run.is_sound,
            time: (sent.total_ns > 0).then(|| sent.total_ns.into()),
            blocks: sent.block_ns.len() as u64,
            retries: sent.retries,
            block_time: BlockTime::of(&sent.block_ns),
            hops: run.hops,
        }
    }
}

impl BlockTime {
    fn of(block_ns: &[u64]) -> Option<Self> {
        let mut times: Vec<f64> = block_ns.iter().map(|&ns| ns as f64).collect();
        times.sort_by(f64::total_cmp);
        let at = |q| quantile(&times, q).map(Nanoseconds);
        Some(Self {
            p50: at(0.5)?,
            p90: at(0.9)?,
            p99: at(0.99)?,
            max: at(1.0)?,
        })
    }
}
