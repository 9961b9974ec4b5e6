//! Writing to standard output, which may be closed or full.

use std::io;

use crate::host::errno_text;

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
