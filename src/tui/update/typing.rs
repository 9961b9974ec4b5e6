//! Keys while a number is typed.

use super::super::state::App;
use super::walk::stop_walk;
use super::{Effect, ask};

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
