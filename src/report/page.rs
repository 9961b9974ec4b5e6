//! What Text and Markdown show, before it has a format.

use crate::words::{told, told_in_line};

/// Blocks from top to bottom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The blocks.
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A title.
    Heading(String),
    /// Running text.
    Text(String),
    /// Lines that stay as they are.
    Literal(String),
    /// Items, one under the other.
    List(Vec<String>),
    /// A table.
    Table(Table),
}

/// Rows under named columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The cells, row by row; a short row is filled up with empty ones.
    pub rows: Vec<Vec<String>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub title: String,
    /// Where its cells stand.
    pub align: Align,
}

/// Where a cell stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

impl Page {
    /// Adds a title.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Heading(text.into()));
    }

    /// Adds running text.
    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds lines that stay as they are.
    pub fn literal(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Literal(text.into()));
    }

    /// Adds a list, unless it is empty.
    pub fn list(&mut self, items: Vec<String>) {
        if !items.is_empty() {
            self.blocks.push(Block::List(items));
        }
    }

    /// Adds a table, unless it has no rows.
    pub fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }
}

impl Page {
    /// The page with nothing in it that a terminal would obey: labels, names of
    /// files and whole reports come from elsewhere.
    pub fn harmless(&self) -> Self {
        Self {
            blocks: self.blocks.iter().map(Block::harmless).collect(),
        }
    }
}

impl Block {
    fn harmless(&self) -> Self {
        match self {
            Self::Heading(text) => Self::Heading(told_in_line(text)),
            Self::Text(text) => Self::Text(told_in_line(text)),
            Self::Literal(text) => Self::Literal(told(text)),
            Self::List(items) => Self::List(lines(items)),
            Self::Table(table) => Self::Table(table.harmless()),
        }
    }
}

fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| told_in_line(text)).collect()
}

impl Table {
    fn harmless(&self) -> Self {
        let column = |column: &Column| Column {
            title: told_in_line(&column.title),
            align: column.align,
        };
        Self {
            columns: self.columns.iter().map(column).collect(),
            rows: self.rows.iter().map(|row| lines(row)).collect(),
        }
    }

    /// A table without rows: the first column holds words, the others numbers.
    pub fn new<const N: usize>(titles: [&str; N]) -> Self {
        let column = |(at, title): (usize, &str)| Column {
            title: title.to_owned(),
            align: if at == 0 { Align::Left } else { Align::Right },
        };
        Self {
            columns: titles.into_iter().enumerate().map(column).collect(),
            rows: Vec::new(),
        }
    }

    /// The same table with the column of that number holding words.
    pub fn words_in(mut self, column: usize) -> Self {
        if let Some(column) = self.columns.get_mut(column) {
            column.align = Align::Left;
        }
        self
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }
}
