//! What a run of checks found, as plain data.

use serde::{Deserialize, Serialize};

use super::runner::{Finding, Settings};
use super::{Class, find};

/// Everything that a run of checks found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkup {
    /// How the checks were run.
    pub terms: Terms,
    /// How many ended in which class.
    pub counts: Counts,
    /// Each check, in the order of the groups.
    pub checks: Vec<Described>,
}

/// How the checks were run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The longest that one wait may take, in milliseconds.
    pub deadline_ms: u64,
    /// How many ran at once.
    pub jobs: usize,
    /// How often each ran.
    pub repeat: u32,
    /// Where pseudo-random numbers started.
    pub seed: u64,
    /// Whether findings about the environment count as failures.
    pub strict_env: bool,
    /// Wall time of the whole run, in milliseconds.
    pub ms: u64,
}

impl Terms {
    /// The terms of `settings`, for a run that took `ms`.
    pub fn of(settings: &Settings, strict_env: bool, ms: u64) -> Self {
        Self {
            deadline_ms: u64::try_from(settings.deadline.as_millis()).unwrap_or(u64::MAX),
            jobs: settings.jobs,
            repeat: settings.repeat,
            seed: settings.seed,
            strict_env,
            ms,
        }
    }
}

/// How many checks ended in which class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// As expected.
    pub pass: usize,
    /// The kernel broke its contract.
    pub fail: usize,
    /// The documented behaviour of an old kernel.
    pub known: usize,
    /// The machine's set-up.
    pub env: usize,
    /// Not carried out.
    pub skip: usize,
    /// The limit was reached.
    pub hang: usize,
}

impl Counts {
    /// Counts findings.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            *counts.slot(finding.outcome.class) += 1;
        }
        counts
    }

    fn slot(&mut self, class: Class) -> &mut usize {
        match class {
            Class::Pass => &mut self.pass,
            Class::Fail => &mut self.fail,
            Class::Known => &mut self.known,
            Class::Env => &mut self.env,
            Class::Skip => &mut self.skip,
            Class::Hang => &mut self.hang,
        }
    }

    /// How many ended in `class`.
    pub fn get(mut self, class: Class) -> usize {
        *self.slot(class)
    }
}

/// A finding with what its check says of itself, so that a file can be read
/// without this program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// What holds when the check passes.
    pub title: String,
    /// Since which kernel.
    pub since: String,
    /// What a failure means for programs.
    pub means: String,
    /// Why the expectation is believed.
    pub sources: Vec<String>,
    /// Public reports of the same trouble.
    pub reports: Vec<String>,
}

impl From<Finding> for Described {
    fn from(finding: Finding) -> Self {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let check = find(&finding.id);
        let text = |of: fn(&super::Check) -> &'static str| check.map_or("", of).to_owned();
        Self {
            title: text(|check| check.title),
            since: text(|check| check.since),
            means: text(|check| check.means),
            sources: check.map_or(Vec::new(), |check| owned(check.sources)),
            reports: check.map_or(Vec::new(), |check| owned(check.reports)),
            finding,
        }
    }
}

impl Checkup {
    /// What `findings` come to.
    pub fn new(terms: Terms, findings: Vec<Finding>) -> Self {
        Self {
            terms,
            counts: Counts::of(&findings),
            checks: findings.into_iter().map(Described::from).collect(),
        }
    }

    /// The findings alone.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.checks.iter().map(|check| &check.finding)
    }
}
