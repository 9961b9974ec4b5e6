//! How far a run has come, on stderr while that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::words::told_in_line;

/// A line that is written over itself.
#[derive(Debug)]
pub struct Progress {
    shown: bool,
    due: Option<Instant>,
}

/// Seldom enough not to disturb what is measured.
const INTERVAL: Duration = Duration::from_millis(500);

impl Progress {
    /// Shows nothing unless stderr is a terminal that knows escape sequences.
    pub fn new() -> Self {
        let knows = std::env::var_os("TERM").is_none_or(|name| name != "dumb");
        let can = io::stderr().is_terminal() && knows;
        Self {
            shown: false,
            due: can.then(Instant::now),
        }
    }

    /// Shows the line that `text` makes, if it is time.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        let now = Instant::now();
        if self.due.is_some_and(|due| now >= due) {
            self.due = Some(now + INTERVAL);
            self.shown = true;
            // Nothing depends on it, so a failure is none.
            let _ = write!(io::stderr(), "\r{}\x1b[K", told_in_line(&text()));
        }
    }

    /// Takes the line away, since something else is about to be written; the
    /// next one is shown at once.
    pub fn hide(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
            self.due = Some(Instant::now());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.hide();
    }
}
