//! Sessions and job control.

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::unistd::{Pid, getpid, setpgid, tcsetpgrp};

use super::of;
use super::sig::{acquire, block, signalled};
use crate::check::cx::{FLAGS, Pty};
use crate::check::expect::{ok, refused, same};
use crate::check::sys::{Fd, req};
use crate::check::{Check, Cx, Dated, Era, Group, Needs, Stop, Tier, Verdict};
use crate::pty::KernelVersion;

const SES: Check = of(Group::Sig);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "ses.acquire",
        title: "a leader's open takes the terminal, unless it is told not to",
        does: "Session leaders open the slave: plainly, with O_NOCTTY, and for writing alone.",
        expects: "The first has a controlling terminal, the others have none.",
        since: "4.5 for O_WRONLY",
        eras: &[Era::before(
            KernelVersion::new(4, 5, 0),
            "O_WRONLY takes it too",
            Dated::Commit("\"drivers/tty: require read access for controlling terminal\""),
        )],
        sources: &[
            "open(2), O_NOCTTY",
            "tty_open_proc_set_tty in drivers/tty/tty_jobctrl.c",
        ],
        means: "Daemons get a controlling terminal, or shells none.",
        run: acquires,
        ..SES
    },
    Check {
        id: "ses.devtty",
        title: "/dev/tty is the controlling terminal",
        does: "Opens /dev/tty without a controlling terminal, then with one and writes to it.",
        expects: "ENXIO; then the write arrives at the master.",
        since: "POSIX",
        sources: &["tty(4)", "tty_open_current_tty in drivers/tty/tty_io.c"],
        means: "ssh, sudo and others cannot ask for a password.",
        run: devtty,
        ..SES
    },
    Check {
        id: "ses.steal",
        title: "another session's terminal can be taken by root alone",
        tier: Tier::Second,
        needs: Needs::RootInPart,
        does: "TIOCSCTTY with 0 on a terminal of another session, then as root with 1.",
        expects: "EPERM; success, after which the other session has none.",
        sources: &[
            "ioctl_tty(2), TIOCSCTTY",
            "tiocsctty in drivers/tty/tty_jobctrl.c",
        ],
        means: "A user can take over the terminal of another.",
        run: steal,
        ..SES
    },
    Check {
        id: "ses.pgrp",
        title: "TIOCSPGRP takes process groups of its session alone",
        tier: Tier::Second,
        does: "TIOCSPGRP without a controlling terminal, with -1, a dead group and one of another \
               session; TIOCGPGRP of the master without a foreground group.",
        expects: "ENOTTY, EINVAL, ESRCH, EPERM; 0.",
        since: "POSIX",
        sources: &["tcsetpgrp(3)", "tiocspgrp in drivers/tty/tty_jobctrl.c"],
        reports: &["google/gvisor#421"],
        means: "Shells cannot tell why a job does not come to the foreground.",
        run: pgrp,
        ..SES
    },
    Check {
        id: "ses.notty",
        title: "a leader that gives up its terminal hangs up its job",
        tier: Tier::Second,
        does: "TIOCNOTTY by the session leader, which is in the foreground.",
        expects: "SIGHUP and SIGCONT; /dev/tty says ENXIO afterwards.",
        since: "POSIX",
        sources: &[
            "ioctl_tty(2), TIOCNOTTY",
            "disassociate_ctty in drivers/tty/tty_jobctrl.c",
        ],
        means: "Programs go on using a terminal that is no longer theirs.",
        run: notty,
        ..SES
    },
    Check {
        id: "job.bg",
        title: "background jobs are stopped as POSIX says",
        does: "A background job reads, writes with and without TOSTOP, and sets termios; with the \
               signals ignored; in an orphaned group.",
        expects: "SIGTTIN, SIGTTOU, success, SIGTTOU; EIO, success, success; EIO.",
        since: "POSIX",
        sources: &[
            "POSIX XBD 11.1.4",
            "__tty_check_change in drivers/tty/tty_jobctrl.c",
        ],
        reports: &[
            "uutils/coreutils#13722",
            "elves/elvish#314",
            "python/cpython#135329",
        ],
        means: "Background jobs steal the input of the foreground one, or die.",
        run: background,
        ..SES
    },
];

