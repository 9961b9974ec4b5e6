//! What actions and events do to the state. Nothing here draws or waits.

use std::sync::Arc;

use crate::check::Check;
use crate::check::select::Selection;
use crate::host::HostFacts;
use crate::pty::Mode;
use crate::pty::capacity::{boundaries, next_boundary, previous_boundary};
use crate::sample::{Event, Notice, Request, Sample};
use crate::workload::{Knob, MAX_CHUNK, Pace, Payload, Peers, Preset, Settings};

use super::action::Action;
use super::state::{App, Field, News, Phase, Prompt, View, WINDOWS, Walk};
use super::tour;

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

/// Takes in what a run of checks says.
pub fn feed_checks(app: &mut App, news: News) -> Vec<Effect> {
    let was_held = app.is_held();
    app.checks.feed(news);
    hold(app, was_held)
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

/// Takes in what the source says.
pub fn feed(app: &mut App, event: Event) -> Vec<Effect> {
    match event {
        Event::Sample(sample) => return feed_sample(app, sample),
        Event::Notice(notice) => {
            match &notice {
                Notice::Refused(why) => {
                    app.complain(why.clone());
                    stop_walk(app);
                    if let Some(latest) = &app.data.latest {
                        app.settings = (*latest.settings).clone();
                        app.line = latest.link.as_ref().map(|link| (*link.line).clone());
                    }
                }
                Notice::Changed(what) => {
                    app.complain(what.clone());
                    app.settings_follow = true;
                    stop_walk(app);
                }
                Notice::Alarm(what) => app.complain(what.clone()),
            }
            app.data.notice(notice);
        }
        Event::Ended(ending) => app.ended = Some(ending),
    }
    Vec::new()
}

fn feed_sample(app: &mut App, sample: Arc<Sample>) -> Vec<Effect> {
    app.data.push(Arc::clone(&sample));
    if std::mem::take(&mut app.settings_follow) {
        app.settings = (*sample.settings).clone();
    }
    let now = app.data.history.now();
    app.message.take_if(|message| message.until <= now);
    let mut effects = tour::advance(app);
    let walk = app.data.curve.walk.as_mut().filter(|walk| walk.going);
    match walk.and_then(|walk| walk.step(&sample)) {
        Some(chunk) => {
            let settings = Settings {
                chunk,
                ..app.settings.clone()
            };
            effects.extend(ask(app, settings));
            effects
        }
        None => effects,
    }
}

/// Takes a key of the prompt: a character, Enter, Escape or Backspace.
pub fn type_in(app: &mut App, key: Typed) -> Vec<Effect> {
    let Some(prompt) = &mut app.prompt else {
        return Vec::new();
    };
    match key {
        Typed::Char(c) => prompt.push(c),
        Typed::Backspace => prompt.pop(),
        Typed::Escape => app.prompt = None,
        Typed::Enter => match prompt.apply(&app.settings) {
            Ok(settings) => {
                app.prompt = None;
                stop_walk(app);
                return ask(app, settings);
            }
            Err(error) => prompt.error = Some(error.to_string()),
        },
    }
    Vec::new()
}

/// A key while a number is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed {
    /// Part of the number.
    Char(char),
    /// Takes one back.
    Backspace,
    /// Leaves all as it is.
    Escape,
    /// Takes the number.
    Enter,
}

/// The settings that an action asks for, if it is about settings.
fn turned(app: &App, action: Action) -> Option<Settings> {
    let mut settings = app.settings.clone();
    let chunk = settings.chunk;
    let page_size = page_size(&app.facts.host);
    match action {
        Action::Cross => settings.chunk = if chunk == 256 { 257 } else { 256 },
        Action::Step(true) => settings.chunk = (chunk + 1).min(MAX_CHUNK),
        Action::Step(false) => settings.chunk = (chunk - 1).max(1),
        Action::Scale(true) => settings.chunk = (chunk * 2).min(MAX_CHUNK),
        Action::Scale(false) => settings.chunk = (chunk / 2).max(1),
        Action::Boundary(up) => {
            let next = if up { next_boundary } else { previous_boundary };
            settings.chunk = next(chunk, page_size).unwrap_or(chunk);
        }
        Action::Direction => {
            settings.direction = settings.direction.next();
            fit_direction(&mut settings);
        }
        Action::Mode => {
            let raw = settings.mode == Mode::RAW;
            settings.mode = if raw { Mode::COOKED } else { Mode::RAW };
            fit_mode(&mut settings);
        }
        Action::Toggle(flag) => {
            settings.mode = settings.mode.toggled(flag);
            fit_mode(&mut settings);
        }
        Action::Payload => settings.payload = Some(next_payload(&settings)),
        Action::Pace(true) => settings.reader_pace = next_pace(settings.reader_pace, &settings),
        Action::Pace(false) => settings.writer_pace = next_pace(settings.writer_pace, &settings),
        Action::PaceStep { reader, faster } => {
            let pace = if reader {
                &mut settings.reader_pace
            } else {
                &mut settings.writer_pace
            };
            *pace = pace.stepped(faster);
        }
        Action::Peers => {
            settings.peers = match settings.peers {
                Peers::Threads => Peers::Processes,
                Peers::Processes => Peers::Threads,
            }
        }
        Action::Cpus => {
            let cpus = app.facts.host.cpu.online.unwrap_or(1);
            (settings.writer_cpu, settings.reader_cpu) = next_cpus(&settings, cpus);
        }
        Action::Preset(number) => settings = Preset::ALL.get(number)?.settings(),
        _ => return None,
    }
    Some(settings)
}

