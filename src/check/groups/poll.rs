//! poll, select, epoll, non-blocking calls, VMIN and VTIME.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::sys::epoll::EpollFlags;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

use super::close::reports;
use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, refused, same, that};
use crate::check::sys::{ERR, Fd, HUP, IN, OUT};
use crate::check::{Check, Cx, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const POLL: Check = of(Group::Poll);

const LATE: Era = Era::bug(
    KernelVersion::new(3, 12, 0),
    KernelVersion::new(4, 6, 0),
    "does not wait for data on its way",
    "0f40fbbcc34e (4.6 and stable)",
);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "poll.ready",
        title: "poll, select and epoll agree on what is ready",
        does: "Asks all three about both ends: empty, with data, full, and hung up.",
        expects: "OUT; IN and OUT; IN alone for the reader of a full pty and nothing for its \
                  writer; OUT and HUP for the master, all for the slave. epoll reports HUP unasked.",
        sources: &[
            "poll(2)",
            "select(2)",
            "epoll(7)",
            "n_tty_poll in drivers/tty/n_tty.c",
        ],
        reports: &["mobile-shell/mosh#264", "sysprog21/elfuse#274"],
        means: "Event loops hang, spin, or miss the end.",
        run: ready,
        ..POLL
    },
    Check {
        id: "poll.et",
        title: "edge-triggered epoll reports each arrival once",
        tier: Tier::Second,
        does: "Writes, waits, waits again without new data, writes more, waits.",
        expects: "An event, none, an event.",
        sources: &["epoll(7), EPOLLET", "measured on 2.6.38 to 6.18"],
        reports: &["tokio-rs/tokio#5053"],
        means: "Asynchronous programs stall.",
        run: edge,
        ..POLL
    },
    Check {
        id: "poll.visible",
        title: "what was written can be read at once",
        does: "2000 times: writes a byte, then reads at the other end, non-blocking, without waiting.",
        expects: "Never EAGAIN: a read that finds nothing waits for what is on its way.",
        since: "4.6; before 3.12",
        eras: &[LATE],
        sources: &["0f40fbbcc34e", "n_tty_read calls tty_buffer_flush_work"],
        means: "Programs that read until EAGAIN take a part for the whole.",
        run: visible,
        ..POLL
    },
    Check {
        id: "poll.wakeout",
        title: "a poller that waits for room is woken when the reader has read",
        does: "A process polls the slave of a full pty for POLLOUT; the master reads it empty in \
               steps of 128 bytes.",
        expects: "It wakes by the time that all is read (the kernel wakes it when the reader's \
                  queue falls to 128 bytes).",
        sources: &[
            "n_tty_check_unthrottle in drivers/tty/n_tty.c",
            "4903fde8047a",
        ],
        means: "Writers hang although there is room.",
        run: wakeout,
        ..POLL
    },
    Check {
        id: "vmin.table",
        title: "VMIN and VTIME time reads as termios(3) says",
        does: "Reads with 0/0, with VTIME alone, with both and 2 of 5 bytes there, and polls with \
               VMIN 10 and 3 bytes there.",
        expects: "0 bytes at once; 0 bytes not before VTIME; 2 bytes not before VTIME; no POLLIN \
                  until 10 bytes are there.",
        since: "POSIX",
        sources: &[
            "termios(3), noncanonical mode",
            "POSIX XBD 11.1.7",
            "n_tty_poll in drivers/tty/n_tty.c",
        ],
        means: "Programs for serial lines wait for ever, or not at all.",
        run: vmin,
        ..POLL
    },
    Check {
        id: "nb.partial",
        title: "a non-blocking write takes a part and then says EAGAIN",
        does: "Writes 65536 bytes at once to either end, then until EAGAIN, then reads all.",
        expects: "A short count of at least 10756, then EAGAIN; the bytes taken are the bytes read.",
        since: "4.2",
        sources: &[
            "write(2)",
            "tty_buffer_set_limit in pty_common_install: 8192",
            "measured on 4.2 to 6.18",
        ],
        reports: &[
            "microsoft/node-pty#832",
            "zellij-org/zellij#4782",
            "asciinema/asciinema#556",
        ],
        means: "Pasted text is cut or doubled.",
        run: partial,
        ..POLL
    },
    Check {
        id: "nb.signal",
        title: "a signal ends a blocking write with what was taken",
        tier: Tier::Second,
        does: "Writes 100000 bytes, blocking, to a slave that nobody reads, with a timer's signal \
               that does not restart calls; goes on until nothing is taken.",
        expects: "Short counts, then EINTR; the bytes taken are the bytes read.",
        since: "POSIX",
        sources: &[
            "write(2)",
            "signal(7)",
            "n_tty_write in drivers/tty/n_tty.c",
        ],
        reports: &["kirodotdev/KiroCrew#6564"],
        means: "Programs that catch signals lose or double output.",
        run: signal,
        ..POLL
    },
];

