//! The numbers of a sample in a fixed order, each with a guess from the sample
//! before: one way over them writes a difference, the same way reads it.

use crate::sample::{
    Blocked, Call, Calls, Cpu, Flow, Histogram, Kind, Sample, Side, Switches, ThreadUse,
};

/// Writes or reads numbers.
pub trait Coder {
    /// Why it cannot go on.
    type Wrong;

    /// A number.
    fn number(&mut self, guess: u64, value: &mut u64) -> Result<(), Self::Wrong>;

    /// A number that may be missing.
    fn option(&mut self, guess: Option<u64>, value: &mut Option<u64>) -> Result<(), Self::Wrong>;

    /// A histogram, like the one of the sample before, with so many values.
    fn histogram(
        &mut self,
        before: &Histogram,
        count: u64,
        value: &mut Histogram,
    ) -> Result<(), Self::Wrong>;
}

/// Whether `next` can be written as a difference from `before`: all but numbers
/// is the same.
pub fn is_like(before: &Sample, next: &Sample) -> bool {
    let directions = |sample: &Sample| sample.flows.iter().map(|f| f.from).collect::<Vec<_>>();
    before.link.is_none()
        && next.link.is_none()
        && before.epoch == next.epoch
        && before.paused == next.paused
        && before.settings == next.settings
        && before.bytes_by_pair.len() == next.bytes_by_pair.len()
        && before.round_trips.is_some() == next.round_trips.is_some()
        && directions(before) == directions(next)
}

/// Goes over all numbers of `now`, which [`is_like`] `before`.
pub fn walk<C: Coder>(c: &mut C, before: &Sample, now: &mut Sample) -> Result<(), C::Wrong> {
    c.number(before.end_ns, &mut now.start_ns)?;
    let length = before.end_ns.wrapping_sub(before.start_ns);
    c.number(now.start_ns.wrapping_add(length), &mut now.end_ns)?;
    let mut settled = now.settled.into();
    c.number(1, &mut settled)?;
    now.settled = settled != 0;
    for (before, now) in before.flows.iter().zip(&mut now.flows) {
        flow(c, before, now)?;
    }
    if let (Some(before), Some(now)) = (&before.round_trips, &mut now.round_trips) {
        c.histogram(before, before.count(), now)?;
    }
    let mut left = now.flows.iter().fold(0, |sum: u64, flow| {
        sum.wrapping_add(flow.reader.calls.bytes)
    });
    let last = now.bytes_by_pair.len().saturating_sub(1);
    let pairs = before.bytes_by_pair.iter().zip(&mut now.bytes_by_pair);
    for (at, (before, now)) in pairs.enumerate() {
        c.number(if at == last { left } else { *before }, now)?;
        left = left.wrapping_sub(*now);
    }
    c.number(before.echoed_bytes, &mut now.echoed_bytes)?;
    let read = now.flows.iter().fold(0, |sum: u64, flow| {
        sum.wrapping_add(flow.reader.calls.bytes)
    });
    let (old, new) = (before.integrity, &mut now.integrity);
    let expected = if old.verified == 0 { 0 } else { read };
    c.number(old.verified.wrapping_add(expected), &mut new.verified)?;
    c.number(old.lost, &mut new.lost)?;
    c.number(old.doubled, &mut new.doubled)?;
    c.number(old.changed, &mut new.changed)?;
    let (old, new) = (&before.host, &mut now.host);
    c.option(old.kworker_ns, &mut new.kworker_ns)?;
    c.number(old.own_ns, &mut new.own_ns)?;
    c.option(old.steal_ns, &mut new.steal_ns)?;
    c.option(old.kmallocs, &mut new.kmallocs)
}

fn flow<C: Coder>(c: &mut C, before: &Flow, now: &mut Flow) -> Result<(), C::Wrong> {
    side(c, &before.writer, &mut now.writer)?;
    side(c, &before.reader, &mut now.reader)?;
    let (old, new) = (&before.totals, &mut now.totals);
    let written = old.written.wrapping_add(now.writer.calls.bytes);
    c.number(written, &mut new.written)?;
    let read = old.read.wrapping_add(now.reader.calls.bytes);
    c.number(read, &mut new.read)?;
    c.number(old.added, &mut new.added)?;
    c.number(old.dropped, &mut new.dropped)?;
    let balance = new
        .written
        .wrapping_add(new.added)
        .wrapping_sub(new.read)
        .wrapping_sub(new.dropped);
    let mut in_flight = new.in_flight as u64;
    c.number(balance, &mut in_flight)?;
    new.in_flight = in_flight as i64;
    c.number(old.under_way, &mut new.under_way)?;
    c.option(before.queued_input, &mut now.queued_input)
}

fn side<C: Coder>(c: &mut C, before: &Side, now: &mut Side) -> Result<(), C::Wrong> {
    calls(c, &before.calls, &mut now.calls)?;
    thread(c, before.thread, &mut now.thread)?;
    blocked(c, before.blocked, &mut now.blocked)
}

fn calls<C: Coder>(c: &mut C, before: &Calls, now: &mut Calls) -> Result<(), C::Wrong> {
    c.histogram(&before.size, before.size.count(), &mut now.size)?;
    // Small sizes have buckets of their own, so their sum is known.
    let bytes = now.size.entries().iter().fold(0, |sum: u64, bucket| {
        let size = Kind::Size.layout().low(bucket.0 as usize);
        sum.wrapping_add(size.wrapping_mul(bucket.1))
    });
    c.number(bytes, &mut now.bytes)?;
    c.number(before.short, &mut now.short)?;
    c.number(before.errors, &mut now.errors)?;
    let count = now.size.count();
    c.histogram(&before.time, count, &mut now.time)
}

fn thread<C: Coder>(
    c: &mut C,
    before: Option<ThreadUse>,
    now: &mut Option<ThreadUse>,
) -> Result<(), C::Wrong> {
    let split = |used: Option<ThreadUse>| {
        [
            used.map(|used| used.cpu.user_ns),
            used.map(|used| used.cpu.system_ns),
            used.map(|used| used.switches.voluntary),
            used.map(|used| used.switches.involuntary),
        ]
    };
    let mut numbers = split(*now);
    for (guess, number) in split(before).into_iter().zip(&mut numbers) {
        c.option(guess, number)?;
    }
    *now = match numbers {
        [
            Some(user_ns),
            Some(system_ns),
            Some(voluntary),
            Some(involuntary),
        ] => Some(ThreadUse {
            cpu: Cpu { user_ns, system_ns },
            switches: Switches {
                voluntary,
                involuntary,
            },
        }),
        _ => None,
    };
    Ok(())
}

fn blocked<C: Coder>(
    c: &mut C,
    before: Option<Blocked>,
    now: &mut Option<Blocked>,
) -> Result<(), C::Wrong> {
    let split = |blocked: Option<Blocked>| {
        let call = blocked.map(|blocked| u64::from(blocked.call == Call::Read));
        (call, blocked.map(|blocked| blocked.for_ns))
    };
    let (guess, mut numbers) = (split(before), split(*now));
    c.option(guess.0, &mut numbers.0)?;
    c.option(guess.1, &mut numbers.1)?;
    *now = match numbers {
        (Some(call), Some(for_ns)) => Some(Blocked {
            call: if call == 0 { Call::Write } else { Call::Read },
            for_ns,
        }),
        _ => None,
    };
    Ok(())
}
