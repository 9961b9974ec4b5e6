//! Colours, and doing without them; and doing without Unicode.

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};

use crate::sample::{Event, Notice};

use super::super::action::Action;
use super::super::paint::paint;
use super::super::state::View;
use super::super::theme::{Theme, named_index, rgb};
use super::{Desk, text};

/// A picture that has every ink in it: both ends, a marker, a message, an
/// alarm and a setting out of the ordinary.
fn colourful() -> Desk {
    let mut desk = Desk::new();
    desk.run(120);
    desk.press(Action::Cross);
    desk.run(80);
    desk.source.integrity.lost = 1;
    desk.run(1);
    desk.tell(Event::Notice(Notice::Alarm("bytes came wrong".to_owned())));
    desk
}

fn everything(desk: &mut Desk, mut look: impl FnMut(&str, &Buffer)) {
    for &view in View::WORKLOAD.iter().chain(&[View::Big]) {
        desk.app.view = view;
        for (width, height) in [(80, 24), (120, 40), (200, 60), (40, 10)] {
            look(view.name(), &desk.draw(width, height));
        }
    }
    desk.press(Action::Help);
    look("help", &desk.draw(80, 120));
    desk.press(Action::Help);
    desk.press(Action::AskChunk);
    desk.enter("0");
    look("prompt", &desk.draw(80, 24));
    look("too small", &desk.draw(20, 5));
}

/// The styles of a picture: a letter for each, a dot for none, and what the
/// letters stand for.
fn inked(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let mut rows = String::new();
    for y in area.top()..area.bottom() {
        let mut row = String::new();
        for x in area.left()..area.right() {
            let cell = &buffer[(x, y)];
            let style = described(cell.style());
            let is_filled = style.contains("on ") || style.contains("reversed");
            let is_blank = cell.symbol() == " " && !is_filled;
            let next = (b'a' + letters.len() as u8) as char;
            row.push(if style.is_empty() || is_blank {
                '.'
            } else {
                *letters.entry(style).or_insert(next)
            });
        }
        let _ = writeln!(rows, "{}", row.trim_end_matches('.'));
    }
    let mut legend: Vec<(char, String)> = letters.into_iter().map(|(s, c)| (c, s)).collect();
    legend.sort_unstable();
    for (letter, style) in legend {
        let _ = writeln!(rows, "{letter}: {style}");
    }
    rows
}

fn described(style: Style) -> String {
    let mut words = Vec::new();
    match style.fg {
        Some(Color::Indexed(n)) => words.push(n.to_string()),
        None | Some(Color::Reset) => {}
        Some(other) => words.push(format!("{other:?}")),
    }
    match style.bg {
        Some(Color::Indexed(n)) => words.push(format!("on {n}")),
        None | Some(Color::Reset) => {}
        Some(other) => words.push(format!("on {other:?}")),
    }
    if style.add_modifier.contains(Modifier::BOLD) {
        words.push("bold".to_owned());
    }
    if style.add_modifier.contains(Modifier::REVERSED) {
        words.push("reversed".to_owned());
    }
    words.join(" ")
}

#[test]
fn each_theme_has_its_inks() {
    let mut desk = colourful();
    for theme in Theme::ALL {
        desk.app.theme = theme;
        let name = format!("inks_{}_80x24", theme.name());
        insta::assert_snapshot!(name, inked(&desk.draw(80, 24)));
    }
}

/// Calls `look` with every cell that shows something, in every view.
fn every_cell(theme: Theme, mut look: impl FnMut(&str, &Cell)) {
    let mut desk = colourful();
    desk.app.theme = theme;
    everything(&mut desk, |name, buffer| {
        buffer.content().iter().for_each(|cell| look(name, cell));
    });
}

