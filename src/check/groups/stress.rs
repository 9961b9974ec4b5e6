//! Everything at once.

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::pty::Winsize;

use super::of;
use crate::check::cx::Pty;
use crate::check::expect::{ok, that};
use crate::check::rng::Rng;
use crate::check::sys::{Fd, Role, req};
use crate::check::{Check, Cx, Group, Stop, Tier, Verdict};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "stress.race",
    title: "any mixture of calls ends well",
    group: Group::Time,
    tier: Tier::Second,
    does: "8 ptys, each worked by 4 processes with 2000 pseudo-random calls: open, close, read, \
           write, flush, tcsetattr, window size, hangup.",
    expects: "Every call ends, by no errno but those it may give, and the kernel's log shows no \
              complaint.",
    sources: &[
        "CVE-2014-0196",
        "CVE-2022-1462",
        "LTP pty03 to pty07",
        "stress-ng --pty",
    ],
    means: "Any user can crash the kernel.",
    run: race,
    ..of(Group::Time)
}];

fn race(cx: &Cx) -> Verdict {
    const PTYS: u64 = 8;
    const WORKERS: u64 = 4;
    let log = Log::open(cx);
    let mut workers = Vec::new();
    for pty_number in 0..PTYS {
        let pty = cx.pty()?;
        for worker in 0..WORKERS {
            let seed = cx.seed ^ (pty_number << 8) ^ (worker << 16);
            workers.push(cx.fork(|cx, _| work(cx, &pty, seed))?);
        }
    }
    for worker in workers {
        worker.join(cx)?;
    }
    let told = format!("seed {}", cx.seed);
    match log {
        Some(log) => {
            let complaints = log.complaints(cx)?;
            that(
                "no complaint in the kernel's log",
                complaints.is_empty(),
                || complaints,
            )?;
            Ok(Some(told))
        }
        None => Ok(Some(format!(
            "{told}; the kernel's log cannot be read here"
        ))),
    }
}

fn work(cx: &Cx, pty: &Pty, seed: u64) -> Result<(), Stop> {
    const CALLS: usize = 2000;
    let mut random = Rng::new(seed);
    let mut own: Vec<Fd> = Vec::new();
    let root = nix::unistd::geteuid().is_root();
    for call in 0..CALLS {
        let end = if random.below(2) == 0 {
            &pty.master
        } else {
            &pty.slave
        };
        let kind = random.below(12);
        let made: nix::Result<()> = match kind {
            0..=2 => cx
                .sys
                .write(end, &random.bytes(1 + random.clone().below(5000)))
                .map(drop),
            3..=5 => cx.sys.read(end, 4096).map(drop),
            6 => cx
                .sys
                .peer(
                    &pty.master,
                    (OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_NONBLOCK).bits(),
                )
                .map(|fd| own.push(fd)),
            7 => {
                if let Some(fd) = own.pop() {
                    cx.sys.close(fd);
                }
                Ok(())
            }
            8 => cx
                .sys
                .ioctl(end, req::TCFLSH, random.below(3) as i32)
                .map(drop),
            9 => {
                // EXTPROC last: it can hang kernels before 4.15 (966031f34018).
                let flags = [libc::ICANON, libc::ECHO, libc::ISIG, libc::EXTPROC];
                let flag = flags[random.below(if cx.release.major > 4 { 4 } else { 3 })];
                let on = random.below(2) == 0;
                cx.sys
                    .attr(end)
                    .and_then(|attr| cx.sys.set_attr(end, libc::TCSANOW, &attr.lflag(flag, on)))
            }
            10 => {
                let mut size = Winsize {
                    ws_row: random.below(200) as u16,
                    ws_col: random.below(200) as u16,
                    ws_xpixel: 0,
                    ws_ypixel: 0,
                };
                cx.sys.ioctl_ptr(end, req::TIOCSWINSZ, &mut size).map(drop)
            }
            _ if root && call % 50 == 0 => cx.sys.ioctl(&pty.slave, req::TIOCVHANGUP, 0).map(drop),
            _ => cx.sys.ioctl_int(end, req::FIONREAD, 0).map(drop),
        };
        match made {
            // A hung-up slave says EIO, and ENOTTY to ioctls of its old life.
            Ok(())
            | Err(Errno::EAGAIN | Errno::EIO | Errno::EINTR | Errno::ENOTTY | Errno::EINVAL) => {}
            Err(errno) => {
                let what = format!("call {call} of kind {kind} gives an errno that it may give");
                return Err(Stop::fail(what, format!("{errno:?}")));
            }
        }
    }
    Ok(())
}

/// The kernel's log from now on.
struct Log(Fd);

impl Log {
    fn open(cx: &Cx) -> Option<Self> {
        let fd = cx
            .sys
            .open_as(
                "/dev/kmsg",
                OFlag::O_RDONLY | OFlag::O_NONBLOCK,
                Role::Other,
            )
            .ok()?;
        nix::unistd::lseek(&fd, 0, nix::unistd::Whence::SeekEnd).ok()?;
        Some(Self(fd))
    }

    /// The new lines that tell of a fault.
    fn complaints(&self, cx: &Cx) -> Result<String, Stop> {
        const WORDS: [&str; 7] = [
            "BUG:",
            "WARNING:",
            "KASAN",
            "KCSAN",
            "Oops",
            "general protection",
            "blocked for more than",
        ];
        let mut lines = Vec::new();
        loop {
            match cx.sys.read(&self.0, 8192) {
                Ok(record) if record.is_empty() => break,
                Ok(record) => {
                    let text = String::from_utf8_lossy(&record).into_owned();
                    if WORDS.iter().any(|word| text.contains(word)) {
                        lines.push(text.trim_end().to_owned());
                    }
                }
                Err(Errno::EAGAIN) => break,
                // Records were overwritten before they were read.
                Err(Errno::EPIPE) => {}
                Err(errno) => return ok("read of /dev/kmsg", Err(errno)),
            }
        }
        Ok(lines.join("; "))
    }
}
