//! The stream between a source and its sinks: requests go one way, events the
//! other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use serde::{Deserialize, Serialize};

use crate::workload::{Line, Settings};

use super::{Integrity, Sample};

/// What a sink may ask of a source.
#[derive(Debug, Clone)]
pub enum Request {
    /// Go on under these settings.
    Set(Settings),
    /// Imitate this line from now on; only a link can.
    SetLine(Line),
    /// Hold the workload (`true`) or let it go on.
    Pause(bool),
    /// Stop, account for every byte, and end.
    Stop,
}

/// What a source tells its sinks.
#[derive(Debug, Clone)]
pub enum Event {
    /// An interval has passed.
    Sample(Arc<Sample>),
    /// Something that the user should read.
    Notice(Notice),
    /// The source has ended; nothing follows.
    Ended(Ending),
}

/// Something worth a line of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// A request was turned down, with the reason.
    Refused(String),
    /// The settings changed otherwise than by a request.
    Changed(String),
    /// Bytes were lost, doubled or changed.
    Alarm(String),
    /// The recording has stopped; the run goes on.
    NotRecorded(String),
}

impl Notice {
    /// Its text.
    pub fn text(&self) -> &str {
        match self {
            Self::Refused(text)
            | Self::Changed(text)
            | Self::Alarm(text)
            | Self::NotRecorded(text) => text,
        }
    }
}

/// How a source ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Whether every byte was accounted for.
    pub verdict: Verdict,
    /// What the comparison of bytes found in all.
    pub integrity: Integrity,
    /// Why it ended by itself, if it did.
    pub failure: Option<String>,
}

/// Whether the bytes came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Every byte that was compared was right, and none is missing.
    Sound,
    /// Bytes were lost, doubled or changed.
    Damaged,
    /// Nothing was compared, but the counts agree.
    Counted,
}

/// A running source, as its sink sees it.
#[derive(Debug)]
pub struct Source {
    /// Where requests go.
    pub requests: Sender<Request>,
    /// Where events come from. It closes after [`Event::Ended`].
    pub events: Receiver<Event>,
}
