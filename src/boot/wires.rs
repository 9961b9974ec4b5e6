//! The pipes between qemu and us.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::unistd::{pipe2, read};

/// Our end of a pipe from qemu.
#[derive(Debug)]
pub struct Wire(Option<OwnedFd>);

/// qemu's end.
#[derive(Debug)]
pub struct Plug(OwnedFd);

/// What has come through a wire.
#[derive(Debug)]
pub enum Came {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nothing for now.
    Nothing,
    /// The end: the other side is closed.
    End,
}

/// A new wire with its plug.
///
/// # Errors
/// As pipe2(2).
pub fn wire() -> io::Result<(Wire, Plug)> {
    let (ours, theirs) = pipe2(OFlag::O_CLOEXEC)?;
    fcntl(&ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok((Wire(Some(ours)), Plug(theirs)))
}

impl Wire {
    /// The descriptor, for poll(2), until the end has come.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(AsFd::as_fd)
    }

    /// What has come since the last time.
    pub fn read(&mut self) -> Came {
        let Some(fd) = &self.0 else {
            return Came::End;
        };
        let mut buffer = vec![0; 64 << 10];
        match read(fd, &mut buffer) {
            Ok(n) if n > 0 => {
                buffer.truncate(n);
                Came::Bytes(buffer)
            }
            Err(Errno::EAGAIN | Errno::EINTR) => Came::Nothing,
            _ => {
                self.0 = None;
                Came::End
            }
        }
    }
}

impl Plug {
    /// The name under which a child that inherits it can open it.
    pub fn path(&self) -> String {
        inherited(&self.0)
    }

    /// Its number, to be inherited.
    pub fn number(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// The descriptor itself, for standard output or error.
    pub fn into_fd(self) -> OwnedFd {
        self.0
    }
}

/// The name of an inherited descriptor.
pub fn inherited(fd: &impl AsRawFd) -> String {
    format!("/dev/fd/{}", fd.as_raw_fd())
}

/// Lets a descriptor be inherited. Async-signal-safe, for use between fork and
/// exec.
///
/// # Errors
/// As fcntl(2).
pub fn keep_across_exec(number: i32) -> io::Result<()> {
    // SAFETY: the descriptor is open in the child as it is in the parent.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(())
}
