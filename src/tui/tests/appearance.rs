//! Colours, and doing without them; and doing without Unicode.

use std::collections::BTreeMap;
use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::sample::{Event, Notice};

use super::super::action::Action;
use super::super::state::View;
use super::super::theme::Theme;
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
    for (theme, name) in [
        (Theme::Dark, "dark"),
        (Theme::Light, "light"),
        (Theme::Mono, "mono"),
    ] {
        desk.app.theme = theme;
        insta::assert_snapshot!(format!("inks_{name}_80x24"), inked(&desk.draw(80, 24)));
    }
}

#[test]
fn no_theme_dims_or_assumes_a_background() {
    for theme in [Theme::Dark, Theme::Light] {
        let mut desk = colourful();
        desk.app.theme = theme;
        everything(&mut desk, |name, buffer| {
            for cell in buffer.content() {
                assert!(!cell.modifier.contains(Modifier::DIM), "{name}");
                let named = |color| !matches!(color, Color::Reset | Color::Indexed(16..=255));
                // The first sixteen look different in every terminal.
                assert!(!named(cell.fg) && !named(cell.bg), "{name}: {cell:?}");
            }
        });
    }
}

#[test]
fn without_colours_no_cell_has_one() {
    let mut desk = colourful();
    desk.app.theme = Theme::Mono;
    everything(&mut desk, |name, buffer| {
        for cell in buffer.content() {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}");
        }
    });
}

#[test]
fn without_colours_the_words_are_the_same() {
    let mut desk = colourful();
    let coloured = desk.picture(120, 40);
    desk.app.theme = Theme::Mono;
    assert_eq!(desk.picture(120, 40), coloured);
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
