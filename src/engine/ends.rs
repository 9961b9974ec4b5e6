//! Both ends of whatever carries the bytes.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::unistd::pipe2;

use crate::pty::{self, End, FillLimits, Mode, Pair};
use crate::workload::{Channel, Direction, Settings, Stream};

/// A pty's two ends, or those of a yardstick in their place.
pub enum Ends {
    Pty(Pair),
    Yardstick { master: OwnedFd, slave: OwnedFd },
}

impl Ends {
    /// Opens a new one.
    pub fn open(channel: Channel, settings: &Settings) -> pty::Result<Self> {
        match channel {
            Channel::Pty => Pair::open(settings.mode).map(Self::Pty),
            Channel::Pipe => Self::open_pipe(settings.direction),
            Channel::Socketpair => {
                let (stream, flags) = (SockType::Stream, SockFlag::SOCK_CLOEXEC);
                let (master, slave) = socketpair(AddressFamily::Unix, stream, None, flags)
                    .map_err(|errno| refused("a socketpair", errno))?;
                Ok(Self::Yardstick { master, slave })
            }
        }
    }

    fn open_pipe(direction: Direction) -> pty::Result<Self> {
        let (read, write) = pipe2(OFlag::O_CLOEXEC).map_err(|errno| refused("a pipe", errno))?;
        let (master, slave) = match direction {
            Direction::MasterToSlave => (write, read),
            _ => (read, write),
        };
        Ok(Self::Yardstick { master, slave })
    }

    /// The descriptor of one end.
    pub fn fd(&self, end: End) -> BorrowedFd<'_> {
        match (self, end) {
            (Self::Pty(pair), end) => pair.fd(end),
            (Self::Yardstick { master, .. }, End::Master) => master.as_fd(),
            (Self::Yardstick { slave, .. }, End::Slave) => slave.as_fd(),
        }
    }

    /// The line discipline's mode; None where there is none.
    pub fn mode(&self) -> Option<pty::Result<Mode>> {
        match self {
            Self::Pty(pair) => Some(Mode::of(pair.fd(End::Master))),
            Self::Yardstick { .. } => None,
        }
    }

    /// Fills a pty from `from` with the beginning of `stream` until it takes no
    /// more, without blocking: how many bytes it took.
    pub fn fill(&self, from: End, stream: &Stream) -> pty::Result<u64> {
        /// The 2012 benchmark's.
        const CHUNK: usize = 256;
        let limits = FillLimits {
            // Far more than any kernel's pty takes, 136192 bytes.
            max_bytes: 1 << 18,
            deadline: Duration::from_secs(1),
            // The last few bytes do not matter here.
            patience: Duration::from_millis(2),
        };
        let Self::Pty(pair) = self else { return Ok(0) };
        let mut payload = |offset: u64, buffer: &mut [u8]| {
            let position = (offset % stream.sent.period().max(1) as u64) as usize;
            buffer.copy_from_slice(stream.sent.at(position, buffer.len()));
        };
        let filled = pty::fill(pair, from, CHUNK, limits, &mut payload)?;
        Ok(filled.accepted)
    }
}

fn refused(what: &str, errno: Errno) -> pty::Error {
    pty::Error::new("open", what, errno)
}
