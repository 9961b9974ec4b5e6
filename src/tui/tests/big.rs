//! One number for the back row.

use super::super::action::Action;
use super::super::state::{Number, View};
use super::super::theme::Theme;
use super::Desk;

/// A run across the boundary, in the big view.
fn big() -> Desk {
    let mut desk = Desk::new();
    desk.run(120);
    desk.press(Action::Cross);
    desk.run(81);
    desk.press(Action::Big);
    desk
}

fn check(desk: &Desk, name: &str, sizes: &[(u16, u16)]) {
    for &(width, height) in sizes {
        let name = format!("big_{name}_{width}x{height}");
        insta::assert_snapshot!(name, desk.picture(width, height));
    }
}

#[test]
fn a_number_fills_the_screen() {
    let desk = big();
    let sizes = [
        (80, 24),
        (120, 40),
        (200, 60),
        (80, 16),
        (80, 15),
        (40, 10),
        (40, 8),
    ];
    check(&desk, "throughput", &sizes);
}

#[test]
fn every_number_that_there_is_comes_in_its_turn() {
    let mut desk = big();
    let mut seen = vec![desk.app.stage.number];
    for _ in 0..6 {
        desk.press(Action::NextNumber);
        seen.push(desk.app.stage.number);
    }
    let expected = [
        Number::Throughput,
        Number::InFlight,
        Number::WriteP50,
        Number::WriteP99,
        Number::ReadP50,
        Number::ReadP99,
        Number::Difference,
    ];
    assert_eq!(seen, expected);
    check(&desk, "difference", &[(80, 24), (40, 8)]);
    desk.press(Action::NextNumber);
    assert_eq!(desk.app.stage.number, Number::Throughput);
    desk.press(Action::Preset(1));
    desk.run(31);
    while desk.app.stage.number != Number::RoundTrip {
        desk.press(Action::NextNumber);
    }
    check(&desk, "round_trip", &[(80, 24)]);
}

#[test]
fn before_the_first_sample_there_is_a_dash() {
    let mut desk = Desk::new();
    desk.press(Action::Big);
    check(&desk, "start", &[(80, 24)]);
}

#[test]
fn who_waits_is_told_beside_the_number() {
    let mut desk = Desk::new();
    desk.run(20);
    desk.press(Action::Preset(4));
    desk.run(43);
    desk.press(Action::Big);
    check(&desk, "blocked", &[(80, 24)]);
    desk.press(Action::NextNumber);
    check(&desk, "in_flight", &[(80, 24)]);
}

#[test]
fn it_goes_back_to_the_view_that_it_came_from() {
    let mut desk = Desk::new();
    desk.run(5);
    desk.press(Action::ShowView(3));
    desk.press(Action::Big);
    assert_eq!(desk.app.view, View::Big);
    desk.press(Action::Big);
    assert_eq!(desk.app.view, View::Kernel);
    desk.press(Action::NextNumber);
    assert_eq!(desk.app.view, View::Big);
    desk.press(Action::ShowView(1));
    assert_eq!(desk.app.view, View::Curve);
}

#[test]
fn a_caption_stands_below_the_title_of_every_view() {
    let mut desk = big();
    desk.app.stage.caption = Some(
        "Look at the bytes of a read: how many of the writer's chunks does the reader get at once?"
            .to_owned(),
    );
    check(&desk, "caption", &[(80, 24), (40, 8)]);
    desk.press(Action::Big);
    check(&desk, "caption_time", &[(80, 24), (120, 40)]);
    desk.app.stage.caption = Some("擬似端末の行規律 ".repeat(40));
    check(&desk, "caption_wide", &[(80, 24), (40, 8)]);
    desk.app.stage.caption = Some(" \n\u{1b}\u{200d} ".to_owned());
    let blank = desk.picture(80, 24);
    desk.app.stage.caption = None;
    assert_eq!(desk.picture(80, 24).lines().count(), 24);
    assert!(!blank.contains('\u{1b}'));
}

#[test]
fn letters_of_ascii_do_as_well() {
    let mut desk = big();
    desk.app.ascii = true;
    check(&desk, "ascii", &[(80, 24)]);
}

#[test]
fn the_digits_stand_in_full_contrast_or_in_the_terminals_own_colours() {
    use ratatui::style::Color;
    for (theme, colours) in [
        (Theme::Dark, (Color::Indexed(231), Color::Indexed(16))),
        (Theme::Light, (Color::Indexed(16), Color::Indexed(231))),
        (Theme::Contrast, (Color::Indexed(231), Color::Indexed(16))),
        (Theme::Sixteen, (Color::White, Color::Black)),
        (Theme::Mono, (Color::Reset, Color::Reset)),
    ] {
        let mut desk = big();
        desk.app.theme = theme;
        let buffer = desk.draw(80, 24);
        let inked = buffer.content().iter().filter(|cell| cell.symbol() == "█");
        let digits = inked.filter(|cell| (cell.fg, cell.bg) == colours);
        assert!(digits.count() > 100, "{theme:?}");
    }
}
