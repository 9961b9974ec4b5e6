//! Output processing and echo.

use nix::errno::Errno;
use nix::libc;

use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, that};
use crate::check::sys::Attr;
use crate::check::{Check, Cx, Group, Stop, Tier, Verdict};

const OUT: Check = of(Group::Out);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "out.opost",
        title: "the output flags change what they should",
        does: "A few bytes each through ONLCR, OCRNL, ONOCR, ONLRET, TAB3 and without OPOST.",
        expects: "The bytes of the table in termios(3).",
        since: "POSIX",
        sources: &[
            "termios(3)",
            "do_output_char in drivers/tty/n_tty.c",
            "LTP pty01",
        ],
        means: "Staircase output, or lines that overwrite each other.",
        run: opost,
        ..OUT
    },
    Check {
        id: "echo.simple",
        title: "what is typed comes back once",
        does: "Sends \"abc\" and a carriage return; the slave then prints a mark.",
        expects: "\"abc\\r\\n\" before the mark.",
        since: "POSIX",
        sources: &["POSIX XBD 11.2.5, ECHO"],
        means: "Typed text is not seen, or seen twice.",
        run: simple,
        ..OUT
    },
    Check {
        id: "echo.ctl",
        title: "control characters echo as termios(3) says",
        tier: Tier::Second,
        does: "Control characters with ECHOCTL on and off, an erasure with ECHOE, a newline with \
               ECHONL alone.",
        expects: "\"^A\\t^[\", the byte itself, \"\\b \\b\", \"\\r\\n\".",
        sources: &[
            "termios(3)",
            "do_output_char and eraser in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "The screen and the line differ.",
        run: ctl,
        ..OUT
    },
    Check {
        id: "echo.order",
        title: "echo and output do not harm each other",
        tier: Tier::Second,
        does: "10000 one-byte writes of digits by the program while letters are typed.",
        expects: "All digits and all letters, each in their order.",
        sources: &[
            "807708844979",
            "a88a69c91256",
            "process_echoes in drivers/tty/n_tty.c",
        ],
        means: "Garbled screens when typing during output.",
        run: order,
        ..OUT
    },
    Check {
        id: "echo.full",
        title: "an echo that found no room comes with the next output",
        tier: Tier::Second,
        does: "Fills the output, sends a line, drains the master, then lets the slave print a mark.",
        expects: "The echo, at the latest right before the mark. That draining alone does not \
                  bring it is the same on 2.6.38 to 6.18.",
        sources: &[
            "process_echoes in drivers/tty/n_tty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Typed text is lost from the screen.",
        run: full,
        ..OUT
    },
    Check {
        id: "echo.off-race",
        title: "nothing is echoed after ECHO was turned off",
        tier: Tier::Second,
        does: "Turns ECHO off with TCSAFLUSH, sends a password, lets the slave print a mark.",
        expects: "Nothing before the mark.",
        since: "POSIX",
        sources: &["tcsetattr(3), TCSAFLUSH", "getpass(3)"],
        means: "Passwords are shown.",
        run: off_race,
        ..OUT
    },
];

fn opost(cx: &Cx) -> Verdict {
    use libc::{OCRNL, ONLCR, ONLRET, ONOCR, OPOST, TAB3};
    let rows: [(&str, libc::tcflag_t, &[u8], &[u8]); 6] = [
        ("ONLCR", OPOST | ONLCR, b"a\nb.", b"a\r\nb."),
        ("OCRNL", OPOST | OCRNL, b"a\rb.", b"a\nb."),
        ("ONOCR", OPOST | ONOCR, b"\ra\rb.", b"a\rb."),
        ("ONLRET", OPOST | ONLRET | ONOCR, b"a\n\rb.", b"a\nb."),
        ("TAB3", OPOST | TAB3, b"a\tb.", b"a       b."),
        ("no OPOST", ONLCR | TAB3, b"a\n\tb.", b"a\n\tb."),
    ];
    for (name, flags, written, want) in rows {
        let pty = cx.with(|attr| attr.raw().oflag(!0, false).oflag(flags, true))?;
        cx.write(&pty.slave, written)?;
        bytes(name, &cx.read_until(&pty.master, b".")?, want)?;
    }
    Ok(None)
}

/// Types `line`, which ends in a newline, and lets the slave print a mark once
/// it has read it; returns what the master read before the mark.
fn echo_of(cx: &Cx, pty: &Pty, line: &[u8]) -> Result<Vec<u8>, Stop> {
    const MARK: &[u8] = b"\x02mark\x03";
    cx.write(&pty.master, line)?;
    cx.read(&pty.slave, 4096)?;
    cx.write(&pty.slave, MARK)?;
    let mut echo = cx.read_until(&pty.master, MARK)?;
    echo.truncate(echo.len() - MARK.len());
    Ok(echo)
}

fn simple(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    bytes("the echo", &echo_of(cx, &pty, b"abc\r")?, b"abc\r\n")?;
    Ok(None)
}

fn ctl(cx: &Cx) -> Verdict {
    type Change = fn(Attr) -> Attr;
    let rows: [(&str, Change, &[u8], &[u8]); 4] = [
        ("ECHOCTL", |attr| attr, b"\x01\t\x1b\n", b"^A\t^[\r\n"),
        (
            "no ECHOCTL",
            |attr| attr.lflag(libc::ECHOCTL, false),
            b"\x01\n",
            b"\x01\r\n",
        ),
        ("ECHOE", |attr| attr, b"ab\x7f\n", b"ab\x08 \x08\r\n"),
        (
            "ECHONL without ECHO",
            |attr| attr.lflag(libc::ECHO, false).lflag(libc::ECHONL, true),
            b"ab\n",
            b"\r\n",
        ),
    ];
    for (name, change, typed, want) in rows {
        let pty = cx.with(change)?;
        bytes(name, &echo_of(cx, &pty, typed)?, want)?;
    }
    Ok(None)
}

fn order(cx: &Cx) -> Verdict {
    const WRITES: usize = 10_000;
    let pty = cx.with(|attr| attr.raw().lflag(libc::ECHO, true))?;
    let (mut digits, mut letters) = (Vec::new(), Vec::new());
    let mut take = |data: Vec<u8>| {
        for byte in data {
            if byte.is_ascii_digit() {
                digits.push(byte)
            } else {
                letters.push(byte)
            }
        }
    };
    let digit = |i: usize| b'0' + (i % 10) as u8;
    let letter = |i: usize| b'a' + (i % 26) as u8;
    for i in 0..WRITES {
        cx.write(&pty.slave, &[digit(i)])?;
        cx.write(&pty.master, &[letter(i)])?;
        if i % 64 == 63 {
            // Once the slave has them, their echo is under way.
            cx.read_exactly(&pty.slave, 64)?;
            while let Ok(data) = cx.peek(&pty.master) {
                take(data);
            }
        }
    }
    cx.read_exactly(&pty.slave, WRITES % 64)?;
    cx.write(&pty.slave, b"!")?;
    take(cx.read_until(&pty.master, b"!")?);
    let typed = letters.strip_suffix(b"!").unwrap_or(&letters);
    bytes(
        "the program's output",
        &digits,
        &(0..WRITES).map(digit).collect::<Vec<_>>(),
    )?;
    bytes(
        "the echo",
        typed,
        &(0..WRITES).map(letter).collect::<Vec<_>>(),
    )?;
    Ok(None)
}

fn full(cx: &Cx) -> Verdict {
    let pty = cx.with(|attr| attr.oflag(libc::OPOST, false))?;
    let filled = cx.settle(&pty.slave, &pty.master, &[b'f'; 256])?;
    cx.write(&pty.master, b"ECHOED\n")?;
    bytes("the line", &cx.read(&pty.slave, 100)?, b"ECHOED\n")?;
    cx.drain(&pty.master, filled)?;
    let early = match cx.peek(&pty.master) {
        Ok(data) => data,
        Err(Errno::EAGAIN) => Vec::new(),
        Err(errno) => return ok("read", Err(errno)),
    };
    cx.write(&pty.slave, b"!")?;
    let mut all = early.clone();
    all.extend(cx.read_until(&pty.master, b"!")?);
    bytes("the echo and the mark", &all, b"ECHOED\n!")?;
    Ok(Some(if early.is_empty() {
        "the echo came with the next output".to_owned()
    } else {
        "the echo came by itself".to_owned()
    }))
}

fn off_race(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let attr = ok("tcgetattr", cx.sys.attr(&pty.slave))?.lflag(libc::ECHO, false);
    ok(
        "tcsetattr",
        cx.sys.set_attr(&pty.slave, libc::TCSAFLUSH, &attr),
    )?;
    let echo = echo_of(cx, &pty, b"secret\n")?;
    that("no echo", echo.is_empty(), || {
        format!("\"{}\"", echo.escape_ascii())
    })?;
    Ok(None)
}
