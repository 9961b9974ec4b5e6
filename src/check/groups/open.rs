//! Opening and unlocking.

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;

use super::of;
use crate::check::cx::{FLAGS, PTMX};
use crate::check::expect::{ok, refused, same, that};
use crate::check::sys::{Role, req};
use crate::check::{Check, Cx, Dated, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;

const OPEN: Check = of(Group::Open);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "open.ptmx",
        title: "/dev/ptmx opens and is a terminal",
        does: "Opens /dev/ptmx for reading and writing and looks at what it got.",
        expects: "A descriptor that isatty(3) takes for a terminal, and a node 5:2.",
        sources: &["pts(4)", "ptmx_open in drivers/tty/pty.c"],
        reports: &["google/gvisor#13535"],
        means: "No terminal emulator, no ssh login with a terminal, no script(1).",
        run: ptmx,
        ..OPEN
    },
    Check {
        id: "open.locked",
        title: "a slave cannot be opened before it is unlocked",
        does: "Opens the slave of a new master without TIOCSPTLCK, and asks TIOCGPTLCK.",
        expects: "EIO, and a lock of 1.",
        eras: &[Era::before(
            KernelVersion::new(3, 8, 0),
            "has no TIOCGPTLCK",
            Dated::Manual("ioctl_tty(2)"),
        )],
        sources: &[
            "unlockpt(3)",
            "ioctl_tty(2)",
            "pty_open in drivers/tty/pty.c",
        ],
        means: "Another process can take the slave before its mode and owner are set.",
        run: locked,
        ..OPEN
    },
    Check {
        id: "open.unlock",
        title: "an unlocked slave opens",
        does: "Unlocks the slave by TIOCSPTLCK with 0, asks TIOCGPTLCK and opens it.",
        expects: "A lock of 0 and a descriptor that is a terminal.",
        eras: &[Era::before(
            KernelVersion::new(3, 8, 0),
            "has no TIOCGPTLCK",
            Dated::Manual("ioctl_tty(2)"),
        )],
        sources: &["unlockpt(3)", "ioctl_tty(2)"],
        means: "openpty(3), forkpty(3) and all that is built on them fail.",
        run: unlock,
        ..OPEN
    },
    Check {
        id: "open.relock",
        title: "a slave locked again refuses new opens alone",
        tier: Tier::Second,
        does: "Locks again with the slave open, opens it, then unlocks and opens again.",
        expects: "EIO for the new open; after the good one, the old descriptor works.",
        sources: &[
            "pty_open in drivers/tty/pty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Between the two, writes to the old descriptor may fail with EIO (since 3.13): \
                lock-and-retry poisons a pair in use.",
        run: relock,
        ..OPEN
    },
    Check {
        id: "open.gptpeer",
        title: "TIOCGPTPEER opens the slave without a path",
        does: "Asks a locked master, an unlocked one with O_CLOEXEC, and a slave for the peer.",
        expects: "EIO; the tty of /dev/pts/N, closed on exec; EIO.",
        since: "4.13",
        eras: &[Era::before(
            KernelVersion::new(4, 13, 0),
            "does not know TIOCGPTPEER",
            Dated::Commit("54ebbfb16034"),
        )],
        sources: &["ioctl_tty(2)", "ptm_open_peer in drivers/tty/pty.c"],
        reports: &["lxc/lxc#1620", "google/gvisor#13463"],
        means: "Container tools cannot open a slave that another mount namespace names.",
        run: gptpeer,
        ..OPEN
    },
    Check {
        id: "open.reopen-proc",
        title: "/proc/self/fd of a master opens another pty, of a slave the same",
        tier: Tier::Second,
        does: "Opens the links of both ends in /proc/self/fd.",
        expects: "A new index through the master's link, the same device through the slave's.",
        sources: &[
            "proc_pid_fd(5)",
            "ptmx_open in drivers/tty/pty.c",
            "measured on 2.6.38 to 6.18",
        ],
        means: "A program that reopens a master by its link talks to nobody.",
        run: reopen_proc,
        ..OPEN
    },
    Check {
        id: "open.slave-ioctls",
        title: "a slave refuses the ioctls of masters",
        tier: Tier::Second,
        does: "TIOCGPTN, TIOCSPTLCK, TIOCPKT and TIOCSIG on the slave.",
        expects: "ENOTTY for each.",
        since: "3.13 at the latest",
        eras: &[Era::before(
            KernelVersion::new(3, 13, 0),
            "says EINVAL",
            Dated::Between {
                last: KernelVersion::new(2, 6, 38),
                commit: "bbb63c514a34",
            },
        )],
        sources: &[
            "pty_unix98_ioctl in drivers/tty/pty.c",
            "measured: EINVAL on 2.6.38, ENOTTY on 3.13 to 6.18",
        ],
        means: "Programs that tell the ends apart by TIOCGPTN take one for the other.",
        run: slave_ioctls,
        ..OPEN
    },
    Check {
        id: "open.misc",
        title: "what a terminal cannot do is refused by the right errno",
        tier: Tier::Second,
        does: "lseek, pread, mmap, ftruncate, an unknown ioctl, TCGETS to nowhere, open with O_TRUNC.",
        expects: "ESPIPE, ESPIPE, ENODEV, EINVAL, ENOTTY, EFAULT, success.",
        since: "3.0",
        sources: &[
            "lseek(2)",
            "mmap(2)",
            "ftruncate(2)",
            "ioctl(2)",
            "tty_fops in drivers/tty/tty_io.c",
        ],
        reports: &["google/gvisor#13737"],
        means: "Libraries that probe what they were given choose a wrong way.",
        run: misc,
        ..OPEN
    },
];

