//! Errors of the standard library in the kernel's words.

use std::io;

use nix::errno::Errno;

/// The error with the name of its errno, if it has one: `ENOSPC (No space left
/// on device)`.
pub fn errno_text(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(errno) => format!("{errno:?} ({})", errno.desc()),
        None => error.to_string(),
    }
}
