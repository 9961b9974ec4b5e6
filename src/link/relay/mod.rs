//! The thread that carries the bytes of one link.

mod door;
mod inbox;
mod pump;
mod wait;

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sched::sched_yield;
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::prctl::set_timerslack;

use crate::host::monotonic_ns;
use crate::pty;
use crate::sample::{Cause, EventKind, LinkEvent};
use crate::workload::Line;

use super::lane::Lane;
use super::ledger::{Ledger, flow_end};
use super::nudge::Nudge;
use super::port::Port;
use super::reads::Reads;
use super::trace::Tap;
use inbox::Inbox;
use wait::{Doorbell, Interest, Ready, Rung};

/// Bytes read at once. A raw read gives at most 4095 of the line discipline's
/// buffer (`N_TTY_BUF_SIZE`), more only if it is filled meanwhile.
const BUFFER: usize = 16 * 1024;

/// What a relay shares with who watches and steers it.
pub struct Shared {
    ledger: Mutex<Ledger>,
    orders: Mutex<Orders>,
    bell: EventFd,
}

struct Orders {
    line: Arc<Line>,
    stop: bool,
}

impl Shared {
    /// Nothing happened yet on `line`.
    ///
    /// # Errors
    /// When the kernel gives no eventfd.
    pub fn new(line: Arc<Line>, stall_ns: u64) -> pty::Result<Self> {
        Ok(Self {
            ledger: Mutex::new(Ledger::new(stall_ns)),
            orders: Mutex::new(Orders { line, stop: false }),
            bell: EventFd::from_flags(EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)
                .map_err(|errno| pty::Error::new("make", "an eventfd", errno))?,
        })
    }

    /// What happened. Held only for a moment: the relay waits meanwhile.
    pub fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the relay imitate `line` from now on.
    pub fn set_line(&self, line: Arc<Line>) {
        self.orders().line = line;
        self.ring();
    }

    /// Makes the relay end.
    pub fn stop(&self) {
        self.orders().stop = true;
        self.ring();
    }

    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        // It fails only when the counter is full, and then the bell has rung.
        let _ = self.bell.write(1);
    }
}

/// Whom a relay has to do with.
pub struct Parties<'a> {
    pub ports: [Port; 2],
    /// The names that lead to the ports' slaves.
    pub names: [Option<PathBuf>; 2],
    pub shared: Arc<Shared>,
    pub tap: Option<Tap>,
    /// Called when there is news of a name.
    pub nudge: Nudge,
    pub reads: &'a Reads,
    /// How long after bytes were passed on it looks for more without sleeping.
    pub busy_poll: Duration,
}

/// Carries bytes between two ports.
pub struct Relay {
    ports: [Port; 2],
    names: [Option<PathBuf>; 2],
    lanes: [Lane; 2],
    line: Arc<Line>,
    shared: Arc<Shared>,
    doorbell: Doorbell,
    tap: Option<Tap>,
    nudge: Nudge,
    buffer: Vec<u8>,
    /// Nobody has this end's slave open.
    closed: [bool; 2],
    /// A closed end may still have bytes to read.
    left_over: [bool; 2],
    /// The pty of the receiving end is full; by the end that sends.
    blocked: [bool; 2],
    /// What this end's client may not have read.
    inboxes: [Inbox; 2],
    /// When bytes were last passed to this end's client, until it answers.
    passed_ns: [Option<u64>; 2],
    /// How long after bytes were passed on it looks for more without sleeping.
    busy_poll_ns: u64,
    /// Until when it does so.
    busy_until_ns: u64,
}

