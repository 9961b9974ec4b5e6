//! This machine's own kernel among those that are booted.

use std::path::Path;
use std::process::{Command as Process, Stdio};

use anyhow::Context;

use crate::boot::Answer;
use crate::boot::channel::End;
use crate::check::runner::this_program;
use crate::cli::Command;
use crate::report::{Came, Report};

use super::INSIDE;
use super::came::{Subject, came};

/// Runs the command here, without a guest.
///
/// # Errors
/// When this program cannot be started.
pub fn run(words: &[String], command: &Command) -> anyhow::Result<Subject> {
    let output = Process::new(this_program())
        .args([INSIDE, "{}"])
        .args(words)
        .stdin(Stdio::null())
        .output()
        .context("cannot start this program")?;
    let code = output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok());
    let answer = Answer {
        stdout: output.stdout,
        stderr: output.stderr,
        end: End {
            code,
            signal: None,
            took_ns: 0,
        },
    };
    let came = came(&answer, command)?;
    let release = match &came {
        Came::Report(report) => release(report),
        _ => running(),
    };
    Ok(Subject {
        name: format!("{release} (this machine)"),
        code: code.unwrap_or(1),
        stderr: answer.stderr,
        came,
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
