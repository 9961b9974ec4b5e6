//! What shapes a character is made of.

use super::lines::lines;

/// A piece of a character, from the upper left corner of its cell on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A rectangle: its upper left corner and its size.
    Block((f64, f64), (f64, f64)),
    /// A disc: its centre and radius.
    Dot((f64, f64), f64),
}

/// The shapes of a character in a cell of that size; None of one that is a
/// letter.
pub fn shapes(glyph: char, cell: (f64, f64)) -> Option<Vec<Shape>> {
    match glyph {
        '\u{2800}'..='\u{28ff}' => Some(dots(glyph as u32 - 0x2800, cell)),
        '▀'..='▐' | '▔'..='▟' => Some(blocks(glyph, cell)),
        '\u{2500}'..='\u{257f}' => lines(glyph, cell),
        _ => None,
    }
}

/// The dots of a braille character, by its bits as Unicode numbers them.
fn dots(bits: u32, (width, height): (f64, f64)) -> Vec<Shape> {
    const PLACES: [(f64, f64); 8] = [
        (0.0, 0.0),
        (0.0, 1.0),
        (0.0, 2.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (1.0, 2.0),
        (0.0, 3.0),
        (1.0, 3.0),
    ];
    let is_set = |(bit, _): &(usize, _)| bits & (1 << bit) != 0;
    let set = PLACES.iter().enumerate().filter(is_set);
    set.map(|(_, (column, row))| {
        let centre = (width * (0.25 + 0.5 * column), height * (0.125 + 0.25 * row));
        Shape::Dot(centre, width * 0.19)
    })
    .collect()
}

/// The parts of a block element.
fn blocks(glyph: char, (width, height): (f64, f64)) -> Vec<Shape> {
    let code = glyph as u32;
    let part = |left: f64, top: f64, wide: f64, high: f64| {
        let place = (width * left, height * top);
        Shape::Block(place, (width * wide, height * high))
    };
    let eighths = |count: u32| f64::from(count) / 8.0;
    match glyph {
        '▀' => vec![part(0.0, 0.0, 1.0, 0.5)],
        // From an eighth at the bottom to a full block.
        '▁'..='█' => {
            let high = eighths(code - 0x2580);
            vec![part(0.0, 1.0 - high, 1.0, high)]
        }
        // From seven eighths on the left down to one.
        '▉'..='▏' => vec![part(0.0, 0.0, eighths(0x2590 - code), 1.0)],
        '▐' => vec![part(0.5, 0.0, 0.5, 1.0)],
        '▔' => vec![part(0.0, 0.0, 1.0, eighths(1))],
        '▕' => vec![part(eighths(7), 0.0, eighths(1), 1.0)],
        _ => {
            // Quarters, by rows: upper left, upper right, lower left, lower
            // right.
            const QUARTERS: [&[u8]; 10] = [
                &[2],
                &[3],
                &[0],
                &[0, 2, 3],
                &[0, 3],
                &[0, 1, 2],
                &[0, 1, 3],
                &[1],
                &[1, 2],
                &[1, 2, 3],
            ];
            let quarters = QUARTERS.get((code.saturating_sub(0x2596)) as usize);
            let quarters = quarters.copied().unwrap_or_default().iter();
            quarters
                .map(|quarter| {
                    let (row, column) = (quarter / 2, quarter % 2);
                    part(f64::from(column) * 0.5, f64::from(row) * 0.5, 0.5, 0.5)
                })
                .collect()
        }
    }
}
