//! Not to outlive who started us.

use nix::errno::Errno;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

/// Has this process killed when `parent`, which started it, ends: in its own
/// process and not in a thread of it that may end earlier. Async-signal-safe.
///
/// # Errors
/// ESRCH when `parent` is gone already, of which PR_SET_PDEATHSIG would never
/// tell (prctl(2)).
pub fn die_with(parent: Pid) -> Result<(), Errno> {
    set_pdeathsig(Signal::SIGKILL)?;
    if getppid() == parent {
        Ok(())
    } else {
        Err(Errno::ESRCH)
    }
}
