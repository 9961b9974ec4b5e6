//! The memory that the engine and its workers share, be they threads or
//! processes.
//!
//! The engine writes orders and reads everything else; a worker reads its
//! orders and writes everything else in its own slot.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64};

use nix::errno::Errno;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};
use nix::unistd::ftruncate;

use crate::pty;

use super::counters::{CallCounters, Times};

/// What all workers look at.
#[repr(C)]
pub struct Header {
    /// Goes up with every change of any worker's orders, and with every tick.
    /// Workers compare it once a call.
    pub version: AtomicU32,
    /// Goes up when a worker has something to tell; the engine waits on it.
    pub events: AtomicU32,
}

/// One worker's part.
#[repr(C)]
pub struct Slot {
    pub orders: Orders,
    pub status: Status,
    pub write: CallCounters,
    pub read: CallCounters,
    pub trips: Times,
}

/// What the engine wants of a worker; see `orders.rs` for the encoding.
#[repr(C)]
pub struct Orders {
    /// Odd while the words after it are being changed.
    pub sequence: AtomicU32,
    pub command: AtomicU32,
    pub epoch: AtomicU32,
    pub chunk: AtomicU64,
    pub read_size: AtomicU64,
    pub pace_kind: AtomicU32,
    pub pace_value: AtomicU64,
    /// Writer: bytes after which it stops writing. Reader: bytes after which
    /// it has everything. `u64::MAX`: no end.
    pub limit: AtomicU64,
}

/// What a worker says of itself; see `status.rs`.
#[repr(C)]
pub struct Status {
    pub state: AtomicU32,
    pub errno: AtomicU32,
    pub seen_version: AtomicU32,
    pub seen_epoch: AtomicU32,
    pub thread_id: AtomicU32,
    /// The current or last call and the bytes asked of it; see `status.rs`.
    pub call: AtomicU32,
    /// When the current call began; 0 when in none.
    pub call_since_ns: AtomicU64,
    /// When the first call began.
    pub first_ns: AtomicU64,
    /// When the last call that moved bytes returned.
    pub last_ns: AtomicU64,
    pub user_ns: AtomicU64,
    pub system_ns: AtomicU64,
    pub voluntary: AtomicU64,
    pub involuntary: AtomicU64,
    pub verified: AtomicU64,
    pub lost: AtomicU64,
    pub doubled: AtomicU64,
    pub changed: AtomicU64,
}

/// A mapping of a header and some slots. Dropping it unmaps.
pub struct Shared {
    file: OwnedFd,
    start: NonNull<u8>,
    slots: usize,
}

// SAFETY: the mapping is plain shared memory in which everything is atomic,
// and it is unmapped only by the last owner's drop.
unsafe impl Send for Shared {}
// SAFETY: as above; `&Shared` gives out only references to atomics.
unsafe impl Sync for Shared {}

/// Slots begin on a page of their own, so that no two workers' counters share
/// a cache line.
const SLOT_STRIDE: usize = size_of::<Slot>().next_multiple_of(4096);
const HEADER_SIZE: usize = 4096;

impl Shared {
    /// New memory, all zeros, for `slots` workers.
    pub fn new(slots: usize) -> pty::Result<Self> {
        let fail = |errno| pty::Error::new("share memory with", "the workers", errno);
        let file = memfd_create(c"ptyscope", MFdFlags::MFD_CLOEXEC).map_err(fail)?;
        let length = i64::try_from(length(slots)).map_err(|_| fail(Errno::EOVERFLOW))?;
        ftruncate(&file, length).map_err(fail)?;
        Self::attach(file, slots)
    }

    /// Maps the memory of another process's `new(slots)`.
    pub fn attach(file: OwnedFd, slots: usize) -> pty::Result<Self> {
        let fail = |errno| pty::Error::new("map the memory of", "the workers", errno);
        let size = length(slots).try_into().map_err(|_| fail(Errno::EINVAL))?;
        // SAFETY: a new mapping at an address of the kernel's choice, of a
        // file that is ours and at least this long.
        let start = unsafe {
            mmap(
                None,
                size,
                ProtFlags::PROT_READ | ProtFlags::PROT_WRITE,
                MapFlags::MAP_SHARED,
                &file,
                0,
            )
        }
        .map_err(fail)?;
        Ok(Self {
            file,
            start: start.cast(),
            slots,
        })
    }

    /// The file behind the memory, for a peer process.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// What all workers look at.
    pub fn header(&self) -> &Header {
        // SAFETY: the mapping begins with a page for the header; it is page
        // aligned, lives as long as self, and all bit patterns are valid.
        unsafe { self.start.cast::<Header>().as_ref() }
    }

    /// The slot of one worker.
    ///
    /// # Panics
    /// When there is no such slot: the engine numbers them itself.
    pub fn slot(&self, index: usize) -> &Slot {
        assert!(index < self.slots, "no slot {index}");
        // SAFETY: the index is in the mapping, the stride keeps the alignment,
        // the reference lives as long as self, and all bit patterns are valid.
        unsafe {
            self.start
                .add(HEADER_SIZE + index * SLOT_STRIDE)
                .cast::<Slot>()
                .as_ref()
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: this is the mapping that `attach` made, and no reference
        // into it outlives self. A failure would leave it mapped, no more.
        let _ = unsafe { munmap(self.start.cast(), length(self.slots)) };
    }
}

const fn length(slots: usize) -> usize {
    HEADER_SIZE + slots * SLOT_STRIDE
}
