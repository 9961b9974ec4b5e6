//! What samples and notices do to the state.

use crate::pty::Mode;
use crate::sample::{Event, Notice};
use crate::workload::Settings;

use super::super::action::Action;
use super::super::state::Metric;
use super::Desk;

fn ratio(desk: &Desk, metric: Metric) -> Option<f64> {
    let found = desk.app.data.differences.iter();
    let found = found.clone().find(|(name, _)| *name == metric)?;
    found.1.map(|ratio| ratio.estimate)
}

#[test]
fn a_change_is_compared_with_the_stretch_before_once_there_is_enough() {
    let mut desk = Desk::new();
    desk.run(30);
    assert!(desk.app.data.comparison().is_none());
    desk.press(Action::Cross);
    desk.run(2);
    let comparison = desk.app.data.comparison().unwrap();
    assert_eq!((comparison.now, comparison.before), ("257", "256"));
    assert_eq!(ratio(&desk, Metric::Throughput), None);
    desk.run(30);
    let seen = ratio(&desk, Metric::WriteTime).unwrap();
    assert!((seen - 1.2).abs() < 0.03, "{seen}");
    let seen = ratio(&desk, Metric::BytesPerRead).unwrap();
    assert!((seen - 257.0 / 256.0).abs() < 1e-3, "{seen}");
}

#[test]
fn where_nothing_flows_there_is_nothing_to_wait_for() {
    let mut desk = Desk::new();
    desk.run(20);
    desk.press(Action::Preset(4));
    desk.run(40);
    assert_eq!(ratio(&desk, Metric::Throughput), None);
    assert!(desk.picture(80, 24).contains("throughput nothing flows"));
}

#[test]
fn round_trips_are_compared_with_round_trips_only() {
    let mut desk = Desk::new();
    desk.run(30);
    desk.press(Action::Preset(1));
    desk.run(30);
    let metrics = |desk: &Desk| desk.app.data.differences.iter().map(|d| d.0).collect();
    let seen: Vec<Metric> = metrics(&desk);
    assert!(!seen.contains(&Metric::RoundTrip));
    assert!(seen.contains(&Metric::Throughput));
    desk.press(Action::Scale(true));
    desk.run(30);
    let seen = ratio(&desk, Metric::RoundTrip).unwrap();
    assert!(seen > 1.1, "{seen}");
}

#[test]
fn a_sample_that_straddles_a_change_enters_no_statistic() {
    let mut desk = Desk::new();
    desk.run(5);
    desk.press(Action::Cross);
    desk.run(1);
    assert_eq!(desk.app.data.epoch.samples, 0);
    assert!(desk.app.data.curve.throughput.values(257).next().is_none());
    let last = desk.app.data.history.since(0.55).last().cloned();
    assert_eq!(last.unwrap().throughput, None);
    desk.run(3);
    assert_eq!(desk.app.data.epoch.samples, 3);
    assert_eq!(desk.app.data.curve.throughput.values(257).count(), 3);
}

#[test]
fn a_readout_never_mixes_epochs() {
    let mut desk = Desk::new();
    for crossing in 0..20 {
        desk.run(1 + crossing % 7);
        desk.press(Action::Cross);
        desk.run(1);
        let data = &desk.app.data;
        let sizes = &data.readout.as_ref().unwrap().flows[0].writes.size;
        let chunk = desk.app.settings.chunk as u64;
        assert_eq!((sizes.min(), sizes.max()), (Some(chunk), Some(chunk)));
    }
}

#[test]
fn held_samples_are_gaps_and_the_stretch_before_stays() {
    let mut desk = Desk::new();
    desk.run(30);
    desk.press(Action::Pause);
    desk.run(10);
    assert_eq!(desk.app.data.epoch.samples, 0);
    assert_eq!(desk.app.data.comparison().unwrap().now, "256 held");
    desk.press(Action::Pause);
    desk.run(30);
    let comparison = desk.app.data.comparison().unwrap();
    assert_eq!((comparison.now, comparison.before), ("256", "256"));
    let seen = ratio(&desk, Metric::Throughput).unwrap();
    assert!((seen - 1.0).abs() < 0.05, "{seen}");
    let marks = desk.app.data.history.marks_since(0.0);
    assert!(
        marks
            .map(|mark| mark.label.as_str())
            .eq(["held", "goes on"])
    );
}

#[test]
fn a_curve_is_of_settings_that_differ_in_the_chunk_alone() {
    let mut desk = Desk::new();
    desk.run(5);
    desk.press(Action::Cross);
    desk.run(5);
    assert_eq!(desk.app.data.curve.throughput.points().count(), 2);
    desk.press(Action::Payload);
    desk.run(5);
    assert_eq!(desk.app.data.curve.throughput.points().count(), 1);
}

#[test]
fn a_refusal_brings_the_settings_back() {
    let mut desk = Desk::new();
    desk.run(3);
    desk.source.script.refuse = Some("cannot open a pty: ENOSPC".to_owned());
    desk.press(Action::Mode);
    assert_eq!(desk.app.settings, Settings::default());
    assert_eq!(desk.message(), "cannot open a pty: ENOSPC");
    assert!(desk.app.message.as_ref().unwrap().is_error);
    assert_eq!(desk.app.data.notices.len(), 1);
}

#[test]
fn a_change_from_outside_is_followed() {
    let mut desk = Desk::new();
    desk.run(3);
    let cooked = Settings {
        mode: Mode::COOKED,
        ..Settings::default()
    };
    desk.source.change(cooked.clone());
    desk.tell(Event::Notice(Notice::Changed("raw to cooked".to_owned())));
    desk.run(1);
    assert_eq!(desk.app.settings, cooked);
    // Only once: what the user asks for next is not taken back.
    desk.press(Action::Cross);
    desk.run(1);
    assert_eq!(desk.app.settings.chunk, 257);
}

#[test]
fn notices_are_few() {
    let mut desk = Desk::new();
    for _ in 0..1000 {
        desk.tell(Event::Notice(Notice::Alarm("again".to_owned())));
    }
    assert_eq!(desk.app.data.notices.len(), 50);
}

#[test]
fn a_message_goes_by_the_time_of_the_samples() {
    let mut desk = Desk::new();
    desk.run(1);
    desk.press(Action::Axes);
    assert_eq!(desk.message(), "axes: from zero");
    desk.run(39);
    assert_eq!(desk.message(), "axes: from zero");
    desk.run(1);
    assert_eq!(desk.message(), "");
    desk.app.complain("worse");
    desk.run(99);
    assert_eq!(desk.message(), "worse");
    desk.run(2);
    assert_eq!(desk.message(), "");
}
