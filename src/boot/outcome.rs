//! What came of a boot.

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use super::accel::Accel;
use super::channel::{End, Start};

/// One boot, from qemu's start to its end.
#[derive(Debug)]
pub struct Booted {
    /// What carried out the guest's instructions.
    pub accel: Accel,
    /// What init found, if it ran.
    pub start: Option<Start>,
    /// From qemu's start to init's first word.
    pub to_init: Option<Duration>,
    /// From qemu's start to its end.
    pub lasted: Duration,
    /// What became of it.
    pub fate: Fate,
    /// The last lines of the guest's console.
    pub console: Vec<String>,
}

/// What became of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// The command ran to its end.
    Ran(Answer),
    /// The command was killed in there by this signal.
    Killed(i32),
    /// The command could not be run in there.
    Refused(String),
    /// The kernel panicked, with its own words.
    Panicked(String),
    /// The guest had too little memory, with the kernel's words.
    OutOfMemory(String),
    /// Init was not started within this time.
    NeverStarted(Duration),
    /// Init ran and fell silent for this time.
    Hung(Duration),
    /// The machine went off or reset itself before the command had ended.
    WentOff {
        /// Whether init had run.
        had_started: bool,
    },
    /// The whole took longer than allowed.
    TimedOut(Duration),
    /// A part of the result was lost on its way.
    Damaged,
    /// qemu is not there, or cannot be started.
    NoQemu {
        /// What was to be started.
        qemu: PathBuf,
        /// Why it was not.
        why: String,
    },
    /// qemu ended by itself, with its last words.
    QemuDied {
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        said: String,
    },
    /// We were told to stop.
    Interrupted,
}

/// What the command wrote and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Its end.
    pub end: End,
}

impl Fate {
    /// One word for a table.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ran(_) => "ran",
            Self::Killed(_) => "killed",
            Self::Refused(_) => "refused",
            Self::Panicked(_) => "panicked",
            Self::OutOfMemory(_) => "out of memory",
            Self::NeverStarted(_) => "never started",
            Self::Hung(_) => "hung",
            Self::WentOff { .. } => "went off",
            Self::TimedOut(_) => "timed out",
            Self::Damaged => "result damaged",
            Self::NoQemu { .. } => "no qemu",
            Self::QemuDied { .. } => "qemu died",
            Self::Interrupted => "interrupted",
        }
    }

    /// A sentence for people.
    pub fn explain(&self) -> String {
        match self {
            Self::Ran(_) => "the command ran to its end".to_owned(),
            Self::Killed(signal) => {
                format!("the command was killed in the guest by signal {signal}")
            }
            Self::Refused(why) => format!("the command cannot run in there: {why}"),
            Self::Panicked(line) => format!("the kernel panicked: {line}"),
            Self::OutOfMemory(line) => {
                format!("the guest ran out of memory; --memory gives it more: {line}")
            }
            Self::NeverStarted(limit) => format!(
                "the kernel did not start init within {:.0} s",
                limit.as_secs_f64()
            ),
            Self::Hung(limit) => format!(
                "the kernel hangs: init, which speaks every few seconds, was silent for {:.0} s",
                limit.as_secs_f64()
            ),
            Self::WentOff { had_started: false } => {
                "the machine reset itself before init was started".to_owned()
            }
            Self::WentOff { had_started: true } => {
                "the machine went off before the command had ended".to_owned()
            }
            Self::TimedOut(limit) => {
                format!("not done within {:.0} s (--timeout)", limit.as_secs_f64())
            }
            Self::Damaged => "a part of the result was lost on its way from the guest".to_owned(),
            Self::NoQemu { qemu, why } => format!(
                "cannot start {}: {why}; it is in the package qemu-system-x86 or qemu-system-arm, \
                 or --qemu names it",
                qemu.display()
            ),
            Self::QemuDied { status, said } if said.is_empty() => {
                format!("qemu ended by itself, silently ({status})")
            }
            Self::QemuDied { status, said } => format!("qemu ended by itself ({status}): {said}"),
            Self::Interrupted => "interrupted by a signal".to_owned(),
        }
    }

    /// Whether the last lines of the console can tell more.
    pub fn is_of_the_kernel(&self) -> bool {
        matches!(
            self,
            Self::Killed(_)
                | Self::Panicked(_)
                | Self::OutOfMemory(_)
                | Self::NeverStarted(_)
                | Self::Hung(_)
                | Self::WentOff { .. }
                | Self::TimedOut(_)
                | Self::Damaged
        )
    }

    /// The exit code that says it: the command's own; 124 for a timeout, as
    /// timeout(1) has it; 1 for all else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ran(answer) => answer.end.code.unwrap_or(1),
            Self::TimedOut(_) => 124,
            _ => 1,
        }
    }
}
