//! The two system calls that are measured.
//!
//! They are made without the C library's wrappers: in a process with threads
//! those make the thread cancellable around each call, which takes longer than
//! all of our counting.

use std::os::fd::{AsRawFd, BorrowedFd};

use nix::errno::Errno;

/// write(2).
#[inline(always)]
pub fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    // SAFETY: the kernel reads the slice, which outlives the call.
    let result =
        unsafe { libc::syscall(libc::SYS_write, fd.as_raw_fd(), bytes.as_ptr(), bytes.len()) };
    Errno::result(result).map(|n| n as usize)
}

/// read(2).
#[inline(always)]
pub fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
    let (start, length) = (buffer.as_mut_ptr(), buffer.len());
    // SAFETY: the kernel writes at most `length` bytes into the slice, which
    // is ours alone and outlives the call.
    let result = unsafe { libc::syscall(libc::SYS_read, fd.as_raw_fd(), start, length) };
    Errno::result(result).map(|n| n as usize)
}
