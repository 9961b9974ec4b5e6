//! Processes that take part in a check: a shell and its jobs, a program that
//! prints and exits, another session.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use super::expect::{self, ok};
use super::patience::Patience;
use super::place::Place;
use super::{Cx, Stop, Verdict};

/// One side of a conversation between two processes of a check.
#[derive(Debug)]
pub(super) struct Link(OwnedFd);

const VERDICT: u8 = 0xff;

impl Link {
    /// Both sides of a conversation that does not follow a fork.
    pub(super) fn pair() -> Result<(Self, Self), Stop> {
        let pair = socketpair(
            AddressFamily::Unix,
            SockType::SeqPacket,
            None,
            SockFlag::SOCK_CLOEXEC,
        );
        ok("socketpair", pair).map(|(one, other)| (Self(one), Self(other)))
    }

    /// Sends the verdict that ends the conversation.
    pub(super) fn end(&self, result: &Result<(), Stop>) {
        let verdict: Verdict = result.clone().map(|()| None);
        let mut packet = vec![VERDICT];
        if serde_json::to_writer(&mut packet, &verdict).is_ok() {
            let _ = send(self.0.as_raw_fd(), &packet, MsgFlags::MSG_NOSIGNAL);
        }
    }

    /// Sends a word of one byte.
    pub(super) fn tell(&self, word: u8) -> Result<(), Stop> {
        ok(
            "send to a process of the check",
            send(self.0.as_raw_fd(), &[word], MsgFlags::MSG_NOSIGNAL),
        )
        .map(drop)
    }

    fn packet(&self, deadline: Duration) -> Result<Vec<u8>, Stop> {
        let mut patience = Patience::new(deadline);
        let mut fds = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
        loop {
            let late = patience.over();
            let time = PollTimeout::try_from(patience.slice()).unwrap_or(PollTimeout::ZERO);
            if poll(&mut fds, time).unwrap_or(0) > 0 {
                break;
            }
            if late {
                return Err(Stop::fail(
                    format!("a word from a process of the check within {deadline:?}"),
                    "none",
                ));
            }
        }
        let mut buffer = vec![0; 8192];
        let n = ok(
            "receive from a process of the check",
            recv(self.0.as_raw_fd(), &mut buffer, MsgFlags::empty()),
        )?;
        buffer.truncate(n);
        Ok(buffer)
    }

    /// The next word; a verdict in its place ends the check with it.
    pub(super) fn hear(&self, cx: &Cx) -> Result<u8, Stop> {
        let packet = self.packet(cx.deadline * 2)?;
        match packet.split_first() {
            Some((&VERDICT, rest)) => {
                verdict(rest)?;
                Err(Stop::fail("a word", "the process ended without one"))
            }
            Some((&word, _)) => Ok(word),
            None => Err(Stop::fail("a word", "the process died")),
        }
    }
}

fn verdict(text: &[u8]) -> Result<(), Stop> {
    let verdict: Verdict = serde_json::from_slice(text)
        .map_err(|error| Stop::fail("a verdict from a process of the check", error.to_string()))?;
    verdict.map(drop)
}

/// A process of a check, killed when it is no longer needed.
#[derive(Debug)]
pub(super) struct Child {
    pub(super) pid: Pid,
    pub(super) link: Link,
    gone: bool,
}

impl Cx {
    /// Runs `body` in a child process, which inherits all descriptors.
    pub(super) fn fork(
        &self,
        body: impl FnOnce(&Self, &Link) -> Result<(), Stop>,
    ) -> Result<Child, Stop> {
        let (ours, theirs) = Link::pair()?;
        let parent = Pid::this();
        // SAFETY: the process of a check has one thread when it forks.
        match unsafe { fork() } {
            Ok(ForkResult::Parent { child }) => Ok(Child {
                pid: child,
                link: ours,
                gone: false,
            }),
            Ok(ForkResult::Child) => {
                drop(ours);
                if crate::host::die_with(parent).is_ok() {
                    theirs.end(&expect::run(|| body(self, &theirs)));
                }
                // SAFETY: _exit takes a number and does not return.
                unsafe { libc::_exit(0) }
            }
            Err(errno) => Err(Stop::Env(format!("fork: {errno:?}"))),
        }
    }

    /// Runs `body` in a child process that leads a session of its own.
    pub(super) fn session(
        &self,
        body: impl FnOnce(&Self, &Link) -> Result<(), Stop>,
    ) -> Result<Child, Stop> {
        self.fork(|cx, link| {
            ok("setsid", nix::unistd::setsid())?;
            body(cx, link)
        })
    }
}

impl Child {
    /// Lets it live on without this process.
    pub(super) fn leave(mut self) {
        self.gone = true;
    }

    /// Waits for its verdict and its end.
    pub(super) fn join(mut self, cx: &Cx) -> Result<(), Stop> {
        let packet = self
            .link
            .packet(cx.deadline * 2)
            .map_err(|stop| self.at(stop))?;
        match packet.split_first() {
            Some((&VERDICT, rest)) => verdict(rest)?,
            Some(_) => return Err(Stop::fail("the end of a process", "an unexpected word")),
            None => return Err(Stop::fail("a verdict", "the process died without one")),
        }
        self.wait(cx).map(drop)
    }

    /// Waits until it is dead.
    pub(super) fn wait(&mut self, cx: &Cx) -> Result<WaitStatus, Stop> {
        let status = self.state(
            cx,
            "the death of a process",
            WaitPidFlag::empty(),
            |status| matches!(status, WaitStatus::Exited(..) | WaitStatus::Signaled(..)),
        )?;
        self.gone = true;
        Ok(status)
    }

    /// Waits until it is stopped, and returns by which signal; none when it
    /// ended instead.
    pub(super) fn stopped(&self, cx: &Cx) -> Result<Option<Signal>, Stop> {
        let status = self.state(cx, "a stopped process", WaitPidFlag::WUNTRACED, |status| {
            !matches!(status, WaitStatus::StillAlive)
        })?;
        Ok(match status {
            WaitStatus::Stopped(_, signal) => Some(signal),
            _ => None,
        })
    }

    fn state(
        &self,
        cx: &Cx,
        what: &str,
        flags: WaitPidFlag,
        wanted: impl Fn(&WaitStatus) -> bool,
    ) -> Result<WaitStatus, Stop> {
        let reached = cx.until(what, || {
            let status = ok(
                "waitpid",
                waitpid(self.pid, Some(flags | WaitPidFlag::WNOHANG)),
            )?;
            Ok(if wanted(&status) {
                Ok(status)
            } else {
                Err(format!("{status:?}"))
            })
        });
        reached.map_err(|stop| self.at(stop))
    }

    /// The failure with where the process is now.
    fn at(&self, stop: Stop) -> Stop {
        match (
            stop,
            u32::try_from(self.pid.as_raw()).ok().and_then(Place::of),
        ) {
            (Stop::Fail { expected, got }, Some(place)) => {
                Stop::fail(expected, format!("{got}; {place}"))
            }
            (stop, _) => stop,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.gone {
            return;
        }
        let _ = kill(self.pid, Signal::SIGKILL);
        let mut patience = Patience::new(Duration::from_secs(1));
        while !patience.over() {
            match waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => patience.nap(),
                Err(Errno::EINTR) => {}
                _ => return,
            }
        }
    }
}
