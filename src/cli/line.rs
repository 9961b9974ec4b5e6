//! Flags that make a serial line.

use std::time::Duration;

use clap::Args;

use crate::workload::{Baud, Frame, Line, MAX_DELAY, Share, units};

/// What is imitated between the two ends.
#[derive(Debug, Clone, Args)]
pub struct LineArgs {
    /// Speed in bits a second, or "client": as the sending client sets it with stty
    #[arg(short, long, value_name = "BAUD", help_heading = "Line")]
    pub baud: Option<Baud>,
    /// Data bits, parity (N E O M S) and stop bits, which the speed counts with
    #[arg(long, value_name = "FRAME", default_value_t = Frame::EIGHT_N_ONE, help_heading = "Line")]
    pub frame: Frame,
    /// How long each byte is under way: 5ms
    #[arg(long, value_name = "TIME", value_parser = delay, default_value = "0", help_heading = "Line")]
    pub latency: Duration,
    /// Up to how much longer, another for each message
    #[arg(long, value_name = "TIME", value_parser = delay, default_value = "0", help_heading = "Line")]
    pub jitter: Duration,
    /// A pause before each message is passed on, for clients that flush their input after they
    /// have answered: 200us
    #[arg(long, value_name = "TIME", value_parser = delay, default_value = "0", help_heading = "Line")]
    pub settle: Duration,
    /// Share of bytes that are lost: 0.001 or 0.1%
    #[arg(long, value_name = "SHARE", default_value = "0", help_heading = "Line")]
    pub drop: Share,
    /// Share of bytes in which one bit is turned
    #[arg(long, value_name = "SHARE", default_value = "0", help_heading = "Line")]
    pub flip: Share,
    /// Share of bytes that arrive twice
    #[arg(
        long = "dup",
        value_name = "SHARE",
        default_value = "0",
        help_heading = "Line"
    )]
    pub duplicate: Share,
    /// What faults and jitter are drawn from
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Line")]
    pub seed: u64,
}

fn delay(text: &str) -> Result<Duration, units::UnitError> {
    units::parse_duration_within(text, Duration::ZERO, MAX_DELAY)
}

impl LineArgs {
    /// The names of its fields.
    pub const IDS: [&str; 9] = [
        "baud",
        "frame",
        "latency",
        "jitter",
        "settle",
        "drop",
        "flip",
        "duplicate",
        "seed",
    ];

    /// The line that the flags make.
    pub fn line(&self) -> Line {
        Line {
            baud: self.baud,
            frame: self.frame,
            latency: self.latency,
            jitter: self.jitter,
            settle: self.settle,
            drop: self.drop,
            flip: self.flip,
            duplicate: self.duplicate,
            drop_unattached: false,
            seed: self.seed,
        }
    }
}
