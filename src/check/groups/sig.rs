//! Signals of the terminal, and the window size that comes with one.

use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::pty::Winsize;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, setpgid, tcsetpgrp};

use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, refused, same, that};
use crate::check::peer::Link;
use crate::check::sys::{Fd, HUP, IN, Role, Signals, req};
use crate::check::{Check, Cx, Dated, Era, Group, Needs, Stop, Verdict};
use crate::pty::KernelVersion;

const SIG: Check = of(Group::Sig);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "sig.chars",
        title: "^C, ^\\ and ^Z signal, unless ISIG is off",
        does: "Types part of a line and each of the three, with the process in the foreground; \
               then ^C with ISIG off.",
        expects: "SIGINT, SIGQUIT and SIGTSTP; the part is dropped and the character echoed; \
                  without ISIG it is a byte of the line.",
        since: "POSIX",
        sources: &[
            "POSIX XBD 11.1.9, INTR, QUIT, SUSP",
            "isig in drivers/tty/n_tty.c",
        ],
        means: "A running command cannot be interrupted.",
        run: chars,
        ..SIG
    },
    Check {
        id: "sig.tiocsig",
        title: "TIOCSIG sends the keyboard's signals and no others",
        does: "TIOCSIG on the master with SIGINT, SIGHUP and 0.",
        expects: "The signal; EINVAL; EINVAL.",
        since: "2.6.36; the refusals 4.2 at the latest",
        eras: &[
            Era::between(
                KernelVersion::new(3, 13, 0),
                KernelVersion::new(4, 2, 0),
                "accepts any number",
            ),
            Era::before(
                KernelVersion::new(2, 6, 36),
                "has no TIOCSIG",
                Dated::Commit("\"tty: Add EXTPROC support for LINEMODE\""),
            ),
        ],
        sources: &["ioctl_tty(2)", "pty_signal in drivers/tty/pty.c"],
        means: "sshd and telnetd cannot pass an interrupt on.",
        run: tiocsig,
        ..SIG
    },
    Check {
        id: "sig.winch",
        title: "a changed window size signals once, an equal one does not",
        does: "Asks the size of a new pty, sets it twice, once from each end, then the same again.",
        expects: "0x0 at first; SIGWINCH for each change and none for the equal size; the pixels \
                  are kept.",
        sources: &[
            "ioctl_tty(2), TIOCSWINSZ",
            "pty_resize in drivers/tty/pty.c",
            "LTP ptem02 to ptem04",
        ],
        reports: &["google/gvisor#13317", "seebye/ueberzug#42"],
        means: "Full-screen programs keep the old size, or redraw without need.",
        run: winch,
        ..SIG
    },
    Check {
        id: "hup.leader",
        title: "a session leader's end hangs up its foreground job, not the terminal",
        does: "A session leader with a job in the foreground exits; the job counts its signals and \
               writes.",
        expects: "One SIGHUP; the write arrives; the master sees no hangup until the job is gone.",
        sources: &[
            "disassociate_ctty in drivers/tty/tty_jobctrl.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Jobs survive their terminal unasked, or lose their last words.",
        run: leader,
        ..SIG
    },
    Check {
        id: "sti",
        title: "TIOCSTI is refused as dev.tty.legacy_tiocsti says",
        needs: Needs::RootInPart,
        does: "Without privilege, TIOCSTI on a terminal that is not the controlling one, and on \
               one that is; as root, on any.",
        expects: "With the sysctl 0: EIO. With 1, or before 6.2: EPERM, then success. Root: success.",
        since: "6.2",
        sources: &[
            "tiocsti in drivers/tty/tty_io.c",
            "83efeeeb3d04",
            "tools/testing/selftests/tty/tty_tiocsti_test.c",
        ],
        reports: &[
            "dvorka/hstr#478",
            "containers/bubblewrap#142",
            "cantino/mcfly#333",
        ],
        means: "A program can type into the terminal that started it, or tools that did so no \
                longer can.",
        run: sti,
        ..SIG
    },
];

/// Makes the slave the controlling terminal of this process, which leads a
/// session that has none.
pub(super) fn acquire(cx: &Cx, slave: &Fd) -> Result<(), Stop> {
    ok("TIOCSCTTY", cx.sys.ioctl(slave, req::TIOCSCTTY, 0)).map(drop)
}

