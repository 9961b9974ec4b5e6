//! Flags of `capacity`.

use clap::{Args, ValueEnum};

use crate::pty::{End, Mode};
use crate::workload::Chunks;

use super::{LabelArgs, OutputArgs};

/// Flags of `capacity`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 done, 1 failed or bytes came wrong, 2 usage")]
pub struct CapacityArgs {
    /// Bytes per write: 256, 255..257, 1..65536:log, boundaries [default: those where something
    /// changes]
    #[arg(value_name = "CHUNKS")]
    pub chunks: Option<Chunks>,
    /// Only writes into this end
    #[arg(long, value_enum)]
    pub from: Option<EndName>,
    /// Only in this mode: raw, cooked, or flags as ICANON+OPOST [default: raw and cooked]
    #[arg(short, long, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// What it is called.
    #[command(flatten)]
    pub label: LabelArgs,
    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The ends by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndName {
    /// A terminal emulator's
    Master,
    /// A program's
    Slave,
}

impl EndName {
    /// What it names.
    pub fn end(self) -> End {
        match self {
            Self::Master => End::Master,
            Self::Slave => End::Slave,
        }
    }
}
