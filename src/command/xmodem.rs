//! `xmodem`: the transfer that shows what a round trip costs.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::XmodemArgs;
use crate::link::Error;
use crate::report::XmodemReport;

use super::Usage;

/// Transfers the file and reports.
pub fn run(args: &XmodemArgs) -> anyhow::Result<ExitCode> {
    let experiment = args.experiment();
    let outcome = experiment.run().map_err(|error| match error {
        Error::Line(_) => anyhow::Error::from(Usage(error.to_string())),
        error => error.into(),
    })?;
    let report = XmodemReport::new(&experiment, &outcome);
    let text = if args.json {
        serde_json::to_string(&report)? + "\n"
    } else {
        report.text()
    };
    io::stdout()
        .write_all(text.as_bytes())
        .context("cannot write to standard output")?;
    Ok(if report.is_sound() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