/// Whether this process has a controlling terminal.
fn devtty_says(cx: &Cx, who: &str, want: Result<(), Errno>) -> Result<(), Stop> {
    let opened = cx.sys.open("/dev/tty", FLAGS).map(drop);
    if opened == Err(Errno::ENOENT) {
        return Err(Stop::Env("/dev/tty does not exist".to_owned()));
    }
    same(&format!("open of /dev/tty by {who}"), &opened, &want)
}

fn acquires(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    // By its path: TIOCGPTPEER would have to be asked in each session.
    let open = |flags: OFlag| {
        cx.sys
            .open(pty.path(), flags | OFlag::O_NONBLOCK)
            .map_err(|errno| match errno {
                Errno::ENOENT | Errno::EACCES => Stop::Env(format!("{}: {errno:?}", pty.path())),
                other => Stop::fail("open of the slave", format!("{other:?}")),
            })
    };
    let rows = [
        (
            "a leader with O_NOCTTY",
            OFlag::O_RDWR | OFlag::O_NOCTTY,
            Err(Errno::ENXIO),
        ),
        ("a leader with O_WRONLY", OFlag::O_WRONLY, Err(Errno::ENXIO)),
        ("a leader", OFlag::O_RDWR, Ok(())),
    ];
    for (who, flags, want) in rows {
        let leader = cx.session(|cx, _| {
            let _slave = open(flags)?;
            devtty_says(cx, who, want)
        })?;
        leader.join(cx).map_err(|stop| {
            if flags.contains(OFlag::O_WRONLY) {
                stop.or_era(0)
            } else {
                stop
            }
        })?;
    }
    Ok(None)
}

fn devtty(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    devtty_says(cx, "a session without a terminal", Err(Errno::ENXIO))?;
    acquire(cx, &pty.slave)?;
    let tty = ok("open of /dev/tty", cx.sys.open("/dev/tty", FLAGS))?;
    cx.write(&tty, b"via /dev/tty")?;
    cx.read_until(&pty.master, b"via /dev/tty")?;
    Ok(None)
}

fn steal(cx: &Cx) -> Verdict {
    let root = nix::unistd::geteuid().is_root();
    let pty = cx.pty()?;
    let owner = cx.session(|cx, link| {
        // Losing the terminal comes with a hangup.
        block(&[Signal::SIGHUP])?;
        acquire(cx, &pty.slave)?;
        link.tell(b'r')?;
        link.hear(cx)?;
        if root {
            devtty_says(cx, "the session that lost it", Err(Errno::ENXIO))?;
        }
        Ok(())
    })?;
    owner.link.hear(cx)?;
    let take = |argument| cx.sys.ioctl(&pty.slave, req::TIOCSCTTY, argument);
    refused("TIOCSCTTY 0", take(0), &[Errno::EPERM])?;
    if root {
        ok("TIOCSCTTY 1 by root", take(1))?;
    } else {
        refused("TIOCSCTTY 1 by a user", take(1), &[Errno::EPERM])?;
    }
    owner.link.tell(b'g')?;
    owner.join(cx)?;
    Ok((!root).then(|| "root's half was not tried".to_owned()))
}

fn pgrp(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let set = |group: Pid| cx.sys.ioctl_int(&pty.slave, req::TIOCSPGRP, group.as_raw());
    same(
        "the master's TIOCGPGRP",
        &ok(
            "TIOCGPGRP",
            cx.sys.ioctl_int(&pty.master, req::TIOCGPGRP, -1),
        )?,
        &0,
    )?;
    refused(
        "without a controlling terminal",
        set(getpid()),
        &[Errno::ENOTTY],
    )?;
    acquire(cx, &pty.slave)?;
    refused("with -1", set(Pid::from_raw(-1)), &[Errno::EINVAL])?;
    let mut dead = cx.fork(|_, _| Ok(()))?;
    dead.wait(cx)?;
    refused("with a dead group", set(dead.pid), &[Errno::ESRCH])?;
    let stranger = cx.session(|cx, link| {
        link.tell(b'r')?;
        link.hear(cx).map(drop)
    })?;
    stranger.link.hear(cx)?;
    refused(
        "with a group of another session",
        set(stranger.pid),
        &[Errno::EPERM],
    )?;
    stranger.link.tell(b'g')?;
    stranger.join(cx)?;
    ok("with its own group", set(getpid()))?;
    Ok(None)
}

