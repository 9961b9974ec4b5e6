//! What was seen, as the views draw it. Freezing the display keeps a copy.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::analysis::Ratio;
use crate::sample::{Notice, Sample, Sum};
use crate::workload::Settings;

use super::curve::Curve;
use super::history::{History, Point};
use super::stretch::{Metric, Stretch};

/// Samples that one readout sums up: numbers that change ten times a second
/// cannot be read.
const READOUT: u64 = 5;
/// Notices kept.
const NOTICES: usize = 50;

/// Everything that samples and notices have told.
#[derive(Debug, Clone, Default)]
pub struct Data {
    /// What the time plots show.
    pub history: History,
    /// The last sample.
    pub latest: Option<Arc<Sample>>,
    /// The numbers shown beside the plots: the last half second.
    pub readout: Option<Sum>,
    gathering: Sum,
    /// All samples of the current epoch that count.
    pub epoch: Sum,
    /// All samples of a link, whatever its line was.
    pub link: Sum,
    /// What was measured at each chunk.
    pub curve: Curve,
    /// This stretch, the one before the last change, and the one held as A.
    current: Option<Stretch>,
    previous: Option<Stretch>,
    reference: Option<Stretch>,
    /// The current stretch over the reference, or over the one before.
    pub differences: Vec<(Metric, Option<Ratio>)>,
    /// What the source said, with the time in seconds.
    pub notices: VecDeque<(f64, Notice)>,
}

impl Data {
    /// Takes a sample in.
    pub fn push(&mut self, sample: Arc<Sample>) {
        let is_new = self
            .latest
            .as_ref()
            .is_none_or(|last| last.epoch != sample.epoch);
        if is_new {
            self.turn_epoch(&sample);
        }
        self.history.push(Point::of(&sample));
        self.curve.push(&sample);
        if let Some(current) = &mut self.current {
            current.push(&sample);
        }
        if sample.counts() {
            self.epoch.add(&sample);
        }
        if sample.link.is_some() {
            self.link.add(&sample);
        }
        self.gathering.add(&sample);
        let is_first = self.readout.is_none() || (sample.counts() && self.epoch.samples == 1);
        if self.gathering.samples >= READOUT || is_first {
            self.readout = Some(std::mem::take(&mut self.gathering));
            self.compare();
        }
        self.latest = Some(sample);
    }

    fn turn_epoch(&mut self, sample: &Sample) {
        let began = sample.start_ns as f64 / 1e9;
        let label = match &self.latest {
            None => String::new(),
            Some(last) => describe(last, sample),
        };
        let is_walking = self.curve.walk.as_ref().is_some_and(|walk| walk.going);
        if is_walking {
            self.history.mark_once(began, "visiting");
        } else if self.latest.is_some() {
            self.history.mark(began, label);
        }
        self.gathering = Sum::default();
        self.readout = None;
        self.epoch = Sum::default();
        // A stretch too short to say anything does not push out one that does.
        if let Some(current) = self.current.take().filter(|c| !c.is_empty()) {
            self.previous = Some(current);
        }
        self.current = Some(Stretch::new(short(sample), began));
        self.compare();
    }

    fn compare(&mut self) {
        let Some(current) = &mut self.current else {
            return;
        };
        let before = self.reference.as_mut().or(self.previous.as_mut());
        self.differences = before.map_or_else(Vec::new, |before| current.against(before));
    }

    /// Keeps what the source said.
    pub fn notice(&mut self, notice: Notice) {
        if self.notices.len() == NOTICES {
            self.notices.pop_front();
        }
        self.notices.push_back((self.history.now(), notice));
    }

    /// Holds the current stretch as the reference; `true` when it is held.
    pub fn hold_reference(&mut self) -> bool {
        self.reference = self.current.clone().filter(|current| !current.is_empty());
        self.compare();
        self.reference.is_some()
    }

    /// Takes over the reference that other statistics hold.
    pub fn keep_reference_of(&mut self, other: Self) {
        self.reference = other.reference;
        if self.reference.is_some() {
            self.compare();
        }
    }

    /// Drops the reference; `true` when there was one.
    pub fn drop_reference(&mut self) -> bool {
        let had = self.reference.take().is_some();
        self.compare();
        had
    }

    /// What the current stretch is compared with: its name, whether it is the
    /// held reference, and the current one's name and beginning.
    pub fn comparison(&self) -> Option<Comparison<'_>> {
        let before = self.reference.as_ref().or(self.previous.as_ref())?;
        let current = self.current.as_ref()?;
        Some(Comparison {
            before: &before.label,
            held: self.reference.is_some(),
            now: &current.label,
            began: current.began,
        })
    }

    /// Forgets all statistics.
    pub fn reset(&mut self) {
        *self = Self {
            latest: self.latest.take(),
            notices: std::mem::take(&mut self.notices),
            ..Self::default()
        };
        if let Some(latest) = &self.latest {
            let began = latest.end_ns as f64 / 1e9;
            self.current = Some(Stretch::new(short(latest), began));
        }
    }
}

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison<'a> {
    /// The stretch compared with.
    pub before: &'a str,
    /// Whether that is the held reference A.
    pub held: bool,
    /// The current stretch.
    pub now: &'a str,
    /// When it began, in seconds.
    pub began: f64,
}

/// What the change from one sample's epoch to the next's was.
fn describe(last: &Sample, next: &Sample) -> String {
    if let Some(link) = &next.link {
        return link.line.to_string();
    }
    let changes = next.settings.changes_from(&last.settings);
    if changes.is_empty() {
        return if next.paused { "held" } else { "goes on" }.to_owned();
    }
    let texts = changes.into_iter().map(|(name, value)| match name {
        "chunk" | "mode" | "direction" | "payload" | "peers" => value,
        name => format!("{name} {value}"),
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// The settings in force, in a few words.
fn short(sample: &Sample) -> String {
    if let Some(link) = &sample.link {
        return link.line.to_string();
    }
    let settings = &sample.settings;
    let base = Settings::default();
    let others = settings.changes_from(&base);
    let mut text = settings.chunk.to_string();
    for (name, value) in others
        .into_iter()
        .filter(|(name, _)| *name != "chunk")
        .take(2)
    {
        text.push_str(&match name {
            "mode" | "direction" | "payload" | "peers" => format!(" {value}"),
            name => format!(" {name} {value}"),
        });
    }
    if sample.paused {
        text.push_str(" held");
    }
    text
}
