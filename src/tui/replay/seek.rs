//! Going to another moment of a recording.

use crate::record::{Entry, What};

use super::super::state::{App, Number};
use super::player::stand;

/// Shows the moment `to`, in nanoseconds since the source started; the first
/// sample or the end where that lies outside. The reference that the viewer
/// holds stays, whatever was played since begins anew.
pub fn seek(app: &mut App, to: u64) {
    let Some(player) = &mut app.replay else {
        return;
    };
    let recording = player.recording.clone();
    let first = recording.entries.iter().find(is_sample);
    let from = first.map_or(0, |first| first.at_ns);
    let to = to.min(recording.end_ns()).max(from);
    let next = recording.entries.partition_point(|entry| entry.at_ns <= to);
    player.at_ns = to;
    player.next = next;
    let data = player.index.data(next);
    let old = std::mem::replace(&mut app.data, data);
    app.data.keep_reference_of(old);
    app.frozen = None;
    app.message = None;
    app.settings_follow = false;
    restore(app, recording.entries.get(..next).unwrap_or_default());
}

fn is_sample(entry: &&Entry) -> bool {
    matches!(entry.what, What::Sample(_))
}

/// Brings back what stands after these entries.
fn restore(app: &mut App, entries: &[Entry]) {
    app.ended = None;
    app.paused = false;
    app.stage.caption = None;
    if app.replay.as_ref().is_some_and(|player| !player.own_look) {
        app.view = app.views().first().copied().unwrap_or(app.view);
        app.stage.number = Number::default();
    }
    let sample = app.data.latest.clone();
    if let Some(sample) = &sample {
        app.settings = (*sample.settings).clone();
        app.line = sample.link.as_ref().map(|link| (*link.line).clone());
    }
    // The last of each kind counts. What was asked for counts until a sample
    // that began later says what is in force.
    let mut seen = [false; What::KINDS];
    let began = sample.map_or(0, |sample| sample.start_ns);
    for entry in entries.iter().rev() {
        let what = &entry.what;
        let is_old = matches!(what, What::Asked(_) | What::AskedLine(_)) && entry.at_ns < began;
        let is_seen = &mut seen[what.kind()];
        if is_old || std::mem::replace(is_seen, true) || is_sample(&entry) {
            continue;
        }
        stand(app, what);
        if seen.iter().all(|&seen| seen) {
            return;
        }
    }
}

/// Goes to the next marker, or the one before; `false` where there is none.
pub(super) fn to_mark(app: &mut App, forward: bool) -> bool {
    let Some(player) = &app.replay else {
        return false;
    };
    let (at, marks) = (player.at_ns, &player.marks);
    let to = if forward {
        marks.get(marks.partition_point(|&mark| mark <= at))
    } else {
        // While it plays, the one just passed is where the viewer comes from.
        let grace = if player.paused { 0.0 } else { player.speed };
        let from = at.saturating_sub((grace * 1e9) as u64);
        let before = marks.partition_point(|&mark| mark < from);
        before.checked_sub(1).and_then(|place| marks.get(place))
    };
    let Some(&to) = to else { return false };
    seek(app, to);
    true
}

/// Goes to the next sample, or the one before.
pub(super) fn step(app: &mut App, forward: bool) {
    let Some(player) = &app.replay else { return };
    let (at, recording) = (player.at_ns, &player.recording);
    let (before, after) = recording
        .entries
        .split_at_checked(player.next)
        .unwrap_or_default();
    let to = if forward {
        after.iter().find(is_sample)
    } else {
        let mut earlier = before.iter().rev().filter(is_sample);
        earlier.find(|entry| entry.at_ns < at)
    };
    if let Some(to) = to.map(|entry| entry.at_ns) {
        // What is shown changes with a sample; between two it is the earlier.
        seek(app, to);
    }
}
