//! From a file to a run.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::host::errno_text;
use crate::sample::Sample;

use super::entry::{Entry, What, Written};
use super::header::{Header, HeaderError, SourceKind};
use super::lines::{LONGEST_LINE, LONGEST_TEXT, Lines, Next};
use super::trust::{Trust, look_at_end};

/// A run that was recorded.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Of what, by what, where and when.
    pub header: Header,
    /// All that happened, in order.
    pub entries: Vec<Entry>,
    /// How the file ends.
    pub tail: Tail,
}

/// How a recording ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tail {
    /// With the end of the run.
    Complete,
    /// Before it: the run was killed, or the file is cut off.
    Cut,
    /// In a line that cannot be.
    Damaged {
        /// The line, from 1 on.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why a file cannot be replayed at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(String),
    /// It is no recording, or one that cannot be played.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// It holds nothing.
    #[error("the file is empty")]
    Empty,
    /// It ends before its first sample.
    #[error("a recording without a sample: {0}")]
    NoSample(String),
}

impl Tail {
    /// What is to be said of it, if anything.
    pub fn complaint(&self) -> Option<String> {
        match self {
            Self::Complete => None,
            Self::Cut => Some(
                "the recording is cut off: the run was killed, or the file is not whole".to_owned(),
            ),
            Self::Damaged { line, reason } => Some(format!(
                "the recording is damaged at line {line}, and plays up to there: {reason}"
            )),
        }
    }
}

impl Recording {
    /// When the last entry happened, in nanoseconds since the source started.
    pub fn end_ns(&self) -> u64 {
        self.entries.last().map_or(0, |entry| entry.at_ns)
    }

    /// Its samples.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = &Sample> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            What::Sample(sample) => Some(&**sample),
            _ => None,
        })
    }
}

/// Reads the recording in `path`, compressed or not, whatever its name.
///
/// # Errors
/// When nothing of it can be played.
pub fn read(path: &Path) -> Result<Recording, ReadError> {
    let io = |error: io::Error| ReadError::Io(errno_text(&error));
    let mut file = BufReader::with_capacity(1 << 16, File::open(path).map_err(io)?);
    let start = file.fill_buf().map_err(io)?;
    let (packed, empty) = (start.starts_with(&[0x1f, 0x8b]), start.is_empty());
    if empty {
        return Err(ReadError::Empty);
    }
    if packed {
        parse(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(file)))
    } else {
        parse(file)
    }
}

/// Reads a recording from its text.
///
/// # Errors
/// As [`read`].
pub fn parse(from: impl BufRead) -> Result<Recording, ReadError> {
    let mut lines = Lines::of(from);
    let mut line = Vec::new();
    match lines.next(&mut line) {
        Ok(Next::Line) => {}
        Ok(Next::End) => return Err(ReadError::Empty),
        Ok(Next::Cut) => {
            let why = "it ends within its first line".to_owned();
            return Err(HeaderError::Foreign(why).into());
        }
        Ok(Next::TooLong) => {
            let why = format!("the line is longer than {LONGEST_LINE} bytes");
            return Err(HeaderError::Foreign(why).into());
        }
        Err(error) => return Err(ReadError::Io(errno_text(&error))),
    }
    let header = Header::parse(&line)?;
    let mut reader = Reader {
        is_link: header.source == SourceKind::Link,
        entries: Vec::new(),
        last: None,
        trust: Trust::default(),
        over: false,
    };
    let tail = reader.all(&mut lines, &mut line);
    if reader.last.is_none() {
        let why = tail
            .complaint()
            .unwrap_or_else(|| "nothing in it".to_owned());
        return Err(ReadError::NoSample(why));
    }
    Ok(Recording {
        header,
        entries: reader.entries,
        tail,
    })
}

struct Reader {
    is_link: bool,
    entries: Vec<Entry>,
    /// The place of the last sample.
    last: Option<usize>,
    trust: Trust,
    /// Whether the end of the run has been read.
    over: bool,
}

impl Reader {
    /// Takes in as many lines as can be believed.
    fn all<R: BufRead>(&mut self, lines: &mut Lines<R>, line: &mut Vec<u8>) -> Tail {
        for number in 2.. {
            let damaged = |reason: String| Tail::Damaged {
                line: number,
                reason,
            };
            let taken = match lines.next(line) {
                Ok(Next::Line) => self.take(line),
                Ok(Next::End) if self.over => return Tail::Complete,
                Ok(Next::End | Next::Cut) => return Tail::Cut,
                Ok(Next::TooLong) => Err(format!(
                    "a line of more than {} MiB, or more than {} MiB in all",
                    LONGEST_LINE >> 20,
                    LONGEST_TEXT >> 20
                )),
                Err(error) => Err(errno_text(&error)),
            };
            if let Err(reason) = taken {
                return damaged(reason);
            }
        }
        Tail::Cut
    }

    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        if self.over {
            return Err("there is more after the end of the run".to_owned());
        }
        let written: Written = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let before = self.last.and_then(|at| self.entries.get(at));
        let before = before.and_then(|entry| match &entry.what {
            What::Sample(sample) => Some(&**sample),
            _ => None,
        });
        let mut entry = written.entry(before)?;
        let now = self.entries.last().map_or(0, |entry| entry.at_ns);
        match &entry.what {
            What::Sample(sample) => {
                self.trust.look(sample)?;
                if sample.link.is_some() != self.is_link {
                    return Err("a sample of another kind of source".to_owned());
                }
                self.last = Some(self.entries.len());
            }
            What::Ended(ended) => {
                look_at_end(&ended.ending)?;
                self.over = true;
            }
            _ => {}
        }
        if entry.at_ns > super::trust::LARGEST {
            return Err(format!("{} ns: no run is as long", entry.at_ns));
        }
        // A key may have come while a sample was taken that ended before it.
        entry.at_ns = entry.at_ns.max(now);
        self.entries.push(entry);
        Ok(())
    }
}
