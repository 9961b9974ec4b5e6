//! One null modem: two ports, their names, and the relay's thread.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use nix::errno::Errno;

use crate::pty::{self, Mode};
use crate::sample::{
    Cause, Client, EndView, Flow, FlowEnd, LinkView, NameLoss, Side, Silence, WayView,
};
use crate::workload::Line;

use super::ledger::{Interval, Standing, WayTally, flow_end};
use super::names::Name;
use super::nudge::{AtEnd, Nudge};
use super::port::{Access, Port};
use super::reads::Reads;
use super::relay::{Parties, Relay, Shared};
use super::speed::client_baud;
use super::trace::Tap;
use super::{Error, Setup};

/// One null modem. Dropping it ends its relay, closes its ptys and takes its
/// names away.
pub struct Cable {
    names: [Option<Name>; 2],
    slaves: [PathBuf; 2],
    masters: [OwnedFd; 2],
    shared: Arc<Shared>,
    relay: Option<JoinHandle<pty::Result<()>>>,
    ended: Arc<AtomicBool>,
    /// What was told of the names last.
    told: [Option<NameLoss>; 2],
}

/// What a cable is made of.
pub struct Parts {
    ports: [Port; 2],
    names: [Option<Name>; 2],
}

impl Parts {
    /// Opens two ptys and gives them their names, if they are to have any.
    pub fn open(names: Option<&[PathBuf; 2]>, force: bool, access: Access) -> Result<Self, Error> {
        for name in names.into_iter().flatten() {
            Name::sweep(name);
        }
        let ports = [Port::open(access)?, Port::open(access)?];
        let name = |end: usize| {
            names
                .map(|names| Name::claim(&names[end], ports[end].slave(), force))
                .transpose()
        };
        let names = [name(0)?, name(1)?];
        Ok(Self { ports, names })
    }

    /// What the ends are called.
    pub fn labels(&self) -> [String; 2] {
        [0, 1].map(|end| {
            let path = self.names[end]
                .as_ref()
                .map_or(self.ports[end].slave(), Name::path);
            path.display().to_string()
        })
    }
}