fn ptmx(cx: &Cx) -> Verdict {
    let master = cx.master()?;
    that(
        "isatty holds for the master",
        cx.sys.is_tty(&master),
        || "it does not".to_owned(),
    )?;
    let stat = ok("fstat", cx.sys.fstat(&master))?;
    same("the master's device", &stat.device(), &(5, 2))?;
    Ok(None)
}

fn lock(cx: &Cx, master: &crate::check::sys::Fd, want: i32) -> Result<(), Stop> {
    match cx.sys.ioctl_int(master, req::TIOCGPTLCK, -1) {
        Err(Errno::ENOTTY | Errno::EINVAL) => {
            Err(Stop::fail(format!("TIOCGPTLCK: {want}"), "unknown").or_era(0))
        }
        other => same("TIOCGPTLCK", &ok("TIOCGPTLCK", other)?, &want),
    }
}

fn locked(cx: &Cx) -> Verdict {
    let master = cx.master()?;
    let path = format!("/dev/pts/{}", cx.index(&master)?);
    let opened = cx.sys.open(&path, FLAGS);
    if let Err(Errno::ENOENT | Errno::EACCES) = opened {
        return Err(Stop::Env(format!("{path} cannot be opened by name")));
    }
    refused("open of a locked slave", opened, &[Errno::EIO])?;
    lock(cx, &master, 1)?;
    Ok(None)
}

fn unlock(cx: &Cx) -> Verdict {
    let master = cx.master()?;
    cx.unlock(&master)?;
    let slave = cx.open_slave(cx.index(&master)?)?;
    that("isatty holds for the slave", cx.sys.is_tty(&slave), || {
        "it does not".to_owned()
    })?;
    lock(cx, &master, 0)?;
    Ok(None)
}

fn relock(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    ok(
        "TIOCSPTLCK 1",
        cx.sys.ioctl_int(&pty.master, req::TIOCSPTLCK, 1),
    )?;
    refused(
        "open of a locked slave",
        cx.sys.open(pty.path(), FLAGS),
        &[Errno::EIO],
    )?;
    let between = cx.sys.write(&pty.slave, b"x");
    cx.unlock(&pty.master)?;
    let _again = cx.open_slave(pty.index)?;
    cx.write(&pty.slave, b"works\n")?;
    cx.read_until(&pty.master, b"works\n")?;
    Ok(Some(match between {
        Ok(_) => "the old descriptor worked throughout".to_owned(),
        Err(errno) => format!("the old descriptor said {errno:?} until the good open"),
    }))
}

