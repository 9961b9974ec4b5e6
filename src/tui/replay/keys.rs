//! A key while a recording plays.

use crossterm::event::KeyEvent;

use super::super::action::{Action, Group, action_of, bindings};
use super::super::bindings::{GROUPS, LINK_GROUPS};
use super::super::state::App;
use super::super::update::{Effect, update};
use super::player::tell;

/// Does what the key asks for; a key that would turn a live run is told to be
/// none.
pub fn key(app: &mut App, event: &KeyEvent) -> Vec<Effect> {
    let Some(action) = action_of(app.groups(), event) else {
        let live: &'static [Group] = match app.line {
            Some(_) => LINK_GROUPS,
            None => GROUPS,
        };
        if let Some(action) = action_of(live, event) {
            refuse(app, live, action);
        }
        return Vec::new();
    };
    let is_look = matches!(
        action,
        Action::TurnView(_) | Action::ShowView(_) | Action::Big | Action::NextNumber
    );
    if let Some(player) = app.replay.as_mut().filter(|_| is_look) {
        player.own_look = true;
    }
    let effects = update(app, action);
    if let Some(player) = &mut app.replay {
        player.said = std::time::Duration::ZERO;
    }
    effects
}

fn refuse(app: &mut App, live: &'static [Group], action: Action) {
    let binding = bindings(live).find(|binding| binding.action == action);
    let does = binding.map_or("that", |binding| binding.help);
    tell(app, format!("in a recording nothing can be turned: {does}"));
}
