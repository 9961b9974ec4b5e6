//! Box drawing: lines from a cell's middle to its edges.

use super::shapes::Shape;

/// The arms of U+2500 to U+257F: up, right, down and left; 0 for none, 1 light,
/// 2 heavy, 3 double. Dots stand for what is no such cross.
const ARMS: &str = concat!(
    "0101 0202 1010 2020 .... .... .... .... .... .... .... .... 0110 0210 0120 0220 ",
    "0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120 ",
    "2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212 ",
    "0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212 ",
    "2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 .... .... .... .... ",
    "0303 3030 0310 0130 0330 0013 0031 0033 1300 3100 3300 1003 3001 3003 1310 3130 ",
    "3330 1013 3031 3033 0313 0131 0333 1303 3101 3303 1313 3131 3333 0110 0011 1001 ",
    "1100 .... .... .... 0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010 ",
);
/// How thick a light line is, in units of the picture; a heavy one is three.
const LIGHT: f64 = 1.0;

/// The lines of a character; None of one that has others (diagonals). The
/// rounded corners are square.
pub fn lines(glyph: char, (width, height): (f64, f64)) -> Option<Vec<Shape>> {
    if let Some((is_upright, parts, thick)) = dashes(glyph) {
        return Some(dashed(is_upright, parts, thick, (width, height)));
    }
    let at = (glyph as usize).checked_sub(0x2500)? * 5;
    let arms = ARMS.as_bytes().get(at..at + 4)?;
    if arms.contains(&b'.') {
        return None;
    }
    let (x, y) = (width / 2.0, height / 2.0);
    let mut shapes = Vec::new();
    for (side, arm) in arms.iter().enumerate() {
        let (thick, offsets): (f64, &[f64]) = match arm {
            b'1' => (LIGHT, &[0.0]),
            b'2' => (3.0 * LIGHT, &[0.0]),
            b'3' => (LIGHT, &[-1.5 * LIGHT, 1.5 * LIGHT]),
            _ => continue,
        };
        for offset in offsets {
            // As far beyond the middle as lines across are thick.
            let beyond = thick / 2.0 + offset.abs();
            let (from, across) = (offset - thick / 2.0, thick);
            shapes.push(match side {
                0 => Shape::Block((x + from, 0.0), (across, y + beyond)),
                1 => Shape::Block((x - beyond, y + from), (width - x + beyond, across)),
                2 => Shape::Block((x + from, y - beyond), (across, height - y + beyond)),
                _ => Shape::Block((0.0, y + from), (x + beyond, across)),
            });
        }
    }
    Some(shapes)
}

/// Whether a dashed line is upright, how many dashes it has and how thick it is.
fn dashes(glyph: char) -> Option<(bool, u32, f64)> {
    let code = glyph as u32;
    let parts = match code {
        0x2504..=0x2507 => 3,
        0x2508..=0x250b => 4,
        0x254c..=0x254f => 2,
        _ => return None,
    };
    let thick = if code.is_multiple_of(2) {
        LIGHT
    } else {
        3.0 * LIGHT
    };
    Some((code & 2 != 0, parts, thick))
}

fn dashed(is_upright: bool, parts: u32, thick: f64, (width, height): (f64, f64)) -> Vec<Shape> {
    let along = if is_upright { height } else { width };
    let step = along / f64::from(parts);
    (0..parts)
        .map(|part| {
            let from = step * (f64::from(part) + 0.2);
            let dash = step * 0.6;
            if is_upright {
                Shape::Block(((width - thick) / 2.0, from), (thick, dash))
            } else {
                Shape::Block((from, (height - thick) / 2.0), (dash, thick))
            }
        })
        .collect()
}
