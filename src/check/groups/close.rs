//! Close, end of file, and what must not be lost.

use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::Signal;

use super::of;
use super::sig::{acquire, block, drop_privilege, signalled, silent};
use crate::check::cx::{FLAGS, Pty};
use crate::check::expect::{bytes, ok, refused, same, that};
use crate::check::sys::{ERR, Fd, HUP, IN, OUT, req};
use crate::check::{Check, Cx, Era, Group, Needs, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const CLOSE: Check = of(Group::Close);

const LOST_TAIL: Era = Era::bug(
    KernelVersion::new(3, 12, 0),
    KernelVersion::new(4, 6, 0),
    "EIO overtakes data that is still on its way",
    "0f40fbbcc34e and 52bce7f8d4fc (4.6 and stable)",
);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "close.drain",
        title: "all that a program printed can be read after it has exited",
        does: "200 times: a child writes 1 to 12000 bytes and exits; once it is dead, the master \
               reads, non-blocking, to the end.",
        expects: "Every byte, then EIO.",
        since: "all but 3.12 to 4.5",
        eras: &[LOST_TAIL],
        sources: &[
            "0f40fbbcc34e",
            "n_tty_read in drivers/tty/n_tty.c",
            "LTP hangup01",
        ],
        reports: &[
            "microsoft/node-pty#726",
            "alacritty/alacritty#4189",
            "hickory-dns/hickory-dns#2432",
        ],
        means: "The last lines of a command's output are lost. Where this passes and a program \
                loses them all the same, it stopped reading too early: SIGCHLD is no end of file, \
                and TIOCOUTQ (always 0 on a pty) and FIONREAD (at most 4095) do not count what is \
                in flip buffers, so that 0 of both proves nothing until a read says EIO.",
        run: drain,
        ..CLOSE
    },
    Check {
        id: "close.eio",
        title: "the master's end of file is EIO, after all data, and not for good",
        does: "Closes the last slave with data queued; polls, selects and reads the master; opens \
               the slave again.",
        expects: "IN and HUP while there is data, then EIO with OUT and HUP; select says readable; \
                  EAGAIN after the reopen.",
        sources: &[
            "pty(7)",
            "n_tty_poll and n_tty_read in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        reports: &[
            "NixOS/nix#15323",
            "ocaml-multicore/eio#902",
            "containers/conmon#441",
        ],
        means: "Programs that take EIO for an error, or wait for a read of 0, fail or hang.",
        run: eio,
        ..CLOSE
    },
    Check {
        id: "close.two",
        title: "the master hears of a hangup when the last slave is closed",
        tier: Tier::Second,
        does: "Opens the slave twice and closes one after the other.",
        expects: "No POLLHUP after the first, POLLHUP after the second.",
        sources: &["pty_close in drivers/tty/pty.c"],
        reports: &["wilsonglasser/oryxis#209"],
        means: "A session ends while a program of it still runs, or never.",
        run: two,
        ..CLOSE
    },
    Check {
        id: "close.master",
        title: "a slave whose master is gone is hung up",
        does: "Queues input, closes the master; reads, writes, polls and asks the slave.",
        expects: "A read of 0, so that unread input is lost; EIO of write, TCGETS and FIONREAD; IN, \
                  OUT, ERR and HUP; ENOTTY of TIOCSPGRP.",
        sources: &[
            "hung_up_tty_fops in drivers/tty/tty_io.c",
            "LTP pty08",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Programs spin or hang when their terminal is closed.",
        run: master,
        ..CLOSE
    },
    Check {
        id: "close.sighup",
        title: "the session leader is told that its terminal is gone",
        does: "Closes the master of a session leader's controlling terminal.",
        expects: "One SIGHUP and one SIGCONT; /dev/tty says ENXIO.",
        since: "POSIX",
        sources: &[
            "POSIX XBD 11.1.10",
            "tty_signal_session_leader in drivers/tty/tty_jobctrl.c",
        ],
        means: "Shells outlive their terminal.",
        run: sighup,
        ..CLOSE
    },
    Check {
        id: "close.noslave",
        title: "what is written while no slave is open waits for the next",
        tier: Tier::Second,
        does: "Closes the slave, writes to the master, opens the slave again and reads.",
        expects: "The bytes.",
        sources: &["measured on 2.6.38 to 6.18"],
        reports: &["cloud-hypervisor/cloud-hypervisor#3170"],
        means: "Input between two logins on one line is lost.",
        run: noslave,
        ..CLOSE
    },
    Check {
        id: "vhangup",
        title: "TIOCVHANGUP revokes the slave and leaves the master",
        needs: Needs::RootInPart,
        does: "TIOCVHANGUP on the slave, as a user and as root; uses the old descriptor, opens anew.",
        expects: "EPERM for a user; then a read of 0, EIO of a write, and a new open that works.",
        since: "2.6.39",
        sources: &[
            "vhangup(2)",
            "tty_vhangup in drivers/tty/tty_io.c",
            "LTP hangup01",
        ],
        means: "getty cannot make sure that nobody listens on a login line.",
        run: vhangup,
        ..CLOSE
    },
];

