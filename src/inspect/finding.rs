//! What is the matter, in words.

use serde::{Deserialize, Serialize};

/// An inference from what was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind it is, for programs.
    pub kind: Kind,
    /// What is inferred, in a sentence.
    pub text: String,
    /// What it is inferred from.
    pub evidence: Vec<String>,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Both ends are full, and each waits for the other.
    MutualBlock,
    /// The slave's output is stopped.
    Stopped,
    /// Output waits, and nobody reads the master.
    MasterNotRead,
    /// Output is full or stopped; which of them cannot be seen.
    OutputBlocked,
    /// Input waits, and nobody reads the slave.
    SlaveNotRead,
    /// The master is closed, and the slave is still held.
    HungUp,
    /// The slave was closed while it was looked at.
    ClosedMeanwhile,
    /// Nobody holds the slave any more.
    SlaveClosed,
    /// Nobody has opened the slave yet.
    SlaveNeverOpened,
    /// Nobody is seen to hold the slave, and more cannot be seen.
    SlaveHolderUnseen,
    /// The slave is locked.
    Locked,
    /// A process outside of the session keeps the slave open.
    HeldOutside,
    /// A process holds both ends.
    HeldByReader,
    /// A holder is stopped.
    ProcessStopped,
    /// The foreground process group is empty.
    ForegroundGone,
    /// Another line discipline than N_TTY.
    OtherDiscipline,
    /// An end of file is to be read.
    EndOfFile,
    /// A reader waits for the end of a line.
    WaitsForLine,
    /// Nobody is seen to hold the master.
    MasterHolderUnseen,
    /// Opens are refused.
    Exclusive,
    /// Nothing is the matter, as far as was seen.
    Nothing,
}

impl Kind {
    /// It in two or three words.
    pub fn name(self) -> &'static str {
        match self {
            Self::MutualBlock => "mutual block",
            Self::Stopped => "output stopped",
            Self::MasterNotRead => "nobody reads the master",
            Self::OutputBlocked => "output blocked",
            Self::SlaveNotRead => "nobody reads the slave",
            Self::HungUp => "hung up",
            Self::ClosedMeanwhile => "closed meanwhile",
            Self::SlaveClosed => "slave closed",
            Self::SlaveNeverOpened => "slave never opened",
            Self::SlaveHolderUnseen => "slave's holder unseen",
            Self::Locked => "locked",
            Self::HeldOutside => "held from outside the session",
            Self::HeldByReader => "one process holds both ends",
            Self::ProcessStopped => "holder stopped",
            Self::ForegroundGone => "foreground group empty",
            Self::OtherDiscipline => "another line discipline",
            Self::EndOfFile => "end of file waits",
            Self::WaitsForLine => "reader waits for a line",
            Self::MasterHolderUnseen => "master's holder unseen",
            Self::Exclusive => "exclusive",
            Self::Nothing => "nothing blocked",
        }
    }
}
