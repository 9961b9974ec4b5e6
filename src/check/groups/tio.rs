//! termios, and the ioctls of modems.

use nix::errno::Errno;
use nix::libc;
use nix::pty::Winsize;

use super::of;
use crate::check::expect::{ok, refused, same, that};
use crate::check::sys::{Attr, Req, req};
use crate::check::{Check, Cx, Dated, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;

const TIO: Check = of(Group::Tio);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "tio.default",
        title: "a new pty is cooked",
        does: "tcgetattr(3) of a new pty.",
        expects: "iflag 02400, oflag 05, cflag 0277, lflag 0105073 (octal), the usual control \
                  characters; IUTF8 off.",
        sources: &[
            "tty_std_termios in drivers/tty/tty_io.c",
            "INIT_C_CC",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Programs that rely on the defaults misbehave.",
        run: default,
        ..TIO
    },
    Check {
        id: "tio.master",
        title: "both ends see and set the same termios",
        does: "Sets termios through the master and reads them at the slave, and back.",
        expects: "The same settings.",
        sources: &["tty_mode_ioctl in drivers/tty/tty_ioctl.c: a master acts on its slave"],
        means: "Terminal emulators cannot see or set the mode of their program.",
        run: master,
        ..TIO
    },
    Check {
        id: "tio.cs8",
        title: "character size, parity and speed are stored without effect",
        tier: Tier::Second,
        does: "Asks for CS7 with parity, for speed 0, and for speed 12345.",
        expects: "CS8 without parity and with CREAD; no hangup; 12345 read back.",
        sources: &["pty_set_termios in drivers/tty/pty.c", "LTP ptem06"],
        reports: &["ezramorris/PyVirtualSerialPorts#1", "dosemu2/dosemu2#749"],
        means: "Programs for serial lines give up on a pty.",
        run: cs8,
        ..TIO
    },
    Check {
        id: "tio.persist",
        title: "termios and window size outlast the slave's close",
        tier: Tier::Second,
        does: "Sets both, closes the slave and opens it again.",
        expects: "The same settings and size.",
        sources: &["TTY_DRIVER_RESET_TERMIOS is not set for slaves; measured on 2.6.38 to 6.18"],
        means: "A second program on the same terminal starts with a wrong mode.",
        run: persist,
        ..TIO
    },
    Check {
        id: "tio.modem",
        title: "a pty says that it is no modem",
        does: "TIOCMGET, TIOCMBIS, TIOCGICOUNT and TIOCGSERIAL on the slave, then TCSBRK.",
        expects: "ENOTTY for each; TCSBRK succeeds.",
        since: "5.13, and the stable releases 4.4 to 5.12 of May 2021",
        eras: &[Era::before(
            KernelVersion::new(5, 13, 0),
            "says EINVAL to TIOCMGET and TIOCMBIS",
            Dated::Commit("1b8b20868a6d (5.13 and stable)"),
        )],
        sources: &[
            "tty_tiocmget in drivers/tty/tty_io.c; 1b8b20868a6d",
            "measured: EINVAL on 2.6.38 to 5.5, ENOTTY on 6.1 to 6.18",
        ],
        reports: &[
            "pyserial/pyserial#59",
            "Jakeler/ble-serial#98",
            "stephane/libmodbus#234",
        ],
        means: "Programs for serial lines must ignore either errno to work on a pty.",
        run: modem,
        ..TIO
    },
];

fn default(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let attr = ok("tcgetattr", cx.sys.attr(&pty.slave))?.0;
    let flags = [attr.c_iflag, attr.c_oflag, attr.c_cflag, attr.c_lflag];
    let octal = |flags: [libc::tcflag_t; 4]| flags.map(|flag| format!("{flag:o}")).join(" ");
    let want = [0o2400, 0o5, 0o277, 0o105_073];
    same("iflag oflag cflag lflag", &octal(flags), &octal(want))?;
    let table = [
        ("VINTR", libc::VINTR, 3),
        ("VQUIT", libc::VQUIT, 28),
        ("VERASE", libc::VERASE, 127),
        ("VKILL", libc::VKILL, 21),
        ("VEOF", libc::VEOF, 4),
        ("VMIN", libc::VMIN, 1),
        ("VTIME", libc::VTIME, 0),
        ("VSTART", libc::VSTART, 17),
        ("VSTOP", libc::VSTOP, 19),
        ("VSUSP", libc::VSUSP, 26),
        ("VEOL", libc::VEOL, 0),
        ("VREPRINT", libc::VREPRINT, 18),
        ("VDISCARD", libc::VDISCARD, 15),
        ("VWERASE", libc::VWERASE, 23),
        ("VLNEXT", libc::VLNEXT, 22),
    ];
    for (name, at, want) in table {
        same(name, &attr.c_cc.get(at).copied().unwrap_or(255), &want)?;
    }
    Ok(None)
}

