//! Packet mode: each read of the master begins with a byte that says what it is.

use nix::errno::Errno;
use nix::libc;

use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, refused, same, that};
use crate::check::sys::{PRI, req};
use crate::check::{Check, Cx, Dated, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;

const PKT: Check = of(Group::Pkt);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "pkt.data",
        title: "data comes behind a header of 0",
        does: "The slave writes 300 bytes; the master reads 1 byte, then the rest.",
        expects: "FIONREAD 300; a read of 1 is the header alone and loses nothing; then 301 bytes.",
        sources: &["ioctl_tty(2), TIOCPKT", "n_tty_read in drivers/tty/n_tty.c"],
        reports: &["sysprog21/elfuse#269"],
        means: "rlogind, VTE and others lose or misread output.",
        run: data,
        ..PKT
    },
    Check {
        id: "pkt.ctl",
        title: "each change of state is told by its byte",
        does: "Flushes input, output and both, stops and starts output, turns IXON off and on, \
               and turns EXTPROC on; reads the master after each.",
        expects: "01 02 03 04 08 10 20 40, each announced by POLLPRI.",
        since: "2.6.36 for 40",
        eras: &[Era::before(
            KernelVersion::new(2, 6, 36),
            "has no EXTPROC",
            Dated::Commit("\"tty: Add EXTPROC support for LINEMODE\""),
        )],
        sources: &[
            "ioctl_tty(2), TIOCPKT",
            "pty_set_termios and pty_flush_buffer in drivers/tty/pty.c",
        ],
        means: "Remote terminals do not notice ^S, or a flush.",
        run: control,
        ..PKT
    },
    Check {
        id: "pkt.coalesce",
        title: "a start replaces a stop that was not read",
        tier: Tier::Second,
        does: "Stops and starts output before the master reads.",
        expects: "08 alone.",
        sources: &[
            "pty_start in drivers/tty/pty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "A remote terminal stays stopped.",
        run: coalesce,
        ..PKT
    },
    Check {
        id: "pkt.intr",
        title: "an interrupt is told as a flush before its echo",
        tier: Tier::Second,
        does: "Sends ^C in packet mode.",
        expects: "03, then 00 and \"^C\".",
        sources: &["isig in drivers/tty/n_tty.c", "measured on 2.6.38 to 6.18"],
        means: "A remote terminal goes on printing what was interrupted.",
        run: intr,
        ..PKT
    },
];

fn packets(cx: &Cx, pty: &Pty) -> Result<(), Stop> {
    ok("TIOCPKT 1", cx.sys.ioctl_int(&pty.master, req::TIOCPKT, 1)).map(drop)
}

fn data(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    packets(cx, &pty)?;
    let mut want = vec![b'p'; 300];
    cx.deliver(&pty.slave, &pty.master, &want)?;
    bytes("a read of 1", &cx.read(&pty.master, 1)?, &[0])?;
    same("FIONREAD after it", &cx.queued(&pty.master)?, &300)?;
    want.insert(0, 0);
    bytes("the packet", &cx.read(&pty.master, 4096)?, &want)?;
    Ok(None)
}

/// The next read is this control byte and nothing else, announced by POLLPRI.
fn control_byte(cx: &Cx, pty: &Pty, what: &str, byte: u8) -> Result<(), Stop> {
    let revents = cx.until_ready(&pty.master, PRI, what)?;
    that(&format!("{what}: POLLPRI"), revents & PRI != 0, || {
        format!("{revents:#x}")
    })?;
    let got = cx.read(&pty.master, 4096)?;
    same(what, &format!("{got:02x?}"), &format!("{:02x?}", [byte]))
}

fn control(cx: &Cx) -> Verdict {
    // IXON with ^S and ^Q is what DOSTOP and NOSTOP tell.
    let pty = cx.with(|attr| attr.raw().iflag(libc::IXON, true))?;
    packets(cx, &pty)?;
    let flush = |queue| ok("TCFLSH", cx.sys.ioctl(&pty.slave, req::TCFLSH, queue));
    let flow = |action| ok("TCXONC", cx.sys.ioctl(&pty.slave, req::TCXONC, action));
    flush(libc::TCIFLUSH)?;
    control_byte(cx, &pty, "FLUSHREAD", 0x01)?;
    flush(libc::TCOFLUSH)?;
    control_byte(cx, &pty, "FLUSHWRITE", 0x02)?;
    flush(libc::TCIOFLUSH)?;
    control_byte(cx, &pty, "both flushes", 0x03)?;
    flow(libc::TCOOFF)?;
    control_byte(cx, &pty, "STOP", 0x04)?;
    flow(libc::TCOON)?;
    control_byte(cx, &pty, "START", 0x08)?;
    cx.change(&pty.slave, |attr| attr.iflag(libc::IXON, false))?;
    control_byte(cx, &pty, "NOSTOP", 0x10)?;
    cx.change(&pty.slave, |attr| attr.iflag(libc::IXON, true))?;
    control_byte(cx, &pty, "DOSTOP", 0x20)?;
    cx.change(&pty.slave, |attr| attr.lflag(libc::EXTPROC, true))?;
    control_byte(cx, &pty, "IOCTL", 0x40).map_err(|stop| stop.or_era(0))?;
    Ok(None)
}

fn coalesce(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    packets(cx, &pty)?;
    for action in [libc::TCOOFF, libc::TCOON] {
        ok("TCXONC", cx.sys.ioctl(&pty.slave, req::TCXONC, action))?;
    }
    control_byte(cx, &pty, "START", 0x08)?;
    refused("read after it", cx.peek(&pty.master), &[Errno::EAGAIN])?;
    Ok(None)
}

fn intr(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    packets(cx, &pty)?;
    cx.write(&pty.master, b"\x03")?;
    control_byte(cx, &pty, "the flush", 0x03)?;
    bytes("the echo", &cx.read(&pty.master, 100)?, b"\0^C")?;
    Ok(None)
}