/// The next of `signals`, waited for.
pub(super) fn signalled(cx: &Cx, signals: &Signals, want: Signal) -> Result<(), Stop> {
    let got = ok("sigtimedwait", cx.sys.signal(signals, cx.deadline))?;
    same("signal", &got, &Some(want))
}

/// No signal is pending: what would have sent one has already returned.
pub(super) fn silent(cx: &Cx, signals: &Signals, what: &str) -> Result<(), Stop> {
    let got = ok("sigtimedwait", cx.sys.signal(signals, Duration::ZERO))?;
    same(&format!("signal {what}"), &got, &None)
}

pub(super) fn block(signals: &[Signal]) -> Result<Signals, Stop> {
    ok("sigprocmask", Signals::block(signals))
}

fn chars(cx: &Cx) -> Verdict {
    let keys = [
        (3, Signal::SIGINT),
        (28, Signal::SIGQUIT),
        (26, Signal::SIGTSTP),
    ];
    let signals = block(&keys.map(|(_, signal)| signal))?;
    let pty = cx.pty()?;
    acquire(cx, &pty.slave)?;
    for (key, signal) in keys {
        cx.write(&pty.master, &[b'a', b'b', key])?;
        signalled(cx, &signals, signal)?;
        cx.write(&pty.master, b"x\n")?;
        bytes("the line after it", &cx.read(&pty.slave, 100)?, b"x\n")?;
        let echo = cx.read_until(&pty.master, b"x\r\n")?;
        let name = format!("^{}", char::from(key | 0x40));
        that(
            &format!("{name} is echoed"),
            echo.ends_with(format!("{name}x\r\n").as_bytes()),
            || format!("\"{}\"", echo.escape_ascii()),
        )?;
    }
    cx.change(&pty.slave, |attr| attr.lflag(libc::ISIG, false))?;
    cx.write(&pty.master, b"\x03\n")?;
    bytes("^C without ISIG", &cx.read(&pty.slave, 100)?, b"\x03\n")?;
    silent(cx, &signals, "without ISIG")?;
    Ok(None)
}

fn tiocsig(cx: &Cx) -> Verdict {
    let signals = block(&[Signal::SIGINT, Signal::SIGHUP])?;
    let pty = cx.pty()?;
    acquire(cx, &pty.slave)?;
    let send = |signal| cx.sys.ioctl(&pty.master, req::TIOCSIG, signal);
    match send(libc::SIGINT) {
        Err(Errno::ENOTTY | Errno::EINVAL) => {
            return Err(Stop::fail("TIOCSIG is known", "unknown").or_era(1));
        }
        other => ok("TIOCSIG SIGINT", other)?,
    };
    signalled(cx, &signals, Signal::SIGINT)?;
    for number in [libc::SIGHUP, 0] {
        refused(&format!("TIOCSIG {number}"), send(number), &[Errno::EINVAL])
            .map_err(|stop| stop.or_era(0))?;
    }
    silent(cx, &signals, "after a refusal")?;
    Ok(None)
}

fn winch(cx: &Cx) -> Verdict {
    let signals = block(&[Signal::SIGWINCH])?;
    let pty = cx.pty()?;
    acquire(cx, &pty.slave)?;
    let size = |ws_row, ws_col| Winsize {
        ws_row,
        ws_col,
        ws_xpixel: 7,
        ws_ypixel: 9,
    };
    let get = |fd: &Fd| {
        let mut got = Winsize {
            ws_row: 1,
            ws_col: 1,
            ws_xpixel: 1,
            ws_ypixel: 1,
        };
        ok(
            "TIOCGWINSZ",
            cx.sys.ioctl_ptr(fd, req::TIOCGWINSZ, &mut got),
        )?;
        Ok::<_, Stop>(got)
    };
    let set = |fd: &Fd, mut want: Winsize| {
        ok(
            "TIOCSWINSZ",
            cx.sys.ioctl_ptr(fd, req::TIOCSWINSZ, &mut want),
        )
        .map(drop)
    };
    let fresh = get(&pty.slave)?;
    same("size of a new pty", &(fresh.ws_row, fresh.ws_col), &(0, 0))?;
    for (fd, want) in [(&pty.slave, size(24, 80)), (&pty.master, size(30, 100))] {
        set(fd, want)?;
        signalled(cx, &signals, Signal::SIGWINCH)?;
        same("the size at the slave", &get(&pty.slave)?, &want)?;
        silent(cx, &signals, "after the one")?;
    }
    set(&pty.slave, size(30, 100))?;
    silent(cx, &signals, "for an equal size")?;
    Ok(None)
}

