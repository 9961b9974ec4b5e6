//! Flags of `xmodem`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::link::xmodem::{BlockSize, Check, Experiment, Place, Protocol};
use crate::workload::units;

use super::{LabelArgs, LineArgs, OutputArgs};

/// Largest file: every block's time is kept.
const MAX_SIZE: u64 = 1 << 30;
/// A line that fails more often in a row carries no file.
const MAX_RETRIES: i64 = 1000;
/// Longer than the slowest line needs for a block, whose own time is added.
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);

/// Flags of `xmodem`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 the file came as it was, 1 it did not, 2 usage")]
pub struct XmodemArgs {
    /// Bytes of the file
    #[arg(short = 'n', long, value_name = "SIZE", default_value = "538368", value_parser = size)]
    pub size: u64,
    /// Bytes in a block
    #[arg(long, value_enum, default_value_t = BlockName::Short)]
    pub block: BlockName,
    /// Check blocks by CRC-16 (the default)
    #[arg(long)]
    pub crc: bool,
    /// Check blocks by the sum of their bytes
    #[arg(long, conflicts_with = "crc")]
    pub checksum: bool,
    /// How often in a row a block may fail
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=MAX_RETRIES))]
    pub retries: u32,
    /// How long to wait for an answer, or for the next byte of a block, beside what bytes are on
    /// the line (not known of --on)
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = timeout)]
    pub timeout: Duration,
    /// Use two terminals that are linked already: /tmp/ttyS0,/tmp/ttyS1
    #[arg(long, value_name = "A,B", value_parser = terminals, conflicts_with_all = line_flags())]
    pub on: Option<[PathBuf; 2]>,
    /// The line.
    #[command(flatten)]
    pub line: LineArgs,
    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,
    /// What the run is called.
    #[command(flatten)]
    pub label: LabelArgs,
}

/// The flags of a line of our own; the seed also draws the file.
fn line_flags() -> impl Iterator<Item = &'static str> {
    LineArgs::IDS.into_iter().filter(|id| *id != "seed")
}

impl XmodemArgs {
    /// The experiment that the flags make.
    pub fn experiment(&self) -> Experiment {
        Experiment {
            size: self.size as usize,
            protocol: Protocol {
                block: self.block.size(),
                check: if self.checksum {
                    Check::Checksum
                } else {
                    Check::Crc
                },
                retries: self.retries,
                timeout: self.timeout,
            },
            place: match &self.on {
                Some(terminals) => Place::Terminals(terminals.clone()),
                None => Place::Line(self.line.line()),
            },
            seed: self.line.seed,
        }
    }
}

/// The block sizes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BlockName {
    /// 128 bytes
    #[value(name = "128")]
    Short,
    /// 1024 bytes (XMODEM-1K)
    #[value(name = "1k")]
    Long,
}

impl BlockName {
    fn size(self) -> BlockSize {
        match self {
            Self::Short => BlockSize::Short,
            Self::Long => BlockSize::Long,
        }
    }
}

fn size(text: &str) -> Result<u64, units::UnitError> {
    let bytes = units::parse_size(text)?;
    units::within(text, bytes, 1, MAX_SIZE)
}

fn timeout(text: &str) -> Result<Duration, units::UnitError> {
    units::parse_duration_within(text, Duration::from_nanos(1), MAX_TIMEOUT)
}

fn terminals(text: &str) -> Result<[PathBuf; 2], String> {
    match text.split_once(',') {
        Some((a, b)) if !a.is_empty() && !b.is_empty() => Ok([a.into(), b.into()]),
        _ => Err("two terminals with a comma between them, as /tmp/ttyS0,/tmp/ttyS1".to_owned()),
    }
}
