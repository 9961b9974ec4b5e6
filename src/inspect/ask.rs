//! The questions, none of which changes anything.

use std::os::fd::{AsFd, OwnedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::host::KernelVersion;
use crate::pty::{
    Result, foreground_of, is_exclusive, is_locked, is_packet_mode, line_discipline, queued_input,
    session_of, window_size,
};

use super::termios::{Termios, may_hang};
use super::{MasterState, SlaveState};

/// Asks a slave.
///
/// # Errors
/// EIO when it is hung up.
pub fn slave(fd: &OwnedFd) -> Result<SlaveState> {
    let termios = Termios::of(fd)?;
    let size = window_size(fd)?;
    let ready = ready(fd);
    let queued = if may_hang(&termios, KernelVersion::running()) {
        None
    } else {
        Some(queued_input(fd)? as u64)
    };
    Ok(SlaveState {
        mode: termios.mode,
        unusual: termios.unusual,
        size: [size.ws_row, size.ws_col],
        line_discipline: u32::try_from(line_discipline(fd)?).unwrap_or(u32::MAX),
        queued,
        is_readable: ready.contains(PollFlags::POLLIN),
        is_writable: ready.contains(PollFlags::POLLOUT),
        is_hung_up: ready.contains(PollFlags::POLLHUP),
        is_exclusive: is_exclusive(fd).ok(),
    })
}

/// Asks a master.
///
/// # Errors
/// What the kernel says of FIONREAD.
pub fn master(fd: &OwnedFd) -> Result<MasterState> {
    // The poll first: it waits for what the kernel's worker is moving.
    let ready = ready(fd);
    let number = |asked: Result<usize>| {
        let number = i32::try_from(asked.ok()?).ok()?;
        (number > 0).then_some(number)
    };
    Ok(MasterState {
        queued: Some(queued_input(fd)? as u64),
        is_readable: ready.contains(PollFlags::POLLIN),
        is_writable: ready.contains(PollFlags::POLLOUT),
        is_hung_up: ready.contains(PollFlags::POLLHUP),
        is_packet_mode: is_packet_mode(fd).ok(),
        is_locked: is_locked(fd).ok(),
        session: number(session_of(fd)),
        foreground: number(foreground_of(fd)),
    })
}

fn ready(fd: &OwnedFd) -> PollFlags {
    let mut asked = [PollFd::new(
        fd.as_fd(),
        PollFlags::POLLIN | PollFlags::POLLOUT,
    )];
    match poll(&mut asked, PollTimeout::ZERO) {
        Ok(_) => asked[0].revents().unwrap_or(PollFlags::empty()),
        Err(_) => PollFlags::empty(),
    }
}
