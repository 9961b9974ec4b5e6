//! What Text and Markdown show, before it has a format.

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

impl Table {
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
