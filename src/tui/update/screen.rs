//! Actions that change only what is seen.

use super::super::action::Action;
use super::super::state::{App, Field, Prompt, View, WINDOWS};

/// Actions that change only what is seen.
pub fn turn_screen(app: &mut App, action: Action) {
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
        Action::Theme => {
            app.theme = app.theme.next();
            app.say(format!("theme: {}", app.theme.name()));
        }
        _ => {}
    }
}