fn ready(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let Pty { master, slave, .. } = &pty;
    reports(cx, master, "an empty master", OUT)?;
    reports(cx, slave, "an empty slave", OUT)?;
    selects(cx, slave, "an empty slave", (false, true))?;

    cx.deliver(slave, master, b"m")?;
    cx.deliver(master, slave, b"s")?;
    for (fd, what) in [(master, "a master with data"), (slave, "a slave with data")] {
        reports(cx, fd, what, IN | OUT)?;
        selects(cx, fd, what, (true, true))?;
        epolls(cx, fd, what, EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT)?;
        cx.read_exactly(fd, 1)?;
    }

    cx.settle(slave, master, &[b'f'; 2048])?;
    reports(cx, slave, "the writer of a full pty", 0)?;
    reports(cx, master, "the reader of a full pty", IN | OUT)?;

    let pty = cx.raw()?;
    cx.sys.close(pty.slave);
    reports(cx, &pty.master, "a master without slave", OUT | HUP)?;
    selects(cx, &pty.master, "a master without slave", (true, true))?;
    // Asked for nothing, it reports the hangup all the same.
    let epoll = ok("epoll", cx.sys.epoll(&pty.master, EpollFlags::empty()))?;
    let got = ok("epoll_wait", cx.sys.epoll_wait(&epoll, cx.deadline))?;
    same("epoll: a master without slave", &got, &EpollFlags::EPOLLHUP)?;

    let pty = cx.raw()?;
    cx.sys.close(pty.master);
    reports(
        cx,
        &pty.slave,
        "a slave without master",
        IN | OUT | ERR | HUP,
    )?;
    selects(cx, &pty.slave, "a slave without master", (true, true))?;
    Ok(None)
}

fn selects(cx: &Cx, fd: &Fd, what: &str, want: (bool, bool)) -> Result<(), Stop> {
    let got = ok("select", cx.sys.select(fd, Duration::ZERO))?;
    same(&format!("select (readable, writable): {what}"), &got, &want)
}

fn epolls(cx: &Cx, fd: &Fd, what: &str, want: EpollFlags) -> Result<(), Stop> {
    let epoll = ok(
        "epoll",
        cx.sys.epoll(fd, EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT),
    )?;
    let got = ok("epoll_wait", cx.sys.epoll_wait(&epoll, Duration::ZERO))?;
    same(&format!("epoll: {what}"), &got, &want)
}

fn edge(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let epoll = ok(
        "epoll",
        cx.sys
            .epoll(&pty.slave, EpollFlags::EPOLLIN | EpollFlags::EPOLLET),
    )?;
    let wait = |time| ok("epoll_wait", cx.sys.epoll_wait(&epoll, time));
    cx.deliver(&pty.master, &pty.slave, b"a")?;
    same(
        "the first arrival",
        &wait(cx.deadline)?,
        &EpollFlags::EPOLLIN,
    )?;
    same("no arrival", &wait(Duration::ZERO)?, &EpollFlags::empty())?;
    cx.deliver(&pty.master, &pty.slave, b"b")?;
    same(
        "the second arrival",
        &wait(cx.deadline)?,
        &EpollFlags::EPOLLIN,
    )?;
    Ok(None)
}

fn visible(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let (mut from, mut to) = (&pty.master, &pty.slave);
    for turn in 0..2000_u32 {
        let byte = [(turn % 251) as u8];
        cx.write(from, &byte)?;
        let got = match cx.sys.read(to, 16) {
            Err(Errno::EAGAIN) => {
                let stop = Stop::fail(format!("turn {turn}: the byte just written"), "EAGAIN");
                return Err(stop.or_era(0));
            }
            other => ok("read", other)?,
        };
        bytes(&format!("turn {turn}"), &got, &byte)?;
        (from, to) = (to, from);
    }
    Ok(None)
}

fn wakeout(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let filled = cx.settle(&pty.slave, &pty.master, &[b'w'; 2048])?;
    let poller = cx.fork(|cx, link| {
        link.tell(b'r')?;
        // One sleep in poll, not several looks: it is the wakeup that counts.
        let got = ok("poll", cx.sys.poll(&pty.slave, OUT, cx.deadline))?;
        that("a wakeup with POLLOUT", got & OUT != 0, || {
            format!("none within {:?} although all was read", cx.deadline)
        })?;
        link.tell(b'w')
    })?;
    poller.link.hear(cx)?;
    let mut left = filled;
    while left > 0 {
        left -= cx.read(&pty.master, left.min(128))?.len();
    }
    poller.link.hear(cx)?;
    poller.join(cx)?;
    Ok(None)
}

