//! `bench`: one workload, measured and reported.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::cli::{BenchArgs, GateArgs};
use crate::engine::Options;
use crate::host::Usage as Used;
use crate::report::{
    Bench, Bytes, Comparison, Document, Format, Measurement, Outcome, Recorder, Report, Yardstick,
};
use crate::sample::Verdict;
use crate::workload::{Channel, Settings};

use super::measure::{End, measure, tell};
use super::output::{pass_on, print, unless_closed};
use super::sinks::Sinks;
use super::stop::Stop;
use super::{FAILURE, Usage, baseline, compare, record};

/// Long enough for a steady number, short enough to be pleasant.
const USUAL_LENGTH: Duration = Duration::from_secs(2);

/// Measures the workload and writes the report.
pub fn run(args: &BenchArgs) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let plan = Plan::of(args)?;
    let base = match &args.baseline.against {
        Some(name) => Some((name, baseline::load(name)?)),
        None => None,
    };
    let sinks = Sinks::open(&args.output)?;
    let place = args
        .baseline
        .save
        .as_deref()
        .map(baseline::place)
        .transpose()?;
    let stop = Stop::listen()?;
    let journal = record::begin(&args.record, &plan.settings, plan.limit)?;
    let recorder = Recorder::begin(super::command_line(), args.label.label.clone());
    let options = Options {
        limit: plan.limit,
        prefill: !args.no_prefill,
        ..Options::default()
    };
    let length = plan.length;
    let run = measure(
        plan.settings.clone(),
        options,
        length,
        &stop,
        journal.as_ref(),
    )?;
    let used = Used::of_process() + Used::of_children();
    let mut bench = Bench {
        limit: plan.limit.map(Bytes),
        loops: run.measurement.written().saturating_sub(run.prefilled) / plan.settings.chunk as u64,
        real: began.elapsed().into(),
        user: used.user.into(),
        sys: used.system.into(),
        settings: plan.settings.clone(),
        prefilled: Bytes(run.prefilled),
        pty: run.measurement,
        yardsticks: Vec::new(),
    };
    let mut end = run.end;
    for (channel, settings) in &plan.yardsticks {
        if end != End::Complete {
            break;
        }
        let options = Options {
            channel: *channel,
            limit: plan.limit,
            ..Options::default()
        };
        let run = measure(settings.clone(), options, plan.length, &stop, None)?;
        end = run.end;
        bench.yardsticks.push(Yardstick {
            channel: *channel,
            run: run.measurement,
        });
    }
    tell(&end, (bench.pty.verdict, bench.pty.integrity));
    let sound = is_sound(&bench) && !matches!(end, End::Failed(_));
    let warnings = bench.warnings();
    let report = recorder.finish(Outcome::Bench(bench), end.cut_short(), warnings);
    let shows_text = sinks.shows_text();
    sinks.write(&report)?;
    let code = match &base {
        Some((name, base)) => against(name, base, &report, &args.baseline.gate, shows_text)?,
        None => 0,
    };
    if let Some(place) = place {
        baseline::save(place, &report)?;
    }
    let code = ExitCode::from(if sound { code } else { FAILURE });
    Ok(record::tell_exit_code(code, journal.as_ref()))
}

/// Compares with a baseline: below the report where that is text, or else on
/// stderr.
pub fn against(
    name: &str,
    base: &Report,
    report: &Report,
    gate: &GateArgs,
    below: bool,
) -> anyhow::Result<u8> {
    let others = [("this run", report)];
    let comparison = Comparison::of((name, base), &others, gate.min_effect());
    compare::ensure_possible(&comparison, (name, base), &others)?;
    let mut text = b"\n".to_vec();
    comparison.write(Format::Text, &mut text)?;
    let text = String::from_utf8_lossy(&text);
    if below {
        unless_closed(print(&text))?;
    } else {
        pass_on(&text);
    }
    Ok(compare::exit_code(&comparison, gate))
}

/// What is to be done.
struct Plan {
    settings: Settings,
    /// Bytes that each writer writes.
    limit: Option<u64>,
    length: Option<Duration>,
    yardsticks: Vec<(Channel, Settings)>,
}

impl Plan {
    fn of(args: &BenchArgs) -> Result<Self, Usage> {
        let settings = args.settings();
        settings.check()?;
        let limit = args.length.bytes;
        let usual = limit.is_none().then_some(USUAL_LENGTH);
        let yardstick = |channel: Channel| Ok((channel, channel.same_work(&settings)?));
        let names = args.also.iter().map(|name| name.channel());
        Ok(Self {
            limit: limit.map(|bytes| whole_chunks(bytes, settings.chunk)),
            length: args.length.duration.or(usual),
            yardsticks: names.map(yardstick).collect::<Result<_, Usage>>()?,
            settings,
        })
    }
}

/// As many bytes as go into whole chunks: what the 2012 benchmark moved.
fn whole_chunks(bytes: u64, chunk: usize) -> u64 {
    let chunk = chunk as u64;
    match bytes / chunk {
        0 => bytes,
        loops => loops * chunk,
    }
}

fn is_sound(bench: &Bench) -> bool {
    let yardsticks = bench.yardsticks.iter().map(|yardstick| &yardstick.run);
    let damaged = |run: &Measurement| run.verdict == Verdict::Damaged;
    !yardsticks.chain([&bench.pty]).any(damaged)
}
