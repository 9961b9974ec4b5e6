//! The view of the checks: what a run of them does to the state and the
//! workload, and what is seen of it.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::check::runner::Finding;
use crate::check::{Check, Class, Outcome, Tier, all};
use crate::sample::Request;

use super::super::action::Action;
use super::super::state::{News, View};
use super::super::update::{Effect, feed_checks, update};
use super::super::view;
use super::Desk;

fn first_tier() -> Vec<&'static Check> {
    all().filter(|check| check.tier == Tier::First).collect()
}

fn outcome(class: Class, expected: Option<&str>, got: Option<&str>) -> Outcome {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    Outcome {
        class,
        expected: owned(expected),
        got: owned(got),
        known: None,
    }
}

fn finding(check: &Check, outcome: Outcome) -> News {
    News::Finished(Finding {
        id: check.id.to_owned(),
        group: check.group,
        tier: check.tier,
        outcome,
        runs: 1,
        alike: 1,
        ms: 7,
    })
}

/// Outcomes of every class, by their place.
fn various(at: usize) -> Outcome {
    let told = Outcome::told;
    match at % 12 {
        3 => outcome(Class::Fail, Some("a slave"), Some("ENOTTY")),
        5 => Outcome {
            known: Some("before 4.17: has no tty-index".to_owned()),
            ..outcome(Class::Known, Some("tty-index: 3"), Some("none"))
        },
        7 => told(Class::Env, "/dev/pts/ptmx has mode 000"),
        8 => told(Class::Skip, "needs root"),
        10 => outcome(
            Class::Hang,
            Some("an end within 24s"),
            Some("pid 7 in state D in tty_wait_until_sent; cannot be killed"),
        ),
        _ => outcome(Class::Pass, None, None),
    }
}

fn hear(desk: &mut Desk, news: News) {
    let effects = feed_checks(&mut desk.app, news);
    assert!(desk.carry_out(effects).is_empty());
}

/// Lets so many checks more end, and two others begin.
pub fn end_some(desk: &mut Desk, count: usize) {
    let checks = first_tier();
    let ended = desk.app.checks.findings.len();
    for (at, check) in checks.iter().enumerate().skip(ended).take(count) {
        hear(desk, News::Started(check.id));
        hear(desk, finding(check, various(at)));
    }
    for check in checks.iter().skip(ended + count).take(2) {
        hear(desk, News::Started(check.id));
    }
}

/// Ends the run.
pub fn end(desk: &mut Desk) {
    hear(desk, News::Over(Duration::from_millis(2_340)));
}

/// A screen on which checks have just begun.
fn begun() -> Desk {
    let mut desk = Desk::new();
    desk.run(20);
    let effects = desk.press(Action::Check);
    let wanted: Vec<_> = first_tier().iter().map(|check| check.id).collect();
    let [Effect::Check(checks)] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert!(checks.iter().map(|check| check.id).eq(wanted));
    desk
}

/// The same after the last of them.
fn over() -> Desk {
    let mut desk = begun();
    desk.app.checks.planned = 12;
    end_some(&mut desk, 12);
    end(&mut desk);
    desk
}

fn pass(desk: &mut Desk, check: &Check) {
    hear(desk, finding(check, outcome(Class::Pass, None, None)));
}

fn selected(desk: &Desk) -> Option<&'static str> {
    desk.app.checks.selected().map(|(_, check)| check.id)
}

/// What the source is asked about holding the workload.
fn holds(effects: &[Effect]) -> Vec<bool> {
    let hold = |effect: &Effect| match effect {
        Effect::Ask(Request::Pause(held)) => Some(*held),
        _ => None,
    };
    effects.iter().filter_map(hold).collect()
}

#[test]
fn checks_hold_the_workload_and_let_it_go_on() {
    let mut desk = Desk::new();
    let app = &mut desk.app;
    assert_eq!(holds(&update(app, Action::Check)), [true]);
    assert_eq!((app.view, app.is_held()), (View::Checks, true));
    for (ended, check) in first_tier().into_iter().enumerate() {
        assert!(feed_checks(app, News::Started(check.id)).is_empty());
        assert_eq!(app.checks.under_way, [check.id]);
        let passed = finding(check, outcome(Class::Pass, None, None));
        assert!(feed_checks(app, passed).is_empty());
        assert!(app.checks.under_way.is_empty() && app.is_held());
        assert_eq!(app.checks.counts().pass, ended + 1);
    }
    assert_eq!(app.checks.findings.len(), app.checks.planned);
    let over = News::Over(Duration::from_secs(1));
    assert_eq!(holds(&feed_checks(app, over)), [false]);
    assert!(!app.is_held());
}

#[test]
fn a_hold_of_the_user_outlasts_the_checks() {
    let mut desk = Desk::new();
    let app = &mut desk.app;
    let over = || News::Over(Duration::from_secs(1));
    assert_eq!(holds(&update(app, Action::Pause)), [true]);
    assert_eq!(holds(&update(app, Action::Check)), [true; 0]);
    assert_eq!(holds(&feed_checks(app, over())), [true; 0]);
    assert!(app.is_held());
    // The key meanwhile is about what comes after.
    update(app, Action::Check);
    assert_eq!(holds(&update(app, Action::Pause)), [true; 0]);
    assert!(app.is_held());
    assert_eq!(holds(&feed_checks(app, over())), [false]);
}

