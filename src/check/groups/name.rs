//! Names, permissions and the devpts environment.

use nix::errno::Errno;
use nix::libc;

use super::of;
use crate::check::cx::FLAGS;
use crate::check::expect::{ok, refused, same, that};
use crate::check::{Check, Cx, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;

const NAME: Check = of(Group::Name);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "name.stat",
        title: "the slave's node is the pty's, and its owner's alone",
        does: "stat(2) of /dev/pts/N and fstat(2) of the open slave.",
        expects: "A character device 136:N with inode N+3, owned by the opener, mode 0620 or 0600; \
                  the path and the descriptor are the same device.",
        sources: &["pts(4)", "devpts_pty_new in fs/devpts/inode.c"],
        reports: &[
            "moby/moby#8755",
            "canonical/lxd#1724",
            "containers/crun#1158",
        ],
        means: "ttyname(3) fails, or others can write to the terminal.",
        run: stat,
        ..NAME
    },
    Check {
        id: "name.fdinfo",
        title: "the master's fdinfo tells the pty's number",
        does: "Reads tty-index in /proc/self/fdinfo of the master.",
        expects: "The same number as TIOCGPTN says.",
        since: "4.17 at the latest",
        eras: &[Era::between(
            KernelVersion::new(4, 8, 0),
            KernelVersion::new(4, 17, 0),
            "has no tty-index",
        )],
        sources: &[
            "tty_show_fdinfo in drivers/tty/tty_io.c, pty_show_fdinfo in pty.c",
            "measured: none on 2.6.38 to 4.8, one on 4.17 to 6.18",
        ],
        means: "Tools cannot tell which pty another process's master belongs to.",
        run: fdinfo,
        ..NAME
    },
    Check {
        id: "name.gone",
        title: "the slave's name goes with its master",
        does: "Closes the master while the slave is open, then looks for the name.",
        expects: "stat and open say ENOENT; the link in /proc/self/fd ends in \"(deleted)\".",
        sources: &["pty_close in drivers/tty/pty.c calls devpts_pty_kill"],
        means: "A new program could open the terminal of one that is gone.",
        run: gone,
        ..NAME
    },
    Check {
        id: "name.index",
        title: "a pty's number is given again only when both ends are closed",
        tier: Tier::Second,
        alone: true,
        does: "Closes the master of a pty, opens another, closes the slave, opens a third. \
               Other programs may take numbers meanwhile, so it is tried up to 20 times.",
        expects: "Another number while the slave is open; the same one afterwards.",
        sources: &[
            "devpts_new_index in fs/devpts/inode.c (lowest free)",
            "measured on 2.6.38 to 6.18",
        ],
        means: "Two ptys share a name, or numbers leak.",
        run: index,
        ..NAME
    },
];

fn stat(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let path = pty.path();
    let node = match cx.sys.stat(&path) {
        Err(Errno::ENOENT) => return Err(Stop::Env(format!("{path}: ENOENT"))),
        other => ok("stat", other)?,
    };
    let open = ok("fstat", cx.sys.fstat(&pty.slave))?;
    if (node.dev, node.ino) != (open.dev, open.ino) {
        return Err(Stop::Env(format!("{path} belongs to another devpts mount")));
    }
    same("file type", &(node.mode & libc::S_IFMT), &libc::S_IFCHR)?;
    same("device", &node.device(), &(136, u64::from(pty.index)))?;
    same("inode", &node.ino, &(u64::from(pty.index) + 3))?;
    let me = nix::unistd::geteuid().as_raw();
    if node.uid != me {
        return Err(Stop::Env(format!(
            "owned by {} instead of {me}: mounted with uid=",
            node.uid
        )));
    }
    match node.mode & 0o777 {
        0o600 | 0o620 => Ok(None),
        mode => Err(Stop::Env(format!(
            "mode {mode:o} instead of 620 or 600: mounted with mode="
        ))),
    }
}

fn fdinfo(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    // The shim knows the file by its kind, not by its number.
    let path = format!("/proc/self/fdinfo/{}", pty.master.raw());
    let text = match cx.sys.text_as("fdinfo", &path) {
        Err(Errno::ENOENT) => return Err(Stop::Skip("/proc is not mounted".to_owned())),
        other => ok("read fdinfo", other)?,
    };
    let Some(index) = text
        .lines()
        .find_map(|line| line.strip_prefix("tty-index:"))
    else {
        return Err(Stop::fail("tty-index in fdinfo", "none").or_era(0));
    };
    same("tty-index", &index.trim(), &pty.index.to_string().as_str())?;
    Ok(None)
}

fn gone(cx: &Cx) -> Verdict {
    let pty = cx.pty()?;
    let path = pty.path();
    if cx.sys.stat(&path).is_err() {
        return Err(Stop::Env(format!("{path} does not exist")));
    }
    cx.sys.close(pty.master);
    refused("stat of the name", cx.sys.stat(&path), &[Errno::ENOENT])?;
    refused(
        "open of the name",
        cx.sys.open(&path, FLAGS),
        &[Errno::ENOENT, Errno::EIO],
    )?;
    match cx.sys.link(&format!("/proc/self/fd/{}", pty.slave.raw())) {
        Err(Errno::ENOENT) => Ok(Some(
            "/proc is not mounted: the link was not read".to_owned(),
        )),
        link => {
            let link = ok("readlink", link)?;
            that(
                "the link ends in (deleted)",
                link.ends_with(" (deleted)"),
                || link.clone(),
            )?;
            Ok(None)
        }
    }
}

fn index(cx: &Cx) -> Verdict {
    let mut last = Stop::Skip("other programs opened ptys all the time".to_owned());
    for _ in 0..20 {
        let first = cx.pty()?;
        cx.sys.close(first.master);
        let second = cx.master()?;
        that(
            "another number while the slave is open",
            cx.index(&second)? != first.index,
            || format!("{} again", first.index),
        )?;
        cx.sys.close(first.slave);
        let third = cx.master()?;
        let got = cx.index(&third)?;
        if got == first.index {
            return Ok(None);
        }
        last = Stop::fail(format!("number {} again", first.index), got.to_string());
    }
    Err(last)
}