impl Relay {
    /// A relay that has not begun.
    pub fn new(parties: Parties<'_>) -> Self {
        let Parties {
            ports,
            names,
            shared,
            tap,
            nudge,
            reads,
            busy_poll,
        } = parties;
        let line = Arc::clone(&shared.orders().line);
        let slaves = [ports[0].slave(), ports[1].slave()];
        let doorbell = Doorbell::new(slaves);
        let inboxes = slaves.map(|slave| Inbox::new(reads.of(slave)));
        Self {
            lanes: [Lane::new(&line, 0), Lane::new(&line, 1)],
            ports,
            names,
            line,
            shared,
            doorbell,
            tap,
            nudge,
            buffer: vec![0; BUFFER],
            closed: [true; 2],
            left_over: [true; 2],
            blocked: [false; 2],
            inboxes,
            passed_ns: [None; 2],
            busy_poll_ns: busy_poll.as_nanos() as u64,
            busy_until_ns: 0,
        }
    }

    /// Carries bytes until told to stop.
    ///
    /// # Errors
    /// When the kernel refuses what it must not refuse.
    pub fn run(mut self) -> pty::Result<()> {
        // Timers of the imitated line are to be on time, not 50 us late. Where
        // this is refused they are late.
        let _ = set_timerslack(1);
        let shared = Arc::clone(&self.shared);
        let fail = |errno| pty::Error::new("carry the bytes of", "the link", errno);
        // What happened before the doorbell hung there did not ring it.
        self.look_outside(Rung::ALL, &mut shared.ledger(), monotonic_ns())
            .map_err(fail)?;
        loop {
            // One moment for both, or what is not yet due for the one and due
            // already for the other would be waited for by neither.
            let now = monotonic_ns();
            let mut entries = self.entries(now);
            self.wait(&mut entries, now).map_err(fail)?;
            if wait::ready(&entries[0]).input && self.obey() {
                return Ok(());
            }
            self.turn(&entries, &mut shared.ledger()).map_err(fail)?;
        }
    }

    /// Does what a wait has found to do.
    fn turn(&mut self, found: &[libc::pollfd; 4], ledger: &mut Ledger) -> Result<(), Errno> {
        let now = monotonic_ns();
        let [_, door, ends @ ..] = found;
        let ends = [wait::ready(&ends[0]), wait::ready(&ends[1])];
        // Before the door, which tells once only: a client that has gone may have
        // come again by now.
        for (end, ready) in ends.into_iter().enumerate() {
            if ready.hung_up {
                self.hang_up(end, ledger, now);
            }
        }
        if wait::ready(door).input || self.listens_in_vain() {
            let rung = self.doorbell.answered();
            self.look_outside(rung, ledger, now)?;
        }
        for (inbox, ready) in self.inboxes.iter_mut().zip(ends) {
            if !ready.status {
                inbox.no_status();
            }
        }
        for (end, ready) in ends.into_iter().enumerate() {
            self.handle(end, ready, ledger, now)?;
        }
        self.stand(ledger);
        Ok(())
    }

    fn entries(&self, now: u64) -> [libc::pollfd; 4] {
        let input = Some(Interest {
            input: true,
            output: false,
        });
        let of = |end: usize| {
            let interest = (!self.closed[end]).then(|| Interest {
                input: self.accepts(end, now),
                output: self.blocked[1 - end],
            });
            wait::entry(self.ports[end].as_fd(), interest)
        };
        [
            wait::entry(self.shared.bell.as_fd(), input),
            self.doorbell.entry(),
            of(0),
            of(1),
        ]
    }

    /// Waits for something to do; soon after bytes were passed on without going
    /// to sleep, for to be woken takes longer than an answer.
    fn wait(&mut self, entries: &mut [libc::pollfd], mut now: u64) -> Result<(), Errno> {
        let timeout = self.timeout_ns(now);
        let due = timeout.map_or(u64::MAX, |timeout| now.saturating_add(timeout));
        while now < self.busy_until_ns.min(due) {
            if wait::wait(entries, Some(0))? {
                return Ok(());
            }
            self.inboxes.iter_mut().for_each(Inbox::no_status);
            // Whoever has the answer may need this CPU to give it.
            sched_yield()?;
            now = monotonic_ns();
        }
        let left = (due != u64::MAX).then(|| due.saturating_sub(now));
        wait::wait(entries, left).map(drop)
    }

