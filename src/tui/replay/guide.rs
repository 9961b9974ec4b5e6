//! A tour of a recording: each step is a part of it.

use std::sync::Arc;

use super::super::state::{App, View};
use super::super::tour::{Part, Phase, Step, Tour, go_on, parts};
use super::player::tell;
use super::seek::seek;

/// Which part is played, and for how long yet.
#[derive(Debug, Clone)]
pub struct Guide {
    parts: Arc<[Part]>,
    at: usize,
    /// Of the recording's time.
    left_ns: u64,
}

/// Looks for what `tour` shows; `false` where the recording lacks some of it,
/// which is told.
pub fn follow(app: &mut App, tour: &Tour) -> bool {
    let Some(player) = &mut app.replay else {
        return false;
    };
    match parts(tour, &player.recording, "the recording") {
        Ok(parts) => {
            player.guide = Some(Guide {
                parts: parts.into(),
                at: 0,
                left_ns: 0,
            });
            true
        }
        Err(lack) => {
            tell(app, lack.to_string());
            false
        }
    }
}

/// Goes to the part of a step, and plays it.
pub fn show(app: &mut App, at: usize, step: &Step) {
    let Some(player) = &mut app.replay else {
        return;
    };
    let Some(guide) = &mut player.guide else {
        return;
    };
    let Some(part) = guide.parts.get(at).copied() else {
        return;
    };
    guide.at = at;
    guide.left_ns = step.wait.as_nanos() as u64;
    player.paused = false;
    player.own_look |= step.view.is_some() || step.number.is_some();
    seek(app, part.from_ns);
    let is_there = |view: &View| *view == View::Big || app.views().contains(view);
    if let Some(view) = step.view.filter(is_there) {
        app.view = view;
    }
    if let Some(number) = step.number {
        app.stage.number = number;
    }
}

/// How much of the step is left, and where its part ends, in the recording's
/// nanoseconds; None while no tour goes on.
pub(super) fn rest(app: &App) -> Option<(u64, u64)> {
    let playing = app.stage.tour.as_ref()?;
    let guide = app.replay.as_ref()?.guide.as_ref()?;
    let part = guide.parts.get(guide.at)?;
    (playing.phase == Phase::Running).then_some((guide.left_ns, part.until_ns))
}

/// Lets so much of the recording's time pass for the step that goes on. After
/// the last one the picture stands, below what was said last.
pub(super) fn pass(app: &mut App, passed_ns: u64) {
    let guide = app.replay.as_mut().and_then(|p| p.guide.as_mut());
    let Some(guide) = guide else { return };
    guide.left_ns = guide.left_ns.saturating_sub(passed_ns);
    if guide.left_ns > 0 {
        return;
    }
    // Nothing is asked of a recording.
    go_on(app);
    let over = app.stage.tour.as_ref();
    if over.is_some_and(|tour| tour.phase == Phase::Over)
        && let Some(player) = &mut app.replay
    {
        player.paused = true;
    }
}
