//! On a terminal: recording while the live screen shows, and replaying.

use std::fs;

use nix::sys::signal::Signal;

use super::terminal::Terminal;
use super::{EASY, ok};

/// The live screen, with a recording that crosses the boundary.
fn recorded(name: &str, at: &std::path::Path) -> Terminal {
    let arguments = format!("{EASY} --caption Readers --record {name}");
    let terminal = Terminal::start(&arguments, |command| command.current_dir(at));
    terminal.wait_for_data();
    terminal
}

#[test]
fn a_recording_plays_on_the_same_screen() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let mut terminal = recorded("a.rec.gz", at);
    terminal.wait_for_text(" REC ");
    terminal.type_keys("x");
    terminal.wait_for_text("chunk 257");
    terminal.wait_until("the third second", |screen| {
        let title = screen.lines().next().unwrap_or_default().trim_end();
        !(title.ends_with("0:00") || title.ends_with("0:01"))
    });
    terminal.type_keys("\x1bOS");
    terminal.wait_for_text("[kernel]");
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(0));

    let mut terminal = Terminal::start("replay a.rec.gz --speed 0.1", |command| {
        command.current_dir(at)
    });
    terminal.wait_for_text(" REPLAY x0.1 ");
    terminal.wait_for_text("a recording: ");
    terminal.wait_for_text("chunk 256");
    terminal.wait_for_text("Readers");
    // Space pauses; n goes to the change of the chunk, b back before it.
    terminal.type_keys(" ");
    terminal.wait_for_text(" PAUSED x0.1 ");
    terminal.type_keys("nn");
    terminal.wait_for_text("chunk 257");
    terminal.type_keys("\x1b[H");
    terminal.wait_for_text("chunk 256");
    // A knob of the live run is told to be none.
    terminal.type_keys("x");
    terminal.wait_for_text("in a recording nothing can be turned");
    // The end, where the recorded view was another, and back again.
    terminal.type_keys("\x1b[F");
    terminal.wait_for_text("[kernel]");
    terminal.wait_for_text(" ENDED ");
    terminal.type_keys("\x1b[D");
    terminal.wait_until("the time before the end", |screen| {
        !screen.contains(" ENDED ") && screen.contains("[time]")
    });
    terminal.type_keys("++++++");
    terminal.wait_for_text(" PAUSED x6.4 ");
    terminal.type_keys(".,B");
    terminal.wait_for_text("[big]");
    terminal.type_keys("?");
    terminal.wait_for_text("ptyscope  help");
    terminal.type_keys("? ");
    terminal.wait_for_text(" ENDED ");
    terminal.wait_for_text("the recording ends here");
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn keys_and_captions_are_in_the_recording() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let mut terminal = recorded("a.rec", at);
    terminal.type_keys("x");
    terminal.wait_for_text("chunk 257");
    terminal.type_keys("BN");
    terminal.wait_for_text("in flight");
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(0));
    let text = fs::read_to_string(at.join("a.rec")).unwrap();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("{\"key\":").contains("\"x\",\"go across"));
    assert!(line("{\"caption\":").contains("Readers"));
    assert!(line("{\"asked\":").contains("\"chunk\":257"));
    assert!(text.contains("[\"view\":\"big\"") || text.contains("\"view\":\"big\""));
    let lines = ok(at, "replay a.rec");
    assert!(lines.contains("key x: go across"), "{lines}");
    assert!(lines.contains("caption: Readers"), "{lines}");
}

#[test]
fn the_screen_says_that_a_recording_has_stopped() {
    let mut terminal = Terminal::run(&format!("{EASY} --record /dev/full"));
    terminal.wait_for_text(" NOT RECORDED ");
    terminal.wait_for_text("/dev/full has stopped: ENOSPC");
    // The run goes on.
    terminal.type_keys("x");
    terminal.wait_for_text("chunk 257");
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(1));
    let left = terminal.text();
    let said = left.matches("nothing of it can be replayed").count();
    assert_eq!(said, 1, "{left}");
}

#[test]
fn sizes_and_signals_are_as_on_the_live_screen() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    ok(at, &format!("--plain {EASY} -d 600ms --record a.rec"));
    let mut terminal = Terminal::start("replay a.rec", |command| command.current_dir(at));
    terminal.wait_for_text("the recording ends here");
    terminal.resize((7, 39));
    terminal.wait_for_text("too small");
    terminal.resize((40, 120));
    terminal.wait_for_text("a recording: ");
    terminal.signal(Signal::SIGTERM);
    assert_eq!(terminal.end().code(), Some(128 + Signal::SIGTERM as i32));
}