    /// How long nothing needs to be done unless something comes.
    fn timeout_ns(&self, now: u64) -> Option<u64> {
        let due = |end: usize| {
            let lane = &self.lanes[end];
            let each_ns = self.character_ns(end);
            let at = lane
                .next_due_ns(now, each_ns)
                .filter(|_| !self.blocked[end])?;
            Some(at.saturating_sub(now))
        };
        let ready_now = |end: usize| (self.left_over[end] && self.accepts(end, now)).then_some(0);
        let door = self.listens_in_vain().then_some(wait::WITHOUT_INOTIFY_NS);
        [due(0), due(1), ready_now(0), ready_now(1), door]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether more may be read from `end`.
    fn accepts(&self, end: usize, now: u64) -> bool {
        !self.blocked[end] && self.lanes[end].accepts(now, self.character_ns(end))
    }

    /// Takes new orders; `true` when it is to end.
    fn obey(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let _ = shared.bell.read();
        let orders = shared.orders();
        if !Arc::ptr_eq(&self.line, &orders.line) {
            self.line = Arc::clone(&orders.line);
            self.lanes.iter_mut().for_each(|lane| lane.set(&self.line));
            shared.ledger().next_epoch();
        }
        orders.stop
    }

    /// Nobody has the slave of `end` open.
    fn hang_up(&mut self, end: usize, ledger: &mut Ledger, now: u64) {
        if !self.closed[end] {
            self.closed[end] = true;
            self.left_over[end] = true;
            let is_empty = self.ports[end].is_read_empty();
            self.inboxes[end].closed(is_empty);
            ledger.event(self.event(end, EventKind::Close, now));
            self.explain_block(1 - end, ledger, now);
        }
    }

    fn handle(
        &mut self,
        end: usize,
        ready: Ready,
        ledger: &mut Ledger,
        now: u64,
    ) -> Result<(), Errno> {
        if ready.output {
            self.unblock(1 - end, ledger, now);
        }
        self.deliver(1 - end, ledger, now)?;
        if ready.input || (self.left_over[end] && self.accepts(end, now)) {
            self.pump(end, ledger, now)?;
        }
        Ok(())
    }

    fn event(&self, end: usize, kind: EventKind, now: u64) -> LinkEvent {
        let inbox = &self.inboxes[end];
        let is_flush = kind == EventKind::FlushRead;
        LinkEvent {
            at_ns: now,
            end: flow_end(end),
            kind,
            unanswered: inbox.unanswered(),
            discarded: inbox.discarded().filter(|_| is_flush),
        }
    }

    /// The receiving pty of the lane from `end` takes no more.
    fn block(&mut self, end: usize, ledger: &mut Ledger, now: u64) {
        if !self.blocked[end] {
            self.blocked[end] = true;
            ledger.standing.blocked_since_ns[end] = Some(now);
            self.explain_block(end, ledger, now);
        }
    }

    fn unblock(&mut self, end: usize, ledger: &mut Ledger, now: u64) {
        if self.blocked[end] {
            self.blocked[end] = false;
            ledger.standing.blocked_since_ns[end] = None;
            self.explain_block(end, ledger, now);
        }
    }

    /// Tells the detector why the lane from `end` is blocked, if it is.
    fn explain_block(&self, end: usize, ledger: &mut Ledger, now: u64) {
        let to = flow_end(1 - end);
        let nobody = self.closed[1 - end];
        let detector = &mut ledger.standing.detector;
        for (cause, holds) in [
            (Cause::NobodyAttached(to), nobody),
            (Cause::NobodyReads(to), !nobody),
        ] {
            if self.blocked[end] && holds {
                detector.hold(cause, now);
            } else {
                detector.release(cause, now);
            }
        }
    }

    /// Writes down how the link stands.
    fn stand(&self, ledger: &mut Ledger) {
        for (end, lane) in self.lanes.iter().enumerate() {
            let held = lane.held();
            ledger.standing.held[end] = held;
            ledger.standing.totals[end].in_flight = held as i64;
            let most = &mut ledger.interval.ways[end].most_held;
            *most = (*most).max(held);
        }
    }
}

#[cfg(test)]
mod tests;