fn leader(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let (ours, theirs) = Link::pair()?;
    let leader = cx.session(|cx, _| {
        acquire(cx, &pty.slave)?;
        let job = cx.fork(|cx, link| job(cx, link, &pty, &theirs))?;
        job.link.hear(cx)?;
        ok("tcsetpgrp", tcsetpgrp(&pty.slave, job.pid))?;
        job.leave();
        Ok(())
    })?;
    drop(theirs);
    leader.join(cx)?;
    cx.sys.close(pty.slave);
    ours.hear(cx)?;
    cx.read_until(&pty.master, b"still here")?;
    let revents = ok("poll", cx.sys.poll(&pty.master, IN, Duration::ZERO))?;
    that("no hangup while the job lives", revents & HUP == 0, || {
        "POLLHUP".to_owned()
    })?;
    ours.tell(b'g')?;
    cx.until_ready(&pty.master, HUP, "a hangup once the job is gone")
        .map(|_| None)
}

/// The foreground job: outlives its leader, counts its hangups, writes.
fn job(cx: &Cx, leader: &Link, pty: &Pty, check: &Link) -> Result<(), Stop> {
    let run = || {
        ok("prctl", nix::sys::prctl::set_pdeathsig(None))?;
        let signals = block(&[Signal::SIGHUP, Signal::SIGTTOU])?;
        ok("setpgid", setpgid(getpid(), getpid()))?;
        leader.tell(b'r')?;
        signalled(cx, &signals, Signal::SIGHUP)?;
        cx.write(&pty.slave, b"still here")?;
        silent(cx, &signals, "after the one SIGHUP")
    };
    let verdict: Result<(), Stop> = run();
    match &verdict {
        Ok(()) => check.tell(b'h')?,
        Err(_) => check.end(&verdict),
    }
    check.hear(cx).map(drop)
}

fn sti(cx: &Cx) -> Verdict {
    const SYSCTL: &str = "/proc/sys/dev/tty/legacy_tiocsti";
    let sysctl = cx.sys.text(SYSCTL).ok();
    let allowed = match sysctl.as_deref().map(str::trim) {
        None | Some("1") => true,
        Some(_) => false,
    };
    let root = nix::unistd::geteuid().is_root();
    let pty = cx.raw()?;
    let unprivileged = cx.session(|cx, _| {
        if root {
            drop_privilege()?;
        }
        let push = || cx.sys.ioctl_int(&pty.slave, req::TIOCSTI, b'i'.into());
        let stranger = if allowed { Errno::EPERM } else { Errno::EIO };
        refused(
            "on a terminal that is not the controlling one",
            push(),
            &[stranger],
        )?;
        acquire(cx, &pty.slave)?;
        if allowed {
            ok("TIOCSTI on the controlling terminal", push())?;
            bytes("what was typed", &cx.read(&pty.slave, 10)?, b"i")
        } else {
            refused("on the controlling terminal", push(), &[Errno::EIO])
        }
    })?;
    unprivileged.join(cx)?;
    if root {
        let pty = cx.raw()?;
        let privileged = cx.sys.call("TIOCSTI by root", Role::Slave, || {
            cx.sys
                .ioctl_int(&pty.slave, req::TIOCSTI, b'r'.into())
                .map(i64::from)
        });
        ok("TIOCSTI by root", privileged)?;
        bytes("what root typed", &cx.read(&pty.slave, 10)?, b"r")?;
    }
    Ok(Some(match (sysctl, root) {
        (None, _) => {
            "no dev.tty.legacy_tiocsti: a program may type into its own terminal".to_owned()
        }
        (Some(value), root) => format!(
            "dev.tty.legacy_tiocsti = {}{}",
            value.trim(),
            if root {
                ""
            } else {
                "; root's half was not tried"
            }
        ),
    }))
}

/// Becomes the user "nobody", for good.
pub(super) fn drop_privilege() -> Result<(), Stop> {
    let nobody = nix::unistd::Uid::from_raw(65534);
    nix::unistd::setresuid(nobody, nobody, nobody)
        .map_err(|errno| Stop::Skip(format!("cannot become another user: {errno:?}")))
}
