//! Getting hold of a pty that is somebody else's without disturbing it.
//!
//! A copy of a holder's descriptor (pidfd_getfd(2), Linux 5.6) is the same open
//! file: nothing of the pty's own count of opens changes. It takes the right to
//! trace the holder. Where that is not given, a slave can be opened; that is
//! done only while somebody else is seen to have it open, since the close of
//! the last descriptor of a slave makes the master's reader fail (EIO). An open
//! with O_NOCTTY makes it nobody's controlling terminal, and neither it nor the
//! questions asked here touch the times of the node (only read(2) and write(2)
//! do), what is queued, or packet mode.
//!
//! What cannot be avoided: if the holder closes in that moment, ours is the
//! last close, and the master's reader sees the end by as much later. And an
//! open of a slave that was locked again while in use fails and leaves it
//! failing (TTY_IO_ERROR, tty_open in tty_io.c), so none is tried where the
//! master says that it is locked.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::fs::MetadataExt;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode as FileMode;

use crate::host::terminals::Device;

/// A copy of descriptor `fd` of process `pid`, close-on-exec.
///
/// # Errors
/// EPERM without the right to trace it, ENOSYS before Linux 5.6, ESRCH and
/// EBADF when it is gone.
pub fn copy(pid: u32, fd: i32) -> nix::Result<OwnedFd> {
    // SAFETY: pidfd_open takes two numbers and touches no memory of ours.
    let process = Errno::result(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    let process = owned(process)?;
    // SAFETY: pidfd_getfd takes three numbers and touches no memory of ours.
    let copied = unsafe { libc::syscall(libc::SYS_pidfd_getfd, process.as_raw_fd(), fd, 0) };
    owned(Errno::result(copied)?)
}

/// The slave behind descriptor `fd` of process `pid`, opened anew.
///
/// # Errors
/// EACCES where the node's mode forbids it, EBUSY in exclusive mode
/// (TIOCEXCL), EIO after a hangup.
pub fn reopen(pid: u32, fd: i32) -> nix::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_NOCTTY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    open(
        format!("/proc/{pid}/fd/{fd}").as_str(),
        flags,
        FileMode::empty(),
    )
}

/// What is open at a descriptor of our own.
pub fn device(fd: &OwnedFd) -> Option<Device> {
    let metadata = File::from(fd.try_clone().ok()?).metadata().ok()?;
    Some(Device {
        file_system: metadata.st_dev(),
        number: metadata.st_rdev(),
    })
}

fn owned(fd: libc::c_long) -> nix::Result<OwnedFd> {
    let fd = i32::try_from(fd).map_err(|_| Errno::EBADF)?;
    // SAFETY: the kernel just returned this descriptor, so nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
