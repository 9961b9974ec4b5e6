//! A flood in both directions at once, byte for byte.

use nix::errno::Errno;

use crate::check::expect::{bytes, ok, that};
use crate::check::patience::Patience;
use crate::check::rng::Rng;
use crate::check::sys::{Fd, IN, OUT};
use crate::check::{Cx, Stop, Verdict};
use crate::words::counted;

/// One direction of the flood.
struct Stream<'a> {
    from: &'a Fd,
    to: &'a Fd,
    /// Makes the bytes that are sent, and again those that are expected.
    sent: Rng,
    expected: Rng,
    sizes: Rng,
    pending: Vec<u8>,
    left: usize,
    received: usize,
}

const FLOOD: usize = 4 << 20;

impl<'a> Stream<'a> {
    fn new(from: &'a Fd, to: &'a Fd, seed: u64) -> Self {
        Self {
            from,
            to,
            sent: Rng::new(seed),
            expected: Rng::new(seed),
            sizes: Rng::new(seed ^ 0x5eed),
            pending: Vec::new(),
            left: FLOOD,
            received: 0,
        }
    }

    fn done(&self) -> bool {
        self.received == FLOOD
    }

    fn wants_out(&self) -> i16 {
        if self.pending.is_empty() && self.left == 0 {
            0
        } else {
            OUT
        }
    }

    /// Writes and reads what it can; whether anything moved.
    fn step(&mut self, cx: &Cx) -> Result<bool, Stop> {
        if self.pending.is_empty() {
            let n = (1 + self.sizes.below(8192)).min(self.left);
            self.left -= n;
            self.pending = self.sent.bytes(n);
        }
        let mut moved = false;
        if !self.pending.is_empty() {
            match cx.sys.write(self.from, &self.pending) {
                Ok(n) => {
                    self.pending.drain(..n.min(self.pending.len()));
                    moved = true;
                }
                Err(Errno::EAGAIN) => {}
                Err(errno) => return ok("write", Err(errno)),
            }
        }
        match cx.sys.read(self.to, 8192) {
            Ok(data) => {
                let want = self.expected.bytes(data.len());
                bytes(
                    &format!("the stream from byte {}", self.received),
                    &data,
                    &want,
                )?;
                self.received += data.len();
                that(
                    "no more bytes than were sent",
                    self.received <= FLOOD,
                    || self.received.to_string(),
                )?;
                moved = true;
            }
            Err(Errno::EAGAIN) => {}
            Err(errno) => return ok("read", Err(errno)),
        }
        Ok(moved)
    }
}

pub(super) fn run(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let mut down = Stream::new(&pty.master, &pty.slave, cx.seed);
    let mut up = Stream::new(&pty.slave, &pty.master, cx.seed.wrapping_add(1));
    let mut patience = Patience::new(cx.deadline);
    while !(down.done() && up.done()) {
        if down.step(cx)? | up.step(cx)? {
            patience = Patience::new(cx.deadline);
            continue;
        }
        if patience.over() {
            let stall = Stop::fail(
                "no stall",
                format!(
                    "nothing moved for {:?} after {} and {}",
                    cx.deadline,
                    down.received,
                    counted(up.received, "byte")
                ),
            );
            return Err(stall.or_era(0));
        }
        let master = (&pty.master, IN | down.wants_out());
        let slave = (&pty.slave, IN | up.wants_out());
        ok("poll", cx.sys.poll_both(master, slave, patience.slice()))?;
    }
    Ok(Some(format!(
        "{} MiB each way, seed {}",
        FLOOD >> 20,
        cx.seed
    )))
}
