//! A tour of a recording.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::cli::ReplayArgs;
use crate::record::{Recording, What};
use crate::tui::{self, App, Part, Tour};

use super::super::output::say;
use super::super::{Usage, live, plain};
use super::told_to;

/// The tour that the command line asks for.
pub fn asked(args: &ReplayArgs) -> anyhow::Result<Option<Arc<Tour>>> {
    let Some(name) = &args.screen.tour else {
        return Ok(None);
    };
    let others = [
        (args.at.is_some(), "--at"),
        (args.format.is_some(), "--format"),
        (args.snapshot.snapshot.is_some(), "--snapshot"),
    ];
    if let Some((_, flag)) = others.iter().find(|(is_there, _)| *is_there) {
        let why = format!("--tour goes through the recording by itself: no {flag} beside it");
        return Err(Usage(why).into());
    }
    live::tour(name).map(Some)
}

/// A tour and where its steps are.
pub struct Guided {
    tour: Arc<Tour>,
    parts: Vec<Part>,
}

impl Guided {
    /// Of the recording in `file`.
    pub fn on(recording: &Recording, tour: Arc<Tour>, file: &Path) -> anyhow::Result<Self> {
        let parts = tui::tour_parts(&tour, recording, &file.display().to_string());
        let parts = parts.map_err(|lack| Usage(lack.to_string()))?;
        Ok(Self { tour, parts })
    }

    /// Plays it on the screen.
    pub fn start(self, app: &mut App) {
        // Nothing is asked of a recording.
        drop(tui::start_tour(app, self.tour));
    }

    /// The lines of the plain live run with a tour, without waiting.
    pub fn lines(&self, recording: &Recording) -> anyhow::Result<ExitCode> {
        let mut lines = told_to(recording)?;
        let mut came_to = None;
        for ((step, part), number) in self.tour.steps.iter().zip(&self.parts).zip(1..) {
            lines.tell(&plain::step_line(&self.tour, number, step))?;
            let end_ns = part.end_ns(step.wait);
            let goes_on = came_to.replace(end_ns) == Some(part.from_ns);
            // What ends where a step goes on has been told.
            let is_before = |at_ns| at_ns < part.from_ns || goes_on && at_ns == part.from_ns;
            let entries = &recording.entries;
            let first = entries.partition_point(|entry| is_before(entry.at_ns));
            let end = entries.partition_point(|entry| entry.at_ns <= end_ns);
            for entry in entries.get(first..end).unwrap_or_default() {
                match &entry.what {
                    What::Sample(sample) => {
                        // Without a script nothing is asked for.
                        let _ = lines.take(sample)?;
                    }
                    What::Key { key, does } => lines.tell(&format!("key {key}: {does}"))?,
                    What::Notice(notice) => say(notice.text()),
                    _ => {}
                }
            }
        }
        lines.tell(plain::TOUR_OVER)?;
        let mut ends = recording.entries.iter().rev();
        Ok(ends
            .find_map(|entry| match &entry.what {
                What::Ended(ended) => Some(plain::conclude(&ended.ending)),
                _ => None,
            })
            .unwrap_or(ExitCode::SUCCESS))
    }
}
