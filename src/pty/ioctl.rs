//! The tty ioctls that ptyscope uses, named after what they answer.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::errno::Errno;
use nix::libc;
use nix::pty::Winsize;

use super::{Error, Result};

mod raw {
    use nix::libc;

    nix::ioctl_read_bad!(fionread, libc::FIONREAD, libc::c_int);
    nix::ioctl_read_bad!(tiocoutq, libc::TIOCOUTQ, libc::c_int);
    nix::ioctl_read_bad!(tiocgptn, libc::TIOCGPTN, libc::c_uint);
    nix::ioctl_write_ptr_bad!(tiocsptlck, libc::TIOCSPTLCK, libc::c_int);
    nix::ioctl_write_ptr_bad!(tiocpkt, libc::TIOCPKT, libc::c_int);
    nix::ioctl_read_bad!(tiocgwinsz, libc::TIOCGWINSZ, nix::pty::Winsize);
    nix::ioctl_write_ptr_bad!(tiocswinsz, libc::TIOCSWINSZ, nix::pty::Winsize);
    nix::ioctl_write_int_bad!(tiocgptpeer, libc::TIOCGPTPEER);
    nix::ioctl_read_bad!(tiocgdev, libc::TIOCGDEV, libc::c_uint);
    nix::ioctl_read_bad!(tiocgptlck, libc::TIOCGPTLCK, libc::c_int);
    nix::ioctl_read_bad!(tiocgpkt, libc::TIOCGPKT, libc::c_int);
    nix::ioctl_read_bad!(tiocgexcl, libc::TIOCGEXCL, libc::c_int);
    nix::ioctl_read_bad!(tiocgetd, libc::TIOCGETD, libc::c_int);
    nix::ioctl_read_bad!(tiocgsid, libc::TIOCGSID, libc::c_int);
    nix::ioctl_read_bad!(tiocgpgrp, libc::TIOCGPGRP, libc::c_int);
}

/// Bytes that a read at this end could return now (`FIONREAD`).
///
/// Raw: what the line discipline holds, never more than 4095 (`N_TTY_BUF_SIZE`
/// less one); bytes still in flip buffers are not counted. Canonical: the
/// characters of complete lines only (`inq_canon` in n_tty.c).
pub fn queued_input(fd: impl AsFd) -> Result<usize> {
    int_of(fd.as_fd(), "ask FIONREAD of", raw::fionread)
}

/// What `TIOCOUTQ` says: always 0 on a pty, whatever is queued (ptys have no
/// `chars_in_buffer` operation).
pub fn queued_output(fd: impl AsFd) -> Result<usize> {
    int_of(fd.as_fd(), "ask TIOCOUTQ of", raw::tiocoutq)
}

/// Turns packet mode (`TIOCPKT`, ioctl_tty(2)) of a master on or off.
pub fn packet_mode(master: impl AsFd, on: bool) -> Result<()> {
    let value = libc::c_int::from(on);
    // SAFETY: TIOCPKT reads one int through the pointer, which outlives the call.
    unsafe { raw::tiocpkt(master.as_fd().as_raw_fd(), &value) }
        .map(drop)
        .map_err(|errno| Error::new("set packet mode of", "the master", errno))
}

/// Whether a master is in packet mode (`TIOCGPKT`, Linux 3.8 and later; ENOTTY
/// before).
pub fn is_packet_mode(master: impl AsFd) -> Result<bool> {
    Ok(int_of(master.as_fd(), "ask TIOCGPKT of", raw::tiocgpkt)? != 0)
}

/// Whether the slave of `master` is locked: every open of it says EIO
/// (`TIOCGPTLCK`, Linux 3.8 and later; ENOTTY before).
pub fn is_locked(master: impl AsFd) -> Result<bool> {
    Ok(int_of(master.as_fd(), "ask TIOCGPTLCK of", raw::tiocgptlck)? != 0)
}

/// Whether a terminal is in exclusive mode (`TIOCEXCL`): opens without
/// CAP_SYS_ADMIN say EBUSY (`TIOCGEXCL`, Linux 3.8 and later; ENOTTY before).
pub fn is_exclusive(fd: impl AsFd) -> Result<bool> {
    Ok(int_of(fd.as_fd(), "ask TIOCGEXCL of", raw::tiocgexcl)? != 0)
}

