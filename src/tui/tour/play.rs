//! What a tour does to the state.

use std::sync::Arc;

use crate::sample::Request;

use super::super::replay;
use super::super::state::App;
use super::super::update::{Effect, ask, hold, stop_walk};
use super::{Stage, Step, Tour};

/// How a tour stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It goes from step to step.
    Running,
    /// The user has taken over.
    Taken,
    /// Its last step has passed; what it said stays.
    Over,
}

/// A tour and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Playing {
    /// The tour.
    pub tour: Arc<Tour>,
    /// The step, from 0 on.
    pub at: usize,
    /// How it stands.
    pub phase: Phase,
    /// When the step ends, in seconds since the source started.
    due: f64,
}

impl Playing {
    /// What it says now; nothing while the user has taken over.
    pub fn caption(&self) -> Option<&str> {
        let step = self.tour.steps.get(self.at)?;
        (self.phase != Phase::Taken).then_some(step.caption.as_str())
    }
}

/// Starts `tour` from its first step; on a recording that lacks what it shows
/// all stays as it is.
pub fn start(app: &mut App, tour: Arc<Tour>) -> Vec<Effect> {
    if app.replay.is_some() && !replay::follow(app, &tour) {
        return Vec::new();
    }
    app.stage.tour = Some(Playing {
        tour,
        at: 0,
        phase: Phase::Running,
        due: 0.0,
    });
    enter(app, 0)
}

/// Goes on to the next step of a live tour when it is time; for each sample.
pub fn advance(app: &mut App) -> Vec<Effect> {
    let now = now(app);
    let Some(playing) = &app.stage.tour else {
        return Vec::new();
    };
    let is_due = playing.phase == Phase::Running && now >= playing.due;
    if !is_due || app.replay.is_some() {
        return Vec::new();
    }
    go_on(app)
}

/// Goes on to the next step, or to the end.
pub fn go_on(app: &mut App) -> Vec<Effect> {
    let Some(playing) = &mut app.stage.tour else {
        return Vec::new();
    };
    let next = playing.at + 1;
    if next < playing.tour.steps.len() {
        return enter(app, next);
    }
    playing.phase = Phase::Over;
    Vec::new()
}

/// Any key but the tour's own: the user has the screen again.
pub fn take_over(app: &mut App) {
    let Some(playing) = &mut app.stage.tour else {
        return;
    };
    match playing.phase {
        Phase::Running => {
            playing.phase = Phase::Taken;
            app.say("the tour waits; T goes on with it");
        }
        Phase::Taken => {}
        Phase::Over => app.stage.tour = None,
    }
}

/// The tour's key: halts it, goes on with it, or offers a choice.
pub fn toggle(app: &mut App) -> Vec<Effect> {
    match app
        .stage
        .tour
        .as_ref()
        .map(|playing| (playing.phase, playing.at))
    {
        Some((Phase::Running, _)) => take_over(app),
        Some((Phase::Taken, at)) => return enter(app, at),
        Some((Phase::Over, _)) | None => app.stage.choosing = true,
    }
    Vec::new()
}

/// The tours that can be chosen: the built-in ones, and the one named on the
/// command line.
pub fn choices(app: &App) -> Vec<Arc<Tour>> {
    let stage = match app.line {
        Some(_) => Stage::Link,
        None => Stage::Workload,
    };
    let mut tours = Tour::built_in(stage);
    if let Some(playing) = &app.stage.tour
        && !tours.contains(&playing.tour)
    {
        tours.push(Arc::clone(&playing.tour));
    }
    tours
}

/// Takes a key of the choice: a tour's number starts it, all else leaves.
pub fn choose(app: &mut App, key: Option<char>) -> Vec<Effect> {
    app.stage.choosing = false;
    let number = key.and_then(|key| key.to_digit(10)).unwrap_or(0);
    let chosen = (number as usize).checked_sub(1);
    match chosen.and_then(|at| choices(app).get(at).cloned()) {
        Some(tour) => start(app, tour),
        None => Vec::new(),
    }
}

/// Begins a step, whatever the user has done meanwhile.
fn enter(app: &mut App, at: usize) -> Vec<Effect> {
    let now = now(app);
    let Some(playing) = &mut app.stage.tour else {
        return Vec::new();
    };
    let Some(step) = playing.tour.steps.get(at).cloned() else {
        return Vec::new();
    };
    playing.at = at;
    playing.phase = Phase::Running;
    playing.due = now + step.wait.as_secs_f64();
    app.message = None;
    app.frozen = None;
    app.help = None;
    app.prompt = None;
    if app.replay.is_some() {
        replay::show(app, at, &step);
        return Vec::new();
    }
    if let Some(view) = step.view {
        app.view = view;
    }
    if let Some(number) = step.number {
        app.stage.number = number;
    }
    let was_held = app.is_held();
    app.paused = false;
    let mut effects = hold(app, was_held);
    effects.extend(turn(app, step));
    effects
}

/// Asks for what a step sets, where that is not in force.
fn turn(app: &mut App, step: Step) -> Vec<Effect> {
    if let Some(line) = &mut app.line {
        if *line == step.line {
            return Vec::new();
        }
        line.clone_from(&step.line);
        return vec![Effect::Ask(Request::SetLine(step.line))];
    }
    stop_walk(app);
    if app.settings == step.settings {
        return Vec::new();
    }
    ask(app, step.settings)
}

/// The source's clock in seconds, which no reset turns back.
fn now(app: &App) -> f64 {
    app.last_sample()
        .map_or(0.0, |sample| sample.end_ns as f64 / 1e9)
}
