//! Signals, taken one by one instead of by handlers.

use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};

use super::{Effect, Role, Sys};

/// A set of signals that are blocked, so that each can be waited for.
#[derive(Debug, Clone, Copy)]
pub struct Signals(SigSet);

impl Signals {
    /// Blocks `signals` in this thread, for good.
    pub fn block(signals: &[Signal]) -> nix::Result<Self> {
        let set: SigSet = signals.iter().copied().collect();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), None)?;
        Ok(Self(set))
    }
}

impl Sys {
    /// The next of the signals to come within `time`, or none.
    pub fn signal(&self, signals: &Signals, time: Duration) -> nix::Result<Option<Signal>> {
        let effect = self.effect("signal", Role::Other);
        if let Some(Effect::Value(number)) = effect {
            return Signal::try_from(number as i32).map(Some);
        }
        let timeout = libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: time.subsec_nanos().into(),
        };
        // SAFETY: the set and the timeout outlive the call; no siginfo is asked for.
        let got = unsafe { libc::sigtimedwait(signals.0.as_ref(), std::ptr::null_mut(), &timeout) };
        let found = match Errno::result(got) {
            Ok(number) => Some(Signal::try_from(number)?),
            Err(Errno::EAGAIN | Errno::EINTR) => None,
            Err(errno) => return Err(errno),
        };
        match (effect, found) {
            (Some(Effect::Errno(_)), _) => Ok(None),
            (Some(Effect::Again), Some(signal)) => {
                nix::sys::signal::raise(signal)?;
                Ok(found)
            }
            _ => Ok(found),
        }
    }
}
