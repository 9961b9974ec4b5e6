//! The signal that ends a system call in which a worker is blocked.

use nix::errno::Errno;
use nix::libc::c_int;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use crate::pty;

/// Sent to a blocked worker. Its handler does nothing; what matters is that
/// the call returns EINTR, or short when it had moved some bytes.
pub const INTERRUPT: Signal = Signal::SIGUSR1;

extern "C" fn ignore(_: c_int) {}

/// Makes [`INTERRUPT`] interrupt system calls of this process.
///
/// # Errors
/// Never on Linux, short of a seccomp filter.
pub fn let_interrupt() -> pty::Result<()> {
    // Without SA_RESTART, so that read(2) and write(2) do return.
    let action = SigAction::new(
        SigHandler::Handler(ignore),
        SaFlags::empty(),
        SigSet::empty(),
    );
    // SAFETY: the handler does nothing, so it is async-signal-safe.
    unsafe { sigaction(INTERRUPT, &action) }
        .map(drop)
        .map_err(|errno: Errno| pty::Error::new("handle", "SIGUSR1", errno))
}
