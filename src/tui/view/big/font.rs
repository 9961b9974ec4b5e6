//! Letters made of blocks, seven dots high, as large as there is room for.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

/// Dots of a letter from top to bottom.
const HEIGHT: u16 = 7;
/// Columns of a letter in a sheet, one of them free.
const CELL: usize = 6;
/// Dots of a blank.
const BLANK: u16 = 3;

/// The letters that numbers, units and settings need, each row of letters as a
/// picture.
const SHEETS: [(&str, [&str; HEIGHT as usize]); 4] = [
    (
        "0123456789",
        [
            " ###    #    ###   ###     #  #####  ###  #####  ###   ###  ",
            "#   #  ##   #   # #   #   ##  #     #         # #   # #   # ",
            "#   #   #       #     #  # #  ####  #        #  #   # #   # ",
            "#   #   #     ##    ##  #  #      # ####    #    ###   #### ",
            "#   #   #    #        # #####     # #   #   #   #   #     # ",
            "#   #   #   #     #   #    #  #   # #   #   #   #   #     # ",
            " ###   ###  #####  ###     #   ###   ###    #    ###   ###  ",
        ],
    ),
    (
        ".+-%/xBGMT",
        [
            "                  ##  #     #       ####   ###  #   # ##### ",
            "        #         ##  #     #       #   # #   # ## ##   #   ",
            "        #            #     #  #   # #   # #     # # #   #   ",
            "      ##### #####   #      #   # #  ####  # ### # # #   #   ",
            "        #          #      #     #   #   # #   # #   #   #   ",
            "##      #         #  ##   #    # #  #   # #   # #   #   #   ",
            "##                #  ##  #    #   # ####   #### #   #   #   ",
        ],
    ),
    (
        "abcdefhikm",
        [
            "      #               #         ##  #       #   #           ",
            "      #               #        #    #           #           ",
            " ###  ####   ###   ####  ###  ####  ####   ##   #  #  ## #  ",
            "    # #   # #     #   # #   #  #    #   #   #   # #   # # # ",
            " #### #   # #     #   # #####  #    #   #   #   ##    # # # ",
            "#   # #   # #     #   # #      #    #   #   #   # #   # # # ",
            " #### ####   ###   ####  ###   #    #   #  ###  #  #  # # # ",
        ],
    ),
    (
        "lnorstuwy ",
        [
            " ##                            #                            ",
            "  #                            #                            ",
            "  #   ####   ###  # ##   #### ####  #   # #   # #   #       ",
            "  #   #   # #   # ##  # #      #    #   # # # # #   #       ",
            "  #   #   # #   # #      ###   #    #   # # # #  ####       ",
            "  #   #   # #   # #         #  #  # #  ## # # #     #       ",
            " ###  #   #  ###  #     ####    ##   ## #  # #   ###        ",
        ],
    ),
];

/// A letter's dots: the rows of its sheet, and where in them it stands.
#[derive(Clone, Copy)]
struct Glyph {
    rows: &'static [&'static str; HEIGHT as usize],
    left: usize,
    width: u16,
}

impl Glyph {
    fn of(letter: char) -> Option<Self> {
        SHEETS.iter().find_map(|(letters, rows)| {
            let at = letters.chars().position(|c| c == letter)?;
            Some(Self::cut(rows, at * CELL, letter))
        })
    }

    /// Digits are all as wide, so that a number does not jump about.
    fn cut(rows: &'static [&'static str; HEIGHT as usize], cell: usize, letter: char) -> Self {
        let whole = CELL - 1;
        if letter == ' ' {
            return Self {
                rows,
                left: cell,
                width: BLANK,
            };
        }
        if letter.is_ascii_digit() {
            return Self {
                rows,
                left: cell,
                width: whole as u16,
            };
        }
        let has_ink = |column: &usize| {
            let ink = |row: &&str| row.as_bytes().get(cell + column) == Some(&b'#');
            rows.iter().any(ink)
        };
        let first = (0..whole).find(has_ink).unwrap_or(0);
        let last = (0..whole).rev().find(has_ink).unwrap_or(0);
        Self {
            rows,
            left: cell + first,
            width: (last.saturating_sub(first) + 1) as u16,
        }
    }

    fn has_dot(self, column: u16, row: u16) -> bool {
        let row = self.rows.get(usize::from(row));
        row.and_then(|row| row.as_bytes().get(self.left + usize::from(column))) == Some(&b'#')
    }
}

