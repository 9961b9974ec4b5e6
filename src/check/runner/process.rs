//! One process that carries out a check: its answer, its limit, its end.

use std::io::Read;
use std::os::fd::AsFd;
use std::process::{Child, ChildStdout};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::host::errno_text;

use super::Halt;
use crate::check::place::Place;
use crate::check::{Class, Outcome};

/// How long a killed process may take to die before it counts as unkillable.
const GRACE: Duration = Duration::from_secs(2);

/// How often a wait for an answer looks whether the run was halted.
const SLICE: Duration = Duration::from_millis(50);

/// What the process answers within `limit`; none when the run was halted. It is
/// dead afterwards, with all of its session, unless the kernel does not let go
/// of it.
pub(super) fn outcome(mut child: Child, limit: Duration, halt: &Halt) -> Option<Outcome> {
    let answer = child
        .stdout
        .take()
        .map_or(Answer::Ended, |stdout| answer(stdout, limit, halt));
    Some(match answer {
        Answer::Halted => {
            end(&mut child);
            return None;
        }
        Answer::Line(line) => {
            let status = end(&mut child);
            serde_json::from_str(&line).unwrap_or_else(|_| broken(&line, status.as_deref()))
        }
        Answer::Ended => {
            let status = ended(&mut child, GRACE).or_else(|| end(&mut child));
            broken("", status.as_deref())
        }
        Answer::Late => {
            let stuck = stuck(child.id());
            let fate = match end(&mut child) {
                Some(_) => "killed",
                None => "cannot be killed",
            };
            Outcome {
                class: Class::Hang,
                expected: Some(format!("an end within {limit:?}")),
                got: Some(format!("{stuck}; {fate}")),
                known: None,
            }
        }
    })
}

enum Answer {
    Halted,
    Line(String),
    Ended,
    Late,
}

fn answer(mut stdout: ChildStdout, limit: Duration, halt: &Halt) -> Answer {
    let start = Instant::now();
    let mut text = Vec::new();
    loop {
        let left = limit.saturating_sub(start.elapsed());
        let time = PollTimeout::try_from(left.min(SLICE)).unwrap_or(PollTimeout::ZERO);
        let mut fds = [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)];
        if poll(&mut fds, time).unwrap_or(0) == 0 {
            if halt.is_asked() {
                return Answer::Halted;
            }
            if left.is_zero() {
                return Answer::Late;
            }
            continue;
        }
        let mut buffer = [0; 4096];
        match stdout.read(&mut buffer) {
            Ok(0) | Err(_) => return Answer::Ended,
            Ok(n) => text.extend_from_slice(buffer.get(..n).unwrap_or_default()),
        }
        if text.ends_with(b"\n") {
            return Answer::Line(String::from_utf8_lossy(&text).trim_end().to_owned());
        }
    }
}

fn broken(line: &str, status: Option<&str>) -> Outcome {
    Outcome {
        class: Class::Fail,
        expected: Some("an answer from the process of the check".to_owned()),
        got: Some(match status {
            Some(status) => format!("\"{line}\" and {status}"),
            None => format!("\"{line}\" and no end"),
        }),
        known: None,
    }
}

/// Kills the process and its session; how it ended, or none when it does not.
fn end(child: &mut Child) -> Option<String> {
    if let Ok(pid) = i32::try_from(child.id()) {
        // It leads a session and so a group, unless it was caught before that.
        let _ = kill(Pid::from_raw(-pid), Signal::SIGKILL);
        let _ = child.kill();
    }
    ended(child, GRACE)
}

fn ended(child: &mut Child, within: Duration) -> Option<String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.to_string()),
            Err(error) => return Some(format!("waitpid: {}", errno_text(&error))),
            Ok(None) if start.elapsed() > within => return None,
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}

/// Where the processes of a check's session are: `pid 7 in state R in inq_canon`.
fn stuck(session: u32) -> String {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return format!("pid {session}, nothing more without /proc");
    };
    let found: Vec<_> = processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Place::of)
        .filter(|place| place.session == session || place.pid == session)
        .map(|place| place.to_string())
        .collect();
    if found.is_empty() {
        format!("pid {session} is gone")
    } else {
        found.join(", ")
    }
}
