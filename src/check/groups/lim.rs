//! Limits, exhaustion, exclusive use.

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use super::capacity;
use super::env::{mount_or_skip, namespace};
use super::of;
use super::sig::drop_privilege;
use crate::check::cx::{FLAGS, PTMX};
use crate::check::expect::{ok, refused, same, that};
use crate::check::sys::{Fd, Role, req};
use crate::check::{Check, Cx, Dated, Era, Group, Needs, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const LIM: Check = of(Group::Lim);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "lim.capacity",
        title: "each direction takes exactly what its buffers are known to hold",
        does: "Fills both directions of a raw pty with writes of 12 sizes, letting the worker keep \
               up, until nothing more is taken.",
        expects: "For each size the figure that the rules of this kernel's flip buffers give, for \
                  instance 20480 bytes by writes of 256 since 4.2; as much as a late worker leaves \
                  room for is right too.",
        since: "2.6.34, each era its own figures",
        sources: &[
            "tty_buffer_alloc in drivers/tty/tty_buffer.c",
            "pty_common_install in pty.c: 8192",
            "measured on 2.6.38 to 6.18",
        ],
        reports: &[
            "cloud-hypervisor/cloud-hypervisor#3170",
            "mobile-shell/mosh#1356",
            "vyncint/termlens#59",
        ],
        means: "The allocation of flip buffers changed: programs that rely on a figure block, or \
                use more memory. Where it passes: a writer whose peer does not read blocks at \
                these figures, and two that write to each other and do not read fill both \
                directions and wait for each other for ever.",
        run: capacity::run,
        ..LIM
    },
    Check {
        id: "lim.max",
        title: "a devpts mount's max= holds and gives back",
        needs: Needs::Namespace,
        does: "Mounts a devpts with max=3 in a mount namespace of its own and opens ptys; closes \
               one and opens again.",
        expects: "Three, then ENOSPC; then one more.",
        since: "3.4",
        sources: &[
            "Documentation/filesystems/devpts.rst",
            "devpts_new_index in fs/devpts/inode.c",
        ],
        reports: &["lxc/lxc#2746", "yudai/gotty#225"],
        means: "One container can use up all ptys, or leaks them.",
        run: max,
        ..LIM
    },
    Check {
        id: "lim.emfile",
        title: "running out of descriptors says EMFILE and leaks no pty",
        alone: true,
        does: "Opens masters under RLIMIT_NOFILE 200 until refused, closes them all and looks at \
               kernel.pty.nr.",
        expects: "EMFILE; as many ptys as before.",
        sources: &["ptmx_open in drivers/tty/pty.c", "getrlimit(2)"],
        reports: &["microsoft/node-pty#642", "microsoft/node-pty#950"],
        means: "Each failed open costs a pty until none is left.",
        run: emfile,
        ..LIM
    },
    Check {
        id: "lim.churn",
        title: "thousands of opens and closes leak nothing",
        tier: Tier::Second,
        alone: true,
        does: "5000 ptys are opened and closed, by 8 processes at once.",
        expects: "No error below the limit; as many ptys as before.",
        sources: &["pty_close and devpts_kill_index", "LTP pty09, ptem05"],
        means: "Busy servers run out of ptys.",
        run: churn,
        ..LIM
    },
    Check {
        id: "excl",
        title: "an exclusive terminal cannot be opened again",
        tier: Tier::Second,
        needs: Needs::RootInPart,
        does: "TIOCEXCL on the slave; opens it as a user, and as root; asks TIOCGEXCL; TIOCNXCL.",
        expects: "EBUSY for the user, success for root, 1; then success for both.",
        since: "3.8 for TIOCGEXCL",
        eras: &[Era::before(
            KernelVersion::new(3, 8, 0),
            "has no TIOCGEXCL",
            Dated::Manual("ioctl_tty(2)"),
        )],
        sources: &[
            "ioctl_tty(2), TIOCEXCL",
            "tty_reopen in drivers/tty/tty_io.c",
        ],
        means: "Two programs share a line that one of them claimed.",
        run: exclusive,
        ..LIM
    },
    Check {
        id: "sysctl",
        title: "kernel.pty counts the ptys",
        tier: Tier::Second,
        alone: true,
        does: "Reads max, reserve and nr in /proc/sys/kernel/pty before and after opening 8 ptys; \
               other programs may open some meanwhile, so it is tried up to 20 times.",
        expects: "Numbers, and nr higher by 8.",
        since: "3.4",
        sources: &[
            "Documentation/filesystems/devpts.rst",
            "pty_table in fs/devpts/inode.c",
        ],
        means: "Nobody can tell how many ptys are left.",
        run: sysctl,
        ..LIM
    },
];

fn max(cx: &Cx) -> Verdict {
    // Where no pty can be had at all, that is not a matter of this limit.
    drop(cx.master()?);
    namespace()?;
    mount_or_skip(cx, "mode=0600,ptmxmode=0666,newinstance,max=3")?;
    let open = || cx.sys.open("/dev/pts/ptmx", FLAGS);
    let mut held = Vec::new();
    for number in 1..=3 {
        held.push(ok(&format!("pty {number} of 3"), open())?);
    }
    refused("pty 4 of 3", open(), &[Errno::ENOSPC])?;
    if let Some(fd) = held.pop() {
        cx.sys.close(fd);
    }
    ok("a pty after one was closed", open())?;
    Ok(None)
}

/// kernel.pty.nr, or none without /proc.
fn count(cx: &Cx) -> Option<i64> {
    cx.sys
        .text("/proc/sys/kernel/pty/nr")
        .ok()?
        .trim()
        .parse()
        .ok()
}

