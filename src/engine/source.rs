//! The engine as a source of samples, in a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::host::errno_text;
use crate::sample::{Event, Notice, Request, Source};
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
        .map_err(|error| {
            let why = errno_text(&error);
            Error::Worker(format!("cannot start the sampling thread: {why}"))
        })?;
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
        let ending = self.engine.end(failure);
        // The sink may be gone already; then nobody wants the end.
        let _ = self.outbox.send(Event::Ended(ending));
    }

    /// Until it is to end; the last sample shows how things stand then.
    fn pump(&mut self) -> Result<(), Error> {
        let mut next = Instant::now() + self.interval;
        loop {
            let due = self.due(next);
            let left = due.saturating_duration_since(Instant::now());
            let goes_on = match self.inbox.recv_timeout(left) {
                Ok(request) => self.obey(request)?,
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => false,
            };
            let now = Instant::now();
            let over =
                !goes_on || self.end.is_some_and(|end| now >= end) || self.engine.is_satisfied();
            if over || now >= due {
                // After a suspension the missed intervals are not made up for.
                next = now + self.interval;
                let sample = self.engine.sample();
                if !self.tell(Event::Sample(Arc::new(sample))) {
                    return Ok(());
                }
                if goes_on && let Some(notice) = self.engine.watch()? {
                    self.tell(Event::Notice(notice));
                }
            }
            if over {
                return Ok(());
            }
        }
    }

    /// When the interval that was to end at `next` ends: the last one is not cut
    /// to less than half of its length, but is the longer for it.
    fn due(&self, next: Instant) -> Instant {
        match self.end {
            Some(end) if end < next + self.interval / 2 => end,
            _ => next,
        }
    }

    /// Does what is asked, with all that was asked meanwhile; `false` when that
    /// is to end. Of settings that follow each other only the last are gone
    /// to: a key that is held down asks faster than a workload can begin anew.
    fn obey(&mut self, first: Request) -> Result<bool, Error> {
        let waiting: Vec<Request> = self.inbox.try_iter().collect();
        let mut wanted = None;
        for request in std::iter::once(first).chain(waiting) {
            match request {
                Request::Set(settings) => wanted = Some(settings),
                Request::Pause(paused) => {
                    self.set(wanted.take())?;
                    self.engine.pause(paused);
                }
                Request::SetLine(_) => {
                    let why = "only a link imitates a line".to_owned();
                    self.tell(Event::Notice(Notice::Refused(why)));
                }
                Request::Stop => return Ok(false),
            }
        }
        self.set(wanted)?;
        Ok(true)
    }

    fn set(&mut self, settings: Option<Settings>) -> Result<(), Error> {
        let Some(settings) = settings else {
            return Ok(());
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_settings_asked_at_once_only_the_last_are_gone_to() {
        let (requests, inbox) = mpsc::channel();
        let (outbox, events) = mpsc::channel();
        let mut pump = Pump {
            engine: Engine::start(Settings::default(), Options::default()).unwrap(),
            interval: INTERVAL,
            end: None,
            inbox,
            outbox,
        };
        let with = |pairs| Settings {
            pairs,
            ..Settings::default()
        };
        for pairs in 3..=40 {
            requests.send(Request::Set(with(pairs))).unwrap();
        }
        requests.send(Request::Set(with(2))).unwrap();
        assert!(pump.obey(Request::Set(with(64))).unwrap());
        let sample = pump.engine.sample();
        assert_eq!((sample.settings.pairs, sample.epoch), (2, 2));

        requests.send(Request::Stop).unwrap();
        assert!(!pump.obey(Request::Pause(true)).unwrap());
        assert!(events.try_recv().is_err());
    }
}
