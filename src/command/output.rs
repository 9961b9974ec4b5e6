//! Writing to standard output and standard error, which may be closed, full, or
//! a terminal that is gone.

use std::fmt::Display;
use std::io::{self, StdoutLock, Write};

use anyhow::Context;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::host::errno_text;
use crate::words::told;

/// Standard output, if it can be written.
///
/// # Errors
/// EBADF where it is open for reading alone. [`io::stdout`] would take that
/// write(2) says so for success, and the output would be lost.
pub fn stdout() -> io::Result<StdoutLock<'static>> {
    let flags = OFlag::from_bits_retain(fcntl(io::stdout(), FcntlArg::F_GETFL)?);
    if flags & OFlag::O_ACCMODE == OFlag::O_RDONLY {
        return Err(Errno::EBADF.into());
    }
    Ok(io::stdout().lock())
}

/// Names what a failure is about.
///
/// # Errors
/// That failure.
pub fn of_stdout<T>(result: io::Result<T>) -> anyhow::Result<T> {
    result.context("cannot write to standard output")
}

/// Writes text for people to standard output, without what a terminal would
/// obey.
///
/// # Errors
/// When it cannot be written; see [`is_closed_pipe`].
pub fn print(text: &str) -> anyhow::Result<()> {
    print_exactly(&told(text))
}

/// Writes data to standard output.
///
/// # Errors
/// As [`print`].
pub fn print_exactly(text: &str) -> anyhow::Result<()> {
    of_stdout(stdout().and_then(|mut out| {
        out.write_all(text.as_bytes())?;
        out.flush()
    }))
}

/// A line on standard error. Where that is gone nobody can be told, and the
/// program must still end as it should: `eprintln!` would panic.
pub fn say(text: impl Display) {
    pass_on(&format!("ptyscope: {text}\n"));
}

/// Text of others' on standard error, as [`say`].
pub fn pass_on(text: &str) {
    let _ = io::stderr().write_all(told(text).as_bytes());
}

/// Takes it for no error that the reader of a pipe has gone away.
///
/// # Errors
/// All others.
pub fn unless_closed(written: anyhow::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if is_closed_pipe(&error) => Ok(()),
        other => other,
    }
}

/// Whether the reader of our output has gone away: no reason to complain.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The error and its causes in one line, each of the kernel's with its name.
pub fn describe(error: &anyhow::Error) -> String {
    let text = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<io::Error>();
        io.map_or_else(|| cause.to_string(), errno_text)
    };
    error.chain().map(text).collect::<Vec<_>>().join(": ")
}