impl Cable {
    /// Starts to carry bytes over `line`, as `setup` has it; `nudge` is for a
    /// relay that ends.
    pub fn start(
        parts: Parts,
        line: Arc<Line>,
        setup: &Setup,
        tap: Option<Tap>,
        nudge: Nudge,
        reads: &Reads,
    ) -> Result<Self, Error> {
        let Parts { ports, names } = parts;
        let clone = |port: &Port| {
            port.as_fd().try_clone_to_owned().map_err(|error| {
                let errno = error.raw_os_error().map_or(Errno::EIO, Errno::from_raw);
                pty::Error::new(
                    "duplicate the master of",
                    port.slave().display().to_string(),
                    errno,
                )
            })
        };
        let masters = [clone(&ports[0])?, clone(&ports[1])?];
        let slaves = [ports[0].slave().to_owned(), ports[1].slave().to_owned()];
        let shared = Arc::new(Shared::new(line, setup.stall.as_nanos() as u64)?);
        let watched = names.each_ref().map(|name| name.as_ref().map(Name::path));
        let relay = Relay::new(Parties {
            ports,
            names: watched.map(|name| name.map(Path::to_owned)),
            shared: Arc::clone(&shared),
            tap,
            nudge: nudge.clone(),
            reads,
            busy_poll: setup.busy_poll,
        });
        let (at_end, ended) = AtEnd::new(nudge);
        let relay = std::thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || {
                let _at_end = at_end;
                relay.run()
            })
            .map_err(|error| Error::thread("relay", &error))?;
        Ok(Self {
            names,
            slaves,
            masters,
            shared,
            relay: Some(relay),
            ended,
            told: [None, None],
        })
    }

    /// Imitates `line` from now on.
    pub fn set_line(&self, line: Arc<Line>) {
        self.shared.set_line(line);
    }

    /// The paths that clients open: a name where there is one.
    pub fn paths(&self) -> [&Path; 2] {
        [0, 1].map(|end| self.name(end).unwrap_or(&self.slaves[end]))
    }

    /// The slaves.
    pub fn slaves(&self) -> [&Path; 2] {
        [&self.slaves[0], &self.slaves[1]]
    }

    fn name(&self, end: usize) -> Option<&Path> {
        self.names[end].as_ref().map(Name::path)
    }

    /// Whether the relay still carries bytes.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&mut self) -> Result<(), Error> {
        if !self.ended.load(Ordering::Acquire) {
            return Ok(());
        }
        self.end()
    }

    /// What there is to tell of the names since the last call.
    pub fn news(&mut self) -> Vec<String> {
        let lost = self.shared.ledger().standing.names_lost.clone();
        let before = std::mem::replace(&mut self.told, lost);
        let news = |end: usize| {
            let (name, now) = (self.name(end)?, &self.told[end]);
            (*now != before[end]).then(|| match now {
                Some(loss) => loss.notice(name, &self.slaves[end]),
                None => format!("the name {} leads to this link again", name.display()),
            })
        };
        [news(0), news(1)].into_iter().flatten().collect()
    }

    /// Ends the relay.
    ///
    /// # Errors
    /// What it had to stop for before.
    pub fn end(&mut self) -> Result<(), Error> {
        let Some(relay) = self.relay.take() else {
            return Ok(());
        };
        self.shared.stop();
        match relay.join() {
            Ok(result) => Ok(result?),
            Err(_) => Err(Error::Thread("the relay died".to_owned())),
        }
    }

    /// Takes what happened since the last call.
    pub fn take(&self) -> (Interval, Standing) {
        let mut fresh = Interval::new();
        let mut ledger = self.shared.ledger();
        std::mem::swap(&mut fresh, &mut ledger.interval);
        (fresh, ledger.standing.clone())
    }

    /// The interval as part of a sample; by end who is there and who was last,
    /// where looked up.
    /// Times are told since `started_ns`.
    pub fn view(
        &self,
        taken: &(Interval, Standing),
        clients: [Option<(Vec<Client>, Vec<Client>)>; 2],
        now_ns: u64,
        started_ns: u64,
    ) -> LinkView {
        let (interval, standing) = taken;
        let [clients_a, clients_b] = clients;
        let ends = [(0, clients_a), (1, clients_b)].map(|(end, clients)| {
            let attached = standing.attached[end];
            // Who came after the relay looked is told with the next interval.
            let present = |now| if attached { now } else { Vec::new() };
            let (clients, last_clients) =
                clients.map_or((None, Vec::new()), |(now, last)| (Some(present(now)), last));
            EndView {
                name: self.name(end).map(Path::to_owned),
                name_lost: standing.names_lost[end].clone(),
                slave: self.slaves[end].clone(),
                attached,
                clients,
                last_clients,
                mode: Mode::of(&self.masters[end]).ok(),
                baud: client_baud(&self.masters[end]),
                stopped: standing.stopped[end],
                events: interval.events[end],
            }
        });
        let since_start = |at_ns: u64| at_ns.saturating_sub(started_ns);
        LinkView {
            ways: [0, 1].map(|end| way(&interval.ways[end], standing, end, now_ns)),
            log: interval.log.iter().copied().collect::<Vec<_>>(),
            stalls: interval.stalls.iter().copied().collect::<Vec<_>>(),
            stalled: interval.stalled.clone(),
            silence: explain(standing.detector.silence(now_ns), &ends),
            ends,
        }
        .since(since_start)
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        // An error was told by `check`, or nobody is left to tell.
        let _ = self.end();
    }
}

impl LinkView {
    fn since(mut self, since_start: impl Fn(u64) -> u64) -> Self {
        for event in &mut self.log {
            event.at_ns = since_start(event.at_ns);
        }
        for stall in &mut self.stalls {
            stall.start_ns = since_start(stall.start_ns);
        }
        self
    }
}

/// A silence that nothing in the traffic explains may be explained by how the
/// clients are set.
fn explain(silence: Option<Silence>, ends: &[EndView; 2]) -> Option<Silence> {
    let mut silence = silence?;
    let cooked = |end: usize| ends[end].attached && ends[end].mode.is_some_and(|m| m != Mode::RAW);
    if silence.cause.is_none() {
        silence.cause = (0..2)
            .find(|&end| cooked(end))
            .map(|end| Cause::NotRaw(flow_end(end)));
    }
    Some(silence)
}

fn way(tally: &WayTally, standing: &Standing, end: usize, now_ns: u64) -> WayView {
    let some = |histogram: crate::sample::Histogram| Some(histogram).filter(|h| !h.is_empty());
    WayView {
        passed: tally.writes.bytes(),
        in_relay: some(tally.in_relay()),
        turnaround: some(tally.turnaround()),
        queued: standing.held[end] as u64,
        most_queued: tally.most_held as u64,
        blocked_ns: standing.blocked_since_ns[end].map(|since| now_ns.saturating_sub(since)),
        faults: tally.faults,
    }
}

/// The flow from one end, all cables summed.
pub fn flow(from: FlowEnd, end: usize, taken: &[(Interval, Standing)]) -> Flow {
    let side = || Side {
        calls: Default::default(),
        thread: None,
        blocked: None,
    };
    let mut flow = Flow {
        from,
        writer: side(),
        reader: side(),
        totals: Default::default(),
        queued_input: None,
    };
    for (interval, standing) in taken {
        let way = &interval.ways[end];
        flow.writer.calls.add(&way.writes.calls());
        flow.reader.calls.add(&way.reads.calls());
        flow.totals.add(&standing.totals[end]);
    }
    flow
}
