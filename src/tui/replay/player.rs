//! How a recording goes on: its clock, and what a key turns.

use std::sync::Arc;
use std::time::Duration;

use crate::record::{Entry, Recording, SourceKind, What};
use crate::sample::Event;

use super::super::state::{App, Facts, Number, View};
use super::super::theme::Theme;
use super::super::update::feed;
use super::guide::{Guide, pass, rest};
use super::index::Index;
use super::seek::{seek, step, to_mark};

/// The slowest and the fastest, as a multiple of the recorded run's speed.
pub const SPEEDS: (f64, f64) = (1.0 / 64.0, 64.0);
/// How long a message stands.
const MESSAGE: Duration = Duration::from_secs(4);

/// A recording that is played.
#[derive(Debug, Clone)]
pub struct Player {
    /// What is played.
    pub recording: Arc<Recording>,
    pub(super) index: Index,
    /// The moments that keys jump to, in nanoseconds since the source started.
    pub(super) marks: Arc<[u64]>,
    /// The moment that is shown, likewise.
    pub at_ns: u64,
    /// The entry that comes next.
    pub(super) next: usize,
    /// How fast it goes, as a multiple of the recorded run's speed.
    pub speed: f64,
    /// Whether it stands still.
    pub paused: bool,
    /// Whether the viewer has chosen a view, and no longer follows the recorded
    /// ones.
    pub own_look: bool,
    /// What of it a tour shows, once one has begun.
    pub(super) guide: Option<Guide>,
    /// For how long the message has stood.
    pub(super) said: Duration,
}

/// What a key turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Stops, or goes on.
    Pause,
    /// So many seconds on, or back.
    By(i32),
    /// To the next marker (`true`), or the one before.
    Mark(bool),
    /// To the next sample (`true`), or the one before, and stop.
    Step(bool),
    /// Twice as fast (`true`), or half.
    Speed(bool),
    /// To the end (`true`), or the beginning.
    Edge(bool),
}

/// The state at the first sample of `recording`, which plays.
pub fn start(recording: Arc<Recording>, theme: Theme, ascii: bool) -> App {
    let header = &recording.header;
    let facts = Facts {
        host: Arc::new(header.host.clone()),
        clock_ns: header.clock_ns,
        no_kmallocs: header.no_kmallocs.clone(),
    };
    let mut app = match (header.source, header.line.clone()) {
        (SourceKind::Link, Some(line)) => App::of_link(facts, line, theme, ascii),
        _ => App::new(facts, header.settings.clone(), theme, ascii),
    };
    app.replay = Some(Player {
        index: Index::of(Arc::clone(&recording)),
        marks: marks(&recording).into(),
        recording,
        at_ns: 0,
        next: 0,
        speed: 1.0,
        paused: false,
        own_look: false,
        guide: None,
        said: Duration::ZERO,
    });
    seek(&mut app, 0);
    app
}

/// Changes of settings, captions and what the source said.
fn marks(recording: &Recording) -> Vec<u64> {
    let mut epoch = recording.samples().next().map(|first| first.epoch);
    let mut is_mark = |entry: &&Entry| match &entry.what {
        What::Sample(sample) => epoch.replace(sample.epoch) != Some(sample.epoch),
        What::Caption(caption) => caption.is_some(),
        What::Notice(_) => true,
        _ => false,
    };
    let entries = recording.entries.iter().filter(|entry| is_mark(entry));
    let mut marks: Vec<u64> = entries.map(|entry| entry.at_ns).collect();
    marks.dedup();
    marks
}

/// Whether time goes on by itself.
pub fn is_playing(app: &App) -> bool {
    app.replay.as_ref().is_some_and(|player| !player.paused)
}

