//! Flags of recordings: made, replayed, drawn.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::tui::View;
use crate::workload::units;

use super::{FormatName, ScreenArgs};

/// Recording a run.
#[derive(Debug, Clone, Args)]
pub struct RecordArgs {
    /// Record the run to FILE, for ptyscope replay; compressed if the name ends in .gz
    #[arg(long, value_name = "FILE", help_heading = "Recording")]
    pub record: Option<PathBuf>,
}

/// The screen as a file.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Snapshot")]
pub struct SnapshotArgs {
    /// Draw the screen to FILE, without a terminal: .svg, .ans (text with colours) or .txt
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Columns and rows of the snapshot
    #[arg(long, value_name = "COLUMNSxROWS", default_value = "120x40", value_parser = size, requires = "snapshot")]
    pub size: (u16, u16),
    /// The view of the snapshot [default: the recorded one, else the first]
    #[arg(long, value_enum, requires = "snapshot")]
    pub view: Option<ViewName>,
}

/// The views by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ViewName {
    /// Plots against time
    Time,
    /// Throughput against chunk size
    Curve,
    /// Histograms of call times and sizes
    Distribution,
    /// Where the bytes are, who waits
    Kernel,
    /// The two ends of a null modem
    Link,
    /// One number for the back row
    Big,
}

impl ViewName {
    /// What it names.
    pub fn view(self) -> View {
        match self {
            Self::Time => View::Time,
            Self::Curve => View::Curve,
            Self::Distribution => View::Distribution,
            Self::Kernel => View::Kernel,
            Self::Link => View::Link,
            Self::Big => View::Big,
        }
    }
}

/// Flags of `replay`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "With --tour each step plays what the recording has of the settings that it states, \
                  with the tour's captions; a recording that lacks some is refused.\n\n\
                  Exit codes: 0 done, 1 the file cannot be read, is damaged, or bytes came wrong, \
                  2 usage, or a tour of what was not recorded."
)]
pub struct ReplayArgs {
    /// The recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Begin, or draw the snapshot, at this time of the run: 12s, 2m [default: the beginning; of
    /// a snapshot the end]
    #[arg(long, value_name = "TIME", value_parser = units::parse_duration)]
    pub at: Option<Duration>,
    /// How fast it plays, as a multiple of the run's speed: 0.1, 8
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// Write the report of the recorded run instead: of the settings in force at --at, or of
    /// those that were in force longest
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["snapshot", "plain"])]
    pub format: Option<FormatName>,
    /// The screen as a file.
    #[command(flatten)]
    pub snapshot: SnapshotArgs,
    /// The screen.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('x').and_then(|(columns, rows)| {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=1000).contains(side));
        Some((side(columns)?, side(rows)?))
    });
    parsed.ok_or_else(|| format!("{text:?} is no size: columns x rows, each 1 to 1000, as 120x40"))
}

fn speed(text: &str) -> Result<f64, String> {
    let parsed: Option<f64> = text.trim_end_matches('x').parse().ok();
    parsed
        .filter(|speed| (1.0 / 64.0..=64.0).contains(speed))
        .ok_or_else(|| format!("{text:?} is no speed: 1/64 (0.015625) to 64"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_speeds_are_in_range() {
        assert_eq!(size("80x24"), Ok((80, 24)));
        for text in ["", "80", "80x", "x24", "0x24", "80x1001", "80x24x2", "-1x5"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(speed("0.5"), Ok(0.5));
        assert_eq!(speed("8x"), Ok(8.0));
        for text in ["", "0", "-1", "65", "NaN", "inf", "fast"] {
            assert!(speed(text).is_err(), "{text}");
        }
    }
}
