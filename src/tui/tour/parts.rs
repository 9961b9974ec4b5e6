//! Where in a recording the steps of a tour are.

use std::time::Duration;

use crate::record::{Recording, SourceKind, What};
use crate::sample::Sample;
use crate::workload::{Line, Settings};

use super::{Stage, Step, Tour};

/// The part of a recording that a step shows, in nanoseconds since the source
/// started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its first sample, or where the step before came to.
    pub from_ns: u64,
    /// Where what the step states ends; not before `from_ns`.
    pub until_ns: u64,
}

impl Part {
    /// Where a step that lasts so long comes to.
    pub fn end_ns(self, wait: Duration) -> u64 {
        let end = self.from_ns.saturating_add(wait.as_nanos() as u64);
        end.min(self.until_ns)
    }
}

/// Why a tour cannot be played on a recording.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lack(String);

/// Samples that count in a statistic, all under the same settings.
struct Run<'a> {
    from_ns: u64,
    until_ns: u64,
    settings: &'a Settings,
    line: Option<&'a Line>,
}

impl Run<'_> {
    fn fits(&self, step: &Step) -> bool {
        let mut stated = step.stated.iter();
        stated.all(|setting| setting.is_kept(step, self.settings, self.line))
    }
}

/// The part of each step in a recording that messages call `name`: what comes
/// next after the step before of what it states, or else the first of it.
///
/// # Errors
/// Says which step wants what that the recording has not, or that the tour is
/// of another kind of source.
pub fn parts(tour: &Tour, recording: &Recording, name: &str) -> Result<Vec<Part>, Lack> {
    let (of, records) = match (tour.stage, recording.header.source) {
        (Stage::Workload, SourceKind::Link) => ("a driven pty", "a link"),
        (Stage::Link, SourceKind::Workload) => ("a link", "a driven pty"),
        _ => ("", ""),
    };
    if of != records {
        let why = format!("tour {} is of {of}, {name} of {records}", tour.name);
        return Err(Lack(why));
    }
    let runs = runs(recording);
    let mut came_to = 0;
    let mut parts = Vec::with_capacity(tour.steps.len());
    for (step, number) in tour.steps.iter().zip(1..) {
        let found = next(&runs, step, came_to).or_else(|| next(&runs, step, 0));
        let part = found.ok_or_else(|| lack(&runs, tour, step, number, name))?;
        came_to = part.end_ns(step.wait);
        parts.push(part);
    }
    Ok(parts)
}

/// The next part that fits the step and goes on after that moment.
fn next(runs: &[Run], step: &Step, after: u64) -> Option<Part> {
    let goes_on = |run: &Run| run.until_ns > after || after == 0;
    let at = runs.iter().position(|run| goes_on(run) && run.fits(step))?;
    let fitting = runs.get(at..)?.iter().take_while(|run| run.fits(step));
    Some(Part {
        from_ns: runs.get(at)?.from_ns.max(after),
        until_ns: fitting.last()?.until_ns,
    })
}

fn lack(runs: &[Run], tour: &Tour, step: &Step, number: usize, name: &str) -> Lack {
    let whose = format!("step {number} of tour {} wants", tour.name);
    let told = |settings: Vec<_>| -> String {
        let told: Vec<_> = settings
            .iter()
            .map(|s: &super::Setting| s.told(step))
            .collect();
        told.join(", ")
    };
    let is_nowhere = |setting: &super::Setting| {
        let mut all = runs.iter();
        !all.any(|run| setting.is_kept(step, run.settings, run.line))
    };
    let stated = step.stated.iter().copied();
    let missing: Vec<_> = stated.clone().filter(is_nowhere).collect();
    Lack(if runs.is_empty() {
        format!("{whose} samples that count in a statistic, of which {name} has none")
    } else if missing.is_empty() {
        let all = told(stated.collect());
        format!("{whose} {all}, which {name} never has together")
    } else {
        format!("{whose} {}, of which {name} has nothing", told(missing))
    })
}

fn runs(recording: &Recording) -> Vec<Run<'_>> {
    let mut runs: Vec<Run> = Vec::new();
    // Whether the last run may go on.
    let mut open = false;
    for entry in &recording.entries {
        let What::Sample(sample) = &entry.what else {
            continue;
        };
        let (settings, line) = in_force(sample);
        let last = runs.last_mut();
        let last = last.filter(|run| open && run.settings == settings && run.line == line);
        match last {
            Some(run) if sample.counts() => run.until_ns = entry.at_ns,
            Some(_) => {}
            None => open = false,
        }
        if !open && sample.counts() {
            open = true;
            runs.push(Run {
                from_ns: entry.at_ns,
                until_ns: entry.at_ns,
                settings,
                line,
            });
        }
    }
    runs
}

fn in_force(sample: &Sample) -> (&Settings, Option<&Line>) {
    (
        &sample.settings,
        sample.link.as_ref().map(|link| &*link.line),
    )
}
