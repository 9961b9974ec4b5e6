//! Flags of `compare`, and of comparing with a saved baseline.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::report::Metric;

use super::OutputArgs;
use super::value::effect;

/// Flags of `compare`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 a file cannot be read or nothing can be compared, 2 usage, \
                  3 worse with --fail-on-worse"
)]
pub struct CompareArgs {
    /// JSON reports, the base first ("-": standard input)
    #[arg(value_name = "FILE", num_args = 2.., required = true)]
    pub reports: Vec<PathBuf>,
    /// What is called worse.
    #[command(flatten)]
    pub gate: GateArgs,
    /// Where the comparison goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What is called worse, and whether it fails.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Comparison")]
pub struct GateArgs {
    /// The smallest change that matters: 5%, 0.5%
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = effect)]
    pub min_effect: f64,
    /// Exit with 3 if something is worse by so much
    #[arg(long, value_name = "PERCENT", value_parser = effect, conflicts_with = "min_effect")]
    pub fail_on_worse: Option<f64>,
    /// What --fail-on-worse looks at
    #[arg(
        long,
        value_name = "METRIC",
        value_delimiter = ',',
        value_enum,
        default_value = "throughput",
        requires = "fail_on_worse"
    )]
    pub gate: Vec<MetricName>,
}

/// Baselines of `bench`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Comparison")]
pub struct BaselineArgs {
    /// Keep the report under this name, for --against
    #[arg(long, value_name = "NAME", value_parser = baseline)]
    pub save: Option<String>,
    /// Compare with the report of this name
    #[arg(long, value_name = "NAME", value_parser = baseline)]
    pub against: Option<String>,
    /// What is called worse.
    #[command(flatten)]
    pub gate: GateArgs,
}

impl GateArgs {
    /// The smallest change that matters.
    pub fn min_effect(&self) -> f64 {
        self.fail_on_worse.unwrap_or(self.min_effect)
    }

    /// What fails if it is worse; nothing unless asked for.
    pub fn gated(&self) -> impl Iterator<Item = Metric> {
        let asked = self.fail_on_worse.is_some();
        self.gate
            .iter()
            .filter(move |_| asked)
            .map(|name| name.metric())
    }
}

/// The metrics that are compared, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MetricName {
    /// Bytes a second
    Throughput,
    /// CPU time a byte, of writer and reader
    Cpu,
    /// CPU time a byte, of the kernel's workers
    Kworker,
    /// Median time of a write
    Write,
    /// Median time of a read
    Read,
}

impl MetricName {
    fn metric(self) -> Metric {
        match self {
            Self::Throughput => Metric::Throughput,
            Self::Cpu => Metric::CpuPerByte,
            Self::Kworker => Metric::KworkerPerByte,
            Self::Write => Metric::WriteTime,
            Self::Read => Metric::ReadTime,
        }
    }
}

/// A name that can be a file's, on its own and in a report.
fn baseline(name: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '.'].contains(&c);
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(plain) {
        return Err(
            "a baseline's name has letters, digits, - _ and ., and does not begin with a dot"
                .to_owned(),
        );
    }
    Ok(name.to_owned())
}
