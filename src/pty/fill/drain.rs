//! Reading what a direction holds.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::read;

use super::{NonBlocking, after, name};
use crate::pty::capacity::READ_QUEUE;
use crate::pty::{End, Error, Pair, Result};

/// Reads at the `to` end until `want` bytes came, and hands each read to
/// `sink` with its offset; how many bytes came: fewer when `deadline` passed or
/// the other end closed, more when there were more.
///
/// The descriptor is O_NONBLOCK meanwhile, in every process and thread that
/// shares it.
///
/// # Errors
/// What the kernel said, but for EIO, which is a master's end of file.
pub fn drain(
    pair: &Pair,
    to: End,
    want: u64,
    deadline: Duration,
    sink: &mut dyn FnMut(u64, &[u8]),
) -> Result<u64> {
    let deadline = after(deadline);
    let fd = pair.fd(to);
    let _nonblocking = NonBlocking::set(fd, to)?;
    let mut buffer = [0; READ_QUEUE + 1];
    let mut got = 0;
    loop {
        match read(fd, &mut buffer) {
            Ok(0) | Err(Errno::EIO) => return Ok(got),
            Ok(n) => {
                sink(got, &buffer[..n]);
                got += n as u64;
            }
            Err(Errno::EAGAIN) if got >= want => return Ok(got),
            Err(Errno::EAGAIN) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Ok(got);
                }
                wait_readable(fd, left);
            }
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(Error::new("read from", name(to), errno)),
        }
    }
}

/// Waits for input; in short turns, since kernels from 3.12 to 4.5 could be
/// late in showing it.
fn wait_readable(fd: BorrowedFd<'_>, left: Duration) {
    let turn = left.min(Duration::from_millis(20)).as_millis();
    let timeout = PollTimeout::from(u8::try_from(turn).unwrap_or(u8::MAX).max(1));
    let mut fds = [PollFd::new(fd, PollFlags::POLLIN)];
    // Whatever it says, the read that follows decides.
    let _ = poll(&mut fds, timeout);
}
