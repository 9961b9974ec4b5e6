//! The first line of a recording: of what, by what, where and when.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::host::{ClockSource, HostFacts};
use crate::report::{Program, Timestamp};
use crate::workload::{Line, Settings};

use super::VERSION;

/// What kind of source was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Ptys that were driven.
    Workload,
    /// A null modem.
    Link,
}

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`VERSION`] of the program that wrote it. Its name tells what it is.
    pub ptyscope_recording: u32,
    /// The program that wrote it.
    pub program: Program,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// When the recording began.
    pub started: Timestamp,
    /// What was recorded.
    pub source: SourceKind,
    /// The settings that it began under.
    pub settings: Settings,
    /// The line that it began with, of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// Bytes that each writer was to write, if that was the length of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The machine.
    pub host: HostFacts,
    /// What timed the calls.
    #[serde(default)]
    pub clock: ClockSource,
    /// Nanoseconds that one reading of that clock cost.
    pub clock_ns: f64,
    /// Why kmalloc calls were not counted, if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_kmallocs: Option<String>,
}

/// Why a file is no recording that can be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// It is something else.
    #[error("no recording: line 1 is no header of one ({0})")]
    Foreign(String),
    /// It is of a later format.
    #[error(
        "a recording of format {0}, this program reads up to {VERSION}: replay it with the ptyscope that wrote it, or a newer one"
    )]
    Future(u64),
    /// It says what cannot be.
    #[error("a damaged recording: line 1: {0}")]
    Impossible(String),
}

impl Header {
    /// Reads the first line.
    ///
    /// # Errors
    /// When it is none, of a later format, or damaged.
    pub fn parse(line: &[u8]) -> Result<Self, HeaderError> {
        let mut value: Value = serde_json::from_slice(line)
            .map_err(|error| HeaderError::Foreign(format!("no JSON: {error}")))?;
        let version = value.get("ptyscope_recording").and_then(Value::as_u64);
        match version {
            None => {
                let why = "it has no number ptyscope_recording";
                return Err(HeaderError::Foreign(why.to_owned()));
            }
            Some(version) if version > u64::from(VERSION) => {
                return Err(HeaderError::Future(version));
            }
            Some(_) => {}
        }
        clean_all(&mut value);
        let header: Self = serde_json::from_value(value)
            .map_err(|error| HeaderError::Impossible(error.to_string()))?;
        header.check().map_err(HeaderError::Impossible)?;
        Ok(header)
    }

    fn check(&self) -> Result<(), String> {
        self.settings.check().map_err(|why| why.to_string())?;
        if let Some(line) = &self.line {
            line.check().map_err(|why| why.to_string())?;
        }
        if (self.source == SourceKind::Link) != self.line.is_some() {
            return Err("a link has a line, a workload none".to_owned());
        }
        if !(0.0..1e12).contains(&self.clock_ns) {
            return Err("clock_ns is out of range".to_owned());
        }
        Ok(())
    }
}

/// Text that can be shown on a terminal: control characters become blanks.
pub fn clean(text: &str) -> String {
    let blank = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(blank).collect()
}

fn clean_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(values) => values.iter_mut().for_each(clean_all),
        Value::Object(fields) => fields.values_mut().for_each(clean_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
