//! What the screen says of a recording that is played.

use crate::words::counted;

use super::super::state::App;
use super::super::view::clock;
use super::player::Player;

/// Whether it plays, and how fast, for the title.
pub fn state(player: &Player) -> String {
    let how = if player.paused { "PAUSED" } else { "REPLAY" };
    if player.speed == 1.0 {
        format!(" {how} ")
    } else {
        format!(" {how} x{} ", player.speed)
    }
}

/// When, on what and how far, for the line above the footer.
pub fn about(app: &App, player: &Player) -> String {
    let header = &player.recording.header;
    let seconds = |ns: u64| clock(ns as f64 / 1e9);
    let mut text = format!(
        "a recording: {} of {}, {}",
        seconds(player.at_ns),
        seconds(player.recording.end_ns()),
        header.started,
    );
    if player.recording.tail.complaint().is_some() {
        text.push_str(", not whole");
    }
    if let Some(release) = &app.facts.host.kernel.release {
        text.push_str(&format!(", Linux {release}"));
    }
    if let Some(model) = &app.facts.host.cpu.model {
        text.push_str(&format!(", {model}"));
    }
    if let Some(cpus) = app.facts.host.cpu.online {
        text.push_str(&format!(", {}", counted(cpus, "CPU")));
    }
    text
}
