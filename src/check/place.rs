//! Where a process is.

use std::fmt;

/// What /proc says of a process (proc_pid_stat(5), proc_pid_wchan(5)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) pid: u32,
    pub(super) session: u32,
    /// R, S, D, T, Z, …
    state: String,
    /// The kernel function that it sleeps in; empty where that is not told.
    wchan: String,
}

impl Place {
    /// None when there is no such process, or no /proc.
    pub(super) fn of(pid: u32) -> Option<Self> {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}"));
        let (state, session) = parse(&read("stat").ok()?)?;
        let wchan = read("wchan").unwrap_or_default();
        Some(Self {
            pid,
            session,
            state,
            wchan: wchan.trim_matches(['0', '\n']).to_owned(),
        })
    }
}

/// The name may hold anything, so fields count from its last ")": state,
/// parent, process group, session.
fn parse(stat: &str) -> Option<(String, u32)> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.to_owned();
    Some((state, fields.nth(2)?.parse().ok()?))
}

/// `pid 7 in state S in n_tty_read`
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pid {} in state {}", self.pid, self.state)?;
        match self.wchan.as_str() {
            "" => Ok(()),
            wchan => write!(f, " in {wchan}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_spaces_and_brackets_do_not_shift_the_fields() {
        let stat = "77 (a ) R 1) T 70 77 71 34816 77 4194304";
        assert_eq!(parse(stat), Some(("T".to_owned(), 71)));
        assert_eq!(parse("77 (x"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn this_process_runs_in_its_session() {
        let Some(place) = Place::of(std::process::id()) else {
            eprintln!("skipped: /proc is not mounted");
            return;
        };
        let session = nix::unistd::getsid(None).unwrap().as_raw();
        assert_eq!(i64::from(place.session), i64::from(session));
    }
}
