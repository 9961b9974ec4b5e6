//! The flags of `ptyscope check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::value::{positive_duration, positive_size};
use crate::report::Format;
use crate::workload::units;

/// Flags of `check`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing failed, 1 a failure or a hang, 2 usage, 4 nothing could \
                  be checked"
)]
pub struct CheckArgs {
    /// Also the second tier
    #[arg(long, help_heading = "Which")]
    pub all: bool,
    /// Also where a check can hang the running kernel
    #[arg(long, help_heading = "Which")]
    pub risky: bool,
    /// Only checks of this name: close.drain, 'flow.*' (again for more)
    #[arg(long, value_name = "PATTERN", help_heading = "Which")]
    pub only: Vec<String>,
    /// No checks of this name
    #[arg(long, value_name = "PATTERN", help_heading = "Which")]
    pub skip: Vec<String>,
    /// List the checks and run none
    #[arg(long, help_heading = "Instead")]
    pub list: bool,
    /// Say all about a check and run none
    #[arg(long, value_name = "PATTERN", help_heading = "Instead")]
    pub explain: Option<String>,
    /// How often each check runs
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), help_heading = "How")]
    pub repeat: u32,
    /// The longest that one wait in a check may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = deadline, help_heading = "How")]
    pub deadline: Duration,
    /// How many checks run at once [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = "How")]
    pub jobs: Option<u16>,
    /// Where pseudo-random numbers start
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "How")]
    pub seed: u64,
    /// lat.rtt fails when more than one round trip of 100 takes longer
    #[arg(long, value_name = "TIME", value_parser = positive_duration, allow_hyphen_values = true, help_heading = "How")]
    pub max_p99: Option<Duration>,
    /// thr.step fails when writes of 256 bytes move fewer bytes a second: 10M
    #[arg(long, value_name = "SIZE", value_parser = positive_size, allow_hyphen_values = true, help_heading = "How")]
    pub min_rate: Option<u64>,
    /// Findings about mounts, permissions and sysctls fail too
    #[arg(long, help_heading = "How")]
    pub strict_env: bool,
    /// How standard output is written, and files whose names do not tell
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, help_heading = "Report")]
    pub format: CheckFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format", help_heading = "Report")]
    pub json: bool,
    /// Also write the report to FILE, as its name says: .json .csv .md .txt.
    /// May be given several times
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FILE",
        help_heading = "Report"
    )]
    pub files: Vec<PathBuf>,
    /// Nothing on standard output
    #[arg(short, long, help_heading = "Report")]
    pub quiet: bool,
    /// What the report calls this run
    #[arg(long, value_name = "TEXT", help_heading = "Report")]
    pub label: Option<String>,
}

impl CheckArgs {
    /// The format of standard output.
    pub fn format(&self) -> Format {
        if self.json {
            return Format::Json;
        }
        match self.format {
            CheckFormat::Text => Format::Text,
            CheckFormat::Json => Format::Json,
            CheckFormat::Csv => Format::Csv,
            CheckFormat::Markdown => Format::Markdown,
            CheckFormat::Ktap => Format::Ktap,
        }
    }
}

/// The forms of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// A line for each check as it ends, then all about those that did not pass
    Text,
    /// The whole model
    Json,
    /// The same facts, the checks as a table
    Csv,
    /// For a mail or an issue
    #[value(alias = "md")]
    Markdown,
    /// Kernel Test Anything Protocol, version 1
    Ktap,
}

/// A limit in whole minutes at most keeps a hanging check from looking like a
/// slow one.
fn deadline(text: &str) -> Result<Duration, units::UnitError> {
    units::parse_duration_within(text, Duration::from_millis(10), Duration::from_secs(600))
}
