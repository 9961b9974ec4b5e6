//! Writing to standard output and standard error, which may be closed, full, or
//! a terminal that is gone.

use std::fmt::Display;
use std::io::{self, Write};

use crate::host::errno_text;

/// A line on standard error. Where that is gone nobody can be told, and the
/// program must still end as it should: `eprintln!` would panic.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stderr(), "ptyscope: {text}");
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
