//! The engine as a source of samples, in a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::sample::{Ending, Event, Notice, Request, Source};
use crate::workload::Settings;

use super::rig::Options;
use super::run::{Engine, Error};

/// The usual length of an interval.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// Starts a workload and hands out its stream. The workload ends after
/// `duration`, when its limit is reached, on [`Request::Stop`], or when the
/// other end of the stream is dropped.
///
/// # Errors
/// Those of [`Engine::start`], or when no thread can be started.
pub fn start(
    settings: Settings,
    options: Options,
    interval: Duration,
    duration: Option<Duration>,
) -> Result<Source, Error> {
    let engine = Engine::start(settings, options)?;
    let (requests, inbox) = mpsc::channel();
    let (outbox, events) = mpsc::channel();
    let end = duration.and_then(|duration| Instant::now().checked_add(duration));
    let pump = Pump {
        engine,
        interval,
        end,
        inbox,
        outbox,
    };
    std::thread::Builder::new()
        .name("source".to_owned())
        .spawn(move || pump.run())
        .map_err(|error| Error::Worker(format!("cannot start the sampling thread: {error}")))?;
    Ok(Source { requests, events })
}

/// Moves requests in and events out.
struct Pump {
    engine: Engine,
    interval: Duration,
    end: Option<Instant>,
    inbox: Receiver<Request>,
    outbox: Sender<Event>,
}

impl Pump {
    fn run(mut self) {
        let failure = self.pump().err().map(|error| error.to_string());
        let (sample, verdict) = self.engine.stop();
        let integrity = sample.integrity;
        // The sink may be gone already; then nobody wants the end.
        let _ = self.outbox.send(Event::Sample(Arc::new(sample)));
        let _ = self.outbox.send(Event::Ended(Ending {
            verdict,
            integrity,
            failure,
        }));
    }

    /// Until it is to end.
    fn pump(&mut self) -> Result<(), Error> {
        let mut next = Instant::now() + self.interval;
        loop {
            let due = self.end.map_or(next, |end| next.min(end));
            match self
                .inbox
                .recv_timeout(due.saturating_duration_since(Instant::now()))
            {
                Ok(Request::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(Request::Set(settings)) => self.set(settings)?,
                Ok(Request::Pause(paused)) => self.engine.pause(paused),
                Ok(Request::SetLine(_)) => {
                    let why = "only a link imitates a line".to_owned();
                    self.tell(Event::Notice(Notice::Refused(why)));
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    let over = self.end.is_some_and(|end| now >= end) || self.engine.is_satisfied();
                    if now >= next {
                        // After a suspension the missed intervals are not made up for.
                        next = now.max(next) + self.interval;
                        let sample = self.engine.sample();
                        if !self.tell(Event::Sample(Arc::new(sample))) {
                            return Ok(());
                        }
                        if let Some(notice) = self.engine.watch()? {
                            self.tell(Event::Notice(notice));
                        }
                    }
                    if over {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn set(&mut self, settings: Settings) -> Result<(), Error> {
        match self.engine.set(settings) {
            Err(Error::Worker(why)) => Err(Error::Worker(why)),
            Err(refused) => {
                self.tell(Event::Notice(Notice::Refused(refused.to_string())));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn tell(&self, event: Event) -> bool {
        self.outbox.send(event).is_ok()
    }
}
