//! What each action does to what is seen, and to what is remembered.

use ratatui::layout::Rect;

use crate::workload::Settings;

use super::super::action::{Action, bindings};
use super::super::bindings::GROUPS;
use super::super::state::{Axes, View, WINDOWS};
use super::super::theme::Theme;
use super::super::update::Effect;
use super::{Desk, view};

#[test]
fn views_turn_both_ways() {
    let mut desk = Desk::new();
    let turned = |desk: &mut Desk, forward| {
        desk.press(Action::TurnView(forward));
        desk.app.view
    };
    for view in [
        View::Curve,
        View::Distribution,
        View::Kernel,
        View::Checks,
        View::Time,
    ] {
        assert_eq!(turned(&mut desk, true), view);
    }
    assert_eq!(turned(&mut desk, false), View::Checks);
    desk.press(Action::ShowView(1));
    assert_eq!(desk.app.view, View::Curve);
    desk.press(Action::ShowView(99));
    assert_eq!(desk.app.view, View::Curve);
}

#[test]
fn axes_zoom_theme_and_help_change_only_the_look() {
    let mut desk = Desk::new();
    desk.run(3);
    let axes = [Axes::Linear, Axes::Log, Axes::Automatic];
    for expected in axes {
        desk.press(Action::Axes);
        assert_eq!(desk.app.axes, expected);
    }
    for _ in 0..20 {
        desk.press(Action::Zoom(true));
    }
    assert_eq!(desk.app.window, 0);
    for _ in 0..20 {
        desk.press(Action::Zoom(false));
    }
    assert_eq!(desk.app.window, WINDOWS.len() - 1);
    for expected in [
        Theme::Light,
        Theme::Contrast,
        Theme::Sixteen,
        Theme::Mono,
        Theme::Dark,
    ] {
        desk.press(Action::Theme);
        assert_eq!(desk.app.theme, expected);
        assert_eq!(desk.message(), format!("theme: {}", expected.name()));
    }
    desk.press(Action::Help);
    assert_eq!(desk.app.help, Some(0));
    desk.press(Action::Help);
    assert_eq!(desk.app.help, None);
    assert_eq!(desk.app.settings, Settings::default());
    assert_eq!(desk.app.data.latest.as_ref().unwrap().epoch, 1);
}

#[test]
fn a_frozen_display_stays_and_collects() {
    let mut desk = Desk::new();
    desk.run(30);
    desk.press(Action::Freeze);
    let frozen = desk.picture(120, 40);
    desk.run(60);
    assert_eq!(desk.picture(120, 40), frozen);
    assert_eq!(desk.app.data.epoch.samples, 90);
    desk.press(Action::Freeze);
    assert!(desk.app.frozen.is_none());
    assert_ne!(desk.picture(120, 40), frozen);
}

#[test]
fn the_workload_is_held_and_goes_on() {
    let mut desk = Desk::new();
    desk.run(2);
    desk.press(Action::Pause);
    desk.run(2);
    assert!(desk.app.paused && desk.app.data.latest.as_ref().unwrap().paused);
    assert!(desk.picture(80, 24).contains(" HELD "));
    assert!(desk.picture(80, 24).contains("z go on"));
    desk.press(Action::Pause);
    desk.run(2);
    assert!(!desk.app.paused && !desk.app.data.latest.as_ref().unwrap().paused);
}

#[test]
fn a_reference_is_held_until_it_is_dropped() {
    let mut desk = Desk::new();
    desk.press(Action::Reference);
    assert_eq!(desk.message(), "nothing to hold yet");
    desk.run(20);
    desk.press(Action::Reference);
    for _ in 0..2 {
        desk.press(Action::Scale(true));
        desk.run(20);
    }
    let held = |desk: &Desk| {
        let comparison = desk.app.data.comparison().unwrap();
        (comparison.before.to_owned(), comparison.held)
    };
    assert_eq!(held(&desk), ("256".to_owned(), true));
    assert!(desk.picture(80, 24).contains("against A, 256"));
    desk.press(Action::Reference);
    assert_eq!(held(&desk), ("512".to_owned(), false));
}

#[test]
fn a_reset_forgets_what_was_seen_and_no_setting() {
    let mut desk = Desk::new();
    desk.run(20);
    desk.press(Action::Cross);
    desk.run(20);
    desk.press(Action::Freeze);
    desk.press(Action::Reset);
    let data = &desk.app.data;
    assert!(desk.app.frozen.is_none() && data.comparison().is_none());
    assert_eq!(data.history.since(0.0).count(), 0);
    assert_eq!(data.history.marks_since(0.0).count(), 0);
    assert_eq!(data.curve.throughput.points().count(), 0);
    assert_eq!((data.epoch.samples, desk.app.settings.chunk), (0, 257));
    desk.run(20);
    assert_eq!(desk.app.data.epoch.samples, 20);
    desk.press(Action::Cross);
    desk.run(20);
    assert_eq!(desk.app.data.comparison().unwrap().before, "257");
}

#[test]
fn some_actions_are_left_to_the_loop() {
    let mut desk = Desk::new();
    let left = |desk: &mut Desk, action| desk.press(action).pop();
    assert!(matches!(left(&mut desk, Action::Quit), Some(Effect::Quit)));
    assert!(matches!(
        left(&mut desk, Action::Suspend),
        Some(Effect::Suspend)
    ));
    assert!(matches!(
        left(&mut desk, Action::Export),
        Some(Effect::Export)
    ));
    assert!(matches!(
        left(&mut desk, Action::Picture),
        Some(Effect::Picture)
    ));
}

#[test]
fn the_footer_always_has_help_and_quit() {
    let mut desk = Desk::new();
    for width in 40..=200 {
        let picture = desk.picture(width, 24);
        let footer = picture.lines().last().unwrap().to_owned();
        assert!(footer.ends_with("? help q quit"), "{width}: {footer}");
        assert!(footer.chars().count() <= usize::from(width));
    }
    desk.press(Action::AskChunk);
    assert!(desk.picture(80, 24).contains("Enter takes it"));
}

#[test]
fn the_help_has_every_key_and_can_be_read_to_its_end() {
    for (width, height) in [(80, 24), (120, 40), (40, 8)] {
        let mut desk = Desk::new();
        let end = view::help_end(&desk.app, Rect::new(0, 0, width, height));
        let mut seen = String::new();
        for scroll in 0..=end {
            desk.app.help = Some(scroll);
            seen.push_str(&desk.picture(width, height));
        }
        for binding in bindings(GROUPS) {
            assert!(seen.contains(binding.shown), "{}", binding.shown);
        }
        assert!(seen.contains(" 0 lines below") || width == 40);
        assert!(seen.contains("own weight"));
    }
}
