//! O_NONBLOCK for a while.

use std::os::fd::BorrowedFd;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::name;
use crate::pty::{End, Error, Result};

/// O_NONBLOCK for as long as it lives, if it was not set before.
pub(super) struct NonBlocking<'fd> {
    fd: BorrowedFd<'fd>,
    before: OFlag,
}

impl<'fd> NonBlocking<'fd> {
    pub(super) fn set(fd: BorrowedFd<'fd>, end: End) -> Result<Self> {
        let failed = |errno| Error::new("set O_NONBLOCK on", name(end), errno);
        let before = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL).map_err(failed)?);
        fcntl(fd, FcntlArg::F_SETFL(before | OFlag::O_NONBLOCK)).map_err(failed)?;
        Ok(Self { fd, before })
    }
}

impl Drop for NonBlocking<'_> {
    fn drop(&mut self) {
        // It was set a moment ago, so it can be set back.
        let _ = fcntl(self.fd, FcntlArg::F_SETFL(self.before));
    }
}