#[test]
fn its_key_stops_a_run_and_starts_no_second_one_meanwhile() {
    let mut desk = begun();
    let effects = desk.press(Action::Check);
    assert!(matches!(effects[..], [Effect::StopChecks]), "{effects:?}");
    assert!(desk.press(Action::Check).is_empty() && desk.app.is_held());
    end(&mut desk);
    let effects = desk.press(Action::Check);
    assert!(matches!(effects[..], [Effect::Check(_)]), "{effects:?}");
}

#[test]
fn the_newest_is_followed_until_another_is_selected() {
    let mut desk = begun();
    let checks = first_tier();
    desk.press(Action::Explain);
    assert_eq!((selected(&desk), desk.app.checks.open), (None, None));
    for check in &checks[..3] {
        pass(&mut desk, check);
        assert_eq!(selected(&desk), Some(check.id));
    }
    desk.press(Action::Select(false));
    let failed = finding(checks[3], outcome(Class::Fail, None, None));
    hear(&mut desk, failed);
    assert_eq!(selected(&desk), Some(checks[1].id));
    for _ in 0..3 {
        desk.press(Action::Select(true));
    }
    pass(&mut desk, checks[4]);
    assert_eq!(selected(&desk), Some(checks[4].id));
    end(&mut desk);
    assert_eq!(selected(&desk), Some(checks[3].id), "what failed");
}

#[test]
fn an_explanation_stays_while_others_end() {
    let mut desk = begun();
    let checks = first_tier();
    pass(&mut desk, checks[0]);
    desk.press(Action::Explain);
    hear(
        &mut desk,
        finding(checks[1], outcome(Class::Hang, None, None)),
    );
    end(&mut desk);
    assert_eq!(selected(&desk), Some(checks[0].id));
    assert_eq!(desk.app.checks.open, Some(0));
    desk.press(Action::Explain);
    assert_eq!(desk.app.checks.open, None);
}

#[test]
fn the_list_is_moved_only_where_it_is_seen() {
    let mut desk = over();
    let before = selected(&desk);
    desk.press(Action::ShowView(0));
    desk.press(Action::Select(false));
    desk.press(Action::Explain);
    assert_eq!((selected(&desk), desk.app.checks.open), (before, None));
}

fn check(desk: &Desk, name: &str) {
    for (width, height) in [(80, 24), (120, 40)] {
        let name = format!("{name}_{width}x{height}");
        insta::assert_snapshot!(name, desk.picture(width, height));
    }
}

#[test]
fn pictures_before_and_after() {
    let mut desk = Desk::new();
    desk.run(20);
    desk.press(Action::ShowView(4));
    check(&desk, "idle");
    check(&over(), "over");
}

#[test]
fn pictures_of_a_run_and_of_one_that_is_stopped() {
    let mut desk = begun();
    end_some(&mut desk, 30);
    desk.run(20);
    check(&desk, "running");
    desk.press(Action::Check);
    end(&mut desk);
    check(&desk, "stopped");
}

#[test]
fn pictures_of_an_explanation() {
    let mut desk = over();
    desk.press(Action::Explain);
    check(&desk, "explanation");
}

#[test]
fn an_explanation_scrolls_to_its_last_line_and_no_further() {
    let mut desk = over();
    desk.press(Action::Explain);
    let end = view::explanation_end(&desk.app, Rect::new(0, 0, 60, 10));
    assert!(end > 0);
    desk.app.checks.open = Some(end);
    let last = desk.picture(60, 10);
    assert!(last.contains(": 0 lines below"), "{last}");
    desk.app.checks.open = Some(u16::MAX);
    assert_eq!(desk.picture(60, 10), last);
}

#[test]
fn the_selected_line_is_on_every_screen() {
    let mut desk = over();
    for height in 8..40 {
        for _ in 0..12 {
            desk.press(Action::Select(false));
        }
        for at in 0..12 {
            assert_eq!(desk.app.checks.at(), at);
            let picture = desk.picture(80, height);
            let id = format!(" {} ", desk.app.checks.findings[at].id);
            let is_marked = |line: &str| line.starts_with('>') && line.contains(&id);
            assert!(picture.lines().any(is_marked), "{height} {at}\n{picture}");
            desk.press(Action::Select(true));
        }
    }
}

#[test]
fn every_check_can_be_explained() {
    let mut desk = begun();
    for (at, check) in all().enumerate() {
        hear(&mut desk, finding(check, various(at)));
        desk.press(Action::Explain);
        let picture = desk.picture(120, 40);
        assert!(
            picture.contains(check.id) && picture.contains(": 0 lines"),
            "{picture}"
        );
        desk.press(Action::Explain);
        desk.press(Action::Select(true));
    }
}
