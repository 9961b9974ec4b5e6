//! Without a command: the live screen, or lines of text where there is none.

use std::process::ExitCode;

use anyhow::Context;

use crate::cli::LiveArgs;
use crate::engine::{self, INTERVAL, Options};

use super::stop::Stop;
use super::{Usage, plain};

/// Runs the workload before the user's eyes.
pub fn run(args: &LiveArgs) -> anyhow::Result<ExitCode> {
    let settings = args.workload.settings();
    settings.check().map_err(Usage)?;
    let options = Options {
        program: None,
        limit: args.length.bytes,
    };
    let stop = Stop::listen()?;
    let source = engine::start(settings, options, INTERVAL, args.length.duration)
        .context("cannot start the workload")?;
    eprintln!(
        "ptyscope: standard output is no terminal: a line a second instead of the live screen (see also ptyscope bench --help)"
    );
    plain::run(&source, &stop)
}