fn vmin(cx: &Cx) -> Verdict {
    // One tick of HZ=100 short of the 100 ms asked for: the tick under way counts.
    const VTIME: Duration = Duration::from_millis(90);
    let pty = cx.raw()?;
    let set = |min, time| {
        cx.change(&pty.slave, |attr| {
            attr.cc(libc::VMIN, min).cc(libc::VTIME, time)
        })
    };
    ok("O_NONBLOCK off", cx.sys.nonblocking(&pty.slave, false))?;
    let timed = || {
        let start = Instant::now();
        let data = ok("read", cx.sys.read(&pty.slave, 5))?;
        Ok::<_, Stop>((data, start.elapsed()))
    };
    let late = |what: &str, took: Duration| {
        that(&format!("{what}: not before VTIME"), took >= VTIME, || {
            format!("after {took:?}")
        })
    };
    set(0, 0)?;
    bytes("VMIN 0, VTIME 0", &timed()?.0, b"")?;
    set(0, 1)?;
    let (data, took) = timed()?;
    bytes("VMIN 0, VTIME 1", &data, b"")?;
    late("VMIN 0, VTIME 1", took)?;
    set(5, 1)?;
    cx.deliver(&pty.master, &pty.slave, b"ab")?;
    let (data, took) = timed()?;
    bytes("VMIN 5, VTIME 1", &data, b"ab")?;
    late("VMIN 5, VTIME 1", took)?;
    set(10, 0)?;
    cx.deliver(&pty.master, &pty.slave, b"abc")?;
    reports(cx, &pty.slave, "3 bytes with VMIN 10", OUT)?;
    cx.deliver(&pty.master, &pty.slave, b"defghij")?;
    reports(cx, &pty.slave, "10 bytes with VMIN 10", IN | OUT)?;
    Ok(None)
}

fn partial(cx: &Cx) -> Verdict {
    const ALL: usize = 65536;
    // What the smallest burst of 2048-byte pieces takes with the worker asleep,
    // on pages of 4096 bytes; larger pages take more.
    const LEAST: usize = 10756;
    let pty = cx.raw()?;
    for (from, to) in [(&pty.slave, &pty.master), (&pty.master, &pty.slave)] {
        let who = format!("write of {ALL} to the {:?}", from.role());
        let data = vec![b'n'; ALL];
        let first = ok(&who, cx.sys.write(from, &data))?;
        // Before 4.2 the limit was 65536 and the reader's queue came on top.
        let most = if cx.release < KernelVersion::new(4, 2, 0) {
            ALL
        } else {
            ALL - 1
        };
        that(
            &format!("{who}: a short count of at least {LEAST}"),
            (LEAST..=most).contains(&first),
            || first.to_string(),
        )?;
        let taken = first + cx.settle(from, to, &data)?;
        refused(
            "write to a full pty",
            cx.sys.write(from, &data),
            &[Errno::EAGAIN],
        )?;
        cx.write_end_after(from, to, taken, b"end")?;
    }
    Ok(None)
}

extern "C" fn nothing(_: libc::c_int) {}

fn signal(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let action = SigAction::new(
        SigHandler::Handler(nothing),
        SaFlags::empty(),
        SigSet::empty(),
    );
    // SAFETY: the handler does nothing.
    ok("sigaction", unsafe { sigaction(Signal::SIGALRM, &action) })?;
    ok("O_NONBLOCK off", cx.sys.nonblocking(&pty.slave, false))?;
    // Again and again, since the first may come before the write sleeps.
    let every = libc::timeval {
        tv_sec: 0,
        tv_usec: 5000,
    };
    let timer = libc::itimerval {
        it_interval: every,
        it_value: every,
    };
    // SAFETY: setitimer reads the one structure it is given.
    let set = unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, std::ptr::null_mut()) };
    ok("setitimer", Errno::result(set))?;
    let data = vec![b's'; 100_000];
    let mut taken = 0;
    cx.until("EINTR", || {
        Ok(match cx.sys.write(&pty.slave, &data) {
            Err(Errno::EINTR) if taken > 0 => Ok(()),
            Err(Errno::EINTR) => Err("EINTR before any byte".to_owned()),
            Err(errno) => return ok("write", Err(errno)),
            Ok(n) if n >= data.len() => {
                return Err(Stop::fail(
                    "a short count",
                    format!("all of {}", counted(n, "byte")),
                ));
            }
            Ok(n) => {
                taken += n;
                Err(format!("short counts, {} in all", counted(taken, "byte")))
            }
        })
    })?;
    // SAFETY: as above; a timer of zero is stopped.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &std::mem::zeroed(), std::ptr::null_mut()) };
    ok("O_NONBLOCK", cx.sys.nonblocking(&pty.slave, true))?;
    cx.write_end_after(&pty.slave, &pty.master, taken, b"end")?;
    Ok(Some(format!("{} before EINTR", counted(taken, "byte"))))
}
