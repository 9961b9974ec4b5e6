//! Canonical mode: lines, their ends and their editing.

use std::time::Duration;

use nix::errno::Errno;
use nix::libc;

use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, refused, same, that};
use crate::check::sys::{Attr, IN, OUT};
use crate::check::{Check, Cx, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const CANON: Check = of(Group::Canon);

const POSIX: &str = "POSIX XBD 11.1.6, canonical mode input processing";

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "canon.partial",
        title: "a line without its end cannot be read",
        does: "Sends \"abc\" without a newline, waits for its echo, then looks at the slave.",
        expects: "FIONREAD 0, EAGAIN and no POLLIN; \"abc\\n\" once the newline came.",
        since: "POSIX",
        sources: &[POSIX, "inq_canon in drivers/tty/n_tty.c"],
        means: "Programs read half-typed lines.",
        run: partial,
        ..CANON
    },
    Check {
        id: "canon.lines",
        title: "one read gives one line",
        does: "Queues two lines and reads them, the second in two reads.",
        expects: "FIONREAD counts both; a short read is continued by the next.",
        since: "POSIX",
        sources: &[POSIX, "FreeBSD tests/sys/kern/tty/test_canon"],
        means: "Shells run two commands as one, or lose the end of a line.",
        run: lines,
        ..CANON
    },
    Check {
        id: "canon.4095",
        title: "a line of more than 4095 bytes is cut, and hurts nothing else",
        does: "Sends lines of 4095, 4096 and 5000 bytes, then \"next\".",
        expects: "Each read gives 4096 bytes that end in a newline and leaves nothing; \
                  \"next\" follows intact.",
        since: "all but 3.12 to 3.18",
        eras: &[Era::bug(
            KernelVersion::new(3, 12, 0),
            KernelVersion::new(3, 19, 0),
            "overruns the read buffer and hands out stale bytes",
            "fb5ef9e7da39 (3.19 and stable)",
        )],
        sources: &[
            "termios(3), canonical mode",
            "N_TTY_BUF_SIZE in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        reports: &[
            "ProofGeneral/PG#3",
            "eneskirca/nodeterm#727",
            "kkawakam/rustyline#554",
        ],
        means: "A pasted long line corrupts the input that follows.",
        run: long,
        ..CANON
    },
    Check {
        id: "canon.endless",
        title: "input without a newline is taken for ever",
        tier: Tier::Second,
        does: "Sends 64 KiB without a newline, then the newline.",
        expects: "All of it is taken and the master stays writable; the line read is 4096 bytes.",
        sources: &[
            "n_tty_receive_buf_common in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        reports: &["stablyai/orca#11178"],
        means: "A writer hangs because a program does not end its line.",
        run: endless,
        ..CANON
    },
    Check {
        id: "canon.eof",
        title: "^D ends the line without a byte, and an empty one is an end of file",
        does: "Sends \"xy\" and ^D, then ^D alone.",
        expects: "2 bytes, then EAGAIN; POLLIN and one read of 0 bytes, then EAGAIN.",
        since: "POSIX",
        sources: &[
            "POSIX XBD 11.1.9, EOF",
            "canon_copy_from_read_buf in drivers/tty/n_tty.c",
        ],
        reports: &["util-linux/util-linux#2562"],
        means: "Programs never see the end of their input, or end too soon.",
        run: eof,
        ..CANON
    },
    Check {
        id: "canon.eof-exact",
        title: "a line that fills the buffer before ^D is followed by no end of file",
        does: "Sends 4 bytes and ^D and reads 4; sends 64 and ^D and reads 64, then 200.",
        expects: "All bytes, then EAGAIN, never a read of 0 bytes.",
        since: "all but 5.17",
        eras: &[Era::bug(
            KernelVersion::new(5, 17, 0),
            KernelVersion::new(5, 18, 0),
            "returns 0 bytes once more",
            "65a8b287023d",
        )],
        sources: &["40d5e0905a03", "359303076163", "65a8b287023d"],
        means: "Shells and readers log out in the middle of the input.",
        run: eof_exact,
        ..CANON
    },
    Check {
        id: "canon.erase",
        title: "the editing characters edit",
        does: "Lines with ERASE, WERASE, KILL and LNEXT, and an ERASE after a UTF-8 character.",
        expects: "The edited lines; ^C and ^D after LNEXT are bytes of the line.",
        since: "POSIX; IUTF8 2.6.4",
        sources: &["termios(3)", "eraser in drivers/tty/n_tty.c"],
        means: "What is read is not what the user sees.",
        run: erase,
        ..CANON
    },
    Check {
        id: "canon.veol",
        title: "VEOL ends a line too",
        tier: Tier::Second,
        does: "Sets VEOL to '=' and sends \"k=v\" and a newline.",
        expects: "\"k=\", then \"v\\n\".",
        since: "POSIX",
        sources: &["POSIX XBD 11.1.9, EOL"],
        means: "Programs that read up to a character of their own wait for ever.",
        run: veol,
        ..CANON
    },
    Check {
        id: "canon.iflags",
        title: "the input flags change what they should",
        tier: Tier::Second,
        does: "A few bytes each through ICRNL, INLCR, IGNCR, ISTRIP and PARMRK.",
        expects: "The bytes of the table in termios(3).",
        since: "POSIX",
        sources: &["termios(3)", "POSIX XBD 11.2.2, input modes"],
        means: "Return does not end a line, or bytes above 127 are lost.",
        run: iflags,
        ..CANON
    },
    Check {
        id: "canon.to-raw",
        title: "a half line can be read after leaving canonical mode",
        does: "Sends \"abc\", waits for its echo, turns ICANON off.",
        expects: "FIONREAD 3 and the bytes.",
        sources: &[
            "n_tty_set_termios in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Editors lose what was typed while they started.",
        run: to_raw,
        ..CANON
    },
    Check {
        id: "raw.to-canon",
        title: "raw input can be read after entering canonical mode",
        does: "Queues two lines in raw mode, turns ICANON on and reads.",
        expects: "Both lines.",
        since: "3.13 at the latest",
        eras: &[Era::between(
            KernelVersion::new(2, 6, 38),
            KernelVersion::new(3, 13, 0),
            "says EAGAIN until more input comes",
        )],
        sources: &[
            "n_tty_set_termios in drivers/tty/n_tty.c",
            "FreeBSD tests/sys/kern/tty/test_recanon",
        ],
        means: "A shell does not see what was typed while an editor ran.",
        run: to_canon,
        ..CANON
    },
    Check {
        id: "canon.extproc",
        title: "FIONREAD returns under EXTPROC",
        risky: Some(EXTPROC_LOOP),
        does: "Turns EXTPROC on in canonical mode, sends a newline and ^D, asks FIONREAD.",
        expects: "An answer (1); the bytes as they came.",
        since: "4.15; before 3.12",
        eras: &[EXTPROC_LOOP],
        sources: &["966031f34018", "LTP pty02"],
        means: "Any user can hang a CPU in the kernel for good.",
        run: extproc,
        ..CANON
    },
];

const EXTPROC_LOOP: Era = Era::bug(
    KernelVersion::new(3, 12, 0),
    KernelVersion::new(4, 15, 0),
    "loops for ever in inq_canon and cannot be killed",
    "966031f34018",
);

/// Waits until the slave's line discipline has seen `text`: its echo is back.
fn echoed(cx: &Cx, pty: &Pty, text: &[u8]) -> Result<(), Stop> {
    cx.write(&pty.master, text)?;
    bytes("the echo", &cx.read_exactly(&pty.master, text.len())?, text)
}

fn partial(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    echoed(cx, &pty, b"abc")?;
    same("FIONREAD", &cx.queued(&pty.slave)?, &0)?;
    refused("read", cx.peek(&pty.slave), &[Errno::EAGAIN])?;
    let revents = ok("poll", cx.sys.poll(&pty.slave, IN, Duration::ZERO))?;
    that("no POLLIN", revents & IN == 0, || "POLLIN".to_owned())?;
    cx.write(&pty.master, b"\n")?;
    bytes("the line", &cx.read(&pty.slave, 100)?, b"abc\n")?;
    Ok(None)
}

fn lines(cx: &Cx) -> Verdict {
    let pty = cx.canon()?;
    cx.deliver(&pty.master, &pty.slave, b"one\ntwo\n")?;
    bytes("the first line", &cx.read(&pty.slave, 100)?, b"one\n")?;
    bytes("a read of 2", &cx.read(&pty.slave, 2)?, b"tw")?;
    bytes("the rest of the line", &cx.read(&pty.slave, 100)?, b"o\n")?;
    refused("read of no line", cx.peek(&pty.slave), &[Errno::EAGAIN])?;
    Ok(None)
}

fn long(cx: &Cx) -> Verdict {
    for length in [4095, 4096, 5000] {
        let pty = cx.canon()?;
        let mut line = vec![b'a'; length];
        line.push(b'\n');
        cx.write(&pty.master, &line)?;
        let mut want = vec![b'a'; 4095];
        want.push(b'\n');
        let all = || {
            bytes("the line", &cx.read(&pty.slave, 8192)?, &want)?;
            same("FIONREAD", &cx.queued(&pty.slave)?, &0)?;
            cx.write(&pty.master, b"next\n")?;
            bytes("the next line", &cx.read(&pty.slave, 8192)?, b"next\n")
        };
        all().map_err(|stop: Stop| stop.within(counted(length, "byte")).or_era(0))?;
    }
    Ok(None)
}

fn endless(cx: &Cx) -> Verdict {
    let pty = cx.canon()?;
    cx.write(&pty.master, &[b'e'; 65536])?;
    cx.until_ready(&pty.master, OUT, "a writable master")?;
    cx.write(&pty.master, b"\n")?;
    let line = cx.read(&pty.slave, 8192)?;
    same("length of the line", &line.len(), &4096)?;
    that("the line ends in a newline", line.ends_with(b"\n"), || {
        "it does not".to_owned()
    })?;
    Ok(None)
}

fn eof(cx: &Cx) -> Verdict {
    let pty = cx.canon()?;
    cx.write(&pty.master, b"xy\x04")?;
    bytes("before ^D", &cx.read(&pty.slave, 100)?, b"xy")?;
    refused("read after it", cx.peek(&pty.slave), &[Errno::EAGAIN])?;
    cx.write(&pty.master, b"\x04")?;
    let revents = cx.until_ready(&pty.slave, IN, "POLLIN at the end of file")?;
    that("POLLIN", revents & IN != 0, || format!("{revents:#x}"))?;
    bytes("the end of file", &cx.read(&pty.slave, 100)?, b"")?;
    refused(
        "read after the end of file",
        cx.peek(&pty.slave),
        &[Errno::EAGAIN],
    )?;
    Ok(None)
}

fn eof_exact(cx: &Cx) -> Verdict {
    for (length, read) in [(4, 4), (64, 64), (64, 200)] {
        let pty = cx.canon()?;
        let mut line = vec![b'a'; length];
        line.push(4);
        cx.write(&pty.master, &line)?;
        let got = cx.read(&pty.slave, read)?;
        bytes("the line", &got, &line[..length])?;
        let after = cx.peek(&pty.slave);
        let spurious = matches!(&after, Ok(data) if data.is_empty());
        let what = format!(
            "read after {}, ^D and a read of {read}",
            counted(length, "byte")
        );
        refused(&what, after, &[Errno::EAGAIN])
            .map_err(|stop| if spurious { stop.or_era(0) } else { stop })?;
    }
    Ok(None)
}

fn erase(cx: &Cx) -> Verdict {
    let pty = cx.with(|attr| attr.lflag(libc::ECHO, false).iflag(libc::IUTF8, true))?;
    let rows: [(&str, &[u8], &[u8]); 5] = [
        ("ERASE", b"abX\x7fc\n", b"abc\n"),
        ("WERASE", b"one two\x17three\n", b"one three\n"),
        ("KILL", b"junk\x15good\n", b"good\n"),
        ("LNEXT", b"a\x16\x03b\x16\x04\n", b"a\x03b\x04\n"),
        (
            "ERASE of a UTF-8 character",
            "n\u{e9}\x7f!\n".as_bytes(),
            b"n!\n",
        ),
    ];
    for (name, typed, line) in rows {
        cx.write(&pty.master, typed)?;
        bytes(name, &cx.read(&pty.slave, 100)?, line)?;
    }
    Ok(None)
}

fn veol(cx: &Cx) -> Verdict {
    let pty = cx.with(|attr| attr.lflag(libc::ECHO, false).cc(libc::VEOL, b'='))?;
    cx.write(&pty.master, b"k=v\n")?;
    bytes("up to VEOL", &cx.read(&pty.slave, 100)?, b"k=")?;
    bytes("after it", &cx.read(&pty.slave, 100)?, b"v\n")?;
    Ok(None)
}

fn iflags(cx: &Cx) -> Verdict {
    let rows: [(&str, libc::tcflag_t, &[u8], &[u8]); 5] = [
        ("ICRNL", libc::ICRNL, b"a\rb\n.", b"a\nb\n."),
        ("INLCR", libc::INLCR, b"a\nb\r.", b"a\rb\r."),
        ("IGNCR", libc::IGNCR | libc::ICRNL, b"a\rb\n.", b"ab\n."),
        ("ISTRIP", libc::ISTRIP, b"\xe1\xff.", b"a\x7f."),
        ("PARMRK", libc::PARMRK, b"\xffa.", b"\xff\xffa."),
    ];
    for (name, flag, typed, want) in rows {
        let pty = cx.with(|attr| attr.raw().iflag(flag, true))?;
        cx.write(&pty.master, typed)?;
        bytes(name, &cx.read_until(&pty.slave, b".")?, want)?;
    }
    Ok(None)
}

fn to_raw(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    echoed(cx, &pty, b"abc")?;
    cx.change(&pty.slave, |attr| attr.lflag(libc::ICANON, false))?;
    same("FIONREAD", &cx.queued(&pty.slave)?, &3)?;
    bytes("the half line", &cx.read(&pty.slave, 100)?, b"abc")?;
    Ok(None)
}

fn to_canon(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    cx.deliver(&pty.master, &pty.slave, b"one\ntwo\n")?;
    cx.change(&pty.slave, |attr: Attr| attr.lflag(libc::ICANON, true))?;
    let readable = ok("poll", cx.sys.poll(&pty.slave, IN, Duration::ZERO))?;
    let lines = cx.peek(&pty.slave);
    if readable & IN == 0 || lines == Err(Errno::EAGAIN) {
        let got = format!("events {readable:#x}, read {lines:?}");
        return Err(Stop::fail("POLLIN and the lines", got).or_era(0));
    }
    let mut lines = ok("read", lines)?;
    let left = 8_usize.saturating_sub(lines.len());
    lines.extend(cx.read_exactly(&pty.slave, left)?);
    bytes("both lines", &lines, b"one\ntwo\n")?;
    Ok(None)
}

fn extproc(cx: &Cx) -> Verdict {
    let pty = cx.with(|attr| {
        attr.lflag(libc::ECHO, false)
            .lflag(libc::EXTPROC | libc::ICANON, true)
    })?;
    cx.write(&pty.master, b"\n\x04")?;
    cx.until_ready(&pty.slave, IN, "POLLIN")?;
    let queued = cx.queued(&pty.slave)?;
    that("FIONREAD of 1 or 2", matches!(queued, 1 | 2), || {
        queued.to_string()
    })?;
    let got = cx.read(&pty.slave, 100)?;
    that("a line of \\n", got.starts_with(b"\n"), || {
        got.escape_ascii().to_string()
    })?;
    Ok(Some(format!(
        "FIONREAD {queued}, read \"{}\"",
        got.escape_ascii()
    )))
}
