//! The settings that an action asks for.

use crate::host::HostFacts;
use crate::pty::capacity::{next_boundary, previous_boundary};
use crate::pty::{Flag, Mode};
use crate::workload::{Direction, MAX_CHUNK, Pace, Payload, Peers, Preset, Settings};

use super::super::action::Action;
use super::super::state::App;

/// The settings that an action asks for, if it is about settings.
pub fn turned(app: &App, action: Action) -> Option<Settings> {
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
pub fn unturned(app: &App, action: Action) -> String {
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

pub fn page_size(host: &HostFacts) -> usize {
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
