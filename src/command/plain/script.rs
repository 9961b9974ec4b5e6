//! What is said and set meanwhile.

use std::sync::Arc;

use crate::record::Journal;
use crate::sample::Request;
use crate::tui::{Stage, Tour};

use super::words::{TOUR_OVER, caption_line, step_line};

/// A caption, and a tour.
#[derive(Debug)]
pub struct Script {
    caption: Option<String>,
    tour: Option<Arc<Tour>>,
    /// The step that comes next, and when, in nanoseconds since the source
    /// started.
    next: usize,
    due: u64,
    /// Where what is said is recorded.
    journal: Option<Journal>,
}

impl Script {
    /// Says `caption` once, and plays the tour.
    pub fn new(caption: Option<&str>, tour: Option<Arc<Tour>>) -> Self {
        Self {
            caption: caption.map(str::to_owned),
            tour,
            next: 0,
            due: 0,
            journal: None,
        }
    }

    /// Records what is said.
    pub fn recorded(self, journal: Option<&Journal>) -> Self {
        if let Some((journal, caption)) = journal.zip(self.caption.as_deref()) {
            journal.caption(Some(caption));
        }
        Self {
            journal: journal.cloned(),
            ..self
        }
    }

    /// What is to be said first.
    pub fn caption(&self) -> Option<String> {
        self.caption.as_deref().map(caption_line)
    }

    /// What the tour says and asks for, when it is time.
    pub fn advance(&mut self, now: u64) -> Option<(String, Option<Request>)> {
        let tour = self.tour.as_ref().filter(|_| now >= self.due)?;
        let Some(step) = tour.steps.get(self.next) else {
            self.tour = None;
            return Some((TOUR_OVER.to_owned(), None));
        };
        self.next += 1;
        self.due = now.saturating_add(step.wait.as_nanos() as u64);
        if let Some(journal) = &self.journal {
            journal.caption(Some(&step.caption));
        }
        let words = step_line(tour, self.next, step);
        let request = match tour.stage {
            Stage::Workload => Request::Set(step.settings.clone()),
            Stage::Link => Request::SetLine(step.line.clone()),
        };
        // The source runs under what the first step sets.
        Some((words, (self.next > 1).then_some(request)))
    }
}
