//! The devpts environment: mounts, modes, instances.

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};

use super::of;
use crate::check::cx::FLAGS;
use crate::check::expect::{ok, refused};
use crate::check::sys::{Fd, Role, req};
use crate::check::{Check, Cx, Dated, Era, Group, Needs, Stop, Tier, Verdict};
use crate::pty::KernelVersion;

const ENV: Check = of(Group::Name);

const INSTANCES: Era = Era::before(
    KernelVersion::new(4, 7, 0),
    "has one devpts for all mounts",
    Dated::Commit("eedf265aa003"),
);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "env.ptmxmode",
        title: "everybody may open a ptmx node",
        does: "stat(2) of /dev/ptmx, and of /dev/pts/ptmx where the first is a link to it.",
        expects: "A node 5:2 that all may read and write.",
        since: "4.7",
        sources: &["mount option ptmxmode=, Documentation/filesystems/devpts.rst"],
        reports: &[
            "systemd/systemd#7878",
            "systemd/systemd#20463",
            "u-root/cpu#278",
        ],
        means: "Only root can open a terminal.",
        run: ptmxmode,
        ..ENV
    },
    Check {
        id: "env.mounts",
        title: "devpts is mounted once on /dev/pts with a tty group",
        does: "Looks for /dev/pts in /proc/self/mountinfo.",
        expects: "One devpts, with gid=5 (or another) and mode=620.",
        since: "-",
        sources: &["pts(4)", "Documentation/filesystems/devpts.rst"],
        reports: &["lxc/lxc#1620", "openSUSE/obs-build#415", "moby/moby#27765"],
        means: "Ptys of an earlier mount have no name; write(1) and mesg(1) do not work.",
        run: mounts,
        ..ENV
    },
    Check {
        id: "env.instance",
        title: "each devpts mount has ptys of its own",
        tier: Tier::Second,
        needs: Needs::Namespace,
        does: "Mounts another devpts in a mount namespace of its own and opens its ptmx; \
               then mounts one with an unknown option.",
        expects: "Number 0 is free there although it is taken outside; EINVAL.",
        since: "4.7",
        eras: &[INSTANCES],
        sources: &[
            "Documentation/filesystems/devpts.rst",
            "devpts_mount in fs/devpts/inode.c",
        ],
        means: "Containers see the terminals of their host.",
        run: instance,
        ..ENV
    },
    Check {
        id: "env.nomount",
        title: "without devpts beside it, ptmx says ENODEV",
        needs: Needs::Namespace,
        does: "Takes devpts away in a mount namespace of its own and opens a plain ptmx node.",
        expects: "ENODEV.",
        since: "4.7",
        eras: &[INSTANCES],
        sources: &[
            "devpts_mntget in fs/devpts/inode.c",
            "tools/testing/selftests/filesystems/devpts_pts.c",
        ],
        reports: &["docker/cli#2067", "creack/pty#20"],
        means: "A program in a chroot opens the ptys of somebody else.",
        run: nomount,
        ..ENV
    },
];

fn ptmxmode(cx: &Cx) -> Verdict {
    let stat = match cx.sys.stat("/dev/ptmx") {
        Err(errno) => return Err(Stop::Env(format!("/dev/ptmx: {errno:?}"))),
        Ok(stat) => stat,
    };
    if stat.device() != (5, 2) {
        return Err(Stop::Env(format!(
            "/dev/ptmx is {:?} instead of (5, 2)",
            stat.device()
        )));
    }
    match stat.mode & 0o777 {
        mode if mode & 0o006 == 0o006 => Ok(None),
        mode => Err(Stop::Env(format!(
            "/dev/ptmx has mode {mode:04o}: others cannot open it"
        ))),
    }
}

