//! A number being typed.

use crate::workload::units::{self, UnitError};
use crate::workload::{MAX_CHUNK, MAX_PAIRS, Settings};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Bytes per write.
    Chunk,
    /// Bytes per read; nothing typed: as the chunk.
    ReadSize,
    /// How many ptys.
    Pairs,
}

/// The line in which a number is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// What is asked for.
    pub field: Field,
    /// What has been typed.
    pub text: String,
    /// Why it was not taken, if it was not.
    pub error: Option<String>,
}

/// More than any size needs.
const LONGEST: usize = 20;

impl Prompt {
    /// An empty line.
    pub fn new(field: Field) -> Self {
        Self {
            field,
            text: String::new(),
            error: None,
        }
    }

    /// What it asks.
    pub fn question(&self) -> &'static str {
        match self.field {
            Field::Chunk => "chunk (bytes, 4K, 1kB):",
            Field::ReadSize => "read size (bytes; empty: as the chunk):",
            Field::Pairs => "pairs (1 to 64):",
        }
    }

    /// Adds a character.
    pub fn push(&mut self, c: char) {
        if self.text.len() < LONGEST && !c.is_control() {
            self.text.push(c);
            self.error = None;
        }
    }

    /// Takes the last character back.
    pub fn pop(&mut self) {
        self.text.pop();
        self.error = None;
    }

    /// `settings` with what was typed.
    ///
    /// # Errors
    /// When it is no size or out of range.
    pub fn apply(&self, settings: &Settings) -> Result<Settings, UnitError> {
        let mut settings = settings.clone();
        let text = self.text.trim();
        let size = |most: u64| {
            let value = units::parse_size(text)?;
            units::within(text, value, 1, most)
        };
        match self.field {
            Field::Chunk => settings.chunk = size(MAX_CHUNK as u64)? as usize,
            Field::ReadSize if text.is_empty() => settings.read_size = None,
            Field::ReadSize => settings.read_size = Some(size(MAX_CHUNK as u64)? as usize),
            Field::Pairs => settings.pairs = size(u64::from(MAX_PAIRS))? as u32,
        }
        Ok(settings)
    }
}