/// Lets so much of the viewer's time pass; `true` when the picture may have
/// changed.
pub fn advance(app: &mut App, elapsed: Duration) -> bool {
    let rest = rest(app);
    let Some(player) = &mut app.replay else {
        return false;
    };
    player.said = player.said.saturating_add(elapsed);
    let is_old = player.said >= MESSAGE;
    let forgotten = is_old && app.message.take().is_some();
    if player.paused {
        return forgotten;
    }
    let passed = elapsed.mul_f64(player.speed).as_nanos() as u64;
    let end = player.recording.end_ns();
    // A tour's step shows its part and nothing behind it.
    let (left, until) = rest.unwrap_or((passed, end));
    let (passed, until) = (passed.min(left), until.max(player.at_ns));
    player.at_ns = player.at_ns.saturating_add(passed).min(until);
    let at_end = rest.is_none() && player.at_ns >= end;
    while let Some(entry) = due(app) {
        take(app, entry);
    }
    if at_end && let Some(player) = &mut app.replay {
        player.paused = true;
        tell(app, "the recording ends here; Home goes to its beginning");
    }
    if rest.is_some() {
        pass(app, passed);
    }
    true
}

/// The next entry whose time has come.
fn due(app: &mut App) -> Option<Entry> {
    let player = app.replay.as_mut()?;
    let entry = player.recording.entries.get(player.next)?;
    if entry.at_ns > player.at_ns {
        return None;
    }
    player.next += 1;
    Some(entry.clone())
}

/// What an entry does to the screen, as it did when it was recorded.
fn take(app: &mut App, entry: Entry) {
    match entry.what {
        What::Sample(sample) => {
            let last = app.data.latest.as_ref();
            if last.is_none_or(|last| last.epoch != sample.epoch) {
                app.settings = (*sample.settings).clone();
                app.line = sample.link.as_ref().map(|link| (*link.line).clone());
            }
            feed(app, Event::Sample(sample));
        }
        What::Notice(notice) => {
            feed(app, Event::Notice(notice));
            since_now(app);
        }
        What::Key { key, does } => tell(app, format!("key {key}: {does}")),
        other => stand(app, &other),
    }
}

/// What stands from an entry on.
pub(super) fn stand(app: &mut App, what: &What) {
    match what {
        What::Asked(settings) => app.settings = settings.clone(),
        What::AskedLine(line) if app.line.is_some() => app.line = Some(line.clone()),
        What::AskedHold(hold) => app.paused = *hold,
        What::Caption(caption) => app.stage.caption.clone_from(caption),
        What::Look(look) => {
            let follows = app.replay.as_ref().is_some_and(|player| !player.own_look);
            let views = app.views().iter().chain(&[View::Big]);
            let view = views.copied().find(|view| view.name() == look.view);
            if let Some(view) = view.filter(|_| follows) {
                app.view = view;
            }
            let number = Number::ALL.iter().find(|n| n.name() == look.number);
            if let Some(&number) = number.filter(|_| follows) {
                app.stage.number = number;
            }
        }
        What::Ended(ended) => app.ended = Some(ended.ending.clone()),
        _ => {}
    }
}

/// Does what a key asks for.
pub fn turn(app: &mut App, turn: Turn) {
    let Some(player) = &mut app.replay else {
        return;
    };
    let at = player.at_ns;
    match turn {
        Turn::Pause => {
            let is_over = at >= player.recording.end_ns();
            player.paused = !player.paused;
            if is_over && !player.paused {
                seek(app, 0);
            }
        }
        Turn::By(seconds) => {
            let by = u64::from(seconds.unsigned_abs()) * 1_000_000_000;
            let to = if seconds < 0 {
                at.saturating_sub(by)
            } else {
                at.saturating_add(by)
            };
            seek(app, to);
        }
        Turn::Mark(forward) => {
            if !to_mark(app, forward) {
                let side = if forward { "after" } else { "before" };
                tell(app, format!("no marker {side} this"));
            }
        }
        Turn::Step(forward) => {
            player.paused = true;
            step(app, forward);
        }
        Turn::Speed(faster) => {
            let factor = if faster { 2.0 } else { 0.5 };
            let (slowest, fastest) = SPEEDS;
            player.speed = (player.speed * factor).clamp(slowest, fastest);
        }
        Turn::Edge(end) => {
            let to = if end { player.recording.end_ns() } else { 0 };
            seek(app, to);
        }
    }
}

/// Puts a line above the footer for some seconds of the viewer's time.
pub(super) fn tell(app: &mut App, text: impl Into<String>) {
    app.say(text);
    since_now(app);
}

fn since_now(app: &mut App) {
    if let Some(message) = &mut app.message {
        message.until = f64::INFINITY;
    }
    if let Some(player) = &mut app.replay {
        player.said = Duration::ZERO;
    }
}
