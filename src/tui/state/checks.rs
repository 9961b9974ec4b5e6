//! Checks of the kernel's pty layer: how far a run of them is, and what it
//! found.

use std::time::Duration;

use crate::check::checkup::Counts;
use crate::check::runner::Finding;
use crate::check::{Check, Class};

/// What a run of checks says while it goes on.
#[derive(Debug, Clone)]
pub enum News {
    /// A check has begun.
    Started(&'static str),
    /// A check has ended.
    Finished(Finding),
    /// The run is over, after so long.
    Over(Duration),
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// None was asked for yet.
    Idle,
    /// Checks run.
    Running,
    /// The user wants no more of them; the last ones are being killed.
    Halting,
    /// All have ended, or were stopped, after so long.
    Over(Duration),
}

/// The last run of checks, and what the user looks at.
#[derive(Debug, Clone)]
pub struct Checks {
    /// How far it is.
    pub phase: Phase,
    /// How many checks it is about.
    pub planned: usize,
    /// Those under way.
    pub under_way: Vec<&'static str>,
    /// What was found, in the order in which the checks ended.
    pub findings: Vec<Finding>,
    /// Which finding is selected; none: the last one, whichever that is.
    selected: Option<usize>,
    /// How far the explanation of the selected one is scrolled, while it is
    /// open.
    pub open: Option<u16>,
}

impl Checks {
    /// Before the first run.
    pub fn new() -> Self {
        Self {
            phase: Phase::Idle,
            planned: 0,
            under_way: Vec::new(),
            findings: Vec::new(),
            selected: None,
            open: None,
        }
    }

    /// Begins a run of so many checks; the last one is forgotten.
    pub fn begin(&mut self, planned: usize) {
        *self = Self {
            phase: Phase::Running,
            planned,
            ..Self::new()
        };
    }

    /// Whether processes of checks may be there.
    pub fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Halting)
    }

    /// Takes in what the run says.
    pub fn feed(&mut self, news: News) {
        match news {
            News::Started(id) => self.under_way.push(id),
            News::Finished(finding) => {
                self.under_way.retain(|id| *id != finding.id);
                self.findings.push(finding);
            }
            News::Over(after) => {
                self.phase = Phase::Over(after);
                self.under_way.clear();
                // What went wrong comes before the eyes, unless they are
                // elsewhere.
                let worst = || self.findings.iter().position(is_bad);
                self.selected = self.selected.or_else(worst);
            }
        }
    }

    /// How many ended in which class.
    pub fn counts(&self) -> Counts {
        Counts::of(&self.findings)
    }

    /// The place of the selected finding.
    pub fn at(&self) -> usize {
        let last = self.findings.len().saturating_sub(1);
        self.selected.unwrap_or(last).min(last)
    }

    /// The selected finding and its check, once there is one.
    pub fn selected(&self) -> Option<(&Finding, &'static Check)> {
        let finding = self.findings.get(self.at())?;
        Some((finding, crate::check::find(&finding.id)?))
    }

    /// Selects the finding below (`true`) or above. Below the last one, the
    /// newest is followed.
    pub fn turn(&mut self, down: bool) {
        let at = self.at();
        let next = if down { at + 1 } else { at.saturating_sub(1) };
        self.selected = Some(next).filter(|&next| next < self.findings.len());
    }

    /// Opens the explanation of the selected finding, if there is one, or
    /// closes it. What is open stays selected while others end.
    pub fn toggle(&mut self) {
        let there = !self.findings.is_empty();
        self.open = (self.open.is_none() && there).then_some(0);
        if self.open.is_some() {
            self.selected = Some(self.at());
        }
    }
}

fn is_bad(finding: &Finding) -> bool {
    matches!(finding.outcome.class, Class::Fail | Class::Hang)
}
