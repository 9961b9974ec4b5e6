//! Flags of `bench`.

use clap::Args;

use crate::workload::Settings;

use super::{LengthArgs, OutputArgs, WorkloadArgs, chunk};

/// Measures one workload.
///
/// The report begins as that of the 2012 benchmark did: chunk, loops, and the
/// times of the whole command. `--bytes 1GB` moves as many bytes as that did.
#[derive(Debug, Clone, Args)]
pub struct BenchArgs {
    /// Bytes per write, as --chunk
    #[arg(value_name = "CHUNK", value_parser = chunk, conflicts_with = "chunk")]
    pub size: Option<usize>,
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// When it ends.
    #[command(flatten)]
    pub length: LengthArgs,
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
