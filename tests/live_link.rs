//! The live screen of a link: whatever ends it, its names go.

mod support {
    #[expect(dead_code, reason = "these tests type nothing")]
    pub mod terminal;
    pub mod wait;
}

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::sys::signal::Signal;
use ptyscope::pty::{Mode, Pair};
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

/// A terminal to draw on, and none that keys could come from.
#[test]
fn a_screen_that_cannot_begin_takes_the_names_away() {
    // Main and the thread that holds the names would run for the end.
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let (_master, slave) = Pair::open(Mode::COOKED).unwrap().into_fds();
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
        command
            .args(["link", "a", "b"])
            .current_dir(folder.path())
            .env("TERM", "xterm-256color")
            .stdin(Stdio::null())
            .stdout(slave)
            .stderr(Stdio::piped());
        // SAFETY: setsid is async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                nix::unistd::setsid()?;
                Ok(())
            });
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("no keys can come"), "{said}");
        assert_eq!(names(&folder), 0);
    }
}