fn notty(cx: &Cx) -> Verdict {
    let signals = block(&[Signal::SIGHUP, Signal::SIGCONT])?;
    let pty = cx.pty()?;
    acquire(cx, &pty.slave)?;
    ok("TIOCNOTTY", cx.sys.ioctl(&pty.slave, req::TIOCNOTTY, 0))?;
    // Both are pending, and the lower number is taken first.
    signalled(cx, &signals, Signal::SIGHUP)?;
    signalled(cx, &signals, Signal::SIGCONT)?;
    devtty_says(cx, "the leader", Err(Errno::ENXIO))?;
    Ok(None)
}

/// What a background job does to its terminal.
type Act = fn(&Cx, &Fd) -> nix::Result<()>;

fn act_read(cx: &Cx, fd: &Fd) -> nix::Result<()> {
    cx.sys.read(fd, 10).map(drop)
}

fn act_write(cx: &Cx, fd: &Fd) -> nix::Result<()> {
    cx.sys.write(fd, b"bg").map(drop)
}

fn act_set(cx: &Cx, fd: &Fd) -> nix::Result<()> {
    let attr = cx.sys.attr(fd)?;
    cx.sys.set_attr(fd, libc::TCSANOW, &attr)
}

fn background(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    acquire(cx, &pty.slave)?;
    let tostop = |on| cx.change(&pty.slave, |attr| attr.lflag(libc::TOSTOP, on));

    stops(cx, &pty, "a background read", act_read, Signal::SIGTTIN)?;
    goes(
        cx,
        &pty,
        "a background write without TOSTOP",
        act_write,
        Ok(()),
    )?;
    stops(cx, &pty, "a background tcsetattr", act_set, Signal::SIGTTOU)?;
    tostop(true)?;
    stops(
        cx,
        &pty,
        "a background write with TOSTOP",
        act_write,
        Signal::SIGTTOU,
    )?;

    goes(
        cx,
        &pty,
        "a background read, SIGTTIN ignored",
        act_read,
        Err(Errno::EIO),
    )?;
    goes(
        cx,
        &pty,
        "a background write, SIGTTOU ignored",
        act_write,
        Ok(()),
    )?;
    goes(
        cx,
        &pty,
        "a background tcsetattr, SIGTTOU ignored",
        act_set,
        Ok(()),
    )?;
    orphan(cx)?;
    Ok(None)
}

/// A background job that is stopped by `want` when it acts.
fn stops(cx: &Cx, pty: &Pty, what: &str, act: Act, want: Signal) -> Result<(), Stop> {
    let job = cx.fork(|cx, _| {
        ok("setpgid", setpgid(getpid(), getpid()))?;
        let got = act(cx, &pty.slave);
        Err(Stop::fail(
            format!("{what} is stopped by {want}"),
            format!("{got:?}"),
        ))
    })?;
    match job.stopped(cx).map_err(|stop| stop.within(what))? {
        Some(got) => same(&format!("{what} is stopped by"), &got, &want),
        // It ended: its own words say more.
        None => job.join(cx).and(Err(Stop::fail(what, "the process ended"))),
    }
}

/// A background job that ignores both signals, and what its act then gives.
fn goes(cx: &Cx, pty: &Pty, what: &str, act: Act, want: nix::Result<()>) -> Result<(), Stop> {
    let job = cx.fork(|cx, _| {
        for ignored in [Signal::SIGTTIN, Signal::SIGTTOU] {
            // SAFETY: ignoring a signal runs no code.
            ok("signal", unsafe { signal(ignored, SigHandler::SigIgn) })?;
        }
        ok("setpgid", setpgid(getpid(), getpid()))?;
        same(what, &act(cx, &pty.slave), &want)
    })?;
    job.join(cx).map_err(|stop| stop.within(what))
}

/// A leader that put another group in the foreground is itself in a background
/// group, and an orphaned one, since its parent is of another session.
fn orphan(cx: &Cx) -> Result<(), Stop> {
    let pty = cx.raw()?;
    let leader = cx.session(|cx, _| {
        acquire(cx, &pty.slave)?;
        let job = cx.fork(|cx, link| {
            ok("setpgid", setpgid(getpid(), getpid()))?;
            link.tell(b'r')?;
            link.hear(cx).map(drop)
        })?;
        job.link.hear(cx)?;
        ok("tcsetpgrp", tcsetpgrp(&pty.slave, job.pid))?;
        same(
            "a read by an orphaned background group",
            &act_read(cx, &pty.slave),
            &Err(Errno::EIO),
        )?;
        job.link.tell(b'g')
    })?;
    leader
        .join(cx)
        .map_err(|stop| stop.within("an orphaned group"))
}
