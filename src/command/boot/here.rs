//! This machine's own kernel among those that are booted.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::boot::channel::End;
use crate::boot::{Answer, Fate};
use crate::host::{errno_text, this_program};
use crate::report::{Came, Report};

use super::super::stop::Stop;
use super::INSIDE;
use super::came::{Subject, came};

/// How often it is looked whether to stop.
const SLICE: Duration = Duration::from_millis(20);

/// Runs the command here, without a guest, unless we were told to stop.
pub fn run(words: &[String], stop: &Stop) -> Subject {
    let name = format!("{} (this machine)", running());
    if stop.is_asked() {
        return Subject::troubled(name, Fate::Interrupted.word(), Fate::Interrupted.explain());
    }
    let answer = match answer(words, stop) {
        Ok(answer) => answer,
        Err(error) => {
            let why = format!("cannot run this program again: {}", errno_text(&error));
            return Subject::troubled(name, "not started", why);
        }
    };
    let code = answer.end.code.unwrap_or(1);
    match came(&answer) {
        Ok(report) => Subject {
            name,
            code,
            stderr: answer.stderr,
            came: Came::Report(report),
        },
        Err(error) => Subject {
            code: code.max(1),
            stderr: answer.stderr,
            ..Subject::troubled(name, "no report", format!("{error:#} (exit code {code})"))
        },
    }
}

/// What the program says when it is started again; it is asked to end when we
/// are.
fn answer(words: &[String], stop: &Stop) -> io::Result<Answer> {
    let child = Process::new(this_program())
        .args([INSIDE, "{}"])
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = i32::try_from(child.id()).map(Pid::from_raw);
    let output = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| child.wait_with_output());
        let mut is_asked = false;
        while !waiting.is_finished() {
            // Once: a second signal would not let it clear up.
            if let (false, true, Ok(pid)) = (is_asked, stop.is_asked(), pid) {
                is_asked = kill(pid, Signal::SIGTERM).is_ok();
            }
            std::thread::sleep(SLICE);
        }
        waiting
            .join()
            .unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    })?;
    let code = output.status.code();
    Ok(Answer {
        stdout: output.stdout,
        stderr: output.stderr,
        end: End {
            code: code.and_then(|code| u8::try_from(code).ok()),
            signal: output.status.signal(),
            took_ns: 0,
        },
    })
}

/// A report that was made before.
///
/// # Errors
/// When it cannot be read.
pub fn read(path: &Path) -> anyhow::Result<Subject> {
    let report = super::super::compare::read(path)?;
    Ok(Subject {
        name: report.label.clone().unwrap_or_else(|| release(&report)),
        code: 0,
        stderr: Vec::new(),
        came: Came::Report(Box::new(report)),
    })
}

fn release(report: &Report) -> String {
    let release = report.host.kernel.release.clone();
    release.unwrap_or_else(|| "unknown kernel".to_owned())
}

fn running() -> String {
    let name = nix::sys::utsname::uname();
    name.map_or_else(
        |_| "unknown kernel".to_owned(),
        |name| name.release().to_string_lossy().into_owned(),
    )
}
