//! A running `ptyscope link`, and what one opens of it.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

use super::skip::skip;
use super::wait::wait_for;

pub const PTYSCOPE: &str = env!("CARGO_BIN_EXE_ptyscope");

/// A running `ptyscope link` with two names in a directory of its own.
pub struct Link {
    pub child: Child,
    pub stdout: BufReader<ChildStdout>,
    pub directory: TempDir,
}

impl Link {
    pub fn start(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(PTYSCOPE)
            .arg("link")
            .args(["a", "b"].map(|name| directory.path().join(name)))
            .args(flags)
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("ready") {
            line.clear();
            let read = stdout.read_line(&mut line).unwrap();
            assert!(read > 0, "ended before it was ready");
        }
        Self {
            child,
            stdout,
            directory,
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn open(&self, name: &str) -> File {
        open(&self.path(name))
    }

    /// Ends it by `signal`; gives what it printed after it was ready, and its
    /// exit code.
    pub fn stop(&mut self, signal: Signal) -> (String, Option<i32>) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
        let status = wait(&mut self.child, "ptyscope link to end");
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        (text, status.code())
    }

    /// The same of one whose names nobody has taken: they are gone.
    pub fn end(mut self, signal: Signal) -> (String, Option<i32>) {
        let ended = self.stop(signal);
        assert!(!self.path("a").is_symlink() && !self.path("b").is_symlink());
        ended
    }

    /// Ends it, and gives its summary.
    pub fn summary(self) -> Value {
        let (text, code) = self.end(Signal::SIGTERM);
        assert_eq!(code, Some(0), "{text}");
        serde_json::from_str(text.lines().last().unwrap()).unwrap()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn open(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOCTTY);
    options.open(path).unwrap()
}

/// Waits for the end of a child; one that does not come is killed with its
/// test.
pub fn wait(child: &mut Child, what: &str) -> ExitStatus {
    wait_for(what, || child.try_wait().unwrap(), String::new)
}

pub fn ptyscope(arguments: &[&str]) -> Output {
    Command::new(PTYSCOPE)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Whether all tools are there; says which is not.
pub fn have(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| {
        let probe = format!("command -v {tool}");
        let found = Command::new("sh").args(["-c", &probe]).output().unwrap();
        !found.status.success()
    });
    if let Some(tool) = missing {
        skip(&format!("{tool} is not installed"), "install it");
    }
    missing.is_none()
}
