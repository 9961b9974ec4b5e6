//! Which letters become shapes, and where they lie.

use ratatui::layout::Rect;

use super::*;

fn picture(text: &str, style: Style) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 16, 1));
    buffer.set_string(0, 0, text, style);
    svg(&buffer, Theme::Dark)
}

/// What the picture has for one letter at its upper left.
fn drawn(glyph: char) -> Vec<Shape> {
    shapes(glyph, (8.0, 16.0)).unwrap_or_default()
}

/// The part of a cell of 8 times 16 that blocks cover, pixel by pixel.
fn covered(glyph: char) -> String {
    let shapes = drawn(glyph);
    let is_in = |x: f64, y: f64| {
        shapes.iter().any(|shape| match shape {
            Shape::Block((left, top), (wide, high)) => {
                (*left..left + wide).contains(&x) && (*top..top + high).contains(&y)
            }
            Shape::Dot(..) => false,
        })
    };
    let row = |y: u8| {
        (0..8u8)
            .map(|x| is_in(f64::from(x) + 0.5, f64::from(y) + 0.5))
            .map(|is_in| if is_in { '#' } else { '.' })
            .collect::<String>()
    };
    (0..16).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_picture_has_the_text_the_dots_and_the_bars() {
    let picture = picture("a<b ⠁⣿█", Style::new().fg(Color::Indexed(214)));
    assert!(picture.contains(">a&lt;b</text>"), "{picture}");
    assert_eq!(picture.matches("<path").count(), 2, "{picture}");
    assert_eq!(picture.matches("a1.71 1.71").count(), 2 * (1 + 8));
    assert!(picture.contains("d=\"M66 12h9v18h-9z\""), "{picture}");
    assert!(picture.contains("#ffaf00"));
    assert!(picture.ends_with("</svg>\n"));
}

#[test]
fn no_block_line_or_dot_is_left_to_a_font() {
    let blocks = ('▀'..='▐').chain('▔'..='▟');
    let lines = ('─'..='╰').chain('╴'..='╿');
    for glyph in blocks.chain(lines).chain('⠀'..='⣿') {
        let picture = picture(&glyph.to_string(), Style::new());
        assert!(!picture.contains("<text"), "{glyph}: {picture}");
        assert_eq!(picture.contains("<path"), glyph != '⠀', "{glyph}");
    }
    for glyph in ['░', '╱', 'a'] {
        let picture = picture(&glyph.to_string(), Style::new());
        assert!(picture.contains(&format!(">{glyph}</text>")), "{picture}");
    }
}

#[test]
fn blocks_cover_what_their_names_say() {
    let left = |columns: usize| [&"#".repeat(columns), &*".".repeat(8 - columns)].concat();
    let rows = |rows: [(usize, String); 2]| {
        let [(above, first), (below, second)] = rows;
        let all = std::iter::repeat_n(first, above).chain(std::iter::repeat_n(second, below));
        all.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(covered('▀'), rows([(8, left(8)), (8, left(0))]));
    for (eighths, glyph) in (1..=8).zip('▁'..='█') {
        let high = 2 * eighths;
        assert_eq!(
            covered(glyph),
            rows([(16 - high, left(0)), (high, left(8))])
        );
    }
    for (eighths, glyph) in (1..=7).rev().zip('▉'..='▏') {
        assert_eq!(covered(glyph), rows([(16, left(eighths)), (0, left(0))]));
    }
    let right = |columns: usize| {
        left(8 - columns)
            .replace('#', "-")
            .replace('.', "#")
            .replace('-', ".")
    };
    assert_eq!(covered('▐'), rows([(16, right(4)), (0, left(0))]));
    assert_eq!(covered('▚'), rows([(8, left(4)), (8, right(4))]));
    assert_eq!(covered('▙'), rows([(8, left(4)), (8, left(8))]));
    assert_eq!(covered('▞'), rows([(8, right(4)), (8, left(4))]));
}

#[test]
fn lines_meet_those_of_the_cells_beside() {
    let touches = |glyph: char| {
        let mut sides = String::new();
        for shape in drawn(glyph) {
            let Shape::Block((left, top), (wide, high)) = shape else {
                panic!("{glyph}");
            };
            for (side, at) in [
                ('u', top == 0.0),
                ('r', left + wide == 8.0),
                ('d', top + high == 16.0),
                ('l', left == 0.0),
            ] {
                if at && !sides.contains(side) {
                    sides.push(side);
                }
            }
        }
        sides
    };
    for (glyph, sides) in [
        ('─', "rl"),
        ('│', "ud"),
        ('┏', "rd"),
        ('╯', "ul"),
        ('├', "urd"),
        ('╬', "urdl"),
        ('┽', "urdl"),
        ('╵', "u"),
        ('┊', ""),
        ('╍', ""),
    ] {
        assert_eq!(touches(glyph), sides, "{glyph}");
    }
    assert_eq!(drawn('┊').len(), 4);
    assert_eq!(drawn('║').len(), 4);
}

#[test]
fn dots_lie_as_unicode_numbers_them() {
    let at = |glyph: char| match drawn(glyph)[..] {
        [Shape::Dot(place, _)] => place,
        ref other => panic!("{other:?}"),
    };
    for (glyph, place) in [
        ('⠁', (2.0, 2.0)),
        ('⠂', (2.0, 6.0)),
        ('⠄', (2.0, 10.0)),
        ('⡀', (2.0, 14.0)),
        ('⠈', (6.0, 2.0)),
        ('⢀', (6.0, 14.0)),
    ] {
        assert_eq!(at(glyph), place, "{glyph}");
    }
}

#[test]
fn wide_letters_have_their_cells_and_gaps_end_a_text() {
    let picture = picture("ab 端c  d ⠂ f e\u{301}", Style::new());
    let begins: Vec<_> = picture
        .lines()
        .filter_map(|line| {
            let (head, letters) = line.strip_prefix("<text x=\"")?.split_once("\">")?;
            let x: f64 = head.split('"').next()?.parse().ok()?;
            let length = head.split("textLength=\"").nth(1)?.split('"').next()?;
            let letters = letters.strip_suffix("</text>")?;
            Some((
                (x - MARGIN) / WIDTH,
                letters,
                length.parse::<f64>().ok()? / WIDTH,
            ))
        })
        .collect();
    let expected = [
        (0.0, "ab", 2.0),
        (3.0, "端", 2.0),
        (5.0, "c", 1.0),
        (8.0, "d", 1.0),
        (12.0, "f", 1.0),
        (14.0, "e\u{301}", 1.0),
    ];
    assert_eq!(begins, expected, "{picture}");
}

#[test]
fn grounds_and_reversed_letters_have_the_papers_colours() {
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    let picture = picture("a", reversed);
    let ground = "<path shape-rendering=\"crispEdges\" fill=\"#e4e4e4\" d=\"M12 12h9v18h-9z\"/>";
    assert!(picture.contains(ground), "{picture}");
    assert!(picture.contains("fill=\"#121212\" textLength"), "{picture}");
}

#[test]
fn nothing_that_xml_forbids_comes_through() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
    for (x, symbol) in (0..).zip(["\u{1b}", "\u{0}", "\u{ffff}", "<"]) {
        buffer[(x, 0)].set_symbol(symbol);
    }
    let picture = svg(&buffer, Theme::Dark);
    assert!(
        picture.chars().all(|c| c == '\n' || !c.is_control()),
        "{picture:?}"
    );
    assert!(!picture.contains('\u{ffff}') && picture.contains("&lt;"));
}
