//! Reading reports that others made, or that something has damaged.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::Deserialize;

use super::{Report, SCHEMA_VERSION};

/// Why a file is no report that can be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is larger than any report.
    #[error("larger than 1 GiB: no report")]
    TooLarge,
    /// It ends in the middle.
    #[error("cut off at line {line} column {column}: the end of the file is missing")]
    Truncated {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// It is no JSON, or no report.
    #[error("no report of ptyscope: {0}")]
    Foreign(String),
    /// It is a report of another version of the model.
    #[error(
        "a report of schema version {found}, made by {program}; this program reads version {SCHEMA_VERSION}"
    )]
    Version {
        /// The version it claims.
        found: u64,
        /// The program that made it.
        program: String,
    },
    /// It claims to be a report, but something in it is not as it should be.
    #[error("damaged at line {line} column {column}: {message}")]
    Damaged {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What was expected.
        message: String,
    },
}

/// What every version of a report begins with.
#[derive(Deserialize)]
struct Header {
    schema_version: u64,
    program: Maker,
}

#[derive(Deserialize)]
struct Maker {
    name: String,
    version: String,
}

impl Report {
    /// A file with more bytes is no report: one of 100,000 visits has 60 MB.
    pub const LARGEST: u64 = 1 << 30;

    /// Reads a JSON report from a file.
    ///
    /// # Errors
    /// Says what is wrong with it, and where.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::read_from(File::open(path)?)
    }

    /// Reads a JSON report from an open file or a pipe.
    ///
    /// # Errors
    /// As [`Report::read`].
    pub fn read_from(source: impl Read) -> Result<Self, ReadError> {
        let mut bytes = Vec::new();
        source.take(Self::LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > Self::LARGEST {
            return Err(ReadError::TooLarge);
        }
        Self::parse(&bytes)
    }

    /// Reads a JSON report.
    ///
    /// # Errors
    /// As [`Report::read`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        let header: Header =
            serde_json::from_slice(bytes).map_err(|error| foreign(bytes, &error))?;
        if header.schema_version != u64::from(SCHEMA_VERSION) {
            return Err(ReadError::Version {
                found: header.schema_version,
                program: short(&format!(
                    "{} {}",
                    header.program.name, header.program.version
                )),
            });
        }
        serde_json::from_slice(bytes).map_err(|error| damaged(bytes, &error))
    }
}

/// What an error says of a file whose header could not be read.
fn foreign(bytes: &[u8], error: &serde_json::Error) -> ReadError {
    let is_object = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return ReadError::Foreign("the file is empty".to_owned());
    }
    if !is_object {
        return ReadError::Foreign("it is no JSON object".to_owned());
    }
    if error.is_data() {
        return ReadError::Foreign(short(&error.to_string()));
    }
    damaged(bytes, error)
}

fn damaged(bytes: &[u8], error: &serde_json::Error) -> ReadError {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() || ends_in_a_number(bytes, line, column) {
        return ReadError::Truncated { line, column };
    }
    let text = error.to_string();
    // The place is said already.
    let message = text.split(" at line ").next().unwrap_or(&text);
    ReadError::Damaged {
        line,
        column,
        message: short(message),
    }
}

/// Whether the place is the end of the file, and that the middle of a number,
/// which to the parser is a wrong one.
fn ends_in_a_number(bytes: &[u8], line: usize, column: usize) -> bool {
    let ends_of_lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let last = bytes.rsplit(|&byte| byte == b'\n').next();
    let is_at_end = ends_of_lines + 1 == line && last.is_some_and(|last| last.len() <= column);
    is_at_end && bytes.last().is_some_and(|last| b"-+.eE".contains(last))
}

/// Not more of foreign text than fits in a line, and no control characters.
fn short(text: &str) -> String {
    const MOST: usize = 160;
    let printable = text.chars().filter(|character| !character.is_control());
    printable.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        Report::parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_report_is_named() {
        for (text, want) in [
            ("", "empty"),
            (" \n", "empty"),
            ("hello", "no JSON object"),
            ("[1, 2]", "no JSON object"),
            ("{}", "missing field `schema_version`"),
            (r#"{"schema_version": 1}"#, "missing field `program`"),
            (r#"{"schema_version": "x", "program": 1}"#, "invalid type"),
            ("{\n\"schema_version\": 1,,", "damaged at line 2 column 21"),
            ("{\n\"schema_version\": 1,", "cut off at line 2 column 20"),
            ("\u{feff}{}", "no JSON object"),
        ] {
            let error = error(text);
            assert!(error.contains(want), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_cut_off() {
        let text = r#"{"schema_version": 1, "program": {"name": "é", "version": "1", "x": [-1.5e-3, 2E+4, true]}}"#;
        for end in 1..text.len() {
            let error = Report::parse(&text.as_bytes()[..end]).unwrap_err();
            assert!(
                matches!(error, ReadError::Truncated { line: 1, column } if column <= end),
                "{end}: {error}"
            );
        }
        for wrong in [
            "{\"schema_version\": -,",
            "{\"schema_version\": 1.}",
            "{} -",
        ] {
            let error = error(wrong);
            assert!(!error.contains("cut off"), "{wrong}: {error}");
        }
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        let text =
            r#"{"schema_version": 7, "program": {"name": "ptyscope", "version": "9.1"}, "x": 1}"#;
        let error = error(text);
        assert!(error.contains("version 7, made by ptyscope 9.1"), "{error}");
        let text = r#"{"schema_version": 1, "program": {"name": "ptyscope", "version": "0.1"}}"#;
        assert!(
            self::error(text).contains("damaged at line 1"),
            "{}",
            self::error(text)
        );
    }
}
