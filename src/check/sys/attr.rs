//! termios(3), with the flags as the kernel has them.

use nix::errno::Errno;
use nix::libc;

use super::{Effect, Fd, Sys, bend};

/// The settings of a terminal.
#[derive(Clone, Copy)]
pub struct Attr(pub libc::termios);

impl std::fmt::Debug for Attr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let t = &self.0;
        write!(
            f,
            "iflag {:o} oflag {:o} cflag {:o} lflag {:o} cc {:?}",
            t.c_iflag,
            t.c_oflag,
            t.c_cflag,
            t.c_lflag,
            &t.c_cc[..17]
        )
    }
}

impl PartialEq for Attr {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.0, &other.0);
        (a.c_iflag, a.c_oflag, a.c_cflag, a.c_lflag, a.c_cc)
            == (b.c_iflag, b.c_oflag, b.c_cflag, b.c_lflag, b.c_cc)
    }
}

impl Attr {
    /// What cfmakeraw(3) makes of it.
    pub fn raw(mut self) -> Self {
        // SAFETY: cfmakeraw changes the one structure it is given.
        unsafe { libc::cfmakeraw(&mut self.0) };
        self
    }

    /// With local flags on or off.
    pub fn lflag(mut self, flags: libc::tcflag_t, on: bool) -> Self {
        put(&mut self.0.c_lflag, flags, on);
        self
    }

    /// With input flags on or off.
    pub fn iflag(mut self, flags: libc::tcflag_t, on: bool) -> Self {
        put(&mut self.0.c_iflag, flags, on);
        self
    }

    /// With output flags on or off.
    pub fn oflag(mut self, flags: libc::tcflag_t, on: bool) -> Self {
        put(&mut self.0.c_oflag, flags, on);
        self
    }

    /// With a control character set.
    pub fn cc(mut self, which: usize, value: u8) -> Self {
        if let Some(slot) = self.0.c_cc.get_mut(which) {
            *slot = value;
        }
        self
    }
}

fn put(field: &mut libc::tcflag_t, flags: libc::tcflag_t, on: bool) {
    *field = if on { *field | flags } else { *field & !flags };
}

impl Sys {
    /// tcgetattr(3).
    pub fn attr(&self, fd: &Fd) -> nix::Result<Attr> {
        let effect = self.effect("tcgetattr", fd.role());
        if let Some(Effect::Errno(errno)) = effect {
            return Err(Errno::from_raw(errno));
        }
        // SAFETY: all-zero is a valid termios, and tcgetattr fills the one it is given.
        let mut attr = unsafe { std::mem::zeroed::<libc::termios>() };
        // SAFETY: as above.
        Errno::result(unsafe { libc::tcgetattr(fd.raw(), &mut attr) })?;
        if let Some(Effect::Bits { field, set, clear }) = effect {
            let flag = |value: &mut libc::tcflag_t| *value = bend((*value).into(), set, clear) as _;
            match field.as_str() {
                "iflag" => flag(&mut attr.c_iflag),
                "oflag" => flag(&mut attr.c_oflag),
                "cflag" => flag(&mut attr.c_cflag),
                "lflag" => flag(&mut attr.c_lflag),
                "cc" => attr.c_cc[0] = bend(attr.c_cc[0].into(), set, clear) as _,
                _ => {}
            }
        }
        Ok(Attr(attr))
    }

    /// tcsetattr(3) with TCSANOW, TCSADRAIN or TCSAFLUSH. A fault that changes
    /// bits changes what is really set.
    pub fn set_attr(&self, fd: &Fd, when: i32, attr: &Attr) -> nix::Result<()> {
        let mut attr = *attr;
        match self.effect("tcsetattr", fd.role()) {
            Some(Effect::Errno(errno)) => return Err(Errno::from_raw(errno)),
            Some(Effect::Return(_)) => return Ok(()),
            Some(Effect::Bits { field, set, clear }) => {
                let flag = |value: libc::tcflag_t| bend(value.into(), set, clear) as libc::tcflag_t;
                let t = &mut attr.0;
                match field.as_str() {
                    "iflag" => t.c_iflag = flag(t.c_iflag),
                    "oflag" => t.c_oflag = flag(t.c_oflag),
                    "lflag" => t.c_lflag = flag(t.c_lflag),
                    _ => {}
                }
            }
            _ => {}
        }
        // SAFETY: tcsetattr reads the one structure it is given.
        Errno::result(unsafe { libc::tcsetattr(fd.raw(), when, &attr.0) }).map(drop)
    }
}
