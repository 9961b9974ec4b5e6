//! The live screen of a link: whatever ends it, its names go.

mod support {
    #[expect(dead_code, reason = "these tests type nothing")]
    pub mod terminal;
    pub mod wait;
}

use nix::sys::signal::Signal;
use tempfile::TempDir;

use support::terminal::Terminal;
use support::wait::wait_for;

/// A link on a terminal, and the folder in which its names are.
fn link(flags: &str) -> (Terminal, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
    let (a, b) = (a.display(), b.display());
    (Terminal::run(&format!("link {a} {b} {flags}")), folder)
}

fn names(folder: &TempDir) -> usize {
    std::fs::read_dir(folder.path()).unwrap().count()
}

#[test]
fn a_panic_of_the_screen_takes_the_names_away() {
    let (mut terminal, folder) = link("--fault screen-panic");
    assert_eq!(terminal.end().code(), Some(101));
    terminal.wait_for_text("a panic of the screen was asked for");
    assert_eq!(names(&folder), 0);
}

#[test]
fn a_signal_that_comes_before_the_screen_is_not_lost() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let (mut terminal, folder) = link("");
        // The names are there before the screen is.
        wait_for(
            "the names",
            || (names(&folder) > 0).then_some(()),
            String::new,
        );
        terminal.signal(signal);
        assert_eq!(terminal.end().code(), Some(128 + signal as i32), "{signal}");
        assert_eq!(names(&folder), 0);
    }
}