/// Waits until the ptys that were opened are gone. Others come and go on the
/// same machine, so only a leak of half of ours counts.
fn gone(cx: &Cx, before: Option<i64>, opened: usize) -> Result<Option<String>, Stop> {
    let Some(before) = before else {
        return Ok(Some(
            "/proc/sys/kernel/pty/nr cannot be read: leaks were not looked for".to_owned(),
        ));
    };
    let most = before + i64::try_from(opened / 2).unwrap_or(0);
    cx.until(&format!("kernel.pty.nr back at {before}"), || {
        Ok(match count(cx) {
            Some(now) if now <= most => Ok(()),
            Some(now) => Err(now.to_string()),
            None => Err("nothing: it can no longer be read".to_owned()),
        })
    })?;
    Ok(None)
}

fn emfile(cx: &Cx) -> Verdict {
    const LIMIT: u64 = 200;
    let before = count(cx);
    let (soft, hard) = ok("getrlimit", getrlimit(Resource::RLIMIT_NOFILE))?;
    ok(
        "setrlimit",
        setrlimit(Resource::RLIMIT_NOFILE, LIMIT.min(hard), hard),
    )?;
    let mut held: Vec<Fd> = vec![cx.master()?];
    let end = loop {
        match cx.sys.open(PTMX, FLAGS) {
            Ok(fd) => held.push(fd),
            Err(errno) => break errno,
        }
        that(
            "EMFILE at RLIMIT_NOFILE",
            held.len() as u64 <= LIMIT,
            || counted(held.len(), "descriptor"),
        )?;
    };
    let opened = held.len();
    if end == Errno::ENOSPC {
        return Err(Stop::Env(format!(
            "ENOSPC after {}",
            counted(opened, "pty")
        )));
    }
    refused(
        "open with no descriptor left",
        Err::<(), _>(end),
        &[Errno::EMFILE],
    )?;
    held.into_iter().for_each(|fd| cx.sys.close(fd));
    ok("setrlimit", setrlimit(Resource::RLIMIT_NOFILE, soft, hard))?;
    gone(cx, before, opened)
}

fn churn(cx: &Cx) -> Verdict {
    const WORKERS: usize = 8;
    const EACH: usize = 5000 / WORKERS;
    let before = count(cx);
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            cx.fork(|cx, _| {
                for _ in 0..EACH {
                    let pty = cx.pty()?;
                    cx.sys.close(pty.slave);
                    cx.sys.close(pty.master);
                }
                Ok(())
            })
        })
        .collect::<Result<_, _>>()?;
    for worker in workers {
        worker.join(cx)?;
    }
    gone(cx, before, WORKERS * EACH)
}

fn exclusive(cx: &Cx) -> Verdict {
    let root = nix::unistd::geteuid().is_root();
    let pty = cx.pty()?;
    if root {
        // The mode must let the user in, so that it is the claim that stops it.
        let everyone = nix::sys::stat::Mode::from_bits_truncate(0o666);
        ok("fchmod", nix::sys::stat::fchmod(&pty.slave, everyone))?;
    }
    let by_user = |want: Option<Errno>| {
        let user = cx.fork(|cx, _| {
            if root {
                drop_privilege()?;
            }
            let opened = cx.sys.open(pty.path(), FLAGS);
            if let (Err(Errno::ENOENT | Errno::EACCES), _) = (&opened, want) {
                return Err(Stop::Env(format!(
                    "{} cannot be opened by name",
                    pty.path()
                )));
            }
            match want {
                Some(errno) => refused("a user's open", opened, &[errno]),
                None => ok("a user's open", opened).map(drop),
            }
        })?;
        user.join(cx)
    };
    ok("TIOCEXCL", cx.sys.ioctl(&pty.slave, req::TIOCEXCL, 0))?;
    by_user(Some(Errno::EBUSY))?;
    if root {
        let opened = cx.sys.call("open by root", Role::Slave, || {
            cx.sys.open(pty.path(), FLAGS).map(|_| 0)
        });
        ok("root's open", opened)?;
    }
    let claimed = match cx.sys.ioctl_int(&pty.slave, req::TIOCGEXCL, -1) {
        Err(Errno::ENOTTY | Errno::EINVAL) => {
            return Err(Stop::fail("TIOCGEXCL is known", "unknown").or_era(0));
        }
        other => ok("TIOCGEXCL", other)?,
    };
    same("TIOCGEXCL", &claimed, &1)?;
    ok("TIOCNXCL", cx.sys.ioctl(&pty.slave, req::TIOCNXCL, 0))?;
    by_user(None)?;
    Ok((!root).then(|| "root's half was not tried".to_owned()))
}

fn sysctl(cx: &Cx) -> Verdict {
    const PTYS: i64 = 8;
    for name in ["max", "reserve", "nr"] {
        let path = format!("/proc/sys/kernel/pty/{name}");
        let text = match cx.sys.text(&path) {
            Err(Errno::ENOENT) => return Err(Stop::Skip(format!("{path} does not exist"))),
            other => ok(&path, other)?,
        };
        that(
            &format!("{path} is a number"),
            text.trim().parse::<u32>().is_ok(),
            || text.clone(),
        )?;
    }
    let mut seen = 0;
    for _ in 0..20 {
        let before = count(cx).unwrap_or(0);
        let ptys = (0..PTYS)
            .map(|_| cx.master())
            .collect::<Result<Vec<_>, _>>()?;
        seen = count(cx).unwrap_or(0) - before;
        drop(ptys);
        if seen == PTYS {
            return Ok(None);
        }
    }
    Err(Stop::fail(format!("nr higher by {PTYS}"), seen.to_string()))
}
