//! Being asked to end by a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::check::runner::Halt;
use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};

/// Becomes true on SIGINT or SIGTERM. A second one ends the program at once.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Begins to listen.
    pub fn listen() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let second = Arc::clone(&asked);
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, second)
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
                .context("cannot handle SIGINT and SIGTERM")?;
        }
        Ok(Self(asked))
    }

    /// True once a signal has come.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// The same for a run of checks.
    pub fn halt(&self) -> Halt {
        Halt::from(Arc::clone(&self.0))
    }

    /// Whether a signal has come.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
