//! Flags of `bench`.

use clap::{Args, ValueEnum};

use crate::workload::{Channel, Settings};

use super::value::chunk;
use super::{BaselineArgs, LabelArgs, LengthArgs, OutputArgs, RecordArgs, WorkloadArgs};

/// Flags of `bench`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed or bytes came wrong, 2 usage, 3 worse with --fail-on-worse"
)]
pub struct BenchArgs {
    /// Bytes per write, as --chunk
    #[arg(value_name = "CHUNK", value_parser = chunk, conflicts_with = "chunk")]
    pub size: Option<usize>,
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// Also do the same work through these, as yardsticks
    #[arg(long, value_name = "CHANNEL", value_delimiter = ',', value_enum)]
    pub also: Vec<YardstickName>,
    /// Do not fill the pty before the reader starts
    #[arg(long)]
    pub no_prefill: bool,
    /// When it ends.
    #[command(flatten)]
    pub length: LengthArgs,
    /// What it is compared with.
    #[command(flatten)]
    pub baseline: BaselineArgs,
    /// What it is called.
    #[command(flatten)]
    pub label: LabelArgs,
    /// Its recording.
    #[command(flatten)]
    pub record: RecordArgs,
    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl BenchArgs {
    /// The settings that the flags make.
    pub fn settings(&self) -> Settings {
        let settings = self.workload.settings();
        Settings {
            chunk: self.size.unwrap_or(settings.chunk),
            ..settings
        }
    }
}

/// The yardsticks by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YardstickName {
    /// pipe(2)
    Pipe,
    /// socketpair(2)
    Socketpair,
}

impl YardstickName {
    /// What it names.
    pub fn channel(self) -> Channel {
        match self {
            Self::Pipe => Channel::Pipe,
            Self::Socketpair => Channel::Socketpair,
        }
    }
}
