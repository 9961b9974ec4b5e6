//! What a worker says of itself, in the words of shared memory.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use nix::errno::Errno;
use nix::unistd::gettid;

use crate::host::Usage;
use crate::sample::{Blocked, Call, Cpu, Integrity, Switches, ThreadUse};

use super::futex;
use super::shared::{Header, Status};

/// Where a worker is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has not reported yet.
    Starting,
    /// It takes orders.
    Ready,
    /// It has reached its limit, and still takes orders.
    Satisfied,
    /// It has ended.
    Done,
    /// It has ended because the kernel refused a call.
    Failed(Errno),
    /// The other end is gone: read gave 0.
    HungUp,
}

impl State {
    /// Whether it has ended.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Failed(_) | Self::HungUp)
    }
}

impl Status {
    /// Where the worker is.
    pub fn state(&self) -> State {
        match self.state.load(Acquire) {
            0 => State::Starting,
            1 => State::Ready,
            2 => State::Satisfied,
            3 => State::Done,
            4 => State::Failed(Errno::from_raw(self.errno.load(Relaxed) as i32)),
            _ => State::HungUp,
        }
    }

    /// Says where the worker is, and wakes the engine.
    pub fn report(&self, header: &Header, state: State) {
        let word = match state {
            State::Starting => 0,
            State::Ready => 1,
            State::Satisfied => 2,
            State::Done => 3,
            State::Failed(errno) => {
                self.errno.store(errno as u32, Relaxed);
                4
            }
            State::HungUp => 5,
        };
        if state == State::Ready {
            self.thread_id.store(gettid().as_raw() as u32, Relaxed);
        }
        self.state.store(word, Release);
        header.events.fetch_add(1, Release);
        futex::wake(&header.events);
    }

    /// Says that a call begins, and for how many bytes (at most 2^31 - 1). The
    /// sampler sees from it a call that blocks.
    #[inline(always)]
    pub fn enter(&self, call: Call, asked: usize, now_ns: u64) {
        self.call.store((asked as u32) << 1 | call as u32, Relaxed);
        self.call_since_ns.store(now_ns, Relaxed);
    }

    /// Says that no call is under way.
    #[inline(always)]
    pub fn leave(&self) {
        self.call_since_ns.store(0, Relaxed);
    }

    /// Bytes asked of a call of this kind, if one is under way.
    pub fn under_way(&self, call: Call) -> Option<u32> {
        let word = self.call.load(Acquire);
        let is_in = self.call_since_ns.load(Acquire) != 0 && word & 1 == call as u32;
        is_in.then_some(word >> 1)
    }

    /// The call under way, if it has lasted at least `threshold_ns`.
    pub fn blocked(&self, now_ns: u64, threshold_ns: u64) -> Option<Blocked> {
        let since = self.call_since_ns.load(Relaxed);
        let for_ns = now_ns.saturating_sub(since);
        (since != 0 && for_ns >= threshold_ns).then(|| Blocked {
            call: if self.under_way(Call::Write).is_some() {
                Call::Write
            } else {
                Call::Read
            },
            for_ns,
        })
    }

    /// Publishes what the calling thread has used so far.
    pub fn publish_use(&self) {
        let used = Usage::of_thread();
        self.user_ns.store(used.user.as_nanos() as u64, Relaxed);
        self.system_ns.store(used.system.as_nanos() as u64, Relaxed);
        self.voluntary.store(used.voluntary_switches, Relaxed);
        self.involuntary.store(used.involuntary_switches, Relaxed);
    }

    /// What the worker's thread had used when it last published it.
    pub fn thread_use(&self) -> ThreadUse {
        ThreadUse {
            cpu: Cpu {
                user_ns: self.user_ns.load(Relaxed),
                system_ns: self.system_ns.load(Relaxed),
            },
            switches: Switches {
                voluntary: self.voluntary.load(Relaxed),
                involuntary: self.involuntary.load(Relaxed),
            },
        }
    }

    /// Publishes what the comparison of bytes found.
    #[inline(always)]
    pub fn publish_integrity(&self, found: Integrity) {
        self.verified.store(found.verified, Relaxed);
        self.lost.store(found.lost, Relaxed);
        self.doubled.store(found.doubled, Relaxed);
        self.changed.store(found.changed, Relaxed);
    }

    /// What the comparison of bytes found when it was last published.
    pub fn integrity(&self) -> Integrity {
        Integrity {
            verified: self.verified.load(Relaxed),
            lost: self.lost.load(Relaxed),
            doubled: self.doubled.load(Relaxed),
            changed: self.changed.load(Relaxed),
        }
    }
}
