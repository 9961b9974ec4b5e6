//! From what the workers count to samples: two views make an interval.

use std::sync::Arc;
use std::sync::atomic::Ordering::Acquire;

use crate::pty::{End, queued_input};
use crate::sample::{
    Blocked, Call, Calls, Cpu, Flow, Histogram, Kind, Side, Switches, ThreadUse, Totals,
};

use super::counters::Snapshot;
use super::crew::Member;
use super::ends::Ends;
use super::orders::is_seen;
use super::rig::Rig;
use super::worker::Role;
use crate::host::{CallClock, Usage};

/// A call that has lasted so long is shown as blocked.
const BLOCKED_AFTER_NS: u64 = 50_000_000;

/// What one worker had done at a moment.
#[derive(Default)]
struct View {
    seen_epoch: u32,
    write: Snapshot,
    read: Snapshot,
    /// Bytes written and read at a moment common to all workers.
    written: u64,
    bytes_read: u64,
    /// Bytes asked of the write under way at that moment.
    under_way: u64,
    trips: Vec<u64>,
    used: ThreadUse,
}

/// Remembers the last view of a rig and makes intervals of the differences.
pub struct Observer {
    views: Vec<View>,
    taken_ns: u64,
    own_ns: u64,
}

/// What a rig did between two moments.
pub struct Interval {
    pub start_ns: u64,
    pub end_ns: u64,
    /// Whether all of it happened in the epoch in force.
    pub settled: bool,
    pub flows: Vec<Flow>,
    pub round_trips: Option<Histogram>,
    pub bytes_by_pair: Vec<u64>,
    pub echoed_bytes: u64,
    /// CPU time of this process beside its workers.
    pub own_ns: u64,
}

impl Observer {
    /// Begins the first interval of `rig` now. Its workers do nothing before
    /// they are ordered to, in epoch `first`.
    pub fn new(rig: &Rig, first: u32) -> Self {
        Self {
            views: rig
                .crew()
                .members()
                .iter()
                .map(|_| View {
                    seen_epoch: first,
                    ..View::default()
                })
                .collect(),
            taken_ns: CallClock::of_process().now_ns(),
            own_ns: own_cpu_ns(),
        }
    }

    /// Ends the interval and begins the next. `epoch` is the one in force.
    pub fn interval(&mut self, rig: &Rig, epoch: u32) -> Interval {
        rig.crew().tick();
        let end_ns = CallClock::of_process().now_ns();
        let views = look(rig);
        let own_ns = own_cpu_ns();
        let mut interval = Interval {
            start_ns: self.taken_ns,
            end_ns,
            settled: true,
            flows: rig.writers().iter().map(|&end| new_flow(end)).collect(),
            round_trips: None,
            bytes_by_pair: vec![0; rig.pairs().len()],
            echoed_bytes: 0,
            own_ns: own_ns.saturating_sub(self.own_ns),
        };
        for (member, (before, now)) in rig
            .crew()
            .members()
            .iter()
            .zip(self.views.iter().zip(&views))
        {
            interval.add(rig, member, &Progress::between(before, now), now, epoch);
        }
        for (flow, from) in interval.flows.iter_mut().zip(rig.writers()) {
            let totals = &mut flow.totals;
            totals.in_flight =
                (totals.written + totals.added) as i64 - (totals.read + totals.dropped) as i64;
            flow.queued_input = queued(rig, from.peer());
        }
        self.views = views;
        self.own_ns = own_ns;
        self.taken_ns = end_ns;
        interval
    }
}

/// Looks at all workers. What goes into the balance of bytes is taken from
/// the readers first, so that no byte can have been read that was not written
/// yet, or was asked of a write under way.
fn look(rig: &Rig) -> Vec<View> {
    let members = rig.crew().members();
    let header = rig.crew().header();
    let mut views: Vec<View> = members
        .iter()
        .map(|member| View {
            seen_epoch: member.slot().status.seen_epoch.load(Acquire),
            bytes_read: member.slot().read.bytes(),
            ..View::default()
        })
        .collect();
    for (member, view) in members.iter().zip(&mut views) {
        let slot = member.slot();
        view.under_way = slot.status.under_way(Call::Write).unwrap_or(0).into();
        view.written = slot.write.bytes();
    }
    for (member, view) in members.iter().zip(&mut views) {
        let slot = member.slot();
        view.read = slot.read.snapshot(|| is_seen(header, slot));
        view.write = slot.write.snapshot(|| is_seen(header, slot));
        view.used = slot.status.thread_use();
        if member.assignment.role == Role::Initiator {
            view.trips = slot.trips.copy();
        }
    }
    views
}

