//! The report of a recorded run.

use std::sync::Arc;

use crate::record::{Ended, Recording, What};
use crate::report::{
    Bench, Bytes, Collector, Conditions, Nanoseconds, Outcome, Program, Report, SCHEMA_VERSION,
    Warning,
};
use crate::sample::{Closing, Ending, Integrity, Sample, Verdict};
use crate::workload::Settings;

/// The report of what was measured under the settings in force at `at_ns`, or
/// else of those that were in force longest; and whether bytes came wrong. None
/// where no sample counts.
pub fn of(recording: &Recording, at_ns: Option<u64>) -> Option<(Report, Verdict)> {
    let settings = match at_ns {
        Some(at_ns) => in_force(recording, at_ns),
        None => longest(recording),
    }?;
    let others = others(recording, &settings);
    let ended = ended(recording);
    let mut samples: Vec<&Sample> = recording.samples().collect();
    let closing = ended.and_then(|ended| {
        // The last sample of an older recording was taken when all was over.
        let older = || samples.pop().map(Closing::of);
        ended.ending.closing.clone().or_else(older)
    });
    // That account is of the settings in force at the end.
    let is_theirs = |sample: &&&Sample| sample.settings == settings;
    let closing = closing.filter(|_| samples.last().as_ref().is_some_and(is_theirs));
    let mut collector = Collector::default();
    let mut integrity = Integrity::default();
    for sample in samples.iter().filter(is_theirs) {
        collector.add(sample);
        integrity = sample.integrity;
    }
    if collector.is_empty() {
        return None;
    }
    let verdict = ended.map_or_else(|| unfinished(recording), |ended| ended.ending.verdict);
    let measured = collector.finish(&Ending {
        verdict,
        integrity: match (&closing, ended) {
            (Some(_), Some(ended)) => ended.ending.integrity,
            _ => integrity,
        },
        failure: None,
        closing,
    });
    let bench = bench(recording, &settings, measured, ended);
    let mut warnings = bench.warnings();
    if others > 0 {
        let text = format!(
            "{others} other settings were in force too and are not in this report: --at TIME chooses those in force then"
        );
        warnings.push(Warning::new("settings", text));
    }
    Some((report(recording, bench, warnings), verdict))
}

fn ended(recording: &Recording) -> Option<&Ended> {
    recording
        .entries
        .iter()
        .rev()
        .find_map(|entry| match &entry.what {
            What::Ended(ended) => Some(ended),
            _ => None,
        })
}

/// Of a run whose end was not recorded.
fn unfinished(recording: &Recording) -> Verdict {
    let last = recording.samples().next_back();
    match last.map(|last| last.integrity) {
        Some(found) if !found.is_sound() => Verdict::Damaged,
        _ => Verdict::Counted,
    }
}

fn in_force(recording: &Recording, at_ns: u64) -> Option<Arc<Settings>> {
    let mut samples = recording.samples();
    let then = samples.find(|sample| sample.end_ns >= at_ns);
    let then = then.or_else(|| recording.samples().next_back())?;
    Some(Arc::clone(&then.settings))
}

/// The settings of all samples that count, each with its time.
fn times(recording: &Recording) -> Vec<(&Arc<Settings>, u64)> {
    let mut times: Vec<(&Arc<Settings>, u64)> = Vec::new();
    for sample in recording.samples().filter(|sample| sample.counts()) {
        let length = sample.end_ns - sample.start_ns;
        match times
            .iter_mut()
            .find(|(known, _)| **known == sample.settings)
        {
            Some((_, time)) => *time += length,
            None => times.push((&sample.settings, length)),
        }
    }
    times
}

fn longest(recording: &Recording) -> Option<Arc<Settings>> {
    let times = times(recording);
    let longest = times.iter().max_by_key(|(_, time)| *time);
    longest.map(|(settings, _)| Arc::clone(settings))
}

fn others(recording: &Recording, settings: &Settings) -> usize {
    let times = times(recording);
    times
        .iter()
        .filter(|(other, _)| ***other != *settings)
        .count()
}

fn bench(
    recording: &Recording,
    settings: &Settings,
    pty: crate::report::Measurement,
    ended: Option<&Ended>,
) -> Bench {
    let prefilled = ended.map_or(0, |ended| ended.prefilled);
    let spent = |of: fn(&Ended) -> u64| ended.map_or(0, of).into();
    Bench {
        settings: settings.clone(),
        limit: recording.header.limit.map(Bytes),
        loops: pty.written().saturating_sub(prefilled) / settings.chunk as u64,
        real: recording.end_ns().into(),
        user: spent(|ended| ended.user_ns),
        sys: spent(|ended| ended.system_ns),
        prefilled: Bytes(prefilled),
        pty,
        yardsticks: Vec::new(),
    }
}

fn report(recording: &Recording, bench: Bench, warnings: Vec<Warning>) -> Report {
    let header = &recording.header;
    let stolen = |sample: &Sample| sample.host.steal_ns;
    let stolen: Option<u64> = recording.samples().map(stolen).sum();
    let failure = ended(recording).and_then(|ended| ended.ending.failure.clone());
    Report {
        schema_version: SCHEMA_VERSION,
        program: Program::this(),
        command: header.command.clone(),
        label: None,
        guest: None,
        host: header.host.clone(),
        conditions: Conditions {
            started: header.started,
            lasted: Nanoseconds::from(recording.end_ns()),
            load_at_start: None,
            load_at_end: None,
            clock: header.clock,
            clock_cost: Nanoseconds(header.clock_ns),
            frequency_at_start: None,
            frequency_at_end: None,
            stolen: stolen.map(Nanoseconds::from),
        },
        cut_short: recording.tail.complaint().or(failure),
        warnings,
        result: Outcome::Bench(bench),
    }
}
