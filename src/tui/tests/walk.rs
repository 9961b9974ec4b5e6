//! The walk around a boundary.

use std::collections::BTreeSet;

use crate::pty::Mode;

use super::super::action::Action;
use super::super::state::View;
use super::Desk;

/// Two samples for each of six visits.
const BLOCK: usize = 12;

fn walked(step: f64, blocks: usize) -> Desk {
    let mut desk = Desk::new();
    desk.source.script.step = step;
    desk.run(10);
    desk.press(Action::Explore);
    desk.run(blocks * BLOCK);
    desk
}

fn verdict(desk: &Desk) -> String {
    let picture = desk.picture(120, 40);
    picture.lines().nth(3).unwrap_or_default().to_owned()
}

#[test]
fn it_visits_all_its_points_each_block() {
    let mut desk = walked(1.2, 0);
    assert_eq!(desk.app.view, View::Curve);
    for _ in 0..3 {
        let mut seen = BTreeSet::new();
        for _ in 0..BLOCK {
            seen.insert(desk.app.settings.chunk);
            desk.run(1);
        }
        let seen: Vec<usize> = seen.into_iter().collect();
        assert_eq!(seen, [240, 255, 256, 257, 272]);
    }
    let points = desk.app.data.curve.throughput.points();
    assert!(points.map(|(chunk, _)| chunk).eq([240, 255, 256, 257, 272]));
}

#[test]
fn it_finds_a_step_and_none_where_there_is_none() {
    let with = verdict(&walked(1.2, 14));
    assert!(with.contains("257/256 x0.8"), "{with}");
    assert!(with.contains(": a step;"), "{with}");
    let without = verdict(&walked(1.0, 14));
    assert!(without.contains("no step above"), "{without}");
    let early = verdict(&walked(1.2, 2));
    assert!(early.contains("not yet"), "{early}");
}

#[test]
fn it_goes_around_the_nearest_boundary() {
    for (chunk, boundary) in [("100", 128), ("500", 512), ("100K", 2048)] {
        let mut desk = Desk::new();
        desk.press(Action::AskChunk);
        desk.enter(chunk);
        desk.press(Action::Explore);
        assert_eq!(
            desk.app.data.curve.walk.as_ref().unwrap().boundary,
            boundary
        );
    }
}

#[test]
fn another_setting_ends_it_and_a_look_does_not() {
    let going = |desk: &Desk| desk.app.data.curve.walk.as_ref().map(|walk| walk.going);
    let mut desk = walked(1.2, 14);
    for action in [
        Action::TurnView(true),
        Action::Axes,
        Action::Zoom(true),
        Action::Theme,
        Action::Help,
        Action::Freeze,
    ] {
        desk.press(action);
        assert_eq!(going(&desk), Some(true), "{action:?}");
    }
    desk.press(Action::Freeze);
    desk.press(Action::Help);
    // What it found stays as long as it is true.
    desk.press(Action::Step(true));
    desk.run(3);
    assert_eq!(going(&desk), Some(false));
    desk.app.view = View::Curve;
    assert!(verdict(&desk).contains("a step"));
    desk.press(Action::Mode);
    desk.run(1);
    assert_eq!((going(&desk), desk.app.settings.mode), (None, Mode::COOKED));
}

#[test]
fn its_key_stops_it_where_it_is() {
    let mut desk = walked(1.2, 3);
    let chunk = desk.app.settings.chunk;
    desk.press(Action::Explore);
    assert!(desk.message().contains("stopped"));
    desk.run(30);
    assert_eq!(desk.app.settings.chunk, chunk);
}

#[test]
fn it_waits_while_the_workload_is_held() {
    let mut desk = walked(1.2, 2);
    desk.press(Action::Pause);
    let before = desk.app.data.curve.walk.as_ref().unwrap().blocks();
    desk.run(5 * BLOCK);
    let walk = desk.app.data.curve.walk.as_ref().unwrap();
    assert!(walk.going && walk.blocks() == before);
    desk.press(Action::Pause);
    desk.run(14 * BLOCK);
    assert!(verdict(&desk).contains("a step"));
}

#[test]
fn a_refusal_ends_it() {
    let mut desk = walked(1.2, 2);
    desk.source.script.refuse = Some("no more ptys".to_owned());
    desk.run(BLOCK);
    assert!(!desk.app.data.curve.walk.as_ref().unwrap().going);
    assert_eq!(desk.message(), "no more ptys");
}

#[test]
fn its_visits_are_one_marker_and_its_numbers_are_new() {
    let mut desk = walked(1.2, 5);
    let marks: Vec<_> = desk.app.data.history.marks_since(0.0).collect();
    let labels: Vec<&str> = marks.iter().map(|mark| mark.label.as_str()).collect();
    assert_eq!(labels, ["visiting"]);
    for _ in 0..BLOCK {
        desk.run(1);
        let data = &desk.app.data;
        let chunk = data.latest.as_ref().unwrap().settings.chunk as u64;
        let sizes = &data.readout.as_ref().unwrap().flows[0].writes.size;
        assert_eq!((sizes.min(), sizes.max()), (Some(chunk), Some(chunk)));
    }
}