fn gptpeer(cx: &Cx) -> Verdict {
    let master = cx.master()?;
    let flags = FLAGS.bits();
    match cx.sys.peer(&master, flags) {
        Err(Errno::ENOTTY | Errno::EINVAL) => {
            return Err(Stop::fail("TIOCGPTPEER is known", "unknown").or_era(0));
        }
        other => refused("TIOCGPTPEER of a locked slave", other, &[Errno::EIO])?,
    }
    cx.unlock(&master)?;
    let slave = ok("TIOCGPTPEER", cx.sys.peer(&master, flags | libc::O_CLOEXEC))?;
    let device = ok("fstat", cx.sys.fstat(&slave))?.device();
    same(
        "the slave's minor",
        &device.1,
        &u64::from(cx.index(&master)?),
    )?;
    let closes = ok("F_GETFD", cx.sys.closes_on_exec(&slave))?;
    that("O_CLOEXEC is honoured", closes, || {
        "it is not set".to_owned()
    })?;
    refused(
        "TIOCGPTPEER on a slave",
        cx.sys.peer(&slave, flags),
        &[Errno::EIO, Errno::ENOTTY],
    )?;
    Ok(None)
}

fn reopen_proc(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let link = |fd: i32| format!("/proc/self/fd/{fd}");
    let other = match cx.sys.open_as(link(pty.master.raw()), FLAGS, Role::Master) {
        Err(Errno::ENOENT) => return Err(Stop::Skip("/proc is not mounted".to_owned())),
        // A master that came through devpts' own ptmx node carries its mode.
        Err(Errno::EACCES) => return Err(Stop::Env("the ptmx node forbids it".to_owned())),
        other => ok("open of the master's link", other)?,
    };
    let index = cx.index(&other)?;
    that(
        "another pty through the master's link",
        index != pty.index,
        || format!("the same, {index}"),
    )?;
    let slave = ok(
        "open of the slave's link",
        cx.sys.open_as(link(pty.slave.raw()), FLAGS, Role::Slave),
    )?;
    let device = |fd| Ok::<_, Stop>(ok("fstat", cx.sys.fstat(fd))?.device());
    same("the slave's link", &device(&slave)?, &device(&pty.slave)?)?;
    Ok(None)
}

fn slave_ioctls(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    for request in [req::TIOCGPTN, req::TIOCSPTLCK, req::TIOCPKT] {
        slave_refuses(request.name, cx.sys.ioctl_int(&pty.slave, request, 0))?;
    }
    slave_refuses(
        "TIOCSIG",
        cx.sys.ioctl(&pty.slave, req::TIOCSIG, libc::SIGINT),
    )?;
    Ok(None)
}

fn slave_refuses<T: std::fmt::Debug>(name: &str, result: nix::Result<T>) -> Result<(), Stop> {
    let old = matches!(result, Err(Errno::EINVAL));
    let checked = refused(&format!("{name} on a slave"), result, &[Errno::ENOTTY]);
    if old {
        checked.map_err(|stop| stop.or_era(0))
    } else {
        checked
    }
}

fn misc(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let fd = &pty.slave;
    let raw = fd.raw();
    let call =
        |name: &str, make: &dyn Fn() -> i64| cx.sys.call(name, fd.role(), || Errno::result(make()));
    // SAFETY: lseek takes numbers alone.
    let lseek = call("lseek", &|| unsafe { libc::lseek(raw, 0, libc::SEEK_SET) });
    refused("lseek", lseek, &[Errno::ESPIPE])?;
    // SAFETY: pread is given a length of 0 and so no memory to write.
    let pread = call(
        "pread",
        &|| unsafe { libc::pread(raw, std::ptr::null_mut(), 0, 0) } as i64,
    );
    refused("pread", pread, &[Errno::ESPIPE])?;
    let mmap = call("mmap", &|| {
        // SAFETY: a new shared mapping at an address of the kernel's choice; it is
        // expected to be refused and is never touched.
        unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ,
                libc::MAP_SHARED,
                raw,
                0,
            ) as i64
        }
    });
    refused("mmap", mmap, &[Errno::ENODEV])?;
    // SAFETY: ftruncate takes numbers alone.
    let truncate = call("ftruncate", &|| unsafe { libc::ftruncate(raw, 0) }.into());
    refused("ftruncate", truncate, &[Errno::EINVAL])?;
    refused(
        "an unknown ioctl",
        cx.sys.ioctl_null(fd, req::UNKNOWN),
        &[Errno::ENOTTY],
    )?;
    refused(
        "TCGETS to nowhere",
        cx.sys.ioctl_null(fd, req::TCGETS),
        &[Errno::EFAULT],
    )?;
    ok(
        "open with O_TRUNC",
        cx.sys.open(PTMX, FLAGS | OFlag::O_TRUNC),
    )?;
    Ok(None)
}
