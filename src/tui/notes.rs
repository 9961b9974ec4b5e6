//! What a recording keeps of the screen: keys, captions and views.

use crate::record::Journal;

use super::action::{Action, bindings};
use super::state::App;

/// What was noted last.
pub struct Notes {
    journal: Option<Journal>,
    caption: Option<String>,
    look: Option<(&'static str, &'static str)>,
}

impl Notes {
    /// Notes in `journal`; none without one.
    pub fn of(journal: Option<Journal>) -> Self {
        Self {
            journal,
            caption: None,
            look: None,
        }
    }

    /// Notes that a key was pressed for `action`.
    pub fn key(&self, app: &App, action: Action) {
        let Some(journal) = &self.journal else { return };
        let binding = bindings(app.groups()).find(|binding| binding.action == action);
        if let Some(binding) = binding {
            let key = binding.shown.split(' ').next().unwrap_or(binding.shown);
            journal.key(key, binding.help);
        }
    }

    /// Notes what is said and shown, where that has changed.
    pub fn look(&mut self, app: &App) {
        let Some(journal) = &self.journal else { return };
        let caption = app.stage.said();
        if caption != self.caption.as_deref() {
            journal.caption(caption);
            self.caption = caption.map(str::to_owned);
        }
        let look = (app.view.name(), app.stage.number.name());
        if self.look.replace(look) != Some(look) {
            journal.look(look.0, look.1);
        }
    }
}
