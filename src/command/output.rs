//! Writing to standard output, which may be closed or full.

use std::io;

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
        let errno = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::raw_os_error)
            .map(nix::errno::Errno::from_raw);
        match errno {
            Some(errno) => format!("{errno:?} ({})", errno.desc()),
            None => cause.to_string(),
        }
    };
    error.chain().map(text).collect::<Vec<_>>().join(": ")
}
