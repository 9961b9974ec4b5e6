//! `check`: whether this kernel's ptys behave.

use std::process::ExitCode;
use std::time::Instant;

use crate::check::checkup::{Checkup, Terms};
use crate::check::entry::Gates;
use crate::check::runner::{self, Event, Finding, Settings};
use crate::check::select::Selection;
use crate::check::{Check, format};
use crate::cli::CheckArgs;
use crate::report::{Format, Outcome, Recorder};

use super::output::{print, unless_closed};
use super::progress::Progress;
use super::sinks::Sinks;
use super::stop::Stop;
use super::{FAILURE, Usage};

/// Runs the checks and writes the report, or describes them.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let only = match &args.explain {
        Some(pattern) => vec![pattern.clone()],
        None => args.only.clone(),
    };
    let selection = Selection {
        all: args.all || args.list,
        only,
        skip: args.skip.clone(),
    };
    let checks = selection
        .checks()
        .map_err(|unknown| Usage(unknown.to_string()))?;
    if args.explain.is_some() {
        let texts: Vec<_> = checks.iter().map(|check| format::explain(check)).collect();
        return print(&texts.join("\n")).map(|()| ExitCode::SUCCESS);
    }
    if args.list {
        return print(&format::list(checks)).map(|()| ExitCode::SUCCESS);
    }
    carry_out(args, &checks)
}

fn settings(args: &CheckArgs) -> Settings {
    let usual = Settings::default();
    Settings {
        deadline: args.deadline,
        jobs: args.jobs.map_or(usual.jobs, usize::from),
        repeat: args.repeat,
        seed: args.seed,
        risky: args.risky,
        gates: Gates {
            max_p99_ns: args
                .max_p99
                .map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
            min_rate: args.min_rate,
        },
        ..usual
    }
}

fn carry_out(args: &CheckArgs, checks: &[&Check]) -> anyhow::Result<ExitCode> {
    let settings = settings(args);
    // Text is written while the checks run, so the sinks are left the files.
    let live = args.format() == Format::Text && !args.quiet;
    let sinks = Sinks::at(args.format(), &args.files, args.quiet || live)?;
    let stop = Stop::listen()?;
    let recorder = Recorder::begin(super::command_line(), args.label.clone());
    let mut lines = Lines {
        shown: live,
        failed: None,
    };
    lines.write(|| format::header(recorder.host()) + "\n");
    let start = Instant::now();
    let findings = watched(checks, &settings, &stop, &mut lines);
    let cut_short = stop
        .is_asked()
        .then(|| "interrupted by a signal".to_owned());
    let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let code = match &cut_short {
        Some(_) => FAILURE,
        None => runner::exit_code(&findings, args.strict_env),
    };
    let checkup = Checkup::new(Terms::of(&settings, args.strict_env, ms), findings);
    lines.write(|| format::summary(&checkup));
    sinks.write(&recorder.finish(Outcome::Check(checkup), cut_short, Vec::new()))?;
    lines.finish()?;
    Ok(ExitCode::from(code))
}

fn watched(checks: &[&Check], settings: &Settings, stop: &Stop, lines: &mut Lines) -> Vec<Finding> {
    let mut progress = Progress::new();
    let mut done = 0;
    runner::run_until(checks, settings, &stop.halt(), |event| match event {
        Event::Started(check) => {
            progress.show(|| format!("[{done}/{}] {}", checks.len(), check.id));
        }
        Event::Finished(check, finding) => {
            done += 1;
            progress.hide();
            lines.write(|| format::line(check, finding) + "\n");
        }
    })
}

/// What is written to standard output while the checks run. The run goes on
/// when that fails: the files are still to be written.
struct Lines {
    shown: bool,
    failed: Option<anyhow::Error>,
}

impl Lines {
    fn write(&mut self, text: impl FnOnce() -> String) {
        if !self.shown || self.failed.is_some() {
            return;
        }
        self.failed = print(&text()).err();
    }

    /// The failure, unless the reader has just gone away.
    fn finish(self) -> anyhow::Result<()> {
        unless_closed(self.failed.map_or(Ok(()), Err))
    }
}
