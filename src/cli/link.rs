//! Flags of `link`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::link::MAX_LINKS;
use crate::workload::units;

use super::value::{positive_duration, positive_size};
use super::{LineArgs, RecordArgs, ScreenArgs};

/// Flags of `link`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: 0 done, 1 failed, 2 usage, 128 and the signal where one ended the live screen"
)]
// A tour has lines of its own, and its captions are no JSON.
#[command(mut_arg("tour", |tour| {
    tour.conflicts_with_all(LineArgs::IDS).conflicts_with_all(["drop_unattached", "json"])
}))]
pub struct LinkArgs {
    /// The names of the two ends, as /tmp/ttyS0 /tmp/ttyS1; without them the ptys' own paths
    #[arg(value_name = "NAME", num_args = 2)]
    pub names: Vec<PathBuf>,
    /// Replace symlinks that are in the way; other files never are
    #[arg(long)]
    pub force: bool,
    /// Permissions of the ptys, octal: 0660
    #[arg(long, value_name = "MODE", value_parser = permissions)]
    pub mode: Option<u32>,
    /// Group of the ptys: dialout
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// How many links; with names each gets its number, as /tmp/ttyS0-7
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_LINKS)))]
    pub pairs: u32,
    /// Throw away bytes for an end that nobody has open, as a wire does
    #[arg(long, help_heading = "Line")]
    pub drop_unattached: bool,
    /// The line.
    #[command(flatten)]
    pub line: LineArgs,
    /// From how long on a silence is a stall
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = positive_duration)]
    pub stall: Duration,
    /// How long to look for more bytes before sleeping, after some were passed on: 0s saves the CPU
    /// time of it, and costs a wake-up for each message
    #[arg(long, value_name = "TIME", default_value = "50us", value_parser = busy_poll)]
    pub busy_poll: Duration,
    /// How long to run: 250ms, 5s, 2m [default: until stopped]
    #[arg(short, long, value_name = "TIME", value_parser = positive_duration)]
    pub duration: Option<Duration>,
    /// Write what goes over the line to FILE, hexadecimal and text ("-": standard output)
    #[arg(long, value_name = "FILE", help_heading = "Trace")]
    pub dump: Option<PathBuf>,
    /// The same for Wireshark: pcap with link type 250 (LINKTYPE_RTAC_SERIAL), A's bytes as TX
    #[arg(long, value_name = "FILE", help_heading = "Trace")]
    pub pcap: Option<PathBuf>,
    /// End a trace at this size: 100M
    #[arg(long, value_name = "SIZE", value_parser = positive_size, help_heading = "Trace")]
    pub dump_limit: Option<u64>,
    /// At the limit go on in a new file, and keep the full one as FILE.1
    #[arg(long, requires = "dump_limit", help_heading = "Trace")]
    pub dump_rotate: bool,
    /// Report each so often, and not only at the end: 1s
    #[arg(short, long, value_name = "TIME", value_parser = positive_duration, help_heading = "Report")]
    pub interval: Option<Duration>,
    /// A line of JSON for each report
    #[arg(long, help_heading = "Report")]
    pub json: bool,
    /// Its recording.
    #[command(flatten)]
    pub record: RecordArgs,
    /// The screen.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// Longer than this somebody wants a CPU of his own for it.
const MAX_BUSY_POLL: Duration = Duration::from_millis(10);

fn busy_poll(text: &str) -> Result<Duration, units::UnitError> {
    units::parse_duration_within(text, Duration::ZERO, MAX_BUSY_POLL)
}

fn permissions(text: &str) -> Result<u32, units::UnitError> {
    let bits = u32::from_str_radix(text, 8).map_err(|_| units::UnitError::Malformed {
        text: text.to_owned(),
        expected: "octal permissions, as 0660",
    })?;
    if bits <= 0o777 {
        return Ok(bits);
    }
    Err(units::UnitError::OutOfRange {
        text: text.to_owned(),
        range: "0 to 0777".to_owned(),
    })
}
