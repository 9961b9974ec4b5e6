//! The null modem as a source of samples, in a thread of its own.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::sample::{Ending, Event, Notice, Request, Source, Verdict};

use super::{Error, NullModem};

/// How long a null modem may take to end: a trace's last bytes may wait for a
/// disk, after the names are gone.
const PATIENCE: Duration = Duration::from_secs(20);

/// A null modem in its thread. Dropping it ends the null modem and waits until
/// that is done: its names would be left behind by a program that ends first.
#[derive(Debug)]
pub struct Running {
    requests: Sender<Request>,
    /// Nothing comes of it; it closes when the thread has ended.
    gone: Receiver<Infallible>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that is gone has ended.
        let _ = self.requests.send(Request::Stop);
        let _ = self.gone.recv_timeout(PATIENCE);
    }
}

/// Hands out the stream of a null modem: a sample each `interval`, or only one
/// at the end. It ends after `duration`, on [`Request::Stop`], or when the
/// other end of the stream or the second of what it gives is dropped.
///
/// # Errors
/// When no thread can be started.
pub fn stream(
    modem: NullModem,
    interval: Option<Duration>,
    duration: Option<Duration>,
) -> Result<(Source, Running), Error> {
    let (requests, asked) = mpsc::channel();
    let (sender, inbox) = mpsc::channel();
    let (outbox, events) = mpsc::channel();
    let news = sender.clone();
    // A source that has ended needs no news.
    modem.on_news(move || {
        let _ = news.send(Input::News);
    });
    let now = Instant::now();
    let pump = Pump {
        modem,
        interval,
        end: duration.and_then(|duration| now.checked_add(duration)),
        inbox,
        outbox,
    };
    // First, for without it the source would hear of no end.
    spawn("requests", move || forward(&asked, &sender))?;
    let (alive, gone) = mpsc::channel();
    spawn("source", move || {
        let _alive = alive;
        pump.run();
    })?;
    let running = Running {
        requests: requests.clone(),
        gone,
    };
    Ok((Source { requests, events }, running))
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map(drop)
        .map_err(|error| Error::thread(name, &error))
}

/// What the source waits for.
enum Input {
    Request(Request),
    /// The null modem has something to tell.
    News,
    /// Nobody asks for anything any more.
    Alone,
}

fn forward(asked: &Receiver<Request>, inbox: &Sender<Input>) {
    for request in asked {
        if inbox.send(Input::Request(request)).is_err() {
            return;
        }
    }
    let _ = inbox.send(Input::Alone);
}

struct Pump {
    modem: NullModem,
    interval: Option<Duration>,
    end: Option<Instant>,
    inbox: Receiver<Input>,
    outbox: Sender<Event>,
}

impl Pump {
    fn run(mut self) {
        let failure = self.pump().err().map(|error| error.to_string());
        let (sample, notices) = self.modem.stop();
        // The sink may be gone already; then nobody wants the end.
        let _ = self.outbox.send(Event::Sample(Arc::new(sample)));
        for notice in notices {
            let _ = self.outbox.send(Event::Notice(notice));
        }
        let _ = self.outbox.send(Event::Ended(Ending {
            verdict: Verdict::Counted,
            integrity: Default::default(),
            failure,
            closing: None,
        }));
    }

    /// Until it is to end.
    fn pump(&mut self) -> Result<(), Error> {
        let mut next = self.after_interval();
        self.tell_news()?;
        loop {
            match self.input([next, self.end].into_iter().flatten().min()) {
                Some(Input::Request(Request::Stop) | Input::Alone) => return Ok(()),
                Some(Input::Request(request)) => self.obey(request),
                Some(Input::News) => self.tell_news()?,
                None => {}
            }
            let now = Instant::now();
            if next.is_some_and(|next| now >= next) {
                // After a suspension the missed intervals are not made up for.
                next = self.after_interval();
                self.tell_news()?;
                let sample = self.modem.sample();
                if !self.tell(Event::Sample(Arc::new(sample))) {
                    return Ok(());
                }
            }
            if self.end.is_some_and(|end| now >= end) {
                return Ok(());
            }
        }
    }

    fn after_interval(&self) -> Option<Instant> {
        Instant::now().checked_add(self.interval?)
    }

    /// What comes until `due`, or at all.
    fn input(&self, due: Option<Instant>) -> Option<Input> {
        match due {
            None => Some(self.inbox.recv().unwrap_or(Input::Alone)),
            Some(due) => {
                let wait = due.saturating_duration_since(Instant::now());
                match self.inbox.recv_timeout(wait) {
                    Ok(input) => Some(input),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => Some(Input::Alone),
                }
            }
        }
    }

    fn obey(&mut self, request: Request) {
        match request {
            Request::SetLine(line) => {
                if let Err(why) = self.modem.set_line(line) {
                    self.refuse(&why.to_string());
                }
            }
            Request::Set(_) => self.refuse("a link drives no workload"),
            // Whoever suspends the program holds the relay too, and Stop is
            // seen to by the caller.
            Request::Pause(_) | Request::Stop => {}
        }
    }

    fn tell_news(&mut self) -> Result<(), Error> {
        for notice in self.modem.watch()? {
            self.tell(Event::Notice(notice));
        }
        Ok(())
    }

    fn refuse(&self, why: &str) {
        self.tell(Event::Notice(Notice::Refused(why.to_owned())));
    }

    fn tell(&self, event: Event) -> bool {
        self.outbox.send(event).is_ok()
    }
}
