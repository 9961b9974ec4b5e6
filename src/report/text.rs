//! Plain text, for people.

use std::io::{self, Write};

use super::page::{Align, Block, Page, Table};

/// Lines are broken where they would get longer.
const WIDTH: usize = 100;

/// Writes `page` as text.
///
/// # Errors
/// What writing says.
pub fn write(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    for (at, block) in page.harmless().blocks.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        match block {
            Block::Heading(text) => writeln!(out, "{text}")?,
            Block::Text(text) => paragraph(text, "", out)?,
            Block::Literal(text) => writeln!(out, "{text}")?,
            Block::List(items) => items
                .iter()
                .try_for_each(|item| paragraph(item, "- ", out))?,
            Block::Table(table) => write_table(table, out)?,
        }
    }
    Ok(())
}

/// Breaks between words; all lines but the first are indented by as much as
/// `bullet` takes.
fn paragraph(text: &str, bullet: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut line = bullet.to_owned();
    let mut used = bullet.len();
    let mut empty = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !empty && used + 1 + length > WIDTH {
            writeln!(out, "{line}")?;
            line = " ".repeat(bullet.len());
            used = bullet.len();
            empty = true;
        }
        if !empty {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
        empty = false;
    }
    writeln!(out, "{line}")
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let titles: Vec<String> = table.columns.iter().map(|c| c.title.clone()).collect();
    let widths = widths(table);
    for row in std::iter::once(&titles).chain(&table.rows) {
        let mut line = String::new();
        for (at, (column, width)) in table.columns.iter().zip(&widths).enumerate() {
            let cell = row.get(at).map_or("", String::as_str);
            if at > 0 {
                line.push_str("  ");
            }
            let room = " ".repeat(width.saturating_sub(cell.chars().count()));
            match column.align {
                Align::Left => line.extend([cell, &room]),
                Align::Right => line.extend([room.as_str(), cell]),
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn widths(table: &Table) -> Vec<usize> {
    let width = |(at, title): (usize, &String)| {
        let cells = table.rows.iter().filter_map(|row| row.get(at));
        let lengths = cells.chain([title]).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(0)
    };
    let titles = table.columns.iter().map(|column| &column.title);
    titles.enumerate().map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(page: &Page) -> String {
        let mut out = Vec::new();
        write(page, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_stand_under_their_titles() {
        let mut table = Table::new(["end", "calls"]);
        table.row(["writer".into(), "7".into()]);
        table.row(["µ".into(), "1234567".into()]);
        let mut page = Page::default();
        page.table(table);
        assert_eq!(
            text(&page),
            "end       calls\nwriter        7\nµ       1234567\n"
        );
    }

    #[test]
    fn long_text_is_broken_between_words() {
        let mut page = Page::default();
        page.list(vec!["word ".repeat(30)]);
        let text = text(&page);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("- word") && lines[0].len() <= WIDTH);
        assert!(lines[1].starts_with("  word"));
    }

    #[test]
    fn nothing_empty_is_shown() {
        let mut page = Page::default();
        page.list(vec![]);
        page.table(Table::new(["a"]));
        assert_eq!(text(&page), "");
    }
}
