//! `--record`: what is written beside a run.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::RecordArgs;
use crate::host::{ClockCost, HostFacts, KmallocCounter};
use crate::record::{self, Header, Journal, SourceKind, VERSION};
use crate::report::{Program, Timestamp};
use crate::sample::Source;
use crate::workload::{Line, Settings};

use super::output::say;

/// Begins the recording that was asked for.
///
/// # Errors
/// When it cannot be written, or there is one of that name already.
pub fn begin(
    args: &RecordArgs,
    settings: &Settings,
    limit: Option<u64>,
) -> anyhow::Result<Option<Journal>> {
    let begin = |path: &Path| Journal::begin(path, &header(settings, limit, None));
    Ok(args.record.as_deref().map(begin).transpose()?)
}

/// The same of a link.
///
/// # Errors
/// As [`begin`].
pub fn begin_link(args: &RecordArgs, line: &Line) -> anyhow::Result<Option<Journal>> {
    let header = |line: &Line| header(&Settings::default(), None, Some(line));
    let begin = |path: &Path| Journal::begin(path, &header(line));
    Ok(args.record.as_deref().map(begin).transpose()?)
}

fn header(settings: &Settings, limit: Option<u64>, line: Option<&Line>) -> Header {
    let clock = ClockCost::calibrate();
    Header {
        ptyscope_recording: VERSION,
        program: Program::this(),
        command: super::command_line(),
        started: Timestamp::now(),
        source: match line {
            Some(_) => SourceKind::Link,
            None => SourceKind::Workload,
        },
        settings: settings.clone(),
        line: line.cloned(),
        limit,
        host: HostFacts::collect(),
        clock: clock.source,
        clock_ns: clock.ns,
        no_kmallocs: KmallocCounter::open(0).err().map(|why| why.to_string()),
    }
}

/// The source, recorded if that was asked for.
///
/// # Errors
/// When no thread can be started.
pub fn tee(source: Source, journal: Option<&Journal>) -> anyhow::Result<Source> {
    match journal {
        Some(journal) => record::tee(source, journal).context("cannot start the recorder"),
        None => Ok(source),
    }
}

/// The exit code of a run, given that of its recording: one that has stopped
/// before the run is a failure. That it has is a notice of the run, which has
/// been told already.
pub fn exit_code(code: ExitCode, journal: Option<&Journal>) -> ExitCode {
    match journal.map(Journal::outcome) {
        Some(Err(_)) if code == ExitCode::SUCCESS => ExitCode::FAILURE,
        _ => code,
    }
}

/// The same of a run without such notices, or whose notices have gone with the
/// screen.
pub fn tell_exit_code(code: ExitCode, journal: Option<&Journal>) -> ExitCode {
    if let Some(Err(stopped)) = journal.map(Journal::outcome) {
        say(stopped);
    }
    exit_code(code, journal)
}
