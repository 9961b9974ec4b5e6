//! A workload set up: ptys, their workers, and the streams between them.

mod finish;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use nix::errno::Errno;
use nix::unistd::Pid;

use crate::host::{CallClock, this_program};
use crate::pty::{self, End};
use crate::workload::{Account, Channel, Direction, Pace, Peers, Settings, Streams};

use super::crew::{Crew, Member, PATIENCE};
use super::ends::Ends;
use super::orders::{Command, Order, announce};
use super::status::State;
use super::worker::{Assignment, Role};

/// Ptys and workers for one structure of settings.
///
/// The crew comes first, so that it is dropped first: its threads have open
/// files of their own, and what they close stays open here.
pub struct Rig {
    crew: Crew,
    pairs: Vec<Arc<Ends>>,
    streams: Streams,
    /// The ends that write.
    writers: &'static [End],
}

/// How a rig is set up, beside its settings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The program that a peer process runs: this one, unless in tests.
    pub program: Option<PathBuf>,
    /// Bytes after which each pty's writers stop.
    pub limit: Option<u64>,
    /// What carries the bytes.
    pub channel: Channel,
    /// Whether each pty is filled to the brim before the reader starts, as the
    /// 2012 benchmark did. Those bytes come before the limit. A ping-pong and
    /// a pty that echoes are not filled: neither bears bytes ahead.
    pub prefill: bool,
    /// Each reader panics after a megabyte: for the tests of what a panic
    /// leaves behind.
    pub reader_panics: bool,
}

impl Rig {
    /// Opens the ptys and starts the workers, which wait for their orders.
    pub fn set_up(settings: &Settings, options: &Options) -> pty::Result<Self> {
        let roles = roles(settings);
        let streams = Streams::new(settings.effective_payload(), settings.mode);
        let pairs = (0..settings.pairs)
            .map(|_| Ends::open(options.channel, settings).map(Arc::new))
            .collect::<pty::Result<Vec<_>>>()?;
        let fills = options.prefill && bears_bytes_ahead(settings);
        let mut crew = Crew::new(roles.len() * pairs.len())?;
        let slots = roles.len() * pairs.len();
        for (number, pair) in pairs.iter().enumerate() {
            for (at, &(role, end)) in roles.iter().enumerate() {
                let prefilled = if fills && role == Role::Writer {
                    pair.fill(end, streams.from(end))?
                } else {
                    0
                };
                let assignment = Assignment {
                    engine: Pid::this().as_raw(),
                    clock: CallClock::of_process(),
                    slot: number * roles.len() + at,
                    slots,
                    role,
                    end,
                    payload: settings.effective_payload(),
                    mode: settings.mode,
                    verify: settings.verify,
                    prefilled,
                    panics: options.reader_panics && role == Role::Reader,
                    cpu: match role {
                        Role::Writer | Role::Initiator => settings.writer_cpu,
                        _ => settings.reader_cpu,
                    },
                };
                if settings.peers == Peers::Processes && has_own_process(role) {
                    let program = options.program.clone().unwrap_or_else(this_program);
                    crew.add_process(&program, assignment, pair.fd(end))?;
                } else {
                    crew.add_thread(assignment, &streams, pair)?;
                }
            }
        }
        let rig = Self {
            crew,
            pairs,
            streams,
            writers: settings.direction.writers(),
        };
        rig.await_readiness()?;
        Ok(rig)
    }

    fn await_readiness(&self) -> pty::Result<()> {
        let ready = self.crew.wait_until(PATIENCE, |crew| {
            crew.members()
                .iter()
                .all(|m| m.slot().status.state() != State::Starting || m.has_died())
        });
        let fail = |object: &str, errno| pty::Error::new("start", object, errno);
        for member in self.crew.members() {
            match member.slot().status.state() {
                State::Failed(errno) => {
                    let cpu = member.assignment.cpu.filter(|_| errno == Errno::EINVAL);
                    let Some(cpu) = cpu else {
                        return Err(fail("a worker", errno));
                    };
                    let hint = "there is no such CPU, or this process may not use it";
                    let object = format!("a worker on CPU {cpu}");
                    return Err(fail(&object, errno).or_hint(Some(hint)));
                }
                State::Starting if member.has_died() => {
                    return Err(fail("a worker", Errno::ECHILD));
                }
                _ => {}
            }
        }
        if ready {
            Ok(())
        } else {
            Err(fail("a worker", Errno::ETIMEDOUT))
        }
    }

    /// The workers.
    pub fn crew(&self) -> &Crew {
        &self.crew
    }

    /// The ptys.
    pub fn pairs(&self) -> &[Arc<Ends>] {
        &self.pairs
    }

