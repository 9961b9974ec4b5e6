//! Counters that one worker writes and the sampler reads, without a lock.
//!
//! Each counter has a single writer, so an increment is a plain load and
//! store. A sequence number around each update (odd while it is under way)
//! lets the sampler take a snapshot in which counts, bytes and histograms
//! belong together. A worker that is blocked in the kernel is never in an
//! update, so its counters can always be read.

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
        self.update(|| {
            self.times.record(ns);
            bump(&self.sizes[size], 1);
            bump(&self.bytes, bytes as u64);
            if bytes < asked {
                bump(&self.short, 1);
            }
            if size as u32 >= self.sizes_used.load(Ordering::Relaxed) {
                self.sizes_used.store(size as u32 + 1, Ordering::Relaxed);
            }
        });
    }

    /// Counts a call that failed.
    pub fn record_error(&self) {
        self.update(|| bump(&self.errors, 1));
    }

    /// Bytes moved so far.
    #[inline(always)]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Acquire)
    }

    #[inline(always)]
    fn update(&self, change: impl FnOnce()) {
        let sequence = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(sequence + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        change();
        self.sequence
            .store(sequence.wrapping_add(2), Ordering::Release);
    }

    /// A copy in which everything belongs together. An update takes some
    /// nanoseconds, so a few tries are enough; a worker that died within one
    /// gives what it left.
    pub fn snapshot(&self) -> Snapshot {
        const TRIES: usize = 1000;
        for _ in 0..TRIES {
            let before = self.sequence.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                let copy = self.copy();
                fence(Ordering::Acquire);
                if self.sequence.load(Ordering::Relaxed) == before {
                    return copy;
                }
            }
            std::hint::spin_loop();
        }
        self.copy()
    }

    fn copy(&self) -> Snapshot {
        let used = (self.sizes_used.load(Ordering::Relaxed) as usize).min(SIZES);
        Snapshot {
            bytes: self.bytes.load(Ordering::Relaxed),
            short: self.short.load(Ordering::Relaxed),
            errors: self.errors.load(Ordering::Relaxed),
            times: self.times.copy(),
            sizes: self.sizes[..used]
                .iter()
                .map(|c| c.load(Ordering::Relaxed))
                .collect(),
        }
    }
}
