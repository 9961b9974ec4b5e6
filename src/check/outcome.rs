//! What can come of a check.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::Era;
use crate::pty::KernelVersion;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// As expected.
    Pass,
    /// The kernel broke its contract.
    Fail,
    /// The documented behaviour of an old kernel.
    Known,
    /// Mounts, permissions or sysctls, not the kernel.
    Env,
    /// Not carried out.
    Skip,
    /// The limit was reached; the check may be stuck in the kernel.
    Hang,
}

impl Class {
    /// All classes, in the order in which they are counted.
    pub const ALL: [Self; 6] = [
        Self::Pass,
        Self::Fail,
        Self::Known,
        Self::Env,
        Self::Skip,
        Self::Hang,
    ];

    /// One word, as in the reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Known => "known",
            Self::Env => "env",
            Self::Skip => "skip",
            Self::Hang => "hang",
        }
    }
}

/// How one check ended, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The class.
    pub class: Class,
    /// What was expected, where something else came.
    #[serde(default)]
    pub expected: Option<String>,
    /// What came instead; the reason of a skip; a figure of a pass.
    #[serde(default)]
    pub got: Option<String>,
    /// Which old kernels do so, and what changed it.
    #[serde(default)]
    pub known: Option<String>,
}

impl Outcome {
    /// An outcome that is told by `got` alone.
    pub fn told(class: Class, got: impl Into<String>) -> Self {
        Self {
            class,
            expected: None,
            got: Some(got.into()),
            known: None,
        }
    }
}

/// What a check function returns: perhaps a figure worth showing, or why it
/// stopped.
pub type Verdict = Result<Option<String>, Stop>;

/// Why a check stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Something else came than what was expected.
    Fail {
        /// What was expected.
        expected: String,
        /// What came.
        got: String,
    },
    /// What came is what the kernels of an era do (an index into
    /// [`super::Check::eras`]).
    Old {
        /// Which of the check's eras.
        era: usize,
        /// What was expected.
        expected: String,
        /// What came.
        got: String,
    },
    /// The machine's set-up is in the way.
    Env(String),
    /// It cannot be carried out here.
    Skip(String),
}

impl Stop {
    /// A failure.
    pub(super) fn fail(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Fail {
            expected: expected.into(),
            got: got.into(),
        }
    }

    /// A failure that the kernels of the check's era number `era` show too.
    pub(super) fn or_era(self, era: usize) -> Self {
        match self {
            Self::Fail { expected, got } => Self::Old { era, expected, got },
            other => other,
        }
    }

    /// The same, told of a part of the check.
    pub(super) fn within(self, part: impl std::fmt::Display) -> Self {
        match self {
            Self::Fail { expected, got } => Self::Fail {
                expected: format!("{part}: {expected}"),
                got,
            },
            Self::Old { era, expected, got } => Self::Old {
                era,
                expected: format!("{part}: {expected}"),
                got,
            },
            other => other,
        }
    }

    /// The outcome on `release`, given the check's eras.
    pub(super) fn outcome(self, eras: &[Era], release: KernelVersion) -> Outcome {
        let (expected, got, era) = match self {
            Self::Env(reason) => return Outcome::told(Class::Env, reason),
            Self::Skip(reason) => return Outcome::told(Class::Skip, reason),
            Self::Fail { expected, got } => (expected, got, None),
            Self::Old { era, expected, got } => (expected, got, eras.get(era)),
        };
        let class = match era {
            Some(era) if era.covers(release) && era.kind == super::Kind::Changed => Class::Known,
            _ => Class::Fail,
        };
        Outcome {
            class,
            expected: Some(expected),
            got: Some(got),
            known: era.map(|era| {
                let note: Cow<'_, str> = if era.covers(release) {
                    "".into()
                } else {
                    format!("; this is {release}, which should not").into()
                };
                format!("{era}{note}")
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dated;
    use super::*;

    const CHANGED: Era = Era::before(
        KernelVersion::new(6, 0, 0),
        "does not look ahead",
        Dated::Commit("6.0"),
    );
    const BUG: Era = Era::bug(
        KernelVersion::new(3, 12, 0),
        KernelVersion::new(3, 19, 0),
        "overruns",
        "fb5ef9e7da39",
    );

    fn old(era: usize, release: KernelVersion) -> Outcome {
        Stop::fail("a", "b")
            .or_era(era)
            .outcome(&[CHANGED, BUG], release)
    }

    #[test]
    fn documented_behaviour_of_an_old_kernel_is_known() {
        assert_eq!(old(0, KernelVersion::new(5, 5, 11)).class, Class::Known);
    }

    #[test]
    fn the_same_behaviour_on_a_kernel_that_should_know_better_fails() {
        let outcome = old(0, KernelVersion::new(6, 1, 0));
        assert_eq!(outcome.class, Class::Fail);
        assert!(
            outcome
                .known
                .unwrap()
                .contains("this is 6.1.0, which should not")
        );
    }

    #[test]
    fn a_mended_bug_fails_where_it_is_found_and_names_its_remedy() {
        let outcome = old(1, KernelVersion::new(3, 13, 11));
        assert_eq!(outcome.class, Class::Fail);
        assert!(outcome.known.unwrap().contains("fb5ef9e7da39"));
    }

    #[test]
    fn an_era_that_does_not_exist_is_a_plain_failure() {
        assert_eq!(old(7, KernelVersion::new(3, 13, 11)).known, None);
    }
}
