//! Flags of `sweep`.

use std::time::Duration;

use clap::Args;

use crate::workload::{Chunks, units};

use super::value::{effect, positive_duration};
use super::{GroundName, LabelArgs, OutputArgs, WorkloadArgs};

/// Flags of `sweep`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed or bytes came wrong, 2 usage, 3 a step with \
                  --fail-on-step"
)]
pub struct SweepArgs {
    /// Chunk sizes: 240..272, 64..512:64, 1..65536:log, 64,128,255..257, boundaries
    /// [default: boundaries,250..262]
    #[arg(value_name = "CHUNKS", conflicts_with = "chunk")]
    pub chunks: Option<Chunks>,
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// How it is visited.
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Exit with 3 if there is a step
    #[arg(long, help_heading = "Test")]
    pub fail_on_step: bool,
    /// The ground of a picture (-o FILE.svg) [default: the viewer's]
    #[arg(long, value_enum, help_heading = "Report")]
    pub theme: Option<GroundName>,
    /// What it is called.
    #[command(flatten)]
    pub label: LabelArgs,
    /// Where the report goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How a sweep visits and decides.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Test")]
pub struct PlanArgs {
    /// The smallest change that matters: 5%, 0.5%
    #[arg(long, value_name = "PERCENT", default_value = "5%", value_parser = effect)]
    pub min_effect: f64,
    /// Go on until every boundary is decided, or the limit
    #[arg(long)]
    pub until_decided: bool,
    /// The longest that --until-decided may take
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = positive_duration, allow_hyphen_values = true, requires = "until_decided")]
    pub limit: Duration,
    /// Visit every point this often, and look at the verdicts once, at the end
    /// [default: 60, then 120 and 240 while something is undecided]
    #[arg(short, long, value_name = "N", conflicts_with = "until_decided", value_parser = clap::value_parser!(u32).range(6..=1_000_000))]
    pub runs: Option<u32>,
    /// How long each visit lasts
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = visit)]
    pub visit: Duration,
    /// How long each new chunk is driven before its visit begins
    #[arg(short, long, value_name = "TIME", default_value = "1ms", value_parser = warm_up)]
    pub warmup: Duration,
    /// Decides the order of the visits [default: another each time]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

fn visit(text: &str) -> Result<Duration, units::UnitError> {
    units::parse_duration_within(text, Duration::from_millis(1), Duration::from_secs(60))
}

fn warm_up(text: &str) -> Result<Duration, units::UnitError> {
    units::parse_duration_within(text, Duration::from_micros(100), Duration::from_secs(10))
}
