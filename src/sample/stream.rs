//! The stream between a source and its sinks: requests go one way, events the
//! other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use serde::{Deserialize, Serialize};

use crate::workload::{Line, Settings};

use super::{FlowEnd, Integrity, Sample, Totals};

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
    /// What became of the bytes in flight after the last sample; None where
    /// none are read at the end, as of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Closing>,
}

/// The account of all bytes, once the workload has stopped and what was in
/// flight then has been read. What was read for it came at no pace of the
/// workload: it is in no sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// The sums of each direction, by the end that writes.
    pub flows: Vec<(FlowEnd, Totals)>,
    /// Bytes of the line discipline's echo that were read away meanwhile.
    pub echoed_bytes: u64,
    /// Bytes that the readers got of what the ptys were filled with before the
    /// workers started.
    pub ahead: u64,
}

impl Closing {
    /// What `sample` says, taken when all was over, of ptys that had not been
    /// filled before.
    pub fn of(sample: &Sample) -> Self {
        let flows = sample.flows.iter();
        Self {
            flows: flows.map(|flow| (flow.from, flow.totals)).collect(),
            echoed_bytes: sample.echoed_bytes,
            ahead: 0,
        }
    }

    /// The sums of the direction from one end, if bytes went there.
    pub fn totals(&self, from: FlowEnd) -> Option<Totals> {
        let mut flows = self.flows.iter();
        flows.find(|flow| flow.0 == from).map(|flow| flow.1)
    }
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
