//! What an XMODEM transfer found, as a report states it.

use serde::{Deserialize, Serialize};

use crate::analysis::quantile;
use crate::link::xmodem::{BlockSize, Check, Experiment, Outcome, Place, Run, Sent, Tick};
use crate::workload::units;

use super::{Bytes, Nanoseconds, SCHEMA_VERSION};

/// The transfer of the 2010 report, as it was, and with `low_latency` set.
const REPORTED: [f64; 2] = [169.0, 30.0];

/// A transfer, beside what it can be compared with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct XmodemReport {
    /// [`SCHEMA_VERSION`] of the program that made it.
    pub schema_version: u32,
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
    /// The same bytes to and fro over the same line, without a protocol.
    pub bare: Option<TransferReport>,
    /// Whether the floor's blocks wait for the kernel's tick.
    pub tick: Option<Tick>,
    /// What the 2010 report says of a file of 538368 bytes: as it was, and
    /// with the kernel's `low_latency` set.
    pub reported_2010: [Nanoseconds; 2],
}

/// One exchange of all blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransferReport {
    /// Why it failed, if it did; then nothing else is known.
    pub error: Option<String>,
    /// Whether the file came as it was; None where nobody looked.
    pub is_sound: Option<bool>,
    /// From the request to begin to the last acknowledgement.
    pub time: Option<Nanoseconds>,
    /// Blocks, retries not counted.
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
        let run = |run: &Result<Run, _>, hops| TransferReport::of_run(run, hops);
        Self {
            schema_version: SCHEMA_VERSION,
            size: Bytes(experiment.size as u64),
            block: experiment.protocol.block,
            check: experiment.protocol.check,
            place: match &experiment.place {
                Place::Line(line) => format!("a null modem, line {line}"),
                Place::Terminals([a, b]) => format!("{} and {}", a.display(), b.display()),
            },
            transfer: run(&outcome.transfer, 4),
            floor: run(&outcome.floor, 2),
            bare: outcome.bare.as_ref().map(|bare| match bare {
                Ok(sent) => TransferReport::of_sent(sent, None, 4),
                Err(error) => TransferReport::failed(error, 4),
            }),
            tick: outcome.tick,
            reported_2010: REPORTED.map(Nanoseconds::seconds),
        }
    }

    /// Whether the file came as it was.
    pub fn is_sound(&self) -> bool {
        self.transfer.is_sound == Some(true) && self.floor.is_sound == Some(true)
    }

    /// The report for people.
    pub fn text(&self) -> String {
        let check = match self.check {
            Check::Crc => "CRC-16",
            Check::Checksum => "a checksum",
        };
        let mut text = format!(
            "XMODEM: {} bytes in {} blocks of {} with {check}, over {}\n\n",
            self.size.0,
            self.transfer.blocks,
            self.block.bytes(),
            self.place
        );
        text.push_str(&format!(
            "{:22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n",
            "", "time", "block p50", "p90", "p99", "max", "retries"
        ));
        for (name, row) in [
            ("this transfer", Some(&self.transfer)),
            ("one pty, no relay", Some(&self.floor)),
            ("same line, no XMODEM", self.bare.as_ref()),
        ] {
            if let Some(row) = row {
                text.push_str(&format!("{name:22} {}\n", row.text()));
            }
        }
        let blocks = self.transfer.blocks.max(1);
        for (name, time) in ["2010, as it was", "2010, low_latency"]
            .iter()
            .zip(self.reported_2010)
        {
            text.push_str(&format!(
                "{name:22} {:>9} {:>9}\n",
                units::time(time.0),
                units::time(time.0 / 4206.0)
            ));
        }
        text.push('\n');
        if let Some(time) = self.transfer.time {
            text.push_str(&format!(
                "{} pty crossings a block, {} each\n",
                self.transfer.hops,
                units::time(time.0 / blocks as f64 / f64::from(self.transfer.hops.max(1)))
            ));
        }
        if let Some(tick) = self.tick {
            text.push_str(&format!(
                "{}: without a relay {:.1} % of the blocks took a whole number of ticks (HZ={})\n",
                tick.verdict,
                tick.whole_ticks * 100.0,
                tick.hz
            ));
        }
        text.push_str(match self.transfer.is_sound {
            Some(true) => "the file came as it was\n",
            Some(false) => "THE FILE CAME CHANGED\n",
            None => "the file did not come\n",
        });
        text
    }
}

impl TransferReport {
    fn of_run<E: std::fmt::Display>(run: &Result<Run, E>, hops: u32) -> Self {
        match run {
            Ok(run) => Self::of_sent(&run.sent, Some(run.is_sound), hops),
            Err(error) => Self::failed(error, hops),
        }
    }

    fn of_sent(sent: &Sent, is_sound: Option<bool>, hops: u32) -> Self {
        Self {
            error: None,
            is_sound,
            time: Some(sent.total_ns.into()),
            blocks: sent.block_ns.len() as u64,
            retries: sent.retries,
            block_time: BlockTime::of(&sent.block_ns),
            hops,
        }
    }

    fn failed(error: &impl std::fmt::Display, hops: u32) -> Self {
        Self {
            error: Some(error.to_string()),
            is_sound: None,
            time: None,
            blocks: 0,
            retries: 0,
            block_time: None,
            hops,
        }
    }

    fn text(&self) -> String {
        if let Some(error) = &self.error {
            return format!("failed: {error}");
        }
        let time = |time: Option<Nanoseconds>| {
            time.map_or_else(|| "-".to_owned(), |time| units::time(time.0))
        };
        let of = |get: fn(&BlockTime) -> Nanoseconds| time(self.block_time.as_ref().map(get));
        format!(
            "{:>9} {:>9} {:>9} {:>9} {:>9} {:>8}",
            time(self.time),
            of(|t| t.p50),
            of(|t| t.p90),
            of(|t| t.p99),
            of(|t| t.max),
            self.retries
        )
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
