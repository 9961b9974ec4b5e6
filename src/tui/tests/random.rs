//! Whatever is pressed, sampled and resized, in any order.

use ratatui::layout::Rect;

use crate::analysis::SplitMix64;
use crate::sample::{Event, Notice};

use super::super::action::{Action, bindings};
use super::super::bindings::GROUPS;
use super::super::update::{Typed, type_in};
use super::{Desk, view};

/// Actions of one run.
const ACTIONS: usize = 700;

fn run(seed: u64) {
    let mut rng = SplitMix64::new(seed);
    let mut desk = Desk::new();
    let actions: Vec<Action> = bindings(GROUPS).map(|binding| binding.action).collect();
    for _ in 0..ACTIONS {
        let action = actions[rng.below(actions.len() as u64) as usize];
        desk.press(action);
        happen(&mut desk, &mut rng);
        desk.run(rng.below(4) as usize);
        desk.app.ascii = rng.below(4) == 0;
        let (width, height) = (rng.below(251) as u16, rng.below(81) as u16);
        let buffer = desk.draw(width, height);
        assert_eq!(buffer.area, Rect::new(0, 0, width, height));
        assert_eq!(desk.app.settings.check(), Ok(()), "{action:?}");
    }
    let data = &desk.app.data;
    assert!(data.notices.len() <= 50);
    assert!(data.history.since(0.0).count() <= 12_000);
    assert!(data.history.marks_since(0.0).count() <= 500);
    assert!(data.curve.throughput.points().count() <= 1024);
}

/// Now and then something that no action brings about.
fn happen(desk: &mut Desk, rng: &mut SplitMix64) {
    let script = &mut desk.source.script;
    match rng.below(40) {
        0 => script.refuse = Some("refused".to_owned()),
        1 => script.kmallocs = !script.kmallocs,
        2 => script.fionread = !script.fionread,
        3 => script.dropped = rng.below(100_000),
        4 => script.steal_ns = rng.below(100_000_000),
        5 => script.full = rng.below(1 << 20) as i64 + 1,
        6 => desk.source.integrity.lost += rng.below(2),
        7 => desk.tell(Event::Notice(Notice::Alarm("wrong".repeat(100)))),
        8 => desk.tell(Event::Notice(Notice::Changed("changed".to_owned()))),
        9 => desk.app.help = Some(rng.next_u64() as u16),
        10 => desk.app.facts.host = without_facts(),
        11 => desk.app.facts.host = super::facts().host,
        12 => desk.app.weight.bytes_per_second = f64::NAN,
        13 => super::checks::end_some(desk, rng.below(70) as usize),
        14 => super::checks::end(desk),
        15 => desk.app.checks.open = Some(rng.next_u64() as u16),
        _ => type_something(desk, rng),
    }
}

fn without_facts() -> std::sync::Arc<crate::host::HostFacts> {
    let mut host = (*super::facts().host).clone();
    host.kernel.version = None;
    host.kernel.release = None;
    host.kernel.build = None;
    host.cpu.online = None;
    host.page_size = None;
    host.pty.nr = None;
    std::sync::Arc::new(host)
}

fn type_something(desk: &mut Desk, rng: &mut SplitMix64) {
    if desk.app.prompt.is_none() {
        return;
    }
    for _ in 0..rng.below(6) {
        let key = match rng.below(8) {
            0 => Typed::Backspace,
            1 => Typed::Char(char::from_u32(rng.below(0x1_1000) as u32).unwrap_or('ß')),
            2 => Typed::Char('K'),
            3 => Typed::Escape,
            _ => Typed::Char((b'0' + rng.below(10) as u8) as char),
        };
        assert!(type_in(&mut desk.app, key).is_empty());
    }
    let effects = type_in(&mut desk.app, Typed::Enter);
    desk.carry_out(effects);
}

#[test]
fn nothing_panics_and_nothing_grows() {
    for seed in [1, 2] {
        run(seed);
    }
}

#[test]
fn every_view_is_drawn_at_every_small_size() {
    let mut desk = Desk::new();
    desk.run(5);
    desk.press(Action::Explore);
    desk.run(20);
    super::checks::end_some(&mut desk, 30);
    for number in 0..6 {
        desk.press(Action::ShowView(number));
        if number == 5 {
            desk.press(Action::Help);
        }
        for width in (0..=90).step_by(5).chain(38..=42) {
            for height in 0..=26 {
                desk.draw(width, height);
            }
        }
    }
    assert_eq!(
        view::help_end(&desk.app, Rect::new(0, 0, 0, 0)),
        view::help_end(&desk.app, Rect::ZERO)
    );
}

#[test]
fn days_of_samples_take_no_more_room_than_an_hour() {
    let mut desk = Desk::new();
    desk.run(13_000);
    let data = &desk.app.data;
    assert_eq!(data.history.since(0.0).count(), 12_000);
    assert_eq!(data.curve.throughput.values(256).count(), 256);
    desk.draw(200, 60);
}
