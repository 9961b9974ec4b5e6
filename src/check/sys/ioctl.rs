//! ioctl requests by name, and the three ways in which they take an argument.

use nix::errno::Errno;
use nix::libc;

use super::{Effect, Fd, Sys};

/// An ioctl request and its name in ioctl_tty(2).
#[derive(Debug, Clone, Copy)]
pub struct Req {
    /// As in the header.
    pub name: &'static str,
    /// The number.
    pub number: u64,
}

/// The requests of ioctl_tty(2) that checks make.
pub(in crate::check) mod req {
    use super::Req;
    use nix::libc;

    macro_rules! requests {
        ($($name:ident)*) => {
            $(pub const $name: Req = Req { name: stringify!($name), number: libc::$name as u64 };)*
        };
    }

    requests! {
        FIONREAD TCFLSH TCSBRK TCXONC TIOCEXCL TIOCGEXCL TIOCGICOUNT TIOCGPGRP
        TIOCGPTLCK TIOCGPTN TIOCGPTPEER TIOCGSERIAL TIOCGWINSZ TIOCMBIS
        TIOCMGET TIOCNOTTY TIOCNXCL TIOCPKT TIOCSCTTY TIOCSIG TIOCSPGRP
        TIOCSPTLCK TIOCSTI TIOCSWINSZ TIOCVHANGUP TCGETS TCGETS2 TCSETS2
    }

    /// No driver knows this one.
    pub const UNKNOWN: Req = Req {
        name: "UNKNOWN",
        number: nix::request_code_none!(b'T', 0xfe),
    };
}

fn raw(fd: &Fd, request: Req, argument: usize) -> nix::Result<i64> {
    // SAFETY: the callers below pass either a number or a pointer that is valid
    // for what the request reads and writes.
    let result = unsafe { libc::ioctl(fd.raw(), request.number as _, argument) };
    Errno::result(result).map(i64::from)
}

impl Sys {
    /// A request that takes a number.
    pub fn ioctl(&self, fd: &Fd, request: Req, argument: i32) -> nix::Result<i64> {
        self.call(request.name, fd.role(), || {
            raw(fd, request, argument as usize)
        })
    }

    /// A request that points to an int, which it reads or writes; returns the int.
    pub fn ioctl_int(&self, fd: &Fd, request: Req, mut value: i32) -> nix::Result<i32> {
        let pointer = std::ptr::from_mut(&mut value) as usize;
        let result = self.call(request.name, fd.role(), || {
            raw(fd, request, pointer)?;
            // SAFETY: `pointer` is that of `value`, alive and written by the kernel.
            Ok(i64::from(unsafe { *(pointer as *const i32) }))
        })?;
        Ok(result as i32)
    }

    /// A request that points to a structure of the kernel's interface.
    pub fn ioctl_ptr<T: Copy>(&self, fd: &Fd, request: Req, value: &mut T) -> nix::Result<i64> {
        let pointer = std::ptr::from_mut(value) as usize;
        self.call(request.name, fd.role(), || raw(fd, request, pointer))
    }

    /// A request with a pointer to nowhere.
    pub fn ioctl_null(&self, fd: &Fd, request: Req) -> nix::Result<i64> {
        self.call(request.name, fd.role(), || raw(fd, request, 0))
    }

    /// TIOCGPTPEER: a new descriptor of the slave.
    pub fn peer(&self, fd: &Fd, flags: i32) -> nix::Result<Fd> {
        use std::os::fd::{FromRawFd, OwnedFd};
        if let Some(Effect::Errno(errno)) = self.effect("TIOCGPTPEER", fd.role()) {
            return Err(Errno::from_raw(errno));
        }
        let new = raw(fd, req::TIOCGPTPEER, flags as usize)?;
        // SAFETY: the kernel just returned this descriptor, so nobody else owns it.
        let owned = unsafe { OwnedFd::from_raw_fd(new as i32) };
        Ok(Fd::new(owned, super::Role::Slave))
    }
}
