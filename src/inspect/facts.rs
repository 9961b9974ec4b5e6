//! What was found out, as plain data.

use serde::{Deserialize, Serialize};

use crate::pty::Mode;

use super::Finding;

/// Ptys that were looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspection {
    /// Whether it shows all ptys of one devpts instance, in short, rather than
    /// those that were named, at length.
    pub is_survey: bool,
    /// kernel.pty: how many there are, in all devpts instances, and may be.
    pub limits: Limits,
    /// What could not be seen.
    pub unseen: Unseen,
    /// The ptys, by number.
    pub ptys: Vec<PtyFacts>,
}

/// /proc/sys/kernel/pty (pty(7)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Ptys that exist, in all devpts instances.
    pub nr: Option<u32>,
    /// As many as there may be.
    pub max: Option<u32>,
    /// Of those, how many only the first devpts mount may use.
    pub reserve: Option<u32>,
}

/// What could not be seen for want of rights. Other PID namespaces and
/// descriptors on their way through a socket are never seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Unseen {
    /// Processes whose descriptors were not ours to look at.
    pub processes: u32,
    /// The `hidepid=` with which /proc leaves out processes of others.
    pub hidepid: Option<String>,
    /// Masters of which it could not be told to which devpts they belong.
    pub masters: u32,
}

/// One pty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtyFacts {
    /// The slave's name.
    pub path: String,
    /// Its number.
    pub index: u32,
    /// Whether its node is there: it goes when the master is closed.
    pub exists: bool,
    /// Who has the slave open, as far as that can be seen.
    pub slave_holders: Vec<Holder>,
    /// Who has the master open, as far as that can be seen.
    pub master_holders: Vec<Holder>,
    /// The session whose controlling terminal it is; None for none, or where
    /// it cannot be told.
    pub session: Option<Session>,
    /// What the slave says.
    pub slave: Answer<SlaveState>,
    /// What the master says.
    pub master: Answer<MasterState>,
    /// Whether something moved between two looks a moment apart; None where
    /// nothing was blocked, so that there was one look.
    pub has_moved: Option<bool>,
    /// Whether its holder closed the slave while it was asked, so that the
    /// last close may have been ours, and later.
    pub was_closed_meanwhile: bool,
    /// What follows from all that.
    pub findings: Vec<Finding>,
}

/// A process that has one end of a pty open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// Its name (proc_pid_comm(5)).
    pub comm: String,
    /// Its state as in proc_pid_stat(5): `S`, `R`, `T`, …
    pub state: char,
    /// Its session.
    pub session: i32,
    /// Its process group.
    pub group: i32,
    /// The descriptors.
    pub descriptors: Vec<Held>,
    /// Its threads that are inside a read or write of this end.
    pub calls: Vec<Call>,
    /// What its first thread does otherwise, in words.
    pub doing: String,
    /// Whether its calls could be seen: that takes the right to trace it.
    pub calls_seen: bool,
    /// Whether it has written anything, to whatever, between the two looks;
    /// None where there was one, or it cannot be seen.
    pub has_written: Option<bool>,
}

/// One descriptor of a holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Its number.
    pub fd: i32,
    /// How it was opened; None where /proc/PID/fdinfo cannot be read.
    pub flags: Option<Flags>,
    /// Whether it was opened as /dev/tty.
    pub as_own_terminal: bool,
}

/// How a descriptor was opened (open(2), F_SETFL, F_SETFD).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flags {
    /// For reading.
    pub reads: bool,
    /// For writing.
    pub writes: bool,
    /// With O_NONBLOCK.
    pub nonblocking: bool,
    /// With FD_CLOEXEC; None where that cannot be told: a slave that was opened
    /// by TIOCGPTPEER with O_CLOEXEC shows it for ever, whatever became of it.
    pub close_on_exec: Option<bool>,
}

/// A thread inside a read or write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The thread.
    pub tid: u32,
    /// The system call.
    pub name: String,
    /// The way of the bytes.
    pub way: Way,
    /// The descriptor.
    pub fd: i32,
    /// Where in the kernel it sleeps (proc_pid_wchan(5)).
    pub wchan: Option<String>,
    /// Whether it is the same call as at the first look, without having run in
    /// between; None where there was one look.
    pub is_stuck: Option<bool>,
    /// For how long it has slept, in ms, where the scheduler tells
    /// (/proc/PID/sched).
    pub asleep_ms: Option<u64>,
}

/// Which way a call moves bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// Out of the pty.
    Read,
    /// Into it.
    Write,
}

/// The session of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// Its number, which is its leader's.
    pub id: i32,
    /// The leader; None where it cannot be seen.
    pub leader: Option<Named>,
    /// The foreground process group; None where there is none.
    pub foreground: Option<i32>,
    /// The processes of that group.
    pub members: Vec<Named>,
}

/// A process by number and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its number.
    pub pid: u32,
    /// Its name (proc_pid_comm(5)).
    pub comm: String,
}

/// What one end of a pty said, or why it could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer<T> {
    /// A copy of somebody's descriptor was asked (pidfd_getfd(2)).
    Copied(T),
    /// The slave was opened for it, as somebody else had it open too.
    Opened(T),
    /// It could not be asked; why.
    NotAsked(String),
}

impl<T> Answer<T> {
    /// What it said.
    pub fn said(&self) -> Option<&T> {
        match self {
            Self::Copied(state) | Self::Opened(state) => Some(state),
            Self::NotAsked(_) => None,
        }
    }
}

/// What a slave said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlaveState {
    /// The flags of its termios that matter most.
    pub mode: Mode,
    /// What else of its termios is not as on a new pty.
    pub unusual: Vec<String>,
    /// Rows and columns.
    pub size: [u16; 2],
    /// The number of its line discipline; 0 is N_TTY.
    pub line_discipline: u32,
    /// FIONREAD: bytes that a read could have; canonical: of complete lines.
    /// None where the kernel could hang at the question.
    pub queued: Option<u64>,
    /// poll(2): a read would not block.
    pub is_readable: bool,
    /// poll(2): the kernel takes more.
    pub is_writable: bool,
    /// poll(2): the master is closed.
    pub is_hung_up: bool,
    /// TIOCEXCL is in force; None before Linux 3.8.
    pub is_exclusive: Option<bool>,
}

/// What a master said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MasterState {
    /// FIONREAD: bytes that a read could have, at most 4095 of those that wait.
    pub queued: Option<u64>,
    /// poll(2): a read would not block.
    pub is_readable: bool,
    /// poll(2): the kernel takes more.
    pub is_writable: bool,
    /// poll(2): the slave was open, and nobody has it open now.
    pub is_hung_up: bool,
    /// TIOCPKT is on; None before Linux 3.8.
    pub is_packet_mode: Option<bool>,
    /// The slave is locked (unlockpt(3)); None before Linux 3.8.
    pub is_locked: Option<bool>,
    /// The session of the slave; None for none.
    pub session: Option<i32>,
    /// Its foreground process group; None for none.
    pub foreground: Option<i32>,
}