/// Dots that `text` is wide; None where a letter is missing.
pub fn width(text: &str) -> Option<u16> {
    let mut dots: u16 = 0;
    for letter in text.chars() {
        dots = dots.saturating_add(Glyph::of(letter)?.width + 1);
    }
    Some(dots.saturating_sub(1))
}

/// Columns that `dots` take at a scale. A dot of scale 1 is one column wide
/// and half a row high, which is about square.
pub fn columns(dots: u16, scale: u16) -> u16 {
    dots.saturating_mul(scale)
}

/// Rows that letters take at a scale.
pub fn rows(scale: u16) -> u16 {
    HEIGHT.saturating_mul(scale).div_ceil(2)
}

/// The largest scale at which something `dots` wide fits; 0 where none does.
pub fn scale(dots: u16, room: (u16, u16)) -> u16 {
    let (width, height) = room;
    let by_height = height.saturating_mul(2) / HEIGHT;
    (width / dots.max(1)).min(by_height)
}

/// Draws `text` from the top left of `area` on, as far as there is room.
pub fn draw(text: &str, scale: u16, style: Style, ascii: bool, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    let mut left = 0;
    for glyph in text.chars().filter_map(Glyph::of) {
        for column in 0..columns(glyph.width, scale) {
            for row in 0..rows(scale) {
                let at = Position::new(area.x + left + column, area.y + row);
                let is_inked = |half: u16| {
                    let dot = (2 * row + half) / scale.max(1);
                    glyph.has_dot(column / scale.max(1), dot)
                };
                let symbol = symbol(is_inked(0), is_inked(1), ascii);
                if let Some(symbol) = symbol.filter(|_| area.contains(at)) {
                    buffer[at].set_char(symbol).set_style(style);
                }
            }
        }
        left = left.saturating_add(columns(glyph.width + 1, scale));
        if left >= area.width {
            return;
        }
    }
}

/// What stands for the upper and the lower half of a cell.
fn symbol(upper: bool, lower: bool, ascii: bool) -> Option<char> {
    match (upper, lower, ascii) {
        (false, false, _) => None,
        (true, true, false) => Some('█'),
        (true, false, false) => Some('▀'),
        (false, true, false) => Some('▄'),
        (true, true, true) => Some('#'),
        (true, false, true) => Some('"'),
        (false, true, true) => Some('_'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, scale: u16, ascii: bool) -> String {
        let area = Rect::new(0, 0, columns(width(text).unwrap(), scale), rows(scale));
        let mut buffer = Buffer::empty(area);
        draw(text, scale, Style::new(), ascii, area, &mut buffer);
        let row = |y| {
            let row: String = (0..area.width).map(|x| buffer[(x, y)].symbol()).collect();
            row.trim_end().to_owned()
        };
        (0..area.height).map(row).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn all_letters() {
        for (letters, rows) in SHEETS {
            for row in rows {
                assert_eq!(row.len(), letters.len() * CELL, "{row:?}");
            }
        }
        let sheets: Vec<String> = SHEETS
            .iter()
            .map(|(text, _)| drawn(text, 2, true))
            .collect();
        insta::assert_snapshot!("letters", sheets.join("\n\n"));
        insta::assert_snapshot!("halves", drawn("47.1 MB/s", 1, false));
        insta::assert_snapshot!("halves_ascii", drawn("-19.7 %", 3, true));
    }

    #[test]
    fn a_scale_is_the_largest_that_fits() {
        let dots = width("88.8").unwrap();
        assert_eq!(dots, 20);
        assert_eq!(scale(dots, (80, 14)), 4);
        assert_eq!(scale(dots, (79, 14)), 3);
        assert_eq!(scale(dots, (80, 13)), 3);
        assert_eq!(scale(dots, (19, 99)), 0);
    }

    #[test]
    fn what_is_too_long_is_cut_off_and_what_has_no_letter_is_told() {
        let area = Rect::new(0, 0, 3, 2);
        let mut buffer = Buffer::empty(area);
        draw(
            "888",
            5,
            Style::new(),
            false,
            Rect::new(0, 0, 90, 90),
            &mut buffer,
        );
        assert_eq!(buffer[(2, 1)].symbol(), " ");
        assert_eq!(width("ICANON"), None);
    }
}
