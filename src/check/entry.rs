//! The process in which one check runs.
//!
//! [`runner`](super::runner) starts this program again with the hidden argument
//! [`ARGUMENT`] and an [`Order`]; the answer is one line of JSON on standard
//! output. A new program, not only a new process: the caller may have threads,
//! and a check that forks must not.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, sigprocmask};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::sys::{Effect, Fault, Sys};
use super::{Class, Cx, Outcome, Stop, expect};
use crate::host::die_with;
use crate::pty::KernelVersion;

/// The argument that makes the program carry out one check.
pub const ARGUMENT: &str = "__check";

/// What the process shall do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// The runner's process; the check ends with it. None: nobody runs it.
    #[serde(default)]
    pub runner: Option<i32>,
    /// Which check.
    pub id: String,
    /// The longest that one wait may take, in milliseconds.
    pub deadline_ms: u64,
    /// Where pseudo-random numbers start.
    pub seed: u64,
    /// Speeds below or beyond which a check fails.
    #[serde(default)]
    pub gates: Gates,
    /// How the kernel's answers are altered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Speeds that a check must keep; without any, no speed fails a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gates {
    /// The most nanoseconds that 99 of 100 round trips may take.
    pub max_p99_ns: Option<u64>,
    /// The least bytes per second by writes of 256 bytes.
    pub min_rate: Option<u64>,
}

/// Carries out the check that `order` (JSON) names and prints its outcome.
///
/// Exits 0 when it could say something, 2 when the order makes no sense.
pub fn main(order: &str) -> ExitCode {
    let Ok(order) = serde_json::from_str::<Order>(order) else {
        return ExitCode::from(2);
    };
    // When the runner is gone, nobody waits for the answer.
    if let Some(runner) = order.runner
        && die_with(Pid::from_raw(runner)).is_err()
    {
        return ExitCode::FAILURE;
    }
    // A session of its own: no check can reach the caller's terminal.
    let _ = nix::unistd::setsid();
    settle_signals();
    let Some(check) = super::find(&order.id) else {
        return ExitCode::from(2);
    };
    let release = release(&order.faults);
    let cx = Cx {
        sys: Sys::new(order.faults),
        deadline: Duration::from_millis(order.deadline_ms),
        release,
        seed: order.seed,
        gates: order.gates,
    };
    let verdict = expect::run(|| (check.run)(&cx));
    let outcome = match verdict {
        Ok(figure) => Outcome {
            class: Class::Pass,
            expected: None,
            got: figure,
            known: None,
        },
        Err(stop) => filtered(stop).outcome(check.eras, release),
    };
    let Ok(mut line) = serde_json::to_string(&outcome) else {
        return ExitCode::FAILURE;
    };
    line.push('\n');
    match std::io::stdout().write_all(line.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// What the caller blocks or ignores (nohup(1), a shell's background job) is
/// inherited; checks expect the defaults.
fn settle_signals() {
    let all = SigSet::all();
    let _ = sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&all), None);
    for signal in Signal::iterator() {
        // SIGPIPE stays ignored, as Rust programs have it; the answer of a
        // closed pipe is an errno.
        if !matches!(signal, Signal::SIGKILL | Signal::SIGSTOP | Signal::SIGPIPE) {
            // SAFETY: the default disposition runs no code of ours.
            let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
        }
    }
    // A check that leads its pty's session closes that pty in the end. Those
    // that wait for SIGHUP block it, and a blocked signal is not ignored.
    // SAFETY: ignoring a signal runs no code.
    let _ = unsafe { nix::sys::signal::signal(Signal::SIGHUP, SigHandler::SigIgn) };
}

/// The running release; a fault can claim another.
fn release(faults: &[Fault]) -> KernelVersion {
    let claimed = faults.iter().find_map(|fault| match &fault.effect {
        Effect::Text(text) if fault.call == "uname" => text.parse().ok(),
        _ => None,
    });
    claimed.unwrap_or_else(super::running)
}

/// A call refused with EPERM or ENOSYS under a seccomp filter is the filter's
/// answer, not the pty layer's.
fn filtered(stop: Stop) -> Stop {
    match stop {
        Stop::Fail { expected, got } if got == "EPERM" || got == "ENOSYS" => {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let filter = status.lines().any(|line| {
                line.strip_prefix("Seccomp:")
                    .is_some_and(|mode| mode.trim() == "2")
            });
            if filter {
                Stop::Env(format!("{expected}: {got}: a seccomp filter is in force"))
            } else {
                Stop::Fail { expected, got }
            }
        }
        other => other,
    }
}
