//! `sweep`: one workload at many chunk sizes, and where it has a step.

mod drive;
mod plot;
mod schedule;

use std::process::ExitCode;

use crate::analysis::BoundaryTest;
use crate::cli::{GroundName, SweepArgs};
use crate::pty::capacity::Geometry;
use crate::report::{Nanoseconds, Outcome, Recorder, SweepPlan, Theme};
use crate::sample::Verdict;
use crate::workload::{Chunks, Settings};

use super::measure::{End, tell};
use super::sinks::Sinks;
use super::stop::Stop;
use super::{FAILURE, GATE, Usage};

use drive::drive;
use schedule::looks;

/// The first block finds caches and buffers cold.
const WARM_UP_BLOCKS: u32 = 1;

/// Sweeps and writes the report.
pub fn run(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    if args.workload.chunk.is_some() {
        let advice = "--chunk with sweep: name the chunks as its argument";
        return Err(Usage(advice.to_owned()).into());
    }
    let recorder = Recorder::begin(super::command_line(), args.label.label.clone());
    let page_size = recorder.host().page_size.unwrap_or(4096);
    let (settings, plan) = plan(args, page_size)?;
    for &chunk in &plan.chunks {
        at(&settings, chunk).check().map_err(Usage::from)?;
    }
    let theme = match args.theme {
        None => Theme::Viewer,
        Some(GroundName::Light) => Theme::Light,
        Some(GroundName::Dark) => Theme::Dark,
    };
    let sinks = Sinks::with_pictures(&args.output, theme)?;
    let stop = Stop::listen()?;
    let test = BoundaryTest {
        min_effect: args.plan.min_effect,
        looks: plan.looks.len() as u32,
        ..BoundaryTest::default()
    };
    let (run, end) = drive(settings, plan, &test, page_size, &stop)?;
    let sweep = run.analyse(test, page_size, Geometry::running());
    tell(&end, (sweep.verdict, sweep.integrity));
    let (has_step, is_decided) = (sweep.has_step(), sweep.is_decided());
    let code = exit_code(sweep.verdict, &end, args.fail_on_step, has_step, is_decided);
    let warnings = sweep.warnings();
    let report = recorder.finish(Outcome::Sweep(sweep), end.cut_short(), warnings);
    sinks.write(&report)?;
    Ok(ExitCode::from(code))
}

fn plan(args: &SweepArgs, page_size: usize) -> Result<(Settings, SweepPlan), Usage> {
    let chunks = args
        .chunks
        .clone()
        .unwrap_or_else(|| Chunks::usual(page_size));
    let sizes = chunks.sizes();
    let middle = sizes.get(sizes.len() / 2).copied();
    let usual = sizes.iter().copied().find(|&size| size == 256);
    let control = usual
        .or(middle)
        .ok_or_else(|| Usage("no chunk to visit".to_owned()))?;
    let mut plan = SweepPlan {
        chunks: sizes.iter().map(|&size| size as u64).collect(),
        control: control as u64,
        seed: args.plan.seed.unwrap_or_else(seed),
        visit: args.plan.visit.into(),
        warm_up: args.plan.warmup.into(),
        warm_up_blocks: WARM_UP_BLOCKS,
        looks: Vec::new(),
    };
    plan.looks = looks(&args.plan, plan.block_time());
    let settings = at(&args.workload.settings(), plan.control);
    Ok((settings, plan))
}

fn at(settings: &Settings, chunk: u64) -> Settings {
    Settings {
        chunk: usize::try_from(chunk).unwrap_or(usize::MAX),
        ..settings.clone()
    }
}

/// Another one each time, short enough to be typed.
fn seed() -> u64 {
    crate::host::monotonic_ns() % 1_000_000
}

/// What the exit code says. `gate` is whether a step is to fail.
fn exit_code(verdict: Verdict, end: &End, gate: bool, has_step: bool, is_decided: bool) -> u8 {
    match end {
        End::Failed(_) => FAILURE,
        _ if verdict == Verdict::Damaged => FAILURE,
        _ if gate && has_step => GATE,
        // A gate that was not judged must not pass for one that held.
        End::Interrupted if gate && !is_decided => FAILURE,
        End::Interrupted | End::Complete => 0,
    }
}

/// The time that so many blocks take.
fn blocks_take(blocks: u32, block_time: Nanoseconds) -> Nanoseconds {
    Nanoseconds(f64::from(blocks) * block_time.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_follow_what_was_asked() {
        let failed = End::Failed("ENOSPC".to_owned());
        let (sound, damaged) = (Verdict::Sound, Verdict::Damaged);
        for (verdict, end, gate, has_step, is_decided, want) in [
            (sound, &End::Complete, false, true, true, 0),
            (sound, &End::Complete, true, true, true, 3),
            (sound, &End::Complete, true, false, true, 0),
            (sound, &End::Complete, true, false, false, 0),
            (sound, &End::Interrupted, true, true, false, 3),
            (sound, &End::Interrupted, true, false, false, 1),
            (sound, &End::Interrupted, false, false, false, 0),
            (damaged, &End::Complete, true, true, true, 1),
            (sound, &failed, true, true, true, 1),
        ] {
            let code = exit_code(verdict, end, gate, has_step, is_decided);
            assert_eq!(
                code, want,
                "{verdict:?} {end:?} {gate} {has_step} {is_decided}"
            );
        }
    }
}
