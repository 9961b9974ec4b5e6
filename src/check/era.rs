//! What was different in some releases of the kernel.

use std::fmt;

use crate::pty::KernelVersion;

/// What a difference of an old kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Documented behaviour that changed later: reported as known.
    Changed,
    /// A fault that was mended later: reported as a failure, with its remedy.
    Bug,
}

/// A range of releases in which the kernel behaves otherwise.
///
/// Behaviour decides, the release only explains: a kernel in the range that
/// behaves as a current one (a distribution's backport) passes, and one outside
/// it that behaves as an old one fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Era {
    /// The first such release.
    pub from: KernelVersion,
    /// The first release that behaves as expected again.
    pub until: KernelVersion,
    /// What is different.
    pub kind: Kind,
    /// What it does instead.
    pub what: &'static str,
    /// How it is known that `until` is the release.
    pub dated: Dated,
}

/// How it is known which release changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dated {
    /// By the commit that did.
    Commit(&'static str),
    /// By a manual page.
    Manual(&'static str),
    /// It is not known: the kernel was run, or its source read, in this release
    /// and behaved so, and the era's `until` is the next that was, and behaved
    /// otherwise. The change is somewhere between.
    Between {
        /// The last release that was seen to behave so.
        last: KernelVersion,
        /// The commit that did it, where it is known though not its release.
        commit: &'static str,
    },
}

impl Era {
    /// Documented behaviour of all releases before `until`.
    pub(super) const fn before(until: KernelVersion, what: &'static str, dated: Dated) -> Self {
        Self {
            from: KernelVersion::new(0, 0, 0),
            until,
            kind: Kind::Changed,
            what,
            dated,
        }
    }

    /// Behaviour that was seen in `last` and no more in `until`; what happened
    /// between them is not known.
    pub(super) const fn between(
        last: KernelVersion,
        until: KernelVersion,
        what: &'static str,
    ) -> Self {
        Self::before(until, what, Dated::Between { last, commit: "" })
    }

    /// A fault of the releases from `from` to before `until`.
    pub(super) const fn bug(
        from: KernelVersion,
        until: KernelVersion,
        what: &'static str,
        fixed: &'static str,
    ) -> Self {
        Self {
            from,
            until,
            kind: Kind::Bug,
            what,
            dated: Dated::Commit(fixed),
        }
    }

    /// Whether `release` is in the range.
    pub fn covers(&self, release: KernelVersion) -> bool {
        self.from <= release && release < self.until
    }
}

/// `before 4.13: does not know TIOCGPTPEER; changed by 54ebbfb16034`, or `in 4.8,
/// no more in 4.17: has no tty-index; which release between them changed it is
/// not known`
impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from != KernelVersion::new(0, 0, 0) {
            write!(f, "from {} ", short(self.from))?;
        }
        let until = short(self.until);
        match self.dated {
            Dated::Between { last, .. } => write!(f, "in {}, no more in {until}", short(last))?,
            _ => write!(f, "before {until}")?,
        }
        let what = match self.kind {
            Kind::Changed => self.what.to_owned(),
            Kind::Bug => format!("bug: {}", self.what),
        };
        write!(f, ": {what}")?;
        match self.dated {
            Dated::Commit(commit) => write!(f, "; changed by {commit}"),
            Dated::Manual(page) => write!(f, "; {page} says so"),
            Dated::Between { commit: "", .. } => {
                write!(f, "; which release between them changed it is not known")
            }
            Dated::Between { commit, .. } => {
                write!(f, "; changed between them by {commit}")
            }
        }
    }
}

/// `6.0` for 6.0.0.
fn short(version: KernelVersion) -> String {
    match version.patch {
        0 => format!("{}.{}", version.major, version.minor),
        _ => version.to_string(),
    }
}

/// The running kernel's release. One that cannot be read counts as newer than
/// all: nothing is excused by an age that is not known.
pub fn running() -> KernelVersion {
    KernelVersion::running().unwrap_or(KernelVersion::new(u16::MAX, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_named_as_that_of_a_change_only_where_it_is_known() {
        let [last, until] = [KernelVersion::new(4, 8, 0), KernelVersion::new(4, 17, 0)];
        let told = |era: Era| era.to_string();
        assert_eq!(
            told(Era::before(until, "lacks it", Dated::Commit("abc (4.17)"))),
            "before 4.17: lacks it; changed by abc (4.17)"
        );
        assert_eq!(
            told(Era::between(last, until, "lacks it")),
            "in 4.8, no more in 4.17: lacks it; which release between them changed it is not known"
        );
        let eras = super::super::all().flat_map(|check| check.eras);
        for era in eras {
            match era.dated {
                Dated::Commit(text) | Dated::Manual(text) => assert!(!text.is_empty(), "{era}"),
                Dated::Between { last, .. } => assert!(last < era.until, "{era}"),
            }
        }
    }

    #[test]
    fn an_era_ends_before_its_fix() {
        let era = Era::bug(
            KernelVersion::new(3, 12, 0),
            KernelVersion::new(3, 19, 0),
            "",
            "",
        );
        assert!(!era.covers(KernelVersion::new(3, 11, 10)));
        assert!(era.covers(KernelVersion::new(3, 12, 0)));
        assert!(era.covers(KernelVersion::new(3, 18, 140)));
        assert!(!era.covers(KernelVersion::new(3, 19, 0)));
    }
}
