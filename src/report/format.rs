//! The formats by name, and writing a report in one of them.

use std::io::{self, Write};
use std::path::Path;

use crate::check::format as check;
use crate::words::told;

use super::{Comparison, Matrix, Outcome, Report, Theme, csv, json, markdown, matrix, svg, text};

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// The whole model.
    Json,
    /// The same facts, the raw values as a table.
    Csv,
    /// For a mail or an issue.
    Markdown,
    /// Kernel Test Anything Protocol, version 1; of checks alone.
    Ktap,
    /// A picture of a sweep.
    Svg(Theme),
}

impl Format {
    /// What a file's extension asks for, if it is a known one.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "txt" | "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "md" | "markdown" => Some(Self::Markdown),
            "svg" => Some(Self::Svg(Theme::default())),
            _ => None,
        }
    }
}

/// Something that can be written in every format.
pub trait Document {
    /// Writes it in that format.
    ///
    /// # Errors
    /// What writing says.
    fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()>;
}

impl Document for Report {
    fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(&self.page(), out),
            Format::Markdown => markdown::write(&self.page(), out),
            Format::Json => json::write(self, out),
            Format::Csv => csv::write(self, self.result.rows(), out),
            Format::Ktap => match &self.result {
                Outcome::Check(checkup) => out.write_all(told(&check::ktap(checkup)).as_bytes()),
                _ => Err(unsupported("only checks have KTAP")),
            },
            Format::Svg(theme) => match &self.result {
                Outcome::Sweep(sweep) => svg::write(self, sweep, theme, out),
                _ => Err(unsupported("only a sweep makes a picture")),
            },
        }
    }
}

impl Document for Comparison {
    fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(&self.page(), out),
            Format::Markdown => markdown::write(&self.page(), out),
            Format::Json => json::write(self, out),
            Format::Csv => csv::write(self, &["entries"], out),
            Format::Ktap | Format::Svg(_) => Err(unsupported("a comparison has neither")),
        }
    }
}

impl Document for Matrix {
    fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(&self.page(), out),
            Format::Markdown => markdown::write(&self.page(), out),
            Format::Json => json::write(self, out),
            Format::Svg(theme) => matrix::write_picture(self, theme, out),
            Format::Csv | Format::Ktap => Err(unsupported("a matrix has neither CSV nor KTAP")),
        }
    }
}

fn unsupported(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, why)
}

impl Outcome {
    /// Where its raw values are in the model.
    fn rows(&self) -> &'static [&'static str] {
        match self {
            Self::Capacity(_) => &["result", "capacity", "cases"],
            Self::Sweep(_) => &["result", "sweep", "visits"],
            Self::Xmodem(_) => &["result", "xmodem", "blocks"],
            Self::Inspect(_) => &["result", "inspect", "ptys"],
            Self::Check(_) => &["result", "check", "checks"],
            Self::Bench(_) => &["result", "bench", "pty", "visits"],
        }
    }
}
