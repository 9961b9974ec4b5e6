//! Telling whoever drives the null modem that there is something to see.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

type Call = Box<dyn Fn() + Send + Sync>;

/// Calls whoever asked to be called; nobody at first.
#[derive(Clone, Default)]
pub struct Nudge(Arc<OnceLock<Call>>);

impl Nudge {
    /// From now on `call` is called; a second one never is.
    pub fn set(&self, call: impl Fn() + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(call));
    }

    /// Calls.
    pub fn nudge(&self) {
        if let Some(call) = self.0.get() {
            call();
        }
    }
}

impl fmt::Debug for Nudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Nudge")
    }
}

/// Says that a thread has ended, however it did: dropped last by that thread.
pub struct AtEnd {
    ended: Arc<AtomicBool>,
    nudge: Nudge,
}

impl AtEnd {
    /// Not ended yet; the flag will tell.
    pub fn new(nudge: Nudge) -> (Self, Arc<AtomicBool>) {
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        (Self { ended, nudge }, flag)
    }
}

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        self.nudge.nudge();
    }
}
