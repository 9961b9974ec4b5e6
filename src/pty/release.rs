//! Which kernel this is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The first three numbers of a kernel release: `6.18.44-rc1+` is 6.18.44.
///
/// Distributions carry later fixes under an earlier number, so a version only
/// says what to expect; what the kernel does decides.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(into = "String", try_from = "String")]
pub struct KernelVersion {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number, 0 where there is none.
    pub patch: u16,
}

impl KernelVersion {
    /// The version of these three numbers.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// The running kernel's, or `None` where uname(2) gives no such form.
    pub fn running() -> Option<Self> {
        let name = nix::sys::utsname::uname().ok()?;
        name.release().to_str()?.parse().ok()
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}.{}", self.major, self.minor, self.patch))
    }
}

/// A kernel release that does not start with two numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no kernel release: expected a form like 6.18.44 or 4.8.0-rc6")]
pub struct KernelVersionParseError(String);

impl FromStr for KernelVersion {
    type Err = KernelVersionParseError;

    fn from_str(text: &str) -> Result<Self, KernelVersionParseError> {
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (numbers, _suffix) = text.split_at(end);
        let mut parts = numbers.trim_end_matches('.').split('.').map(str::parse);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor)), patch @ (None | Some(Ok(_)))) => Ok(Self::new(
                major,
                minor,
                patch.and_then(Result::ok).unwrap_or(0),
            )),
            _ => Err(KernelVersionParseError(text.to_owned())),
        }
    }
}

impl From<KernelVersion> for String {
    fn from(version: KernelVersion) -> Self {
        version.to_string()
    }
}

impl TryFrom<String> for KernelVersion {
    type Error = KernelVersionParseError;

    fn try_from(text: String) -> Result<Self, KernelVersionParseError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_many_kinds_are_read() {
        for (text, expected) in [
            ("6.18.44-fc-v657", (6, 18, 44)),
            ("2.6.38.2", (2, 6, 38)),
            ("4.8.0-rc6", (4, 8, 0)),
            ("5.15.153.1-microsoft-standard-WSL2", (5, 15, 153)),
            ("6.19-rc1", (6, 19, 0)),
            ("7.0", (7, 0, 0)),
            ("3.10.0-1160.el7.x86_64", (3, 10, 0)),
        ] {
            let (major, minor, patch) = expected;
            assert_eq!(text.parse(), Ok(KernelVersion::new(major, minor, patch)));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "6", "6.", "linux", ".6.1", "6.x", "6..1", "99999.1.0"] {
            assert!(text.parse::<KernelVersion>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn versions_order_as_numbers() {
        let parse = |text: &str| text.parse::<KernelVersion>().unwrap();
        assert!(parse("2.6.38.2") < parse("3.13.11"));
        assert!(parse("4.9.0") < parse("4.17.19"));
        assert_eq!(parse("6.1.177").to_string(), "6.1.177");
    }
}