/// The number of a terminal's line discipline (`TIOCGETD`): 0 is N_TTY, the
/// one of every new terminal; others are in linux/tty.h.
pub fn line_discipline(fd: impl AsFd) -> Result<usize> {
    int_of(fd.as_fd(), "ask TIOCGETD of", raw::tiocgetd)
}

/// The session whose controlling terminal the slave of `master` is
/// (`TIOCGSID`); ENOTTY while it is nobody's.
pub fn session_of(master: impl AsFd) -> Result<usize> {
    int_of(master.as_fd(), "ask TIOCGSID of", raw::tiocgsid)
}

/// The foreground process group of the slave of `master` (`TIOCGPGRP`), 0 for
/// none. A slave itself tells it only to its own session.
pub fn foreground_of(master: impl AsFd) -> Result<usize> {
    int_of(master.as_fd(), "ask TIOCGPGRP of", raw::tiocgpgrp)
}

/// Lets the slave of `master` be opened (`TIOCSPTLCK` with 0).
pub fn unlock_slave(master: impl AsFd) -> Result<()> {
    let value: libc::c_int = 0;
    // SAFETY: TIOCSPTLCK reads one int through the pointer, which outlives the call.
    unsafe { raw::tiocsptlck(master.as_fd().as_raw_fd(), &value) }
        .map(drop)
        .map_err(|errno| Error::new("unlock the slave of", "the master", errno))
}

/// The window size that both ends share (`TIOCGWINSZ`); 0x0 on a new pty.
pub fn window_size(fd: impl AsFd) -> Result<Winsize> {
    let mut size = Winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: TIOCGWINSZ writes one winsize through the pointer.
    unsafe { raw::tiocgwinsz(fd.as_fd().as_raw_fd(), &mut size) }
        .map_err(|errno| Error::new("ask the window size of", "the terminal", errno))?;
    Ok(size)
}

/// Sets the window size (`TIOCSWINSZ`); the kernel sends SIGWINCH on a change.
pub fn set_window_size(fd: impl AsFd, size: Winsize) -> Result<()> {
    // SAFETY: TIOCSWINSZ reads one winsize through the pointer.
    unsafe { raw::tiocswinsz(fd.as_fd().as_raw_fd(), &size) }
        .map(drop)
        .map_err(|errno| Error::new("set the window size of", "the terminal", errno))
}

/// Which device a terminal is (`TIOCGDEV`), as the kernel numbers them: the same
/// behind all names of it, as /dev/tty and /dev/pts/7, and on a master that of its
/// slave.
pub fn device(fd: impl AsFd) -> Result<u32> {
    let mut device: libc::c_uint = 0;
    // SAFETY: TIOCGDEV writes one unsigned int through the pointer.
    unsafe { raw::tiocgdev(fd.as_fd().as_raw_fd(), &mut device) }
        .map_err(|errno| Error::new("ask the device of", "the terminal", errno))?;
    Ok(device)
}

/// The number N of `/dev/pts/N` behind a master (`TIOCGPTN`).
pub fn index(master: impl AsFd) -> Result<u32> {
    let mut index: libc::c_uint = 0;
    // SAFETY: TIOCGPTN writes one unsigned int through the pointer.
    unsafe { raw::tiocgptn(master.as_fd().as_raw_fd(), &mut index) }
        .map_err(|errno| Error::new("ask the pty number of", "the master", errno))?;
    Ok(index)
}

/// A new descriptor of the slave, without going through a path
/// (`TIOCGPTPEER`, Linux 4.13 and later).
pub(super) fn peer(master: impl AsFd, flags: libc::c_int) -> nix::Result<libc::c_int> {
    // SAFETY: TIOCGPTPEER takes its flags by value and touches no memory of ours.
    unsafe { raw::tiocgptpeer(master.as_fd().as_raw_fd(), flags) }
}

type ReadInt = unsafe fn(libc::c_int, *mut libc::c_int) -> nix::Result<libc::c_int>;

fn int_of(fd: BorrowedFd<'_>, action: &'static str, call: ReadInt) -> Result<usize> {
    let mut value: libc::c_int = 0;
    // SAFETY: each call passed in writes one int through the pointer.
    unsafe { call(fd.as_raw_fd(), &mut value) }
        .map_err(|errno| Error::new(action, "the terminal", errno))?;
    usize::try_from(value).map_err(|_| Error::new(action, "the terminal", Errno::ERANGE))
}
