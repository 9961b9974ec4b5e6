//! How bytes get from one port to the other.

use nix::errno::Errno;

use crate::host::monotonic_ns;
use crate::sample::{EventKind, FaultCounts};
use crate::workload::Baud;

use super::super::ledger::{Ledger, flow_end};
use super::super::port::DATA;
use super::super::speed::client_baud;
use super::Relay;

/// Messages read in one turn before the other direction has its own.
const TURN: usize = 8;
/// After a read of so many bytes more are likely there, and reading again
/// costs less than waiting.
const MORE_LIKELY: usize = 2048;

/// The status bits of packet mode, ioctl_tty(2).
const STATUS: [(u8, EventKind); 7] = [
    (0x01, EventKind::FlushRead),
    (0x02, EventKind::FlushWrite),
    (0x04, EventKind::Stop),
    (0x08, EventKind::Start),
    (0x10, EventKind::NoStop),
    (0x20, EventKind::DoStop),
    (0x40, EventKind::Ioctl),
];

impl Relay {
    /// Reads what the client at `end` has sent, and passes it on or holds it.
    pub(super) fn pump(
        &mut self,
        end: usize,
        ledger: &mut Ledger,
        readable_ns: u64,
    ) -> Result<(), Errno> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.pump_through(&mut buffer, end, ledger, readable_ns);
        self.buffer = buffer;
        result
    }

    fn pump_through(
        &mut self,
        buffer: &mut [u8],
        end: usize,
        ledger: &mut Ledger,
        readable_ns: u64,
    ) -> Result<(), Errno> {
        let mut status = 0;
        let mut now = readable_ns;
        for _ in 0..TURN {
            let result = self.ports[end].read(buffer);
            let began = std::mem::replace(&mut now, monotonic_ns());
            let (kind, data) = match result {
                Ok(n) => match buffer.get(..n).and_then(<[u8]>::split_first) {
                    Some((kind, data)) => (*kind, data),
                    None => {
                        self.left_over[end] = false;
                        break;
                    }
                },
                // EIO: there is nothing, and nobody has the slave open.
                Err(Errno::EAGAIN | Errno::EIO) => {
                    self.left_over[end] = false;
                    break;
                }
                Err(Errno::EINTR) => continue,
                Err(errno) => return Err(errno),
            };
            if kind != DATA {
                // A status byte comes before bytes that were sent before it:
                // look what else is there before it is judged.
                status |= kind;
                continue;
            }
            let reads = &mut ledger.interval.ways[end].reads;
            reads.record(now.saturating_sub(began), data.len(), buffer.len() - 1);
            let is_answer = self.came(end, data.len(), ledger, readable_ns);
            now = self.pass(end, data, ledger, readable_ns, now)?;
            if is_answer {
                // What it reads from here on is none of what it has answered.
                self.inboxes[end].forget_reads();
            }
            if data.len() < MORE_LIKELY || !self.accepts(end, now) {
                break;
            }
        }
        for (bit, kind) in STATUS {
            if status & bit != 0 {
                ledger.event(self.event(end, kind, now));
                if kind == EventKind::FlushRead {
                    self.inboxes[end].flushed();
                }
                if let Some(tap) = &self.tap {
                    tap.event(now, end, kind);
                }
            }
        }
        Ok(())
    }

    /// Bytes came from the client at `end`. Gives whether bytes had been passed
    /// to it since it last sent any.
    fn came(&mut self, end: usize, bytes: usize, ledger: &mut Ledger, readable_ns: u64) -> bool {
        ledger.moved(readable_ns);
        ledger.standing.detector.sent(flow_end(end));
        ledger.standing.totals[end].written += bytes as u64;
        let is_answer = self.inboxes[end].unanswered() > 0;
        self.inboxes[end].answered();
        if let Some(passed_ns) = self.passed_ns[end].take() {
            ledger.interval.ways[1 - end].record_turnaround(readable_ns.saturating_sub(passed_ns));
        }
        is_answer
    }

    /// Passes on at once what may go at once, and holds the rest. Gives the
    /// time now.
    fn pass(
        &mut self,
        end: usize,
        data: &[u8],
        ledger: &mut Ledger,
        readable_ns: u64,
        now: u64,
    ) -> Result<u64, Errno> {
        if !self.lanes[end].is_clear() || self.throws_away(end) {
            let each_ns = self.character_ns(end);
            let faults = self.lanes[end].take(data, readable_ns, each_ns);
            count_faults(end, faults, ledger, self.lanes[end].clear_ns(now));
            return self.deliver(end, ledger, now);
        }
        let (taken, now) = self.write(end, data, ledger, now)?;
        self.passed(end, taken, ledger, now);
        ledger.interval.ways[end].record_passed(taken, now.saturating_sub(readable_ns));
        if taken < data.len() {
            self.lanes[end].hold(&data[taken..], readable_ns);
            self.block(end, ledger, now);
        }
        Ok(now)
    }

    /// Passes on what the lane from `end` holds and is due. Gives the time now.
    pub(super) fn deliver(
        &mut self,
        end: usize,
        ledger: &mut Ledger,
        now: u64,
    ) -> Result<u64, Errno> {
        let mut now = now;
        loop {
            if self.throws_away(end) {
                self.throw_away(end, ledger, now);
                return Ok(now);
            }
            let due = self.lanes[end].due(now);
            if due.is_empty() || self.blocked[end] {
                return Ok(now);
            }
            let (taken, after) = self.write(end, due, ledger, now)?;
            let whole = taken == due.len();
            now = after;
            self.passed(end, taken, ledger, now);
            let tally = &mut ledger.interval.ways[end];
            self.lanes[end].gone(taken, |bytes, since_ns| {
                tally.record_passed(bytes, now.saturating_sub(since_ns));
            });
            if !whole {
                self.block(end, ledger, now);
            }
        }
    }

    /// Writes to the receiving end of the lane from `end`. Gives how many
    /// bytes its pty took, and the time after.
    fn write(
        &self,
        end: usize,
        data: &[u8],
        ledger: &mut Ledger,
        now: u64,
    ) -> Result<(usize, u64), Errno> {
        let result = self.ports[1 - end].write(data);
        let after = monotonic_ns();
        let writes = &mut ledger.interval.ways[end].writes;
        let taken = match result {
            Ok(taken) => taken,
            Err(Errno::EAGAIN | Errno::EINTR) => 0,
            Err(errno) => {
                writes.record_error();
                return Err(errno);
            }
        };
        if taken > 0 {
            writes.record(after.saturating_sub(now), taken, data.len());
            if let Some(tap) = &self.tap {
                tap.bytes(after, end, &data[..taken]);
            }
        }
        Ok((taken, after))
    }

    /// The client at the other end than `end` has got bytes.
    fn passed(&mut self, end: usize, bytes: usize, ledger: &mut Ledger, now: u64) {
        if bytes > 0 {
            ledger.moved(now);
            ledger.standing.totals[end].read += bytes as u64;
            self.inboxes[1 - end].passed(bytes as u64);
            self.passed_ns[1 - end] = Some(now);
            self.busy_until_ns = now.saturating_add(self.busy_poll_ns);
        }
    }

    /// Whether bytes from `end` are thrown away because nobody is there.
    fn throws_away(&self, end: usize) -> bool {
        self.line.drop_unattached && self.closed[1 - end]
    }

    fn throw_away(&mut self, end: usize, ledger: &mut Ledger, now: u64) {
        loop {
            let bytes = self.lanes[end].due(now).len();
            if bytes == 0 {
                break;
            }
            self.lanes[end].gone(bytes, |_, _| {});
            ledger.interval.ways[end].faults.unattached += bytes as u64;
            ledger.standing.totals[end].dropped += bytes as u64;
        }
        self.unblock(end, ledger, now);
    }

    /// How long a byte from the client at `end` is on the line.
    pub(super) fn character_ns(&self, end: usize) -> u64 {
        let baud = match self.line.baud {
            None => None,
            Some(Baud::Fixed(baud)) => Some(baud),
            Some(Baud::Client) => client_baud(&self.ports[end]),
        };
        baud.map_or(0, |baud| self.line.frame.character_ns(baud))
    }
}

/// `leave_ns`: when the last byte of what was harmed leaves.
fn count_faults(end: usize, faults: FaultCounts, ledger: &mut Ledger, leave_ns: u64) {
    ledger.interval.ways[end].faults.add(&faults);
    let totals = &mut ledger.standing.totals[end];
    totals.dropped += faults.dropped;
    totals.added += faults.duplicated;
    if faults != FaultCounts::default() {
        ledger.standing.detector.harmed(flow_end(1 - end), leave_ns);
    }
}
