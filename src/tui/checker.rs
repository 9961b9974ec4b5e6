//! Runs checks in the background, and tells the screen of them.

use std::io;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::check::Check;
use crate::check::runner::{Event, Halt, Settings, run_until};

use super::input::Input;
use super::state::News;

/// A run of checks. Dropping it ends the checks that still run, and waits for
/// that.
#[derive(Debug)]
pub struct Checker {
    halt: Halt,
    thread: Option<JoinHandle<()>>,
}

impl Checker {
    /// Starts the run; all it has to say goes to `inputs`, in the end that it
    /// is over, whatever happens.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(checks: Vec<&'static Check>, inputs: Sender<Input>) -> io::Result<Self> {
        let halt = Halt::default();
        let asked = halt.clone();
        let thread = thread::Builder::new()
            .name("checks".to_owned())
            .spawn(move || {
                let last = Last {
                    since: Instant::now(),
                    inputs,
                };
                run_until(&checks, &Settings::default(), &asked, |event| {
                    last.tell(match event {
                        Event::Started(check) => News::Started(check.id),
                        Event::Finished(_, finding) => News::Finished(finding.clone()),
                    });
                });
            })?;
        Ok(Self {
            halt,
            thread: Some(thread),
        })
    }

    /// Starts no more checks and kills those that run; the run says itself when
    /// that is done.
    pub fn halt(&self) {
        self.halt.halt();
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        self.halt.halt();
        if let Some(thread) = self.thread.take() {
            // A panic was told already.
            let _ = thread.join();
        }
    }
}

/// Says that the run is over when its thread ends, even by a panic.
struct Last {
    since: Instant,
    inputs: Sender<Input>,
}

impl Last {
    fn tell(&self, news: News) {
        // A screen that is gone need not know.
        let _ = self.inputs.send(Input::Check(news));
    }
}

impl Drop for Last {
    fn drop(&mut self) {
        self.tell(News::Over(self.since.elapsed()));
    }
}
