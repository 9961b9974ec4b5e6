//! `bench`: one workload, measured and reported.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::cli::BenchArgs;
use crate::engine::Options;
use crate::host::Usage as Used;
use crate::report::{Bench, Bytes, Outcome, Recorder};
use crate::sample::Verdict;

use super::Usage;
use super::measure::{End, measure};
use super::sinks::Sinks;
use super::stop::Stop;

/// Long enough for a steady number, short enough to be pleasant.
const USUAL_LENGTH: Duration = Duration::from_secs(2);

/// Measures the workload and writes the report.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let settings = args.settings();
    settings.check().map_err(Usage::from)?;
    let sinks = Sinks::open(&args.output)?;
    let stop = Stop::listen()?;
    let recorder = Recorder::begin(super::command_line(), args.output.label.clone());
    let limit = args
        .length
        .bytes
        .map(|bytes| whole_chunks(bytes, settings.chunk));
    let length = match limit {
        None => args.length.duration.or(Some(USUAL_LENGTH)),
        Some(_) => args.length.duration,
    };
    let options = Options {
        program: None,
        limit,
    };
    let run = measure(settings.clone(), options, length, &stop)?;
    let used = Used::of_process() + Used::of_children();
    let bench = Bench {
        limit: limit.map(Bytes),
        loops: run.measurement.written() / settings.chunk as u64,
        real: began.elapsed().into(),
        user: used.user.into(),
        sys: used.system.into(),
        settings,
        pty: run.measurement,
    };
    let sound = bench.pty.verdict != Verdict::Damaged && !matches!(run.end, End::Failed(_));
    let warnings = bench.warnings();
    let report = recorder.finish(Outcome::Bench(bench), run.end.cut_short(), warnings);
    sinks.write(&report)?;
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// As many bytes as go into whole chunks: what the 2012 benchmark moved.
fn whole_chunks(bytes: u64, chunk: usize) -> u64 {
    let chunk = chunk as u64;
    match bytes / chunk {
        0 => bytes,
        loops => loops * chunk,
    }
}
