//! What comes from the source and from a run of checks.

use std::sync::Arc;

use crate::sample::{Event, Notice, Sample};
use crate::workload::Settings;

use super::super::state::{App, News, Recording};
use super::super::tour;
use super::walk::stop_walk;
use super::{Effect, ask, hold};

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
                Notice::NotRecorded(what) => {
                    app.stage.recording = Recording::Stopped;
                    app.complain(what.clone());
                }
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

/// Takes in what a run of checks says.
pub fn feed_checks(app: &mut App, news: News) -> Vec<Effect> {
    let was_held = app.is_held();
    app.checks.feed(news);
    hold(app, was_held)
}
