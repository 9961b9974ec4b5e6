//! A worker's own table of open files.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};

/// One open file of a worker's thread.
///
/// Threads share a table of open files, so the kernel has to count references
/// to the file in each call (`fdget` in fs/file.c); with a table of its own a
/// thread is spared that, like a process with one thread.
#[derive(Debug)]
pub enum OwnFile<'a> {
    /// In the thread's own table.
    Private(BorrowedFd<'a>),
    /// A duplicate in the shared table, where the kernel gives out no own one.
    Duplicate(OwnedFd),
}

impl<'a> OwnFile<'a> {
    /// Gives the calling thread a table of its own, with `fd` and the standard
    /// streams in it and nothing else.
    ///
    /// # Errors
    /// EMFILE when there is neither an own table nor room in the shared one.
    pub fn take(fd: BorrowedFd<'a>) -> Result<Self, Errno> {
        if unshare(CloneFlags::CLONE_FILES).is_err() {
            let duplicate = fd.try_clone_to_owned();
            return duplicate
                .map(Self::Duplicate)
                .map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)));
        }
        close_all_but(fd.as_raw_fd());
        Ok(Self::Private(fd))
    }
}

impl AsFd for OwnFile<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Private(fd) => *fd,
            Self::Duplicate(fd) => fd.as_fd(),
        }
    }
}

/// Closes everything else in this thread's own table: a copy of another pty's
/// end would keep that pty from being hung up. Kernels before 5.9 cannot; there
/// the copies stay until the thread ends.
fn close_all_but(kept: RawFd) {
    /// Standard input, output and error stay, for a message of a panic.
    const FIRST: RawFd = 3;
    for (first, last) in [(FIRST, kept - 1), (kept.max(FIRST - 1) + 1, RawFd::MAX)] {
        if first <= last {
            // SAFETY: close_range(2) takes numbers only, and the table is this
            // thread's own: nobody else's file is closed.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    }
}
