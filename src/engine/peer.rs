//! A worker in a process of its own: this program again, with its end of the
//! pty as standard input and the shared memory as standard output.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::errno::Errno;
use nix::unistd::Pid;

use crate::host::die_with;
use crate::pty;
use crate::workload::Streams;

use super::shared::Shared;
use super::signal;
use super::worker::{Assignment, run};

/// The first argument that makes this program a peer; the second is the
/// assignment as JSON.
pub const PEER_ARGUMENT: &str = "__peer";

/// Starts `program` as a peer that holds `fd`.
pub fn spawn(
    program: &Path,
    assignment: &Assignment,
    shared: &Shared,
    fd: BorrowedFd<'_>,
) -> pty::Result<Child> {
    let fail = |errno: Errno| {
        pty::Error::new(
            "start the reader's process",
            program.display().to_string(),
            errno,
        )
    };
    let io = |error: std::io::Error| fail(Errno::from_raw(error.raw_os_error().unwrap_or(0)));
    let text = serde_json::to_string(assignment).map_err(|_| fail(Errno::EINVAL))?;
    Command::new(program)
        .arg(PEER_ARGUMENT)
        .arg(text)
        .stdin(Stdio::from(fd.try_clone_to_owned().map_err(io)?))
        .stdout(Stdio::from(shared.file().try_clone_to_owned().map_err(io)?))
        .stderr(Stdio::null())
        // The terminal's ^C and timeout(1)'s signals go to the whole group;
        // the engine ends its peers itself, once they have read all.
        .process_group(0)
        .spawn()
        .map_err(io)
}

/// The whole life of a peer process.
///
/// # Errors
/// When the assignment cannot be read, the engine is gone, or the memory cannot
/// be mapped.
pub fn main(assignment: &str) -> anyhow::Result<()> {
    let assignment: Assignment = serde_json::from_str(assignment)?;
    // Whatever becomes of the engine, nothing of ours stays behind.
    die_with(Pid::from_raw(assignment.engine))?;
    let memory: OwnedFd = std::io::stdout().as_fd().try_clone_to_owned()?;
    let shared = Shared::attach(memory, assignment.slots)?;
    signal::let_interrupt()?;
    let streams = Streams::new(assignment.payload, assignment.mode);
    run(&assignment, &streams, &shared, std::io::stdin().as_fd());
    Ok(())
}
