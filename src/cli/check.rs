//! The flags of `ptyscope check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{positive_duration, positive_size};

/// Checks that this kernel's ptys behave.
///
/// Exit codes: 0 nothing failed, 1 a failure or a hang, 2 usage, 4 nothing
/// could be checked.
#[derive(Debug, Args)]
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
    #[arg(long, value_name = "TIME", value_parser = positive_duration, help_heading = "How")]
    pub max_p99: Option<Duration>,
    /// thr.step fails when writes of 256 bytes move fewer bytes a second: 10M
    #[arg(long, value_name = "SIZE", value_parser = positive_size, help_heading = "How")]
    pub min_rate: Option<u64>,
    /// Findings about mounts, permissions and sysctls fail too
    #[arg(long, help_heading = "How")]
    pub strict_env: bool,
    /// The form of the report
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, help_heading = "Report")]
    pub format: CheckFormat,
    /// Write the report to this file
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FILE",
        help_heading = "Report"
    )]
    pub output: Option<PathBuf>,
}

/// The forms of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Lines to read
    Text,
    /// One JSON object
    Json,
    /// Kernel Test Anything Protocol, version 1
    Ktap,
}

/// A limit in whole minutes at most keeps a hanging check from looking like a
/// slow one.
fn deadline(text: &str) -> Result<Duration, String> {
    match positive_duration(text)? {
        long if long > Duration::from_secs(600) => {
            Err("a deadline is 10 minutes at most".to_owned())
        }
        short if short < Duration::from_millis(10) => {
            Err("a deadline is 10 ms at least".to_owned())
        }
        deadline => Ok(deadline),
    }
}
