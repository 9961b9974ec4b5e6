//! Flow control and flushing.

use std::time::Duration;

use nix::errno::Errno;
use nix::libc;

use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, refused, that};
use crate::check::sys::{Fd, OUT, req};
use crate::check::{Check, Cx, Dated, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const FLOW: Check = of(Group::Flow);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "flow.xoff",
        title: "^S stops the slave's output and ^Q starts it",
        does: "Sends ^S, writes until it is refused, then sends ^Q and writes on.",
        expects: "EAGAIN without POLLOUT while stopped; all bytes in order afterwards.",
        since: "POSIX",
        sources: &["POSIX XBD 11.2.2, IXON", "pty_write in drivers/tty/pty.c"],
        reports: &["gnunn1/tilix#1229", "vim/vim#8089"],
        means: "Output cannot be stopped, or does not start again.",
        run: xoff,
        ..FLOW
    },
    Check {
        id: "flow.xoff-full",
        title: "^S is seen behind a full input queue",
        does: "Queues 6000 bytes that nobody reads, then sends ^S.",
        expects: "The slave's output stops.",
        since: "6.0",
        eras: &[Era::before(
            KernelVersion::new(6, 0, 0),
            "does not look behind what is not read",
            Dated::Commit("6bb6fa6908eb (6.0)"),
        )],
        sources: &[
            "n_tty_lookahead_flow_ctrl in drivers/tty/n_tty.c; 6bb6fa6908eb",
            "measured: goes on on 2.6.38 to 5.5, stops on 6.1 to 6.18",
        ],
        means: "A program that does not read cannot be stopped.",
        run: xoff_full,
        ..FLOW
    },
    Check {
        id: "flow.ixon-off",
        title: "turning IXON off restarts stopped output",
        does: "Sends ^S, waits for the stop, clears IXON.",
        expects: "A write succeeds.",
        since: "3.13 at the latest",
        eras: &[Era::between(
            KernelVersion::new(2, 6, 38),
            KernelVersion::new(3, 13, 0),
            "stays stopped",
        )],
        sources: &["n_tty_set_termios in drivers/tty/n_tty.c"],
        reports: &["mobile-shell/mosh#692"],
        means: "An editor started on a stopped terminal hangs.",
        run: ixon_off,
        ..FLOW
    },
    Check {
        id: "flow.ixany",
        title: "any character restarts output with IXANY, and ^C always does",
        tier: Tier::Second,
        does: "Stops output and sends 'x' with and without IXANY, then ^C.",
        expects: "With IXANY it restarts, without it stays; ^C restarts.",
        sources: &[
            "n_tty_receive_char in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "A stopped terminal cannot be freed as its user expects.",
        run: ixany,
        ..FLOW
    },
    Check {
        id: "flow.tcflow",
        title: "tcflow(3) stops and starts each end",
        tier: Tier::Second,
        does: "TCOOFF and TCOON at each end, ^Q in between; TCIOFF and TCION at the slave.",
        expects: "EAGAIN while off, whatever ^Q says; the master reads 13 and 11 (hex).",
        sources: &[
            "tcflow(3)",
            "__tty_perform_flush and n_tty_ioctl_helper in tty_ioctl.c",
        ],
        means: "Programs cannot hold back a terminal's output.",
        run: tcflow,
        ..FLOW
    },
    Check {
        id: "flush.in",
        title: "TCIFLUSH drops all input that is queued, and no later one",
        does: "Queues 6000 bytes, flushes the reader's input, sends a word.",
        expects: "The word alone.",
        eras: &[Era::bug(
            KernelVersion::new(0, 0, 0),
            KernelVersion::new(3, 7, 0),
            "leaves the writer throttled",
            "6461d31053e6",
        )],
        sources: &[
            "tty_ioctl, TCFLSH in drivers/tty/tty_io.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Type-ahead that should be gone is executed.",
        run: flush_in,
        ..FLOW
    },
    Check {
        id: "flush.out",
        title: "TCOFLUSH drops what the peer has not got yet",
        does: "Fills the slave's output, flushes it, writes a mark, drains the master.",
        expects: "At most the 4095 bytes that the master's line discipline had before the mark.",
        since: "4.2 at the latest",
        eras: &[Era::between(
            KernelVersion::new(3, 19, 0),
            KernelVersion::new(4, 2, 0),
            "flushes nothing, all bytes arrive",
        )],
        sources: &[
            "pty_flush_buffer in drivers/tty/pty.c, which does nothing in 3.19",
            "measured on 2.6.38 to 6.18",
        ],
        means: "An interrupted program's output goes on and on.",
        run: flush_out,
        ..FLOW
    },
];

/// A raw pty with software flow control.
fn ixon(cx: &Cx) -> Result<Pty, Stop> {
    cx.with(|attr| attr.raw().iflag(libc::IXON, true))
}

/// Sends ^S and writes until the slave's output is stopped; returns how many
/// bytes went through before.
fn stop(cx: &Cx, pty: &Pty, deadline: Duration) -> Result<usize, Stop> {
    cx.write(&pty.master, b"\x13")?;
    let mut through = 0;
    cx.until_within(deadline, "a stopped slave", || {
        Ok(match cx.sys.write(&pty.slave, b"s") {
            Err(Errno::EAGAIN) => Ok(through),
            Ok(n) => {
                through += n;
                Err(format!("{} went through", counted(through, "byte")))
            }
            Err(errno) => return ok("write", Err(errno)),
        })
    })
}

/// Writes until a stopped end takes bytes again.
fn started(cx: &Cx, fd: &Fd, data: &[u8]) -> Result<(), Stop> {
    cx.until("restarted output", || {
        Ok(match cx.sys.write(fd, data) {
            Ok(_) => Ok(()),
            Err(errno) => Err(format!("{errno:?}")),
        })
    })
}

fn stays_stopped(cx: &Cx, pty: &Pty, what: &str) -> Result<(), Stop> {
    refused(
        &format!("write after {what}"),
        cx.sys.write(&pty.slave, b"s"),
        &[Errno::EAGAIN],
    )
}

fn xoff(cx: &Cx) -> Verdict {
    let pty = ixon(cx)?;
    let before = stop(cx, &pty, cx.deadline)?;
    let revents = ok("poll", cx.sys.poll(&pty.slave, OUT, Duration::ZERO))?;
    that("no POLLOUT while stopped", revents & OUT == 0, || {
        "POLLOUT".to_owned()
    })?;
    cx.write(&pty.master, b"\x11")?;
    started(cx, &pty.slave, b"end")?;
    let mut want = vec![b's'; before];
    want.extend_from_slice(b"end");
    bytes("the output", &cx.read_until(&pty.master, b"end")?, &want)?;
    Ok(None)
}

fn xoff_full(cx: &Cx) -> Verdict {
    let pty = ixon(cx)?;
    cx.write(&pty.master, &[b'q'; 6000])?;
    cx.until_queued(&pty.slave, 4095)?;
    // Kernels that do not look ahead never stop: they are not waited for long.
    let deadline = match cx.release < KernelVersion::new(6, 0, 0) {
        true => cx.deadline.min(Duration::from_millis(300)),
        false => cx.deadline,
    };
    stop(cx, &pty, deadline).map_err(|stop| stop.or_era(0))?;
    Ok(None)
}

fn ixon_off(cx: &Cx) -> Verdict {
    let pty = ixon(cx)?;
    stop(cx, &pty, cx.deadline)?;
    cx.change(&pty.slave, |attr| attr.iflag(libc::IXON, false))?;
    let write = cx.sys.write(&pty.slave, b"on");
    if write == Err(Errno::EAGAIN) {
        return Err(Stop::fail("a write after IXON is off", "EAGAIN").or_era(0));
    }
    ok("write", write)?;
    cx.read_until(&pty.master, b"on")?;
    Ok(None)
}

fn ixany(cx: &Cx) -> Verdict {
    let pty = ixon(cx)?;
    stop(cx, &pty, cx.deadline)?;
    cx.deliver(&pty.master, &pty.slave, b"x")?;
    stays_stopped(cx, &pty, "'x' without IXANY")?;
    cx.change(&pty.slave, |attr| attr.iflag(libc::IXANY, true))?;
    cx.write(&pty.master, b"x")?;
    started(cx, &pty.slave, b"any")?;

    let pty = cx.with(|attr| attr.raw().iflag(libc::IXON, true).lflag(libc::ISIG, true))?;
    stop(cx, &pty, cx.deadline)?;
    cx.write(&pty.master, b"\x03")?;
    started(cx, &pty.slave, b"int")?;
    Ok(None)
}

fn tcflow(cx: &Cx) -> Verdict {
    let pty = ixon(cx)?;
    let flow = |fd: &Fd, action| ok("TCXONC", cx.sys.ioctl(fd, req::TCXONC, action));
    flow(&pty.slave, libc::TCOOFF)?;
    stays_stopped(cx, &pty, "TCOOFF")?;
    // The byte behind ^Q shows that ^Q was seen.
    cx.write(&pty.master, b"\x11q")?;
    cx.until_queued(&pty.slave, 1)?;
    stays_stopped(cx, &pty, "TCOOFF and ^Q")?;
    flow(&pty.slave, libc::TCOON)?;
    cx.write(&pty.slave, b"on.")?;
    cx.read_until(&pty.master, b"on.")?;

    flow(&pty.master, libc::TCOOFF)?;
    refused(
        "master's write after TCOOFF",
        cx.sys.write(&pty.master, b"m"),
        &[Errno::EAGAIN],
    )?;
    flow(&pty.master, libc::TCOON)?;
    cx.write(&pty.master, b"on.")?;
    cx.read_until(&pty.slave, b"on.")?;

    flow(&pty.slave, libc::TCIOFF)?;
    flow(&pty.slave, libc::TCION)?;
    bytes(
        "TCIOFF and TCION",
        &cx.read_exactly(&pty.master, 2)?,
        b"\x13\x11",
    )?;
    Ok(None)
}

fn flush_in(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    cx.write(&pty.master, &[b'i'; 6000])?;
    cx.until_queued(&pty.slave, 4095)?;
    ok(
        "TCFLSH TCIFLUSH",
        cx.sys.ioctl(&pty.slave, req::TCFLSH, libc::TCIFLUSH),
    )?;
    let rest = || {
        cx.write(&pty.master, b"later")?;
        bytes(
            "what comes after the flush",
            &cx.read_until(&pty.slave, b"later")?,
            b"later",
        )
    };
    rest().map_err(|stop: Stop| stop.or_era(0))?;
    Ok(None)
}

fn flush_out(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let filled = cx.fill(&pty.slave, &[b'o'; 256])?;
    ok(
        "TCFLSH TCOFLUSH",
        cx.sys.ioctl(&pty.slave, req::TCFLSH, libc::TCOFLUSH),
    )?;
    // A pty that was not flushed has no room for the mark before it is read.
    let mut arrived = Vec::new();
    loop {
        match cx.sys.write(&pty.slave, b"END") {
            Err(Errno::EAGAIN) => arrived.extend(cx.read(&pty.master, 4096)?),
            written => {
                ok("write", written)?;
                break;
            }
        }
    }
    arrived.extend(cx.read_until(&pty.master, b"END")?);
    let left = arrived.len() - 3;
    that("at most 4095 bytes after the flush", left <= 4095, || {
        format!("{left} of {filled}")
    })
    .map_err(|stop| stop.or_era(0))?;
    Ok(Some(format!(
        "{left} of {} arrived",
        counted(filled, "byte")
    )))
}
