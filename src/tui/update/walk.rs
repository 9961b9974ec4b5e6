//! The walk around a boundary: begun, and stopped.

use crate::pty::capacity::boundaries;
use crate::workload::Settings;

use super::super::state::{App, View, Walk};
use super::settings::page_size;
use super::{Effect, ask};

/// Stops a walk that goes on; what it has found stays. `true` when one did.
pub fn stop_walk(app: &mut App) -> bool {
    let walk = app.data.curve.walk.as_mut().filter(|walk| walk.going);
    walk.is_some_and(|walk| {
        walk.going = false;
        true
    })
}

pub fn toggle_walk(app: &mut App) -> Vec<Effect> {
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
