//! The live run as text, a line a second: for a pipe, a log, a screen reader.

mod script;
mod words;

use std::process::ExitCode;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use crate::sample::{Ending, Event, Request, Sample, Source, Sum, Verdict};

use super::output::{print, say};
use super::stop::Stop;
use words::{in_force, line};

pub use script::Script;
pub use words::{TOUR_OVER, caption_line, step_line};

/// Writes a line a second until the source ends or a signal says so, and
/// before them what the script says.
pub fn run(source: &Source, script: Script, stop: &Stop) -> anyhow::Result<ExitCode> {
    let mut teller = Teller::of(script);
    if let Some(caption) = teller.script.caption() {
        teller.tell(&caption)?;
    }
    loop {
        match source.events.recv_timeout(Duration::from_millis(50)) {
            Ok(Event::Sample(sample)) => {
                if let Some(request) = teller.take(&sample)? {
                    // A source that is gone says so by itself.
                    let _ = source.requests.send(request);
                }
            }
            Ok(Event::Notice(notice)) => say(notice.text()),
            Ok(Event::Ended(ending)) => return Ok(conclude(&ending)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the sampling thread died"),
        }
        if stop.is_asked() {
            // The source answers with Ended; when it is gone already, so it does.
            let _ = source.requests.send(Request::Stop);
        }
    }
}

/// Tells on standard output what happens.
pub struct Teller {
    script: Script,
    /// What is not told yet.
    sum: Sum,
    epoch: u32,
    /// The settings that were told last.
    in_force: String,
}

impl Teller {
    /// Tells what happens, and what the script says.
    pub fn of(script: Script) -> Self {
        Self {
            script,
            sum: Sum::default(),
            in_force: String::new(),
            epoch: 0,
        }
    }

    /// A line of its own.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn tell(&self, words: &str) -> anyhow::Result<()> {
        print(&format!("{words}\n"))
    }

    /// Tells what a sample brings; gives what the script asks for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn take(&mut self, sample: &Sample) -> anyhow::Result<Option<Request>> {
        let said = self.script.advance(sample.end_ns);
        if let Some((words, _)) = &said {
            self.tell(words)?;
        }
        if sample.epoch != self.epoch {
            self.epoch = sample.epoch;
            self.sum = Sum::default();
        }
        let now = in_force(sample);
        if now != self.in_force {
            self.tell(&now)?;
            self.in_force = now;
            self.sum = Sum::default();
        }
        self.sum.add(sample);
        if self.sum.seconds >= 0.95 {
            let words = line(&self.sum, sample);
            self.tell(&words)?;
            self.sum = Sum::default();
        }
        Ok(said.and_then(|(_, request)| request))
    }
}

/// Says how a source ended, and what that makes of the exit code.
pub fn conclude(ending: &Ending) -> ExitCode {
    if let Some(failure) = &ending.failure {
        say(failure);
    }
    if ending.verdict == Verdict::Damaged {
        say(format_args!(
            "bytes were lost, doubled or changed: {}",
            ending.integrity
        ));
    }
    if ending.failure.is_some() || ending.verdict == Verdict::Damaged {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
