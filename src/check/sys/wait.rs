//! Waiting: poll, select and epoll.

use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::epoll::{Epoll, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::select::{FdSet, select};
use nix::sys::time::{TimeVal, TimeValLike};

use super::{Effect, Fd, Role, Sys, bend};

/// Readable.
pub const IN: i16 = PollFlags::POLLIN.bits();
/// Writable.
pub const OUT: i16 = PollFlags::POLLOUT.bits();
/// A control byte of packet mode is waiting.
pub const PRI: i16 = PollFlags::POLLPRI.bits();
/// The other end is gone.
pub const HUP: i16 = PollFlags::POLLHUP.bits();
/// Hung up.
pub const ERR: i16 = PollFlags::POLLERR.bits();

/// Milliseconds, rounded up so that a short wait is not a busy one.
fn ms(time: Duration) -> i32 {
    i32::try_from(time.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
}

fn poll_timeout(time: Duration) -> PollTimeout {
    PollTimeout::try_from(ms(time)).unwrap_or(PollTimeout::MAX)
}

fn epoll_timeout(time: Duration) -> EpollTimeout {
    EpollTimeout::try_from(ms(time)).unwrap_or(EpollTimeout::MAX)
}

impl Sys {
    /// poll(2) of one descriptor; 0 when nothing came in `time`.
    pub fn poll(&self, fd: &Fd, events: i16, time: Duration) -> nix::Result<i16> {
        let effect = self.effect("poll", fd.role());
        if let Some(Effect::Errno(errno)) = effect {
            return Err(Errno::from_raw(errno));
        }
        let mut fds = [PollFd::new(fd.as_fd(), PollFlags::from_bits_retain(events))];
        match poll(&mut fds, poll_timeout(time)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
        let revents = fds[0].revents().map_or(0, |flags| flags.bits());
        Ok(match effect {
            Some(Effect::Bits { set, clear, .. }) => bend(revents as u64, set, clear) as i16,
            _ => revents,
        })
    }

    /// poll(2) of two descriptors at once.
    pub fn poll_both(
        &self,
        one: (&Fd, i16),
        two: (&Fd, i16),
        time: Duration,
    ) -> nix::Result<(i16, i16)> {
        let flags = PollFlags::from_bits_retain;
        let mut fds = [
            PollFd::new(one.0.as_fd(), flags(one.1)),
            PollFd::new(two.0.as_fd(), flags(two.1)),
        ];
        match poll(&mut fds, poll_timeout(time)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
        let bits = |fd: &PollFd<'_>| fd.revents().map_or(0, |flags| flags.bits());
        Ok((bits(&fds[0]), bits(&fds[1])))
    }

    /// select(2) of one descriptor: readable, writable.
    pub fn select(&self, fd: &Fd, time: Duration) -> nix::Result<(bool, bool)> {
        let effect = self.effect("select", fd.role());
        let (mut readable, mut writable) = (FdSet::new(), FdSet::new());
        readable.insert(fd.as_fd());
        writable.insert(fd.as_fd());
        let mut timeout = TimeVal::milliseconds(ms(time).into());
        select(None, &mut readable, &mut writable, None, &mut timeout)?;
        let found = (readable.contains(fd.as_fd()), writable.contains(fd.as_fd()));
        Ok(match effect {
            Some(Effect::Value(bits)) => (bits & 1 != 0, bits & 2 != 0),
            _ => found,
        })
    }

    /// A new epoll that watches one descriptor.
    pub fn epoll(&self, fd: &Fd, events: EpollFlags) -> nix::Result<Epoll> {
        let epoll = Epoll::new(nix::sys::epoll::EpollCreateFlags::EPOLL_CLOEXEC)?;
        epoll.add(fd, EpollEvent::new(events, 0))?;
        Ok(epoll)
    }

    /// What an epoll of one descriptor reports within `time`.
    pub fn epoll_wait(&self, epoll: &Epoll, time: Duration) -> nix::Result<EpollFlags> {
        let effect = self.effect("epoll_wait", Role::Other);
        let mut events = [EpollEvent::empty()];
        let n = epoll.wait(&mut events, epoll_timeout(time))?;
        let found = if n == 0 {
            EpollFlags::empty()
        } else {
            events[0].events()
        };
        Ok(match effect {
            Some(Effect::Bits { set, clear, .. }) => {
                EpollFlags::from_bits_retain(bend(found.bits() as u64, set, clear) as i32)
            }
            _ => found,
        })
    }
}