fn master(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let ends = [(&pty.master, &pty.slave), (&pty.slave, &pty.master)];
    let changes: [fn(Attr) -> Attr; 2] = [Attr::raw, |attr| {
        attr.lflag(libc::ICANON, true)
            .oflag(libc::OPOST, true)
            .cc(libc::VINTR, 7)
    }];
    for ((set, look), change) in ends.into_iter().zip(changes) {
        let want = change(ok("tcgetattr", cx.sys.attr(set))?);
        ok("tcsetattr", cx.sys.set_attr(set, libc::TCSANOW, &want))?;
        let what = format!("set on the {:?}, read on the {:?}", set.role(), look.role());
        same(&what, &ok("tcgetattr", cx.sys.attr(look))?, &want)?;
    }
    Ok(None)
}

fn cs8(cx: &Cx) -> Verdict {
    // By the ioctls: glibc's tcsetattr answers EINVAL of its own accord when
    // the kernel stores something else than what was asked for.
    let pty = cx.raw()?;
    let get = || {
        // SAFETY: all-zero is a valid termios2, which TCGETS2 then fills.
        let mut attr = unsafe { std::mem::zeroed::<libc::termios2>() };
        ok(
            "TCGETS2",
            cx.sys.ioctl_ptr(&pty.slave, req::TCGETS2, &mut attr),
        )?;
        Ok::<_, Stop>(attr)
    };
    let set =
        |attr: &mut libc::termios2| ok("TCSETS2", cx.sys.ioctl_ptr(&pty.slave, req::TCSETS2, attr));

    let mut attr = get()?;
    attr.c_cflag = (attr.c_cflag & !(libc::CSIZE | libc::CREAD)) | libc::CS7 | libc::PARENB;
    set(&mut attr)?;
    let bits = get()?.c_cflag & (libc::CSIZE | libc::PARENB | libc::CREAD);
    let want = libc::CS8 | libc::CREAD;
    same(
        "CS8 and CREAD without PARENB (octal)",
        &format!("{bits:o}"),
        &format!("{want:o}"),
    )?;

    attr = get()?;
    attr.c_cflag &= !libc::CBAUD;
    set(&mut attr)?;
    cx.write(&pty.slave, b"alive.")?;
    cx.read_until(&pty.master, b"alive.")?;

    attr.c_cflag |= libc::BOTHER;
    (attr.c_ispeed, attr.c_ospeed) = (12345, 12345);
    set(&mut attr)?;
    same("speed", &get()?.c_ospeed, &12345)?;
    Ok(None)
}

fn persist(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let want = ok("tcgetattr", cx.sys.attr(&pty.slave))?.cc(libc::VINTR, 7);
    ok(
        "tcsetattr",
        cx.sys.set_attr(&pty.slave, libc::TCSANOW, &want),
    )?;
    let mut size = Winsize {
        ws_row: 33,
        ws_col: 99,
        ws_xpixel: 5,
        ws_ypixel: 6,
    };
    ok(
        "TIOCSWINSZ",
        cx.sys.ioctl_ptr(&pty.slave, req::TIOCSWINSZ, &mut size),
    )?;
    cx.sys.close(pty.slave);
    let again = cx.slave(&pty.master)?;
    same("termios", &ok("tcgetattr", cx.sys.attr(&again))?, &want)?;
    let mut got = Winsize {
        ws_row: 0,
        ws_col: 0,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    ok(
        "TIOCGWINSZ",
        cx.sys.ioctl_ptr(&again, req::TIOCGWINSZ, &mut got),
    )?;
    same("window size", &got, &size)?;
    Ok(None)
}

fn modem(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let mut old = Vec::new();
    let mut ask = |request: Req| -> Result<(), Stop> {
        // Larger than any of the structures that these requests point to.
        let mut space = [0_u64; 32];
        match cx.sys.ioctl_ptr(&pty.slave, request, &mut space) {
            Err(Errno::EINVAL) => old.push(request.name),
            other => refused(request.name, other, &[Errno::ENOTTY])?,
        }
        Ok(())
    };
    for request in [
        req::TIOCMGET,
        req::TIOCMBIS,
        req::TIOCGICOUNT,
        req::TIOCGSERIAL,
    ] {
        ask(request)?;
    }
    ok("TCSBRK", cx.sys.ioctl(&pty.slave, req::TCSBRK, 1))?;
    that("ENOTTY", old.is_empty(), || {
        format!("EINVAL of {}", old.join(", "))
    })
    .map_err(|stop| stop.or_era(0))?;
    Ok(None)
}
