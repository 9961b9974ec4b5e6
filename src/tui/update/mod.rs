//! What actions and events do to the state. Nothing here draws or waits.

mod feed;
mod screen;
mod settings;
mod typing;
mod walk;

use crate::check::Check;
use crate::check::select::Selection;
use crate::sample::Request;
use crate::workload::{Knob, Settings};

use super::action::Action;
use super::replay;
use super::state::{App, Phase, View};
use super::tour;

use screen::turn_screen;
use settings::{turned, unturned};
use walk::toggle_walk;

pub use feed::{feed, feed_checks};
pub use typing::{Typed, type_in};
pub use walk::stop_walk;

/// What the state cannot do by itself.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Ask the source for something.
    Ask(Request),
    /// Write what is on the screen to a file.
    Export,
    /// Draw the screen as a picture to a file.
    Picture,
    /// Run these checks in the background.
    Check(Vec<&'static Check>),
    /// Stop doing so.
    StopChecks,
    /// Suspend the program.
    Suspend,
    /// End the program.
    Quit,
}

/// Does what the user asked for.
pub fn update(app: &mut App, action: Action) -> Vec<Effect> {
    match action {
        Action::Quit => vec![Effect::Quit],
        Action::Suspend => vec![Effect::Suspend],
        Action::Export => vec![Effect::Export],
        Action::Picture => vec![Effect::Picture],
        Action::Pause => {
            let was_held = app.is_held();
            app.paused = !app.paused;
            if app.checks.is_running() {
                app.say(after_checks(app));
            }
            hold(app, was_held)
        }
        Action::Check => toggle_checks(app),
        Action::Explore => toggle_walk(app),
        Action::Line(knob) => turn_line(app, knob),
        Action::Tour => tour::toggle(app),
        Action::Replay(turn) => {
            replay::turn(app, turn);
            Vec::new()
        }
        action => {
            if let Some(settings) = turned(app, action) {
                if settings == app.settings {
                    app.say(unturned(app, action));
                    return Vec::new();
                }
                stop_walk(app);
                return ask(app, settings);
            }
            turn_screen(app, action);
            Vec::new()
        }
    }
}

/// Asks for the line with one knob a step on.
fn turn_line(app: &mut App, knob: Knob) -> Vec<Effect> {
    let Some(line) = &app.line else {
        return Vec::new();
    };
    let line = line.turned(knob);
    app.say(format!("the line: {line}"));
    app.line = Some(line.clone());
    vec![Effect::Ask(Request::SetLine(line))]
}

/// Asks for other settings, if they make a workload.
pub fn ask(app: &mut App, settings: Settings) -> Vec<Effect> {
    if let Err(contradiction) = settings.check() {
        app.complain(contradiction.to_string());
        return Vec::new();
    }
    app.settings = settings.clone();
    vec![Effect::Ask(Request::Set(settings))]
}

/// Asks to hold the workload, or to let it go on, if that has changed.
pub fn hold(app: &App, was_held: bool) -> Vec<Effect> {
    let held = app.is_held();
    let request = (held != was_held).then_some(Effect::Ask(Request::Pause(held)));
    request.into_iter().collect()
}

fn after_checks(app: &App) -> &'static str {
    if app.paused {
        "the workload stays held after the checks"
    } else {
        "the workload goes on after the checks"
    }
}

fn toggle_checks(app: &mut App) -> Vec<Effect> {
    app.view = View::Checks;
    match app.checks.phase {
        Phase::Running => {
            app.checks.phase = Phase::Halting;
            vec![Effect::StopChecks]
        }
        Phase::Halting => Vec::new(),
        Phase::Idle | Phase::Over(_) => {
            // Only a pattern could be wrong.
            let checks = Selection::default().checks().unwrap_or_default();
            let was_held = app.is_held();
            app.checks.begin(checks.len());
            let mut effects = hold(app, was_held);
            effects.push(Effect::Check(checks));
            effects
        }
    }
}
