//! Releases of the kernel, and what was different in some of them.

use std::fmt;

/// A release number of Linux: `6.12.117`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u32, pub u32, pub u32);

impl Release {
    /// Reads the numbers at the start of uname(2)'s release; a missing or
    /// unreadable one counts as 0.
    pub fn parse(text: &str) -> Self {
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Self(next(), next(), next())
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(major, minor, 0) => write!(f, "{major}.{minor}"),
            Self(major, minor, patch) => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

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
    pub from: Release,
    /// The first release that behaves as expected again.
    pub until: Release,
    /// What is different.
    pub kind: Kind,
    /// What it does instead.
    pub what: &'static str,
    /// The commit or release that changed it.
    pub fixed: &'static str,
}

impl Era {
    /// Documented behaviour of all releases before `until`.
    pub(super) const fn before(until: Release, what: &'static str, fixed: &'static str) -> Self {
        Self {
            from: Release(0, 0, 0),
            until,
            kind: Kind::Changed,
            what,
            fixed,
        }
    }

    /// A fault of the releases from `from` to before `until`.
    pub(super) const fn bug(from: Release, until: Release, what: &'static str, fixed: &'static str) -> Self {
        Self {
            from,
            until,
            kind: Kind::Bug,
            what,
            fixed,
        }
    }

    /// Whether `release` is in the range.
    pub fn covers(&self, release: Release) -> bool {
        self.from <= release && release < self.until
    }
}

/// `before 6.0: passes the ^S by (6.0)`
impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == Release(0, 0, 0) {
            write!(f, "before {}", self.until)?;
        } else {
            write!(f, "{} to before {}", self.from, self.until)?;
        }
        let what = match self.kind {
            Kind::Changed => self.what.to_owned(),
            Kind::Bug => format!("bug: {}", self.what),
        };
        write!(f, ": {what}; changed by {}", self.fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_read_from_what_uname_says() {
        assert_eq!(Release::parse("6.18.44-fc-v657"), Release(6, 18, 44));
        assert_eq!(Release::parse("4.8.0-rc6"), Release(4, 8, 0));
        assert_eq!(Release::parse("7.0"), Release(7, 0, 0));
        assert_eq!(Release::parse("banana"), Release(0, 0, 0));
        assert_eq!(Release::parse("99999999999.1"), Release(0, 1, 0));
    }

    #[test]
    fn an_era_ends_before_its_fix() {
        let era = Era::bug(Release(3, 12, 0), Release(3, 19, 0), "", "");
        assert!(!era.covers(Release(3, 11, 10)));
        assert!(era.covers(Release(3, 12, 0)));
        assert!(era.covers(Release(3, 18, 140)));
        assert!(!era.covers(Release(3, 19, 0)));
    }
}
