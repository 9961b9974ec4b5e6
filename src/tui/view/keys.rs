//! The last line: the keys that matter now.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::pty::Mode;
use crate::workload::Knob;

use super::super::action::{Action, bindings};
use super::super::replay::{Turn, is_playing};
use super::super::state::{App, View};
use super::super::theme::Ink;
use super::super::tour::Phase;
use super::fit::put;
use super::text::fill;

/// The keys of the footer, those that must stay in a narrow one first.
const ORDER: [Action; 15] = [
    Action::Help,
    Action::Quit,
    Action::Tour,
    Action::NextNumber,
    Action::Pause,
    Action::Freeze,
    Action::TurnView(true),
    Action::Cross,
    Action::Mode,
    Action::Explore,
    Action::Direction,
    Action::Reference,
    Action::Boundary(true),
    Action::AskChunk,
    Action::Pace(true),
];

/// Those of a link.
const LINK_ORDER: [Action; 12] = [
    Action::Help,
    Action::Quit,
    Action::Tour,
    Action::NextNumber,
    Action::Line(Knob::Settle),
    Action::Line(Knob::Baud),
    Action::Line(Knob::Latency),
    Action::Line(Knob::Drop),
    Action::Line(Knob::Flip),
    Action::TurnView(true),
    Action::Freeze,
    Action::Line(Knob::Unattached),
];

/// Those of a recording.
const REPLAY_ORDER: [Action; 12] = [
    Action::Help,
    Action::Quit,
    Action::Tour,
    Action::NextNumber,
    Action::Replay(Turn::Pause),
    Action::Replay(Turn::By(-5)),
    Action::Replay(Turn::By(5)),
    Action::Replay(Turn::Mark(true)),
    Action::TurnView(true),
    Action::Replay(Turn::Step(true)),
    Action::Replay(Turn::Speed(true)),
    Action::Replay(Turn::Speed(false)),
];

fn order(app: &App) -> &'static [Action] {
    match (&app.line, &app.replay) {
        (_, Some(_)) => &REPLAY_ORDER,
        (Some(_), None) => &LINK_ORDER,
        (None, None) => &ORDER,
    }
}

/// Draws the keys, or what is wrong with the number being typed.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let bar = app.theme.style(Ink::Bar);
    fill(area, bar, buffer);
    let width = usize::from(area.width);
    if let Some(prompt) = &app.prompt {
        let (text, style) = match &prompt.error {
            Some(error) => (error.as_str(), app.theme.on_bar(Ink::Warning)),
            None => ("Enter takes it, Esc leaves all as it is", bar),
        };
        put(app, (area.x, area.y), text, width, style, buffer);
        return;
    }
    let mut x = area.x;
    for (key, word) in hints(app, width) {
        let style = app.theme.on_bar(Ink::Strong);
        x = put(app, (x, area.y), key, width, style, buffer);
        x = put(app, (x + 1, area.y), word, width, bar, buffer);
        x += 1;
    }
}

/// The hints that fit `width`, in the order of the table of keys.
fn hints(app: &App, width: usize) -> Vec<(&'static str, &'static str)> {
    let mut room = width + 1;
    let mut fit = Vec::new();
    for action in order(app) {
        let Some(word) = word(app, *action) else {
            continue;
        };
        let mut table = bindings(app.groups()).enumerate();
        let binding = table.find(|(_, binding)| binding.action == *action);
        let Some((at, binding)) = binding else {
            continue;
        };
        let key = binding.shown.split(' ').next().unwrap_or(binding.shown);
        let takes = key.chars().count() + word.len() + 2;
        if takes <= room {
            room -= takes;
            fit.push((at, (key, word)));
        }
    }
    fit.sort_unstable_by_key(|(at, _)| *at);
    fit.into_iter().map(|(_, hint)| hint).collect()
}

/// What a key would do now, in a word; None when it does not matter now.
fn word(app: &App, action: Action) -> Option<&'static str> {
    let data = app.shown();
    let visiting = data.curve.walk.as_ref().is_some_and(|walk| walk.going);
    let held = data.comparison().is_some_and(|comparison| comparison.held);
    Some(match action {
        Action::NextNumber if app.view != View::Big => return None,
        Action::Tour => match app.stage.tour.as_ref()?.phase {
            Phase::Running => "halt",
            Phase::Taken => "resume",
            Phase::Over => "tours",
        },
        Action::Replay(Turn::Pause) if !is_playing(app) => "play",
        Action::Pause if app.paused => "go on",
        Action::Pause => return None,
        Action::Freeze if app.frozen.is_some() => "unfreeze",
        Action::Mode if app.settings.mode == Mode::RAW => "cooked",
        Action::Explore if visiting => "stop",
        Action::Reference if held => "drop A",
        action => {
            bindings(app.groups())
                .find(|binding| binding.action == action)?
                .hint
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::action::Group;
    use super::super::super::bindings::{GROUPS, LINK_GROUPS, REPLAY_GROUPS, REPLAY_LINK_GROUPS};
    use super::*;

    #[test]
    fn every_key_of_the_footer_is_bound_and_has_a_word() {
        let tables: [(&'static [Group], &[Action]); 4] = [
            (GROUPS, &ORDER),
            (LINK_GROUPS, &LINK_ORDER),
            (REPLAY_GROUPS, &REPLAY_ORDER),
            (REPLAY_LINK_GROUPS, &REPLAY_ORDER),
        ];
        for (groups, order) in tables {
            for action in order {
                let binding = bindings(groups).find(|binding| binding.action == *action);
                assert!(!binding.unwrap().hint.is_empty(), "{action:?}");
            }
            let with_word = bindings(groups).filter(|binding| !binding.hint.is_empty());
            assert!(with_word.count() >= order.len());
        }
    }
}
