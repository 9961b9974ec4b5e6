//! The same command in several kernels.

mod grid;
mod page;
mod picture;

use serde::{Deserialize, Serialize};

use super::{Program, Report, SCHEMA_VERSION};

pub use grid::{Cell, Grid, Tone};
pub(super) use picture::write as write_picture;

/// What a command found in each of several kernels; assets/matrix.schema.json is
/// its schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// Of the model that reports share.
    pub schema_version: u32,
    /// The program that made it.
    pub program: Program,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// One row for each kernel.
    pub rows: Vec<MatrixRow>,
}

/// One kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatrixRow {
    /// What to call it: its release, or its image's file.
    pub kernel: String,
    /// What came of the command.
    pub came: Came,
}

/// What came of a command in a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Came {
    /// A report.
    Report(Box<Report>),
    /// None, and why.
    Trouble(Trouble),
}

/// Why there is no report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// In a word or two: `panicked`, `hung`, …
    pub word: String,
    /// In a sentence.
    pub text: String,
    /// The last lines of the kernel's console, where they can tell more.
    pub console: Vec<String>,
}

impl Matrix {
    /// The rows, in the order in which they are shown.
    pub fn new(command: Vec<String>, rows: Vec<MatrixRow>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            program: Program::this(),
            command,
            rows,
        }
    }

    /// The rows that have a report, by name.
    pub fn reports(&self) -> impl Iterator<Item = (&str, &Report)> {
        self.rows.iter().filter_map(|row| match &row.came {
            Came::Report(report) => Some((row.kernel.as_str(), &**report)),
            _ => None,
        })
    }
}
