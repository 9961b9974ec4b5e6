//! Counters that one worker writes and the sampler reads, without a lock.
//!
//! Each counter has a single writer, so an increment is a plain load and
//! store. Counts, bytes and histograms of one snapshot must belong together,
//! though a worker at speed makes several calls while they are copied: so the
//! worker itself publishes a copy when the sampler asks for it. One that is
//! blocked in the kernel cannot, but its counters stand still; a sequence
//! number around each update (odd while it is under way) tells when one moved
//! on under the sampler's hands.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::sample::layout::{SIZE, TIME};

const TIMES: usize = TIME.bucket_count();
const SIZES: usize = SIZE.bucket_count();

/// A histogram of times in nanoseconds.
#[repr(C)]
pub struct Times([AtomicU64; TIMES]);

/// What one worker's calls of one kind did. Lives in shared memory; all zeros
/// is its valid beginning.
#[repr(C)]
pub struct CallCounters {
    sequence: AtomicU32,
    /// `sequence` when the copy was made.
    published_at: AtomicU32,
    live: Counts,
    published: Counts,
}

#[repr(C)]
struct Counts {
    /// One more than the highest index used in `sizes`.
    sizes_used: AtomicU32,
    bytes: AtomicU64,
    short: AtomicU64,
    errors: AtomicU64,
    times: Times,
    sizes: [AtomicU64; SIZES],
}

/// A consistent copy of [`CallCounters`].
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub bytes: u64,
    pub short: u64,
    pub errors: u64,
    pub times: Vec<u64>,
    pub sizes: Vec<u64>,
}

#[inline(always)]
fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed) + by, Ordering::Relaxed);
}

impl Times {
    /// Counts one time. Only the owning worker may call it.
    #[inline(always)]
    pub fn record(&self, ns: u64) {
        bump(&self.0[TIME.index(ns)], 1);
    }

    /// Copies the counts.
    pub fn copy(&self) -> Vec<u64> {
        self.0.iter().map(|c| c.load(Ordering::Relaxed)).collect()
    }
}

impl CallCounters {
    /// Counts a call that moved `bytes` of the `asked`, in `ns`. Only the
    /// owning worker may call it.
    #[inline(always)]
    pub fn record(&self, ns: u64, bytes: usize, asked: usize) {
        let size = SIZE.index(bytes as u64);
        let live = &self.live;
        self.update(|| {
            live.times.record(ns);
            bump(&live.sizes[size], 1);
            bump(&live.bytes, bytes as u64);
            if bytes < asked {
                bump(&live.short, 1);
            }
            if size as u32 >= live.sizes_used.load(Ordering::Relaxed) {
                live.sizes_used.store(size as u32 + 1, Ordering::Relaxed);
            }
        });
    }

    /// Counts a call that failed.
    pub fn record_error(&self) {
        self.update(|| bump(&self.live.errors, 1));
    }

    /// Bytes moved so far.
    #[inline(always)]
    pub fn bytes(&self) -> u64 {
        self.live.bytes.load(Ordering::Acquire)
    }

    /// Copies the counts for [`CallCounters::snapshot`]. Only the owning
    /// worker may call it, between its calls.
    pub fn publish(&self) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        if sequence == self.published_at.load(Ordering::Relaxed) {
            return;
        }
        self.live.copy_to(&self.published);
        self.published_at.store(sequence, Ordering::Relaxed);
    }

    #[inline(always)]
    fn update(&self, change: impl FnOnce()) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence
            .store(sequence.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        change();
        self.sequence
            .store(sequence.wrapping_add(2), Ordering::Release);
    }

    /// The counts as they are, unless the worker moved on meanwhile.
    fn still(&self) -> Option<Snapshot> {
        let before = self.sequence.load(Ordering::Acquire);
        let copy = self.live.copy();
        fence(Ordering::Acquire);
        let after = self.sequence.load(Ordering::Relaxed);
        (before.is_multiple_of(2) && before == after).then_some(copy)
    }

    /// What the worker published, once `is_published`; what stands still while
    /// it is in the kernel. A worker that died within an update gives what it
    /// left.
    pub fn snapshot(&self, is_published: impl Fn() -> bool) -> Snapshot {
        const TRIES: usize = 1000;
        for _ in 0..TRIES {
            if is_published() {
                return self.published.copy();
            }
            if let Some(copy) = self.still() {
                return copy;
            }
            std::hint::spin_loop();
        }
        self.live.copy()
    }
}

impl Counts {
    fn sizes(&self) -> &[AtomicU64] {
        let used = self.sizes_used.load(Ordering::Relaxed) as usize;
        &self.sizes[..used.min(SIZES)]
    }

    fn copy_to(&self, to: &Self) {
        let one = |from: &AtomicU64, to: &AtomicU64| {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        };
        let each = |from: &[AtomicU64], to: &[AtomicU64]| {
            from.iter().zip(to).for_each(|(from, to)| one(from, to));
        };
        one(&self.bytes, &to.bytes);
        one(&self.short, &to.short);
        one(&self.errors, &to.errors);
        each(&self.times.0, &to.times.0);
        each(self.sizes(), &to.sizes);
        let used = self.sizes_used.load(Ordering::Relaxed);
        to.sizes_used.store(used, Ordering::Relaxed);
    }

    fn copy(&self) -> Snapshot {
        let values = |counts: &[AtomicU64]| -> Vec<u64> {
            counts.iter().map(|c| c.load(Ordering::Relaxed)).collect()
        };
        Snapshot {
            bytes: self.bytes.load(Ordering::Relaxed),
            short: self.short.load(Ordering::Relaxed),
            errors: self.errors.load(Ordering::Relaxed),
            times: values(&self.times.0),
            sizes: values(self.sizes()),
        }
    }
}
