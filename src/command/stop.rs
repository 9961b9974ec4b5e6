//! Being asked to end by a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::check::runner::Halt;
use crate::host::ENDING;

/// Becomes true on a signal. A second one of the same ends the program at once.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Begins to listen to SIGINT and SIGTERM.
    pub fn listen() -> anyhow::Result<Self> {
        Self::listen_to([SIGINT, SIGTERM])
    }

    /// The same of all signals that end a program, for one that has something to
    /// give back; those that were ignored stay so, as after nohup(1).
    pub fn listen_to_all() -> anyhow::Result<Self> {
        let ignored = ignored();
        let heard = |signal: &i32| ignored >> (signal - 1) & 1 == 0;
        Self::listen_to(ENDING.into_iter().filter(heard))
    }

    fn listen_to(signals: impl IntoIterator<Item = i32>) -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in signals {
            let second = Arc::clone(&asked);
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, second)
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&asked)))
                .context("cannot handle signals")?;
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

/// The signals that this process ignores, the lowest bit for signal 1
/// (proc_pid_status(5)); none where that is not known.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
