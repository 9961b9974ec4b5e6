//! A source that is recorded on its way to its sink.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use crate::sample::{Event, Notice, Request, Source};

use super::Journal;

/// The same source, with all it says and is asked in `journal` too. When the
/// recording stops, the sink is told once.
///
/// # Errors
/// When no thread can be started.
pub fn tee(source: Source, journal: &Journal) -> io::Result<Source> {
    let (requests, asked) = mpsc::channel();
    let (outbox, events) = mpsc::channel();
    let Source {
        requests: inner,
        events: said,
    } = source;
    let log = journal.clone();
    thread::Builder::new()
        .name("asked".to_owned())
        .spawn(move || forward(&asked, &inner, &log))?;
    let log = journal.clone();
    thread::Builder::new()
        .name("recorder".to_owned())
        .spawn(move || record(&said, &outbox, &log))?;
    Ok(Source { requests, events })
}

fn forward(asked: &Receiver<Request>, source: &Sender<Request>, journal: &Journal) {
    for request in asked {
        journal.asked(&request);
        if source.send(request).is_err() {
            return;
        }
    }
}

fn record(said: &Receiver<Event>, sink: &Sender<Event>, journal: &Journal) {
    let mut is_told = false;
    for event in said {
        journal.event(&event);
        if let Err(stopped) = journal.outcome()
            && !std::mem::replace(&mut is_told, true)
        {
            let notice = Notice::NotRecorded(stopped.to_string());
            // Before the end, which is the last that a sink hears.
            let _ = sink.send(Event::Notice(notice));
        }
        if sink.send(event).is_err() {
            return;
        }
    }
}