/// What one worker did in an interval.
struct Progress {
    writes: Calls,
    reads: Calls,
    trips: Histogram,
    used: ThreadUse,
    /// The epoch that it had seen when the interval began.
    began_in: u32,
}

impl Progress {
    fn between(before: &View, now: &View) -> Self {
        Self {
            writes: calls_between(&before.write, &now.write),
            reads: calls_between(&before.read, &now.read),
            trips: Histogram::between(Kind::Time, &before.trips, &now.trips),
            used: use_between(before.used, now.used),
            began_in: before.seen_epoch,
        }
    }

    fn is_idle(&self) -> bool {
        self.writes.count() == 0 && self.reads.count() == 0
    }
}

impl Interval {
    fn add(&mut self, rig: &Rig, member: &Member, did: &Progress, now: &View, epoch: u32) {
        let role = member.assignment.role;
        self.settled &= did.is_idle() || did.began_in == epoch;
        if member.is_thread() {
            self.own_ns = self.own_ns.saturating_sub(did.used.cpu.total_ns());
        }
        if role == Role::Drain {
            self.echoed_bytes += did.reads.bytes;
            return;
        }
        if role == Role::Initiator {
            self.round_trips
                .get_or_insert_with(|| Histogram::empty(Kind::Time))
                .add(&did.trips);
        }
        let end = member.assignment.end;
        self.bytes_by_pair[rig.pair_of(member)] += did.reads.bytes;
        let blocked = member.slot().status.blocked(self.end_ns, BLOCKED_AFTER_NS);
        let blocked_in = |call| blocked.filter(|b: &Blocked| b.call == call);
        for flow in &mut self.flows {
            if flow.from == end && role.writes() {
                let written = member.assignment.prefilled + now.written;
                let account = rig.account(end, written);
                flow.totals.written += written;
                flow.totals.added += account.added;
                flow.totals.dropped += account.dropped;
                flow.totals.under_way += now.under_way;
                flow.writer.calls.add(&did.writes);
                flow.writer.thread.get_or_insert_default().add(&did.used);
                flow.writer.see_blocked(blocked_in(Call::Write));
            } else if flow.from != end && role.reads() {
                flow.totals.read += now.bytes_read;
                flow.reader.calls.add(&did.reads);
                if !role.writes() {
                    flow.reader.thread.get_or_insert_default().add(&did.used);
                }
                flow.reader.see_blocked(blocked_in(Call::Read));
            }
        }
    }
}

impl Side {
    fn see_blocked(&mut self, other: Option<Blocked>) {
        self.blocked = [self.blocked, other]
            .into_iter()
            .flatten()
            .max_by_key(|blocked| blocked.for_ns);
    }
}

fn new_flow(from: End) -> Flow {
    let side = || Side {
        calls: Calls::default(),
        thread: None,
        blocked: None,
    };
    Flow {
        from: from.into(),
        writer: side(),
        reader: side(),
        totals: Totals::default(),
        queued_input: None,
    }
}

fn queued(rig: &Rig, end: End) -> Option<u64> {
    let queued = |pair: &Arc<Ends>| Some(queued_input(pair.fd(end)).ok()? as u64);
    rig.pairs().iter().map(queued).sum()
}

fn calls_between(before: &Snapshot, after: &Snapshot) -> Calls {
    Calls {
        bytes: after.bytes.saturating_sub(before.bytes),
        short: after.short.saturating_sub(before.short),
        errors: after.errors.saturating_sub(before.errors),
        time: Histogram::between(Kind::Time, &before.times, &after.times),
        size: Histogram::between(Kind::Size, &before.sizes, &after.sizes),
    }
}

fn use_between(before: ThreadUse, after: ThreadUse) -> ThreadUse {
    let (cpu, switches) = (after.cpu, after.switches);
    ThreadUse {
        cpu: Cpu {
            user_ns: cpu.user_ns.saturating_sub(before.cpu.user_ns),
            system_ns: cpu.system_ns.saturating_sub(before.cpu.system_ns),
        },
        switches: Switches {
            voluntary: switches.voluntary.saturating_sub(before.switches.voluntary),
            involuntary: switches
                .involuntary
                .saturating_sub(before.switches.involuntary),
        },
    }
}

fn own_cpu_ns() -> u64 {
    Usage::of_process().cpu().as_nanos() as u64
}