/// Why an action about settings has changed none.
fn unturned(app: &App, action: Action) -> String {
    let chunk = app.settings.chunk;
    match action {
        Action::Boundary(true) => format!("no boundary above {chunk}"),
        Action::Boundary(false) => format!("no boundary below {chunk}"),
        Action::PaceStep { reader, .. } => {
            let (whose, key) = if reader {
                ("reader", 'p')
            } else {
                ("writer", 'P')
            };
            format!("the {whose}'s pace goes no further; {key} chooses its kind")
        }
        _ => "that is as it was".to_owned(),
    }
}

fn page_size(host: &HostFacts) -> usize {
    host.page_size.unwrap_or(4096)
}

/// A payload that the mode would act on gives way to one that fits, and ECHO
/// to a direction in which it has no meaning.
fn fit_mode(settings: &mut Settings) {
    if settings.check().is_err() {
        settings.payload = None;
    }
}

fn fit_direction(settings: &mut Settings) {
    use crate::pty::Flag;
    fit_mode(settings);
    if settings.check().is_err() && settings.mode.has(Flag::Echo) {
        settings.mode = settings.mode.toggled(Flag::Echo);
    }
}

/// The next payload that makes a workload.
fn next_payload(settings: &Settings) -> Payload {
    let fits = |payload: &Payload| {
        let with = Settings {
            payload: Some(*payload),
            ..settings.clone()
        };
        with.check().is_ok()
    };
    let now = settings.effective_payload();
    std::iter::successors(Some(now.next_kind()), |payload| Some(payload.next_kind()))
        .take(4)
        .find(fits)
        .unwrap_or(now)
}

/// The next kind of pace that makes a workload: a ping-pong has none stopped.
fn next_pace(pace: Pace, settings: &Settings) -> Pace {
    use crate::workload::Direction;
    match pace.next_kind() {
        Pace::Stopped if settings.direction == Direction::Echo => Pace::None,
        next => next,
    }
}

/// Any CPU, both on the first, each on one of its own, and around.
fn next_cpus(settings: &Settings, cpus: usize) -> (Option<usize>, Option<usize>) {
    match (settings.writer_cpu, settings.reader_cpu) {
        (None, None) => (Some(0), Some(0)),
        (Some(0), Some(0)) if cpus > 1 => (Some(0), Some(1)),
        _ => (None, None),
    }
}

/// Stops a walk that goes on; what it has found stays. `true` when one did.
pub fn stop_walk(app: &mut App) -> bool {
    let walk = app.data.curve.walk.as_mut().filter(|walk| walk.going);
    walk.is_some_and(|walk| {
        walk.going = false;
        true
    })
}

fn toggle_walk(app: &mut App) -> Vec<Effect> {
    if stop_walk(app) {
        app.say("the walk around the boundary has stopped; what it found stays");
        return Vec::new();
    }
    let boundary = nearest_boundary(app.settings.chunk, page_size(&app.facts.host));
    let seed = app.data.latest.as_ref().map_or(1, |sample| sample.end_ns);
    let Some(walk) = Walk::around(boundary, seed) else {
        return Vec::new();
    };
    let settings = Settings {
        chunk: walk.chunk(),
        ..app.settings.clone()
    };
    app.data.curve.walk = Some(walk);
    app.view = View::Curve;
    app.say(format!(
        "visiting the points around {boundary}; any other setting stops it"
    ));
    ask(app, settings)
}

/// The boundary whose change lies nearest to `chunk`.
fn nearest_boundary(chunk: usize, page_size: usize) -> usize {
    let all = boundaries(page_size);
    let nearest = all
        .iter()
        .map(|boundary| boundary.at)
        .min_by_key(|at| at.abs_diff(chunk));
    nearest.unwrap_or(256)
}

/// Actions that change only what is seen.
fn turn_screen(app: &mut App, action: Action) {
    match action {
        Action::Help => app.help = if app.help.is_some() { None } else { Some(0) },
        Action::TurnView(forward) => app.turn_view(forward),
        Action::ShowView(number) => app.view = *app.views().get(number).unwrap_or(&app.view),
        Action::Big => app.toggle_big(),
        Action::NextNumber => {
            app.stage.number = app.stage.number.next(&app.data);
            if app.view != View::Big {
                app.toggle_big();
            }
        }
        Action::AskChunk => app.prompt = Some(Prompt::new(Field::Chunk)),
        Action::AskReadSize => app.prompt = Some(Prompt::new(Field::ReadSize)),
        Action::AskPairs => app.prompt = Some(Prompt::new(Field::Pairs)),
        Action::Select(down) if app.view == View::Checks => app.checks.turn(down),
        Action::Explain if app.view == View::Checks => app.checks.toggle(),
        Action::Freeze => {
            app.frozen = match app.frozen.take() {
                Some(_) => None,
                None => Some(Box::new(app.data.clone())),
            }
        }
        Action::Reset => {
            app.data.reset();
            app.frozen = None;
            app.say("all statistics begin anew");
        }
        Action::Reference => {
            if app.data.drop_reference() {
                app.say("A is dropped: compared with the stretch before the last change");
            } else if app.data.hold_reference() {
                app.say("this stretch is held as A: all is compared with it");
            } else {
                app.complain("nothing to hold yet");
            }
        }
        Action::Axes => {
            app.axes = app.axes.next();
            app.say(format!("axes: {}", app.axes.name()));
        }
        Action::Zoom(shorter) => {
            app.window = if shorter {
                app.window.saturating_sub(1)
            } else {
                (app.window + 1).min(WINDOWS.len() - 1)
            };
        }
        Action::Theme => app.theme = app.theme.next(),
        _ => {}
    }
}
