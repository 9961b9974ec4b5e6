//! Every call that a check makes to the kernel.
//!
//! [`Sys`] passes the calls on and hands back the kernel's answers as they are.
//! Given [`Fault`]s, it alters them; without any, which is every run but those
//! of the tests, the cost is one look at an empty list.

mod attr;
mod fault;
mod io;
mod ioctl;
mod signal;
mod wait;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

pub use attr::Attr;
pub use fault::{Effect, Fault};
pub use io::Stat;
pub use ioctl::Req;
pub(super) use ioctl::req;
pub use signal::Signals;
pub use wait::{ERR, HUP, IN, OUT, PRI};

use fault::Armed;

/// What a descriptor is to a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The master of a pty.
    Master,
    /// A slave.
    Slave,
    /// `/dev/tty`.
    Tty,
    /// Anything else, or no descriptor at all.
    Other,
}

/// An open descriptor and what it is.
#[derive(Debug)]
pub struct Fd {
    fd: OwnedFd,
    role: Role,
}

impl Fd {
    /// A descriptor in its role.
    pub fn new(fd: OwnedFd, role: Role) -> Self {
        Self { fd, role }
    }

    /// Its number.
    pub fn raw(&self) -> i32 {
        self.fd.as_raw_fd()
    }

    /// Its role.
    pub fn role(&self) -> Role {
        self.role
    }
}

impl AsFd for Fd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The kernel, as a check sees it.
#[derive(Debug, Default)]
pub struct Sys {
    /// None without faults.
    faults: Option<Mutex<Vec<Armed>>>,
}

impl Sys {
    /// The kernel with its answers altered by `faults`.
    pub fn new(faults: Vec<Fault>) -> Self {
        let armed: Vec<_> = faults
            .into_iter()
            .map(|fault| Armed { fault, seen: 0 })
            .collect();
        Self {
            faults: (!armed.is_empty()).then(|| Mutex::new(armed)),
        }
    }

    /// What shall become of the answer to this call.
    fn effect(&self, call: &str, role: Role) -> Option<Effect> {
        let mut faults = self.faults.as_ref()?.lock().ok()?;
        let effect = faults.iter_mut().find_map(|armed| armed.strike(call, role));
        drop(faults);
        match effect {
            Some(Effect::Hang) => loop {
                nix::unistd::pause();
            },
            Some(Effect::Die) => std::process::abort(),
            other => other,
        }
    }

    /// Makes a call whose answer is one number.
    pub fn call(
        &self,
        name: &str,
        role: Role,
        make: impl FnOnce() -> nix::Result<i64>,
    ) -> nix::Result<i64> {
        match self.effect(name, role) {
            Some(Effect::Errno(errno)) => Err(Errno::from_raw(errno)),
            Some(Effect::Return(value)) => Ok(value),
            Some(Effect::Value(value)) => make().map(|_| value),
            Some(Effect::Add(more)) => make().map(|value| value + more),
            _ => make(),
        }
    }
}

impl Sys {
    /// Nanoseconds since `start`.
    pub fn elapsed(&self, start: std::time::Instant) -> u64 {
        let made = self.call("elapsed", Role::Other, || {
            Ok(i64::try_from(start.elapsed().as_nanos()).unwrap_or(i64::MAX))
        });
        made.map_or(0, |ns| u64::try_from(ns).unwrap_or(0))
    }

    /// Nanoseconds of a timer tick: the resolution of the coarse clock, which
    /// advances by ticks.
    pub fn tick(&self) -> Option<u64> {
        let made = self.call("tick", Role::Other, || {
            let clock = nix::time::ClockId::CLOCK_MONOTONIC_COARSE;
            nix::time::clock_getres(clock)
                .map(|time| time.tv_sec() * 1_000_000_000 + time.tv_nsec())
        });
        made.ok()
            .and_then(|ns| u64::try_from(ns).ok())
            .filter(|&ns| ns > 0)
    }
}

/// Sets and clears `bits` of an answer's field.
fn bend(value: u64, set: u64, clear: u64) -> u64 {
    (value | set) & !clear
}
