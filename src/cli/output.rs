//! Where a report goes, and how.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::report::Format;

/// Flags of all commands that make a report.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub struct OutputArgs {
    /// How standard output is written, and files whose names do not tell
    #[arg(long, value_enum, default_value_t = FormatName::Text)]
    pub format: FormatName,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Also write it to FILE, as its name says: .json .csv .md .txt, of a sweep .svg ("-": standard
    /// output). May be given several times
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Nothing on standard output
    #[arg(short, long)]
    pub quiet: bool,
}

/// What a run is called.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Report")]
pub struct LabelArgs {
    /// What the report calls this run
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
}

impl OutputArgs {
    /// The format of standard output.
    pub fn format(&self) -> Format {
        if self.json {
            return Format::Json;
        }
        self.format.format()
    }
}

/// The formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// For people
    Text,
    /// The whole model, with every raw value
    Json,
    /// The same facts, the raw values as a table
    Csv,
    /// For a mail or an issue
    #[value(alias = "md")]
    Markdown,
}

impl FormatName {
    /// What it names.
    pub fn format(self) -> Format {
        match self {
            Self::Text => Format::Text,
            Self::Json => Format::Json,
            Self::Csv => Format::Csv,
            Self::Markdown => Format::Markdown,
        }
    }
}
