//! One workload from start to end.

use std::time::{Duration, Instant};

use anyhow::Context;

use crate::engine::{Engine, Options};
use crate::record::Journal;
use crate::report::{Collector, Measurement};
use crate::sample::{Integrity, Notice, Verdict};
use crate::workload::{Settings, units};

use super::output;
use super::progress::Progress;
use super::stop::Stop;

/// A workload that has ended.
#[derive(Debug)]
pub struct Run {
    /// What was measured.
    pub measurement: Measurement,
    /// Bytes that the ptys were filled with before.
    pub prefilled: u64,
    /// How it ended.
    pub end: End,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// When it should.
    Complete,
    /// A signal asked for it.
    Interrupted,
    /// It could not go on, for this reason.
    Failed(String),
}

impl End {
    /// Why it ended before its time, if it did.
    pub fn cut_short(&self) -> Option<String> {
        match self {
            Self::Complete => None,
            Self::Interrupted => Some("interrupted by a signal".to_owned()),
            Self::Failed(reason) => Some(reason.clone()),
        }
    }
}

/// Says on stderr what went wrong, for those who do not read the report.
pub fn tell(end: &End, measured: (Verdict, Integrity)) {
    if let End::Failed(reason) = end {
        output::say(format!("cut short: {reason}"));
    }
    if let (Verdict::Damaged, integrity) = measured {
        output::say(format!("bytes were lost, doubled or changed: {integrity}"));
    }
}

/// The first interval; a long run takes longer ones.
const INTERVAL: Duration = Duration::from_millis(100);
/// After so many intervals, their length doubles.
const DOUBLED_AFTER: usize = 1000;

/// Runs the workload, until the limit of `options` is reached or `length` is
/// over, and records it in `journal`.
///
/// # Errors
/// When it cannot be started; a later failure cuts it short.
pub fn measure(
    settings: Settings,
    options: Options,
    length: Option<Duration>,
    stop: &Stop,
    journal: Option<&Journal>,
) -> anyhow::Result<Run> {
    let mut progress = Progress::new();
    let began = Instant::now();
    let mut engine = Engine::start(settings, options).context("cannot start the workload")?;
    let deadline = length.and_then(|length| began.checked_add(length));
    let mut collector = Collector::default();
    let end = loop {
        let doublings = (collector.len() / DOUBLED_AFTER).min(16) as u32;
        let interval = INTERVAL * 2_u32.pow(doublings);
        let left = deadline.map_or(interval, |at| at.saturating_duration_since(Instant::now()));
        let satisfied = engine.wait(interval.min(left));
        let sample = engine.sample();
        collector.add(&sample);
        if let Some(journal) = journal {
            journal.sample(&sample);
        }
        match engine.watch() {
            Ok(Some(Notice::Changed(text))) => break End::Failed(text),
            Ok(_) => {}
            Err(error) => break End::Failed(error.to_string()),
        }
        if satisfied || deadline.is_some_and(|at| Instant::now() >= at) {
            break End::Complete;
        }
        if stop.is_asked() {
            break End::Interrupted;
        }
        progress.show(|| {
            format!(
                "{:.1} s  {}  (Ctrl-C ends early with a report)",
                began.elapsed().as_secs_f64(),
                units::rate(sample.throughput())
            )
        });
    };
    drop(progress);
    let prefilled = engine.prefilled();
    let ending = engine.end(end.cut_short());
    if let Some(journal) = journal {
        journal.end(&ending, prefilled);
    }
    Ok(Run {
        measurement: collector.finish(&ending),
        prefilled,
        end,
    })
}
