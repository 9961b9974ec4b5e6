//! `capacity`: how many bytes a pty takes with nobody reading.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::CapacityArgs;
use crate::pty::capacity::{Flow, Geometry};
use crate::pty::{End, FillLimits, Flag, Mode, measure};
use crate::report::{CapacityCase, CapacityReport, Outcome, Recorder};
use crate::words::counted;

use super::output;
use super::progress::Progress;
use super::sinks::Sinks;
use super::stop::Stop;

/// Chunks that show every rule of the raw path.
const RAW: [usize; 25] = [
    1, 100, 128, 129, 200, 255, 256, 257, 400, 511, 512, 513, 768, 1000, 1023, 1024, 1025, 1500,
    1792, 1793, 2000, 2048, 2049, 4096, 65536,
];
/// The same where the line discipline looks at each byte.
const COOKED: [usize; 10] = [1, 128, 129, 256, 257, 512, 513, 1000, 2048, 4096];
/// And where it deals in lines.
const IN_LINES: [usize; 3] = [80, 256, 4096];
/// Bytes of a line.
const LINE: NonZeroUsize = NonZeroUsize::new(80).expect("80 is not 0");
/// Far beyond what any known pty takes: where this went in, all goes in.
const NEVER_FULL: u64 = 1 << 18;

/// Measures all cases and writes the report.
pub fn run(args: &CapacityArgs) -> anyhow::Result<ExitCode> {
    let sinks = Sinks::open(&args.output)?;
    let stop = Stop::listen()?;
    let recorder = Recorder::begin(super::command_line(), args.label.label.clone());
    let mut report = CapacityReport {
        geometry: Geometry::running(),
        cases: Vec::new(),
    };
    let flows = flows(args);
    let failure = measure_all(&flows, &mut report, &stop).err();
    if report.cases.is_empty()
        && let Some(error) = failure
    {
        return Err(error).context("cannot measure");
    }
    let cut_short = match &failure {
        Some(error) => Some(format!("{error}")),
        None => (report.cases.len() < flows.len()).then(|| "interrupted by a signal".to_owned()),
    };
    if let Some(error) = &failure {
        output::say(format!("cut short: {error}"));
    }
    let sound = failure.is_none() && report.cases.iter().all(CapacityCase::is_intact);
    let warnings = report.warnings();
    sinks.write(&recorder.finish(Outcome::Capacity(report), cut_short, warnings))?;
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn measure_all(flows: &[Flow], report: &mut CapacityReport, stop: &Stop) -> crate::pty::Result<()> {
    let mut progress = Progress::new();
    for (at, &flow) in flows.iter().enumerate() {
        if stop.is_asked() {
            return Ok(());
        }
        progress.show(|| format!("{at} of {}", counted(flows.len(), "case")));
        let limits = FillLimits {
            max_bytes: NEVER_FULL,
            ..FillLimits::default()
        };
        let case = CapacityCase::settle(report.geometry, || measure(flow, limits))?;
        report.cases.push(case);
    }
    Ok(())
}

/// The cases, mode by mode and end by end.
fn flows(args: &CapacityArgs) -> Vec<Flow> {
    let modes = args
        .mode
        .map_or(vec![Mode::RAW, Mode::COOKED], |mode| vec![mode]);
    let ends = args
        .from
        .map_or(vec![End::Slave, End::Master], |end| vec![end.end()]);
    let mut flows = Vec::new();
    for &mode in &modes {
        for &from in &ends {
            for (line, usual) in kinds(mode, from) {
                let given = args.chunks.as_ref().map(|chunks| chunks.sizes());
                let chunks = given.unwrap_or(usual);
                let endless = from == End::Master && mode.has(Flag::Icanon) && line.is_none();
                // Whatever the chunk, it is never full: one shows it.
                let chunks = match chunks {
                    [.., last] if endless => std::slice::from_ref(last),
                    all => all,
                };
                let sizes = chunks.iter().filter_map(|&chunk| NonZeroUsize::new(chunk));
                flows.extend(sizes.map(|chunk| Flow {
                    from,
                    mode,
                    chunk,
                    line,
                }));
            }
        }
    }
    flows
}

/// With and without newlines, where they make a difference; and the usual
/// chunks of each.
fn kinds(mode: Mode, from: End) -> Vec<(Option<NonZeroUsize>, &'static [usize])> {
    let acts = match from {
        End::Slave => mode.has(Flag::Opost),
        End::Master => mode.has(Flag::Icanon),
    };
    if acts {
        vec![(None, &COOKED), (Some(LINE), &IN_LINES)]
    } else {
        vec![(None, &RAW)]
    }
}
