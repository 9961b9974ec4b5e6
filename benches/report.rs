//! What a sweep's report costs: drawing the conclusions of a default sweep, and
//! writing and reading one of 100,000 visits.
//!
//! `cargo bench --bench report` runs it. The visits are those of a real, short
//! sweep, repeated.

use std::process::Command;
use std::time::{Duration, Instant};

use ptyscope::analysis::BoundaryTest;
use ptyscope::report::{Document, Format, Outcome, Report, Sweep, SweepRun, SweepVisit};

const ROUNDS: usize = 9;
const PAGE_SIZE: usize = 4096;
/// Blocks of a default sweep that goes on to its last look, and the one left out.
const DEFAULT_BLOCKS: u32 = 241;
const MANY_VISITS: usize = 100_000;

fn main() {
    let mut report = real_report();
    let short = sweep_of(&report).clone();

    let whole = DEFAULT_BLOCKS as usize * short.plan.visits_per_block();
    let visits = repeated(&short, whole);
    let times = (0..ROUNDS).map(|_| analyse(&short, visits.clone()));
    println!(
        "analysis of a default sweep ({whole} visits): median {:?}",
        median(times)
    );

    if let Outcome::Sweep(sweep) = &mut report.result {
        sweep.visits = repeated(&short, MANY_VISITS);
    }
    let mut json = Vec::new();
    let write = (0..ROUNDS).map(|_| {
        json.clear();
        timed(|| report.write(Format::Json, &mut json).unwrap()).0
    });
    let write = median(write);
    let read = median((0..ROUNDS).map(|_| {
        let (time, again) = timed(|| Report::parse(&json).unwrap());
        assert_eq!(sweep_of(&again).visits.len(), MANY_VISITS);
        time
    }));
    println!(
        "{MANY_VISITS} visits ({} bytes): written in {write:?}, read in {read:?} (medians of {ROUNDS})",
        json.len()
    );
}

/// The report of a short sweep over the default points, as a user gets it.
fn real_report() -> Report {
    let output = Command::new(env!("CARGO_BIN_EXE_ptyscope"))
        .args(["sweep", "--runs", "8", "--format", "json"])
        .output()
        .unwrap();
    Report::parse(&output.stdout).unwrap()
}

fn sweep_of(report: &Report) -> &Sweep {
    match &report.result {
        Outcome::Sweep(sweep) => sweep,
        other => panic!("not a sweep's report: {other:?}"),
    }
}

/// As many visits, in ever new blocks.
fn repeated(sweep: &Sweep, count: usize) -> Vec<SweepVisit> {
    let blocks = 1 + sweep
        .visits
        .iter()
        .map(|visit| visit.block)
        .max()
        .unwrap_or(0);
    let rounds = (0..).map(|round| round * blocks);
    let visits = rounds.flat_map(|first| {
        let visits = sweep.visits.iter().copied();
        visits.map(move |visit| SweepVisit {
            block: visit.block + first,
            ..visit
        })
    });
    visits.take(count).collect()
}

fn analyse(sweep: &Sweep, visits: Vec<SweepVisit>) -> Duration {
    let run = SweepRun {
        settings: sweep.settings.clone(),
        plan: sweep.plan.clone(),
        overhead: sweep.overhead,
        integrity: sweep.integrity,
        verdict: sweep.verdict,
        visits,
    };
    let test = BoundaryTest { ..sweep.test };
    timed(|| run.analyse(test, PAGE_SIZE, None)).0
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.collect();
    times.sort();
    times[times.len() / 2]
}
