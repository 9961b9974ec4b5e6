//! The workers of one workload: starting them, giving orders, and ending them
//! wherever they are.

use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::thread::JoinHandleExt;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::Ordering::Acquire;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::pthread::pthread_kill;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use crate::pty;
use crate::workload::Streams;

use super::ends::Ends;
use super::files::OwnFile;
use super::futex;
use super::orders::{Order, announce, is_seen};
use super::peer;
use super::shared::{Header, Shared, Slot};
use super::signal::INTERRUPT;
use super::status::State;
use super::worker::{Assignment, run};

/// How long a worker may take to start, or to end once told to.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// A worker, as the engine sees it.
pub struct Member {
    /// What it was told before it started.
    pub assignment: Assignment,
    shared: Arc<Shared>,
    body: Body,
}

enum Body {
    Thread(Option<JoinHandle<()>>),
    Process(Child),
}

/// All workers of one workload. Dropping it ends them at once.
pub struct Crew {
    shared: Arc<Shared>,
    members: Vec<Member>,
}

impl Crew {
    /// Memory for `slots` workers, none of which runs yet.
    pub fn new(slots: usize) -> pty::Result<Self> {
        super::signal::let_interrupt()?;
        Ok(Self {
            shared: Arc::new(Shared::new(slots)?),
            members: Vec::with_capacity(slots),
        })
    }

    /// Starts a worker in a thread, at the end of `ends` that it is assigned.
    pub fn add_thread(
        &mut self,
        assignment: Assignment,
        streams: &Streams,
        ends: &Arc<Ends>,
    ) -> pty::Result<()> {
        let fail = |error: std::io::Error| {
            let errno = Errno::from_raw(error.raw_os_error().unwrap_or(0));
            pty::Error::new("start a thread for", "a worker", errno)
        };
        let ends = Arc::clone(ends);
        let shared = Arc::clone(&self.shared);
        let name = format!("{:?}", assignment.role).to_lowercase();
        let work = assignment.clone();
        let streams = streams.clone();
        let thread = std::thread::Builder::new()
            .name(name)
            .spawn(move || match OwnFile::take(ends.fd(work.end)) {
                Ok(file) => run(&work, &streams, &shared, file.as_fd()),
                Err(errno) => {
                    let status = &shared.slot(work.slot).status;
                    status.report(shared.header(), State::Failed(errno));
                }
            })
            .map_err(fail)?;
        self.push(assignment, Body::Thread(Some(thread)));
        Ok(())
    }

    /// Starts a worker in a process of its own.
    pub fn add_process(
        &mut self,
        program: &Path,
        assignment: Assignment,
        fd: BorrowedFd<'_>,
    ) -> pty::Result<()> {
        let child = peer::spawn(program, &assignment, &self.shared, fd)?;
        self.push(assignment, Body::Process(child));
        Ok(())
    }

    fn push(&mut self, assignment: Assignment, body: Body) {
        self.members.push(Member {
            assignment,
            shared: Arc::clone(&self.shared),
            body,
        });
    }

    /// The workers, by slot.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What all workers look at.
    pub fn header(&self) -> &Header {
        self.shared.header()
    }

    /// Makes all workers look at their orders and publish what they used, and
    /// gives those that are not blocked a moment for it.
    pub fn tick(&self) {
        const MOMENT: Duration = Duration::from_millis(1);
        announce(self.header());
        let until = Instant::now() + MOMENT;
        // At speed a worker makes its next call within a few microseconds.
        let mut nap = MOMENT / 200;
        while Instant::now() < until
            && self
                .members
                .iter()
                .any(|m| !m.slot().status.state().has_ended() && !is_seen(self.header(), m.slot()))
        {
            std::thread::sleep(nap);
            nap = (2 * nap).min(MOMENT / 20);
        }
    }

    /// Waits until `done` or the end of `patience`; `true` when done. Looks
    /// whenever a worker has something to tell, and now and then besides: a
    /// worker that was killed tells nothing.
    pub fn wait_until(&self, patience: Duration, done: impl Fn(&Self) -> bool) -> bool {
        let until = Instant::now() + patience;
        loop {
            let events = self.header().events.load(Acquire);
            if done(self) {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            futex::wait(
                &self.header().events,
                events,
                left.min(Duration::from_millis(20)),
            );
        }
    }

    /// Ends those workers that `which` names, as their orders say, wherever
    /// they are blocked; `false` when one did not end in `patience`.
    pub fn end(&self, patience: Duration, which: impl Fn(&Member) -> bool) -> bool {
        announce(self.header());
        let until = Instant::now() + patience;
        loop {
            let mut all = true;
            for member in self.members.iter().filter(|m| which(m)) {
                if !member.has_ended() {
                    all = false;
                    member.interrupt();
                }
            }
            if all || Instant::now() >= until {
                return all;
            }
            let events = self.header().events.load(Acquire);
            futex::wait(&self.header().events, events, Duration::from_millis(1));
        }
    }
}

impl Member {
    /// Its part of the shared memory.
    pub fn slot(&self) -> &Slot {
        self.shared.slot(self.assignment.slot)
    }

    /// Gives it an order; see [`announce`].
    pub fn give(&self, order: &Order) {
        self.slot().orders.give(order);
    }

    /// Whether it is a thread of this process.
    pub fn is_thread(&self) -> bool {
        matches!(self.body, Body::Thread(_))
    }

    /// Its thread, as the kernel numbers it.
    pub fn thread_id(&self) -> i32 {
        self.slot().status.thread_id.load(Acquire) as i32
    }

    /// Whether it has ended, by its own word or because it is gone.
    pub fn has_ended(&self) -> bool {
        self.slot().status.state().has_ended() || self.is_gone()
    }

    /// Whether it has ended without having said so: it panicked or was killed.
    pub fn has_died(&self) -> bool {
        self.is_gone() && !self.slot().status.state().has_ended()
    }

    fn is_gone(&self) -> bool {
        match &self.body {
            Body::Thread(thread) => thread.as_ref().is_none_or(JoinHandle::is_finished),
            Body::Process(child) => is_zombie(child),
        }
    }

    fn interrupt(&self) {
        // A worker that ended meanwhile cannot be signalled, and need not be.
        let _ = match &self.body {
            Body::Thread(Some(thread)) => pthread_kill(thread.as_pthread_t(), INTERRUPT),
            Body::Thread(None) => Ok(()),
            Body::Process(_) if self.slot().status.state() == State::Starting => Ok(()),
            Body::Process(child) => kill(Pid::from_raw(child.id() as i32), INTERRUPT),
        };
    }
}

/// Whether the child has ended; it stays to be waited for.
fn is_zombie(child: &Child) -> bool {
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let status = waitid(Id::Pid(Pid::from_raw(child.id() as i32)), flags);
    !matches!(status, Ok(WaitStatus::StillAlive))
}

impl Drop for Crew {
    fn drop(&mut self) {
        use super::orders::Command;
        for member in &self.members {
            let order = Order {
                command: Command::Abort,
                ..member.slot().orders.take()
            };
            member.give(&order);
        }
        self.end(PATIENCE, |_| true);
        for member in &mut self.members {
            // One that has said so is about to return, and then to close its
            // descriptor; one that the kernel holds is not waited for.
            let has_ended = member.has_ended();
            match &mut member.body {
                Body::Thread(thread) => {
                    if let Some(thread) = thread.take_if(|_| has_ended) {
                        let _ = thread.join();
                    }
                }
                Body::Process(child) => {
                    let _ = child.kill();
                    let _ = child.wait();
                }
            }
        }
    }
}
