//! Waiting for whatever comes first, at no cost while nothing does.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

/// Where the kernel has no inotify (or no more of it for us), closed slaves
/// are looked at this often.
pub const WITHOUT_INOTIFY_NS: u64 = 50_000_000;

/// What a wait is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interest {
    pub input: bool,
    pub output: bool,
}

/// What came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ready {
    pub input: bool,
    pub output: bool,
    /// A status byte of packet mode is among the input.
    pub status: bool,
    pub hung_up: bool,
}

/// A descriptor's place in a wait; without interest it is left out, since
/// poll(2) tells of a hangup whether asked or not.
pub fn entry(fd: BorrowedFd<'_>, interest: Option<Interest>) -> libc::pollfd {
    let Some(interest) = interest else {
        return LEFT_OUT;
    };
    let mut events = 0;
    // POLLPRI: a status byte of packet mode is there.
    events |= if interest.input {
        libc::POLLIN | libc::POLLPRI
    } else {
        libc::POLLPRI
    };
    events |= if interest.output { libc::POLLOUT } else { 0 };
    libc::pollfd {
        fd: fd.as_raw_fd(),
        events,
        revents: 0,
    }
}

/// A place that poll(2) skips.
pub const LEFT_OUT: libc::pollfd = libc::pollfd {
    fd: -1 as RawFd,
    events: 0,
    revents: 0,
};

/// What poll(2) said of `entry`.
pub fn ready(entry: &libc::pollfd) -> Ready {
    let has = |bits| entry.revents & bits != 0;
    Ready {
        input: has(libc::POLLIN | libc::POLLPRI),
        output: has(libc::POLLOUT),
        status: has(libc::POLLPRI),
        hung_up: has(libc::POLLHUP | libc::POLLERR | libc::POLLNVAL),
    }
}

/// Waits until an entry is ready, or at most `timeout_ns`; whether one is.
///
/// # Errors
/// ENOMEM; a signal only ends the wait.
pub fn wait(entries: &mut [libc::pollfd], timeout_ns: Option<u64>) -> Result<bool, Errno> {
    let timeout = timeout_ns.map(|ns| libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as _,
    });
    let timeout = timeout.as_ref().map_or(std::ptr::null(), |timeout| {
        std::ptr::from_ref::<libc::timespec>(timeout)
    });
    // SAFETY: ppoll reads and writes the entries, which are as many as we say,
    // and reads the timespec, which outlives the call; no signal mask is given.
    let result = unsafe {
        libc::ppoll(
            entries.as_mut_ptr(),
            entries.len() as libc::nfds_t,
            timeout,
            std::ptr::null(),
        )
    };
    match Errno::result(result) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => {
            entries.iter_mut().for_each(|entry| entry.revents = 0);
            Ok(false)
        }
        Err(errno) => Err(errno),
    }
}

/// Tells when somebody opens a slave, or takes a name of it away. A master
/// whose slave nobody has open cannot be waited on, for its POLLHUP would end
/// every wait at once; the node in devpts has inotify(7) events like any file.
pub struct Doorbell {
    inotify: Option<(Inotify, [WatchDescriptor; 2])>,
}

/// What somebody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// Who may have opened which slave.
    pub opened: [bool; 2],
    /// Something may have happened to a name.
    pub names: bool,
}

impl Rung {
    /// Everything that could be.
    pub const ALL: Self = Self {
        opened: [true; 2],
        names: true,
    };
}

impl Doorbell {
    /// Watches the two slaves; deaf where the kernel has no inotify for us.
    pub fn new(slaves: [&Path; 2]) -> Self {
        let watch = || {
            let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
            let [a, b] = slaves.map(|slave| inotify.add_watch(slave, AddWatchFlags::IN_OPEN));
            Ok::<_, Errno>((inotify, [a?, b?]))
        };
        Self {
            inotify: watch().ok(),
        }
    }

    /// Watches what is at `name` now: the symlink itself, not its directory, for
    /// what others do there is no news.
    pub fn watch_name(&self, name: &Path) {
        if let Some((inotify, _)) = &self.inotify {
            let happens = AddWatchFlags::IN_ATTRIB
                | AddWatchFlags::IN_DELETE_SELF
                | AddWatchFlags::IN_MOVE_SELF;
            // Where nothing is, or nothing that we may watch, nothing is heard.
            let _ = inotify.add_watch(name, happens | AddWatchFlags::IN_DONT_FOLLOW);
        }
    }

    /// Its place in a wait.
    pub fn entry(&self) -> libc::pollfd {
        use std::os::fd::AsFd;
        self.inotify.as_ref().map_or(LEFT_OUT, |(inotify, _)| {
            entry(
                inotify.as_fd(),
                Some(Interest {
                    input: true,
                    output: false,
                }),
            )
        })
    }

    /// Whether it never tells anything.
    pub fn is_deaf(&self) -> bool {
        self.inotify.is_none()
    }

    /// What has happened since the last call; everything where that is not
    /// known.
    pub fn answered(&self) -> Rung {
        let Some((inotify, slaves)) = &self.inotify else {
            return Rung::ALL;
        };
        let mut rung = Rung {
            opened: [false; 2],
            names: false,
        };
        while let Ok(events) = inotify.read_events() {
            for event in events {
                if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
                    rung = Rung::ALL;
                }
                for (opened, slave) in rung.opened.iter_mut().zip(slaves) {
                    *opened |= event.wd == *slave;
                }
                rung.names |= !slaves.contains(&event.wd);
            }
        }
        rung
    }
}
