//! Recordings of real runs by the real program, replayed.

#[allow(dead_code, reason = "other tests need more of it")]
#[path = "../support/terminal.rs"]
mod terminal;
#[path = "../support/wait.rs"]
mod wait;

mod files;
mod screen;
mod tours;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A workload that leaves the machine to the others.
const EASY: &str = "--writer-pace 300kB/s";

/// ptyscope with `arguments`, split at spaces, in `directory`.
fn command(directory: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .env("RUST_BACKTRACE", "0")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn ptyscope(directory: &Path, arguments: &str) -> Output {
    command(directory, arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What a run that must go well writes to standard output.
fn ok(directory: &Path, arguments: &str) -> String {
    let output = ptyscope(directory, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {said}");
    text(&output.stdout)
}
