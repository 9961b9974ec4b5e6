//! Which checks a run includes.

use super::{Check, Tier, all};

/// What was asked for on the command line.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Also the second tier.
    pub all: bool,
    /// Patterns of ids to include; none means those of the tier.
    pub only: Vec<String>,
    /// Patterns of ids to leave out.
    pub skip: Vec<String>,
}

/// A pattern that matches no check.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no check is called {0:?}; --list shows them all")]
pub struct NoSuchCheck(pub String);

impl Selection {
    /// The checks selected, in the order of their groups. A pattern of `only`
    /// takes in the second tier too.
    ///
    /// # Errors
    /// A pattern that matches no check at all.
    pub fn checks(&self) -> Result<Vec<&'static Check>, NoSuchCheck> {
        for pattern in self.only.iter().chain(&self.skip) {
            if !all().any(|check| matches(pattern, check.id)) {
                return Err(NoSuchCheck(pattern.clone()));
            }
        }
        let any = |patterns: &[String], id| patterns.iter().any(|pattern| matches(pattern, id));
        Ok(all()
            .filter(|check| {
                if self.only.is_empty() {
                    self.all || check.tier == Tier::First
                } else {
                    any(&self.only, check.id)
                }
            })
            .filter(|check| !any(&self.skip, check.id))
            .collect())
    }
}

/// Whether the shell pattern (`*` and `?`) matches all of `text`.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Where to go on when what follows the last star does not fit.
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == b'?' || Some(&c) == text.get(t) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, want) in [
            ("close.*", "close.drain", true),
            ("close.*", "flow.xoff", false),
            ("*", "sti", true),
            ("", "sti", false),
            ("st?", "sti", true),
            ("*.e*o", "close.eio", true),
            ("*.e*o", "canon.eof-exact", false),
            ("**", "x", true),
            ("raw.?2?-256", "raw.s2m-256", true),
            ("close", "close.drain", false),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} {text}");
        }
    }

    #[test]
    fn only_reaches_the_second_tier_and_skip_wins() {
        let ids = |selection: Selection| -> Vec<_> {
            selection
                .checks()
                .unwrap()
                .iter()
                .map(|check| check.id)
                .collect()
        };
        let only = |only: &str, skip: &str| Selection {
            only: vec![only.to_owned()],
            skip: vec![skip.to_owned()],
            all: false,
        };
        assert_eq!(ids(only("open.misc", "sti")), ["open.misc"]);
        assert_eq!(ids(only("open.misc", "open.*")), [""; 0]);
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let selection = Selection {
            skip: vec!["close.drian".to_owned()],
            ..Selection::default()
        };
        assert_eq!(
            selection.checks().map(|checks| checks.len()),
            Err(NoSuchCheck("close.drian".to_owned()))
        );
    }
}
