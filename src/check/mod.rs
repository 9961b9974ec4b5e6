//! Sanity checks of the kernel's pty layer.
//!
//! Each check is a [`Check`]: a small function with a description that says
//! what it does, what it expects, why it believes so, and what a failure means
//! for programs. A check runs in a process and a session of its own (see
//! [`runner`]) and talks to the kernel only through [`sys::Sys`], so that a
//! test can alter the kernel's answers and see the check fail.

pub mod checkup;
mod cx;
pub mod entry;
mod era;
mod expect;
pub mod format;
mod groups;
mod outcome;
mod patience;
mod peer;
mod place;
mod rng;
pub mod runner;
pub mod select;
pub mod sys;

pub use cx::Cx;
pub use era::{Dated, Era, Kind, running};
pub use groups::{all, find};
pub use outcome::{Class, Outcome, Stop, Verdict};

use serde::{Deserialize, Serialize};

/// One sanity check: its description and the function that carries it out.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Stable name, as `close.drain`.
    pub id: &'static str,
    /// One line: what holds when it passes.
    pub title: &'static str,
    /// The group it is listed in.
    pub group: Group,
    /// Whether a plain run includes it.
    pub tier: Tier,
    /// What it needs beyond an ordinary user.
    pub needs: Needs,
    /// Whether it runs by itself: it measures time, or counts the ptys of the
    /// whole machine.
    pub alone: bool,
    /// The releases on which running it can hang the kernel; such a check runs
    /// there only when asked for.
    pub risky: Option<Era>,
    /// What it does, in a sentence or two.
    pub does: &'static str,
    /// What it expects of a current kernel.
    pub expects: &'static str,
    /// Since which kernel that holds.
    pub since: &'static str,
    /// What other kernels do.
    pub eras: &'static [Era],
    /// Why the expectation is believed: man page, POSIX, kernel function, commit.
    pub sources: &'static [&'static str],
    /// Public reports of the same trouble, as `owner/repo#n`.
    pub reports: &'static [&'static str],
    /// What a failure means for programs.
    pub means: &'static str,
    /// Carries it out, in the process of the check.
    pub run: fn(&Cx) -> Verdict,
}

impl Check {
    /// A first-tier check without root, risk or history, to be completed.
    const TEMPLATE: Self = Self {
        id: "",
        title: "",
        group: Group::Open,
        tier: Tier::First,
        needs: Needs::Nothing,
        alone: false,
        risky: None,
        does: "",
        expects: "",
        since: "always",
        eras: &[],
        sources: &[],
        reports: &[],
        means: "",
        run: |_| Ok(None),
    };
}

/// What a group of checks is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Opening and unlocking.
    Open,
    /// Names, permissions and the devpts environment.
    Name,
    /// Raw integrity.
    Raw,
    /// Canonical mode.
    Canon,
    /// Output processing and echo.
    Out,
    /// termios and the ioctls of modems.
    Tio,
    /// Signals, job control, sessions.
    Sig,
    /// Packet mode.
    Pkt,
    /// Flow control and flushing.
    Flow,
    /// Close, end of file, loss of data.
    Close,
    /// poll, epoll, non-blocking calls, VMIN and VTIME.
    Poll,
    /// Limits, exhaustion, exclusive use.
    Lim,
    /// Time, latency, stress.
    Time,
}

impl Group {
    /// All groups, in the order in which they are listed.
    pub const ALL: [Self; 13] = [
        Self::Open,
        Self::Name,
        Self::Raw,
        Self::Canon,
        Self::Out,
        Self::Tio,
        Self::Sig,
        Self::Pkt,
        Self::Flow,
        Self::Close,
        Self::Poll,
        Self::Lim,
        Self::Time,
    ];

    /// One word, as in the reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Name => "name",
            Self::Raw => "raw",
            Self::Canon => "canon",
            Self::Out => "out",
            Self::Tio => "tio",
            Self::Sig => "sig",
            Self::Pkt => "pkt",
            Self::Flow => "flow",
            Self::Close => "close",
            Self::Poll => "poll",
            Self::Lim => "lim",
            Self::Time => "time",
        }
    }

    /// What it is about, as a heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "Opening and unlocking",
            Self::Name => "Names, permissions, devpts environment",
            Self::Raw => "Raw integrity",
            Self::Canon => "Canonical mode",
            Self::Out => "Output processing and echo",
            Self::Tio => "termios and modem ioctls",
            Self::Sig => "Signals, job control, sessions",
            Self::Pkt => "Packet mode",
            Self::Flow => "Flow control and flushing",
            Self::Close => "Close, end of file, loss of data",
            Self::Poll => "poll, epoll, non-blocking calls, VMIN and VTIME",
            Self::Lim => "Limits, exhaustion, exclusive use",
            Self::Time => "Time, latency, stress",
        }
    }
}

/// Which run includes a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Every run.
    First,
    /// Only a run of all checks, or one that names it.
    Second,
}

/// What a check needs beyond an ordinary user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Root for a part of it; the rest runs without.
    RootInPart,
    /// Root, or leave to make user namespaces.
    Namespace,
    /// Root.
    Root,
}

impl Needs {
    /// As shown in a list.
    pub fn text(self) -> &'static str {
        match self {
            Self::Nothing => "no",
            Self::RootInPart => "in part",
            Self::Namespace => "root or userns",
            Self::Root => "yes",
        }
    }
}