    /// The workers of one pty.
    pub fn members_of(&self, pair: usize) -> &[Member] {
        let each = self.crew.members().len() / self.pairs.len().max(1);
        &self.crew.members()[pair * each..(pair + 1) * each]
    }

    /// Which pty a worker works at.
    pub fn pair_of(&self, member: &Member) -> usize {
        member.assignment.slot / (self.crew.members().len() / self.pairs.len().max(1)).max(1)
    }

    /// The ends that write.
    pub fn writers(&self) -> &'static [End] {
        self.writers
    }

    /// Orders all workers to work, or to hold, under `settings`.
    pub fn order(&self, settings: &Settings, options: &Options, epoch: u32, command: Command) {
        for member in self.crew.members() {
            let role = member.assignment.role;
            let written = options.limit.unwrap_or(u64::MAX);
            member.give(&Order {
                command,
                epoch,
                chunk: settings.chunk,
                read_size: match role {
                    Role::Drain => 65536,
                    _ => settings.effective_read_size(),
                },
                pace: match role {
                    Role::Writer | Role::Initiator => settings.writer_pace,
                    Role::Reader | Role::Responder => settings.reader_pace,
                    Role::Drain => Pace::None,
                },
                limit: match role {
                    Role::Reader => options.limit.map_or(u64::MAX, |limit| {
                        let from = member.assignment.end.peer();
                        let prefilled = self.prefilled(self.pair_of(member), from);
                        self.account(from, prefilled.saturating_add(limit))
                            .delivered
                    }),
                    Role::Writer | Role::Initiator => written,
                    Role::Drain | Role::Responder => u64::MAX,
                },
            });
        }
        announce(self.crew.header());
    }

    /// Whether all who have a limit have reached it.
    pub fn is_satisfied(&self) -> bool {
        self.crew
            .members()
            .iter()
            .filter(|m| m.slot().orders.take().limit != u64::MAX)
            .all(|m| m.slot().status.state() == State::Satisfied)
    }

    /// What has become of the first `written` bytes from one end.
    pub fn account(&self, from: End, written: u64) -> Account {
        self.streams.from(from).account(written)
    }

    /// Bytes that a reader must have read once its writer is done.
    fn due(&self, reader: &Member) -> u64 {
        let from = reader.assignment.end.peer();
        let pair = self.pair_of(reader);
        let written: u64 = self
            .members_of(pair)
            .iter()
            .filter(|m| m.assignment.end == from)
            .map(|m| m.slot().write.bytes())
            .sum();
        self.account(from, self.prefilled(pair, from) + written)
            .delivered
    }

    /// Bytes that one pty was filled with from one end.
    fn prefilled(&self, pair: usize, from: End) -> u64 {
        let members = self.members_of(pair).iter();
        members
            .filter(|m| m.assignment.end == from)
            .map(|m| m.assignment.prefilled)
            .sum()
    }

    /// Bytes that the readers get of what the ptys were filled with.
    pub fn ahead(&self) -> u64 {
        let members = self.crew.members().iter().map(|m| &m.assignment);
        members
            .map(|work| self.account(work.end, work.prefilled).delivered)
            .sum()
    }

    /// When the first call began and the last one that moved bytes returned.
    pub fn span_ns(&self) -> Option<(u64, u64)> {
        let members = self.crew.members().iter();
        let spans = members.map(|m| {
            let status = &m.slot().status;
            (status.first_ns.load(Relaxed), status.last_ns.load(Relaxed))
        });
        spans
            .filter(|&(first, last)| first != 0 && last != 0)
            .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

fn bears_bytes_ahead(settings: &Settings) -> bool {
    settings.direction != Direction::Echo && !settings.echo_comes_back()
}

/// Who works at one pty.
fn roles(settings: &Settings) -> Vec<(Role, End)> {
    let writer = |end: End| [(Role::Writer, end), (Role::Reader, end.peer())];
    match settings.direction {
        Direction::SlaveToMaster => writer(End::Slave).to_vec(),
        Direction::MasterToSlave if settings.echo_comes_back() => {
            let mut roles = writer(End::Master).to_vec();
            roles.push((Role::Drain, End::Master));
            roles
        }
        Direction::MasterToSlave => writer(End::Master).to_vec(),
        Direction::Both => [writer(End::Master), writer(End::Slave)].concat(),
        Direction::Echo => vec![
            (Role::Initiator, End::Master),
            (Role::Responder, End::Slave),
        ],
    }
}

fn has_own_process(role: Role) -> bool {
    matches!(role, Role::Reader | Role::Responder)
}
