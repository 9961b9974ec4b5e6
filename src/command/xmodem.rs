//! `xmodem`: the transfer that shows what a round trip costs.

use std::process::ExitCode;

use crate::cli::XmodemArgs;
use crate::link::Error;
use crate::report::{Outcome, Recorder, XmodemReport};

use super::Usage;
use super::sinks::Sinks;
use super::stop::Stop;

/// Transfers the file and reports.
pub fn run(args: &XmodemArgs) -> anyhow::Result<ExitCode> {
    let sinks = Sinks::open(&args.output)?;
    let stop = Stop::listen()?;
    let recorder = Recorder::begin(super::command_line(), args.label.label.clone());
    let experiment = args.experiment();
    let outcome = experiment.run(stop.flag()).map_err(|error| match error {
        Error::Line(_) => anyhow::Error::from(Usage(error.to_string())),
        error => error.into(),
    })?;
    let report = XmodemReport::new(&experiment, &outcome);
    let cut_short = stop
        .is_asked()
        .then(|| "interrupted by a signal".to_owned());
    let code = if report.is_sound() && cut_short.is_none() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    };
    sinks.write(&recorder.finish(Outcome::Xmodem(report), cut_short, Vec::new()))?;
    Ok(code)
}