fn mounts(cx: &Cx) -> Verdict {
    let text = cx
        .sys
        .text("/proc/self/mountinfo")
        .map_err(|errno| Stop::Skip(format!("/proc/self/mountinfo: {errno:?}")))?;
    let env = |what: &str| Err(Stop::Env(what.to_owned()));
    let on: Vec<&str> = text
        .lines()
        .filter(|line| line.split(' ').nth(4) == Some("/dev/pts"))
        .collect();
    let devpts = on.iter().filter(|line| line.contains(" - devpts ")).count();
    match (devpts, on.last()) {
        (0, _) => env("no devpts is mounted on /dev/pts"),
        (2.., _) => env(&format!("devpts is mounted {devpts} times on /dev/pts")),
        (1, Some(line)) if !line.contains(" - devpts ") => env("something covers /dev/pts"),
        (1, Some(line)) if !line.contains("gid=") => env("devpts is mounted without gid="),
        _ => Ok(None),
    }
}

/// Enters a mount namespace whose changes nobody else sees.
pub(super) fn namespace() -> Result<(), Stop> {
    let user = if nix::unistd::geteuid().is_root() {
        CloneFlags::empty()
    } else {
        CloneFlags::CLONE_NEWUSER
    };
    unshare(user | CloneFlags::CLONE_NEWNS).map_err(|errno| {
        Stop::Skip(format!(
            "no mount namespace: {errno:?} (needs root or user namespaces)"
        ))
    })?;
    mount(
        None::<&str>,
        "/",
        None::<&str>,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        None::<&str>,
    )
    .map_err(|errno| Stop::Skip(format!("no private mounts: {errno:?}")))
}

/// Mounts a new devpts on /dev/pts.
pub(super) fn mount_devpts(cx: &Cx, options: &str) -> nix::Result<()> {
    cx.sys
        .call("mount", Role::Other, || {
            mount(
                Some("devpts"),
                "/dev/pts",
                Some("devpts"),
                MsFlags::empty(),
                Some(options),
            )
            .map(|()| 0)
        })
        .map(drop)
}

pub(super) fn mount_or_skip(cx: &Cx, options: &str) -> Result<(), Stop> {
    mount_devpts(cx, options)
        .map_err(|errno| Stop::Skip(format!("devpts cannot be mounted on /dev/pts: {errno:?}")))
}

fn instance(cx: &Cx) -> Verdict {
    // Number 0 outside is taken, by others or by this one.
    let outside = cx.master()?;
    namespace()?;
    mount_or_skip(cx, "mode=0600,ptmxmode=0666,newinstance")?;
    let inside: Fd = ok("open /dev/pts/ptmx", cx.sys.open("/dev/pts/ptmx", FLAGS))?;
    let (inside, outside) = (cx.index(&inside)?, cx.index(&outside)?);
    if inside != 0 {
        return Err(Stop::fail(
            "number 0 in a new instance",
            format!("{inside} ({outside} outside)"),
        )
        .or_era(0));
    }
    refused(
        "an unknown mount option",
        mount_devpts(cx, "nosuchoption"),
        &[Errno::EINVAL],
    )
    .map_err(|stop| stop.or_era(0))?;
    Ok(None)
}

fn nomount(cx: &Cx) -> Verdict {
    namespace()?;
    let is_plain =
        std::fs::symlink_metadata("/dev/ptmx").is_ok_and(|node| !node.file_type().is_symlink());
    if !is_plain {
        return Err(Stop::Skip(
            "/dev/ptmx is no plain node but missing, or a link into devpts".to_owned(),
        ));
    }
    // An empty directory in its place also hides a devpts that cannot be unmounted.
    while umount2("/dev/pts", MntFlags::MNT_DETACH).is_ok() {}
    mount(
        Some("none"),
        "/dev/pts",
        Some("tmpfs"),
        MsFlags::empty(),
        None::<&str>,
    )
    .map_err(|errno| Stop::Skip(format!("/dev/pts cannot be covered: {errno:?}")))?;
    match cx.sys.open("/dev/ptmx", FLAGS) {
        Ok(master) => {
            let index = cx.sys.ioctl_int(&master, req::TIOCGPTN, 0);
            Err(Stop::fail("open: ENODEV", format!("success, pty {index:?}")).or_era(0))
        }
        Err(Errno::EACCES) => Err(Stop::Skip(
            "/dev/ptmx cannot be opened here (nodev?)".to_owned(),
        )),
        other => refused("open", other, &[Errno::ENODEV]).map(|()| None),
    }
}