/// WCAG 2.2's relative luminance.
fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |byte: u8| match f64::from(byte) / 255.0 {
        c if c <= 0.04045 => c / 12.92,
        c => ((c + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// WCAG 2.2's contrast ratio, 1 to 21.
fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn the_ratio_of_contrast_is_that_of_the_standard() {
    assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
    // Success criterion 1.4.3's example of a grey that just passes on white.
    assert!((contrast((0x76, 0x76, 0x76), (255, 255, 255)) - 4.54).abs() < 0.01);
}

#[test]
fn every_text_stands_out_from_its_ground() {
    for (theme, ground, least) in [
        // AA for the two that lie on a ground we do not know, AAA for the one
        // that is there for its contrast.
        (Theme::Dark, Some((0, 0, 0)), 4.5),
        (Theme::Dark, Some((0x1e, 0x1e, 0x1e)), 4.5),
        (Theme::Light, Some((255, 255, 255)), 4.5),
        (Theme::Contrast, None, 7.0),
    ] {
        every_cell(theme, |name, cell| {
            assert!(!cell.modifier.contains(Modifier::REVERSED), "{name}");
            let (fg, bg) = (rgb(cell.fg), rgb(cell.bg).or(ground));
            let fg = match (fg, ground) {
                // The terminal's own text on its own ground.
                (None, Some(_)) => return,
                (fg, _) => fg.unwrap(),
            };
            let ratio = contrast(fg, bg.unwrap());
            assert!(ratio >= least, "{theme:?} {name}: {ratio:.2} of {cell:?}");
        });
    }
}

#[test]
fn no_theme_of_256_dims_or_uses_the_first_16() {
    for theme in [Theme::Dark, Theme::Light, Theme::Contrast] {
        every_cell(theme, |name, cell| {
            assert!(!cell.modifier.contains(Modifier::DIM), "{name}");
            let named = |color| !matches!(color, Color::Reset | Color::Indexed(16..=255));
            // The first sixteen look different in every terminal.
            assert!(!named(cell.fg) && !named(cell.bg), "{name}: {cell:?}");
        });
    }
}

/// What the terminal gets of every view in `theme`: the numbers of each SGR.
fn sgr(theme: Theme) -> Vec<Vec<u32>> {
    let mut desk = colourful();
    desk.app.theme = theme;
    let mut bytes = Vec::new();
    everything(&mut desk, |_, buffer| {
        paint(&mut bytes, Buffer::empty(buffer.area).diff(buffer));
    });
    let text = String::from_utf8(bytes).unwrap();
    let mut found = Vec::new();
    for sequence in text.split("\x1b[").skip(1) {
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap();
        if sequence[end..].starts_with('m') {
            let numbers = sequence[..end].split(';').map(|n| n.parse().unwrap());
            found.push(numbers.collect());
        }
    }
    assert!(found.len() > 20, "{theme:?}");
    found
}

#[test]
fn the_16_are_written_by_name_and_lie_on_one_of_them() {
    for numbers in sgr(Theme::Sixteen) {
        let known = |n: &u32| matches!(n, 0 | 1 | 30..=37 | 40..=47 | 90..=97 | 100..=107);
        assert!(numbers.iter().all(known), "{numbers:?}");
    }
    every_cell(Theme::Sixteen, |name, cell| {
        let both = [cell.fg, cell.bg].map(named_index);
        let [Some(fg), Some(bg)] = both else {
            panic!("{name}: {cell:?}");
        };
        // Bold black is grey on the Linux console.
        let is_bold = cell.modifier.contains(Modifier::BOLD);
        assert!(fg != bg && !(is_bold && fg == 0), "{name}: {cell:?}");
        // Blue is dark on black.
        assert!(fg != 4 || bg != 0, "{name}: {cell:?}");
    });
}

#[test]
fn without_colours_none_is_written() {
    for numbers in sgr(Theme::Mono) {
        assert!(numbers.iter().all(|n| [0, 1, 7].contains(n)), "{numbers:?}");
    }
    every_cell(Theme::Mono, |name, cell| {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}");
    });
}

#[test]
fn the_words_are_the_same_in_every_theme() {
    let words = |theme| {
        let mut desk = colourful();
        desk.app.theme = theme;
        let mut words = Vec::new();
        everything(&mut desk, |_, buffer| words.push(text(buffer)));
        words
    };
    let first = words(Theme::Dark);
    for theme in Theme::ALL {
        for (words, expected) in words(theme).iter().zip(&first) {
            assert_eq!(words, expected, "{theme:?}");
        }
    }
}

#[test]
fn in_ascii_every_symbol_is() {
    let mut desk = colourful();
    desk.app.ascii = true;
    desk.press(Action::Explore);
    desk.run(100);
    everything(&mut desk, |name, buffer| {
        let words = text(buffer);
        let odd: String = words.chars().filter(|c| !c.is_ascii()).collect();
        assert!(odd.is_empty(), "{name}: {odd:?} in\n{words}");
    });
}

#[test]
fn lines_are_named_at_their_ends_whatever_the_theme() {
    let desk = colourful();
    let buffer = desk.draw(120, 40);
    let find = |letter: &str| {
        let is_it = |x, y| buffer[(x, y)].symbol() == letter && x > 70 && x < 100;
        (0..40).any(|y| (0..120).any(|x| is_it(x, y)))
    };
    for letter in ["W", "R", "w", "r"] {
        assert!(find(letter), "{letter}\n{}", text(&buffer));
    }
}
