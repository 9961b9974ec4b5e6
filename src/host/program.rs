//! This program's own file, to start it again.

use std::ffi::CStr;
use std::path::PathBuf;

use nix::sys::prctl::set_name;

/// What this program is called where processes are listed.
const NAME: &CStr = c"ptyscope";

/// This program's file, which stays the same while it runs even when it is
/// replaced on disk; `argv[0]` without /proc.
pub fn this_program() -> PathBuf {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() {
        link
    } else {
        std::env::args_os().next().map_or(link, PathBuf::from)
    }
}

/// Has processes be listed under this program's name (proc_pid_comm(5)): one
/// that was started as [`this_program`] is called `exe` after the link.
pub fn bear_name() {
    // Nothing but what ps(1) shows depends on it.
    let _ = set_name(NAME);
}
