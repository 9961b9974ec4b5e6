//! The lines of a recording after its first.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::sample::{Ending, Notice, Sample};
use crate::workload::{Line, Settings};

use super::differ::Difference;
use super::header::clean;

/// Something that happened, and when.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Nanoseconds since the source started; never before the entry ahead.
    pub at_ns: u64,
    /// What.
    pub what: What,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub enum What {
    /// An interval has passed.
    Sample(Arc<Sample>),
    /// These settings were asked for.
    Asked(Settings),
    /// This line was asked for.
    AskedLine(Line),
    /// The workload was to be held, or to go on.
    AskedHold(bool),
    /// The source said something.
    Notice(Notice),
    /// A key was pressed that does something.
    Key {
        /// The key.
        key: String,
        /// What it does.
        does: String,
    },
    /// What was said to the audience; None: nothing any more.
    Caption(Option<String>),
    /// What the screen showed.
    Look(Look),
    /// The source ended.
    Ended(Ended),
}

impl What {
    /// How many kinds of entries there are.
    pub const KINDS: usize = 9;

    /// The number of its kind, below [`What::KINDS`].
    pub fn kind(&self) -> usize {
        match self {
            Self::Sample(_) => 0,
            Self::Asked(_) => 1,
            Self::AskedLine(_) => 2,
            Self::AskedHold(_) => 3,
            Self::Notice(_) => 4,
            Self::Key { .. } => 5,
            Self::Caption(_) => 6,
            Self::Look(_) => 7,
            Self::Ended(_) => 8,
        }
    }
}

/// What the screen showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// The view's name.
    pub view: String,
    /// The name of the big view's number.
    pub number: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// What the source said.
    #[serde(flatten)]
    pub ending: Ending,
    /// CPU time outside of the kernel, of the program and its children.
    pub user_ns: u64,
    /// CPU time inside.
    pub system_ns: u64,
    /// Bytes that the ptys were filled with before the workers started.
    pub prefilled: u64,
}

/// A line as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Written {
    /// A sample, complete.
    Full(Box<Sample>),
    /// A sample, as what differs from the one before.
    Next(Difference),
    /// [`What::Asked`].
    Asked(At<Settings>),
    /// [`What::AskedLine`].
    Line(At<Line>),
    /// [`What::AskedHold`].
    Hold(At<bool>),
    /// [`What::Notice`].
    Notice(At<Notice>),
    /// [`What::Key`], as key and what it does.
    Key(At<(String, String)>),
    /// [`What::Caption`].
    Caption(At<Option<String>>),
    /// [`What::Look`].
    Look(At<Look>),
    /// [`What::Ended`].
    Ended(At<Ended>),
}

/// When, in nanoseconds since the source started, and what.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct At<T>(pub u64, pub T);

impl Written {
    /// The line of an entry that is no sample, or a complete sample.
    pub fn of(entry: Entry) -> Self {
        let at = entry.at_ns;
        match entry.what {
            What::Sample(sample) => Self::Full(Box::new((*sample).clone())),
            What::Asked(settings) => Self::Asked(At(at, settings)),
            What::AskedLine(line) => Self::Line(At(at, line)),
            What::AskedHold(hold) => Self::Hold(At(at, hold)),
            What::Notice(notice) => Self::Notice(At(at, notice)),
            What::Key { key, does } => Self::Key(At(at, (key, does))),
            What::Caption(text) => Self::Caption(At(at, text)),
            What::Look(look) => Self::Look(At(at, look)),
            What::Ended(ended) => Self::Ended(At(at, ended)),
        }
    }

    /// The entry of a line, given the sample before.
    ///
    /// # Errors
    /// Says what cannot be.
    pub fn entry(self, before: Option<&Sample>) -> Result<Entry, String> {
        let entry = |at_ns, what| Ok(Entry { at_ns, what });
        match self {
            Self::Full(sample) => {
                let end_ns = sample.end_ns;
                entry(end_ns, What::Sample(Arc::from(sample)))
            }
            Self::Next(difference) => {
                let before = before.ok_or("a difference without a sample before it")?;
                let sample = difference.apply(before)?;
                entry(sample.end_ns, What::Sample(Arc::new(sample)))
            }
            Self::Asked(At(at, settings)) => {
                settings.check().map_err(|why| why.to_string())?;
                entry(at, What::Asked(settings))
            }
            Self::Line(At(at, line)) => {
                line.check().map_err(|why| why.to_string())?;
                entry(at, What::AskedLine(line))
            }
            Self::Hold(At(at, hold)) => entry(at, What::AskedHold(hold)),
            Self::Notice(At(at, notice)) => entry(at, What::Notice(cleaned(notice))),
            Self::Key(At(at, (key, does))) => {
                let (key, does) = (clean(&key), clean(&does));
                entry(at, What::Key { key, does })
            }
            Self::Caption(At(at, text)) => entry(at, What::Caption(text.map(|text| clean(&text)))),
            Self::Look(At(at, look)) => entry(at, What::Look(look)),
            Self::Ended(At(at, mut ended)) => {
                let failure = &mut ended.ending.failure;
                *failure = failure.take().map(|text| clean(&text));
                entry(at, What::Ended(ended))
            }
        }
    }
}

fn cleaned(notice: Notice) -> Notice {
    match notice {
        Notice::Refused(text) => Notice::Refused(clean(&text)),
        Notice::Changed(text) => Notice::Changed(clean(&text)),
        Notice::Alarm(text) => Notice::Alarm(clean(&text)),
        Notice::NotRecorded(text) => Notice::NotRecorded(clean(&text)),
    }
}
