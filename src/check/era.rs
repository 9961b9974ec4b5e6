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
    /// The commit that changed it; empty where none is known.
    pub fixed: &'static str,
}

impl Era {
    /// Documented behaviour of all releases before `until`.
    pub(super) const fn before(
        until: KernelVersion,
        what: &'static str,
        fixed: &'static str,
    ) -> Self {
        Self {
            from: KernelVersion::new(0, 0, 0),
            until,
            kind: Kind::Changed,
            what,
            fixed,
        }
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
            fixed,
        }
    }

    /// Whether `release` is in the range.
    pub fn covers(&self, release: KernelVersion) -> bool {
        self.from <= release && release < self.until
    }
}

/// `before 4.13: does not know TIOCGPTPEER; changed by 54ebbfb16034`
impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from != KernelVersion::new(0, 0, 0) {
            write!(f, "from {} ", short(self.from))?;
        }
        write!(f, "before {}", short(self.until))?;
        let what = match self.kind {
            Kind::Changed => self.what.to_owned(),
            Kind::Bug => format!("bug: {}", self.what),
        };
        write!(f, ": {what}")?;
        match self.fixed {
            "" => Ok(()),
            fixed => write!(f, "; changed by {fixed}"),
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
