//! Flags of `inspect`.

use std::path::PathBuf;

use clap::Args;

use super::{LabelArgs, OutputArgs};

/// Flags of `inspect`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 shown, 1 something could not be shown, 2 usage")]
pub struct InspectArgs {
    /// The pty: /dev/pts/7, pts/7, 7, or a link to one [default: all in /dev/pts, a line each]
    #[arg(value_name = "PTY")]
    pub ptys: Vec<PathBuf>,
    /// All ptys that this process has open, by either end (again for more)
    #[arg(short, long, value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Vec<u32>,
    /// What it is called.
    #[command(flatten)]
    pub label: LabelArgs,
    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
