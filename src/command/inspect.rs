//! `inspect`: what is the matter with ptys of others.

use std::process::ExitCode;

use crate::cli::InspectArgs;
use crate::inspect::{Wanted, inspect};
use crate::report::{Outcome, Recorder};

use super::output::say;
use super::sinks::Sinks;

/// Looks, and reports what it saw; names that mean no pty are told beside.
pub fn run(args: &InspectArgs) -> anyhow::Result<ExitCode> {
    let sinks = Sinks::open(&args.output)?;
    let recorder = Recorder::begin(super::command_line(), args.label.label.clone());
    let wanted = Wanted {
        names: args.ptys.clone(),
        pids: args.pid.clone(),
    };
    let (inspection, refused) = inspect(&wanted)?;
    for error in &refused {
        say(error);
    }
    if !inspection.is_survey && inspection.ptys.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    let cut_short = refused
        .first()
        .map(|_| "not all that was named could be shown".to_owned());
    sinks.write(&recorder.finish(Outcome::Inspect(inspection), cut_short, Vec::new()))?;
    Ok(if refused.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