fn drain(cx: &Cx) -> Verdict {
    const ROUNDS: usize = 200;
    const LENGTHS: [usize; 6] = [1, 100, 4095, 4096, 4097, 12000];
    for round in 0..ROUNDS {
        let length = LENGTHS[round % LENGTHS.len()];
        printed(cx, length).map_err(|stop| {
            stop.within(format_args!("round {round}, {}", counted(length, "byte")))
                .or_era(0)
        })?;
    }
    Ok(Some(format!("{ROUNDS} rounds")))
}

/// A child prints and exits; then everything is read, up to the EIO.
fn printed(cx: &Cx, length: usize) -> Result<(), Stop> {
    let pty = cx.raw()?;
    let data: Vec<u8> = (0..length).map(|i| b'!' + (i % 90) as u8).collect();
    let child = cx.fork(|cx, _| cx.write(&pty.slave, &data))?;
    cx.sys.close(pty.slave);
    child.join(cx)?;
    let mut got = Vec::new();
    loop {
        match cx.sys.read(&pty.master, 65536) {
            Ok(more) => got.extend(more),
            Err(Errno::EIO) => return bytes("what was printed", &got, &data),
            Err(Errno::EAGAIN) if got.len() <= length => {
                cx.until_ready(&pty.master, IN, "data or the end")?;
            }
            Err(errno) => return ok("read", Err(errno)),
        }
    }
}

/// The events reported at once.
fn events(cx: &Cx, fd: &Fd) -> Result<i16, Stop> {
    ok("poll", cx.sys.poll(fd, IN | OUT, Duration::ZERO))
}

fn named(revents: i16) -> String {
    let names = [(IN, "IN"), (OUT, "OUT"), (ERR, "ERR"), (HUP, "HUP")];
    let set: Vec<_> = names
        .into_iter()
        .filter(|&(bit, _)| revents & bit != 0)
        .map(|(_, name)| name)
        .collect();
    set.join("|")
}

/// Fails unless exactly `want` of IN, OUT, ERR and HUP are reported.
pub(super) fn reports(cx: &Cx, fd: &Fd, what: &str, want: i16) -> Result<(), Stop> {
    let got = events(cx, fd)? & (IN | OUT | ERR | HUP);
    same(&format!("poll: {what}"), &named(got), &named(want))
}

