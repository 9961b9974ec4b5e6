//! Signals that ask a program to end, or to stop for a while.

use nix::libc::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGVTALRM, SIGXCPU,
};
use nix::sys::signal::{
    SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, raise, sigaction,
};

/// All whose default is to end the process and that somebody else may send
/// (signal(7)); those of the program's own faults are not among them.
pub const ENDING: [i32; 10] = [
    SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO, SIGABRT,
];

/// Stops this process as a SIGTSTP does that nobody catches, whatever has been
/// installed for it: whoever waits for the process learns of that signal, and
/// not of a SIGSTOP. Returns once the process is continued; at once where
/// nobody could continue it, as the kernel then discards the signal (an
/// orphaned process group, `get_signal` in kernel/signal.c).
///
/// # Errors
/// Those of sigaction(2) and pthread_sigmask(3).
pub fn suspend() -> nix::Result<()> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: the default disposition runs no code of ours.
    let ours = unsafe { sigaction(Signal::SIGTSTP, &default) }?;
    // A parent may have left it blocked; then it would wait for ever.
    let mask = SigSet::from(Signal::SIGTSTP).thread_swap_mask(SigmaskHow::SIG_UNBLOCK)?;
    let stopped = raise(Signal::SIGTSTP);
    mask.thread_set_mask()?;
    // SAFETY: what was in force before this function is in force again.
    unsafe { sigaction(Signal::SIGTSTP, &ours) }?;
    stopped
}
