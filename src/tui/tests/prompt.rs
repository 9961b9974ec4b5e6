//! Numbers that are typed.

use crate::workload::Settings;

use super::super::action::Action;
use super::super::state::Field;
use super::super::update::{Typed, type_in};
use super::Desk;

#[test]
fn numbers_are_typed() {
    let mut desk = Desk::new();
    desk.press(Action::AskChunk);
    desk.enter("4K");
    assert_eq!((desk.app.settings.chunk, &desk.app.prompt), (4096, &None));
    desk.press(Action::AskReadSize);
    desk.enter(" 64KiB ");
    assert_eq!(desk.app.settings.read_size, Some(65536));
    desk.press(Action::AskReadSize);
    desk.enter("");
    assert_eq!(desk.app.settings.read_size, None);
    desk.press(Action::AskPairs);
    desk.enter("64");
    assert_eq!(desk.app.settings.pairs, 64);
}

#[test]
fn what_is_no_number_or_out_of_range_stays_with_a_reason() {
    for (action, text, word) in [
        (Action::AskChunk, "", "not a size"),
        (Action::AskChunk, "0", "1 to 1048576"),
        (Action::AskChunk, "-1", "not a size"),
        (Action::AskChunk, "2M", "1 to 1048576"),
        (Action::AskChunk, "many", "not a size"),
        (Action::AskReadSize, "0", "1 to 1048576"),
        (Action::AskPairs, "65", "1 to 64"),
    ] {
        let mut desk = Desk::new();
        desk.press(action);
        desk.enter(text);
        let error = desk.app.prompt.as_ref().unwrap().error.clone();
        assert!(error.as_ref().unwrap().contains(word), "{text}: {error:?}");
        assert_eq!(desk.app.settings, Settings::default());
        // The next key goes on from there.
        type_in(&mut desk.app, Typed::Backspace);
        assert_eq!(desk.app.prompt.as_ref().unwrap().error, None);
        type_in(&mut desk.app, Typed::Escape);
        assert_eq!(desk.app.prompt, None);
    }
}

#[test]
fn a_prompt_shows_over_a_message_and_takes_no_endless_line() {
    let mut desk = Desk::new();
    desk.run(1);
    desk.press(Action::Axes);
    desk.press(Action::AskChunk);
    assert_eq!(desk.app.prompt.as_ref().unwrap().field, Field::Chunk);
    assert!(desk.picture(80, 24).contains("chunk (bytes, 4K, 1kB): _"));
    for _ in 0..10_000 {
        type_in(&mut desk.app, Typed::Char('9'));
    }
    type_in(&mut desk.app, Typed::Char('\n'));
    assert!(desk.app.prompt.as_ref().unwrap().text.len() <= 20);
    desk.enter("");
    assert!(desk.app.prompt.as_ref().unwrap().error.is_some());
}

#[test]
fn typing_without_a_prompt_does_nothing() {
    let mut desk = Desk::new();
    desk.enter("4096");
    assert_eq!(desk.app.settings.chunk, 256);
}
