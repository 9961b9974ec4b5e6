//! `xmodem`: the transfer that shows what a round trip costs.

use std::process::ExitCode;
use std::time::Duration;

use crate::cli::XmodemArgs;
use crate::link::Error;
use crate::link::xmodem::{Experiment, Place, shortest};
use crate::report::{Outcome, Recorder, XmodemReport};
use crate::workload::units;

use super::Usage;
use super::output::say;
use super::sinks::Sinks;
use super::stop::Stop;

/// From how long on it is said beforehand how long the line will need.
const LONG: Duration = Duration::from_secs(60);

/// Transfers the file and reports.
pub fn run(args: &XmodemArgs) -> anyhow::Result<ExitCode> {
    let sinks = Sinks::open(&args.output)?;
    // The terminals of --on are given back.
    let stop = Stop::listen_to_all()?;
    let recorder = Recorder::begin(super::command_line(), args.label.label.clone());
    let experiment = args.experiment();
    warn_of_length(&experiment);
    let outcome = experiment.run(stop.flag()).map_err(|error| match error {
        Error::Line(_) | Error::Contradiction(_) => anyhow::Error::from(Usage(error.to_string())),
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

/// Says it where a slow line makes one wait: nothing else moves meanwhile.
fn warn_of_length(experiment: &Experiment) {
    let Place::Line(line) = &experiment.place else {
        return;
    };
    let time = shortest(line, experiment.size, experiment.protocol);
    if let Some(time) = time.filter(|&time| time >= LONG) {
        say(format!(
            "the line {line} needs {} for {} bytes: a smaller --size is sooner over",
            units::duration(time),
            experiment.size
        ));
    }
}