fn eio(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    cx.deliver(&pty.slave, &pty.master, b"last words")?;
    cx.sys.close(pty.slave);
    let with_data = events(cx, &pty.master)?;
    same(
        "poll with data after the close",
        &named(with_data & (IN | HUP)),
        &named(IN | HUP),
    )?;
    bytes(
        "the data",
        &cx.read_exactly(&pty.master, 10)?,
        b"last words",
    )?;
    refused("read after the data", cx.peek(&pty.master), &[Errno::EIO])?;
    reports(cx, &pty.master, "after the data", OUT | HUP)?;
    let select = ok("select", cx.sys.select(&pty.master, Duration::ZERO))?;
    that("select says readable", select.0, || format!("{select:?}"))?;
    refused("a second read", cx.peek(&pty.master), &[Errno::EIO])?;
    let _slave = cx.slave(&pty.master)?;
    refused(
        "read after the reopen",
        cx.peek(&pty.master),
        &[Errno::EAGAIN],
    )?;
    reports(cx, &pty.master, "after the reopen", OUT)?;
    Ok(None)
}

fn two(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let second = cx.slave(&pty.master)?;
    cx.sys.close(pty.slave);
    reports(cx, &pty.master, "one slave is open", OUT)?;
    cx.sys.close(second);
    reports(cx, &pty.master, "no slave is open", OUT | HUP)?;
    Ok(None)
}

fn master(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    cx.deliver(&pty.master, &pty.slave, b"unread")?;
    let Pty { master, slave, .. } = pty;
    cx.sys.close(master);
    bytes("read of the slave", &ok("read", cx.peek(&slave))?, b"")?;
    refused("write", cx.sys.write(&slave, b"x"), &[Errno::EIO])?;
    reports(cx, &slave, "the hung-up slave", IN | OUT | ERR | HUP)?;
    refused("tcgetattr", cx.sys.attr(&slave), &[Errno::EIO])?;
    refused(
        "FIONREAD",
        cx.sys.ioctl_int(&slave, req::FIONREAD, 0),
        &[Errno::EIO],
    )?;
    let group = nix::unistd::getpid().as_raw();
    refused(
        "TIOCSPGRP",
        cx.sys.ioctl_int(&slave, req::TIOCSPGRP, group),
        &[Errno::ENOTTY],
    )?;
    Ok(None)
}

fn sighup(cx: &Cx) -> Verdict {
    let signals = block(&[Signal::SIGHUP, Signal::SIGCONT])?;
    let pty = cx.pty()?;
    acquire(cx, &pty.slave)?;
    cx.sys.close(pty.master);
    // Both are pending, and the lower number is taken first.
    signalled(cx, &signals, Signal::SIGHUP)?;
    signalled(cx, &signals, Signal::SIGCONT)?;
    silent(cx, &signals, "after the two")?;
    refused(
        "open of /dev/tty",
        cx.sys.open("/dev/tty", FLAGS),
        &[Errno::ENXIO],
    )?;
    Ok(None)
}

fn noslave(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    cx.sys.close(pty.slave);
    cx.write(&pty.master, b"in between")?;
    let slave = cx.slave(&pty.master)?;
    bytes(
        "what was written in between",
        &cx.read_exactly(&slave, 10)?,
        b"in between",
    )?;
    Ok(None)
}

fn vhangup(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let root = nix::unistd::geteuid().is_root();
    let hang = || cx.sys.ioctl(&pty.slave, req::TIOCVHANGUP, 0);
    let user = cx.fork(|_, _| {
        if root {
            drop_privilege()?;
        }
        refused("TIOCVHANGUP by a user", hang(), &[Errno::EPERM])
    })?;
    user.join(cx)?;
    if !root {
        return Ok(Some("root's half was not tried".to_owned()));
    }
    ok("TIOCVHANGUP by root", hang())?;
    bytes(
        "read of the revoked slave",
        &ok("read", cx.peek(&pty.slave))?,
        b"",
    )?;
    refused("write to it", cx.sys.write(&pty.slave, b"x"), &[Errno::EIO])?;
    let again = cx.slave(&pty.master)?;
    cx.change(&again, |attr| attr.oflag(libc::OPOST, false))?;
    cx.write(&again, b"works")?;
    cx.read_until(&pty.master, b"works")?;
    Ok(None)
}
