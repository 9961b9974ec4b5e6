//! Markdown with tables as GitHub and GitLab read it, for a mail or an issue.

use std::io::{self, Write};

use super::page::{Align, Block, Page, Table};

/// Writes `page` as Markdown.
///
/// # Errors
/// What writing says.
pub fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    for (at, block) in page.harmless().blocks.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        match block {
            Block::Heading(text) => writeln!(out, "## {}", escape(text))?,
            Block::Text(text) => writeln!(out, "{}", escape(text))?,
            Block::Literal(text) => {
                let fence = fence(text);
                writeln!(out, "{fence}text\n{text}\n{fence}")?;
            }
            Block::List(items) => {
                for item in items {
                    writeln!(out, "- {}", escape(item))?;
                }
            }
            Block::Table(table) => write_table(table, out)?,
        }
    }
    Ok(())
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<String> = table.columns.iter().map(|c| c.title.clone()).collect();
    write_row(&titles, titles.len(), out)?;
    let rules: Vec<&str> = table
        .columns
        .iter()
        .map(|column| match column.align {
            Align::Left => ":--",
            Align::Right => "--:",
        })
        .collect();
    writeln!(out, "| {} |", rules.join(" | "))?;
    for row in &table.rows {
        write_row(row, titles.len(), out)?;
    }
    Ok(())
}

fn write_row(row: &[String], columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let cell = |at: usize| row.get(at).map_or(String::new(), |cell| escape(cell));
    let cells: Vec<String> = (0..columns).map(cell).collect();
    writeln!(out, "| {} |", cells.join(" | "))
}

/// More backticks than `text` has together, so that it cannot end its block.
fn fence(text: &str) -> String {
    let runs = text.split(|character| character != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}

/// Takes their meaning from the characters that have one in Markdown.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => {
                escaped.extend(['\\', character]);
            }
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_the_table() {
        let mut table = Table::new(["a|b", "n"]);
        table.row(["x\n|y".into(), "1".into()]);
        let mut page = Page::default();
        page.heading("one");
        page.table(table);
        let mut out = Vec::new();
        write(&page, &mut out).unwrap();
        let want = "## one\n\n| a\\|b | n |\n| :-- | --: |\n| x \\|y | 1 |\n";
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }

    #[test]
    fn a_literal_cannot_end_its_block() {
        let mut page = Page::default();
        page.literal("a\n```\n# b");
        page.literal("c");
        let mut out = Vec::new();
        write(&page, &mut out).unwrap();
        let want = "````text\na\n```\n# b\n````\n\n```text\nc\n```\n";
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }
}
