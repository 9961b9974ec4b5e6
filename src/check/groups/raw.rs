//! Raw integrity: every byte arrives, once, in order.

use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{SpliceFFlags, splice};
use nix::libc;

use super::{flood, of};
use crate::check::cx::Pty;
use crate::check::expect::{bytes, ok, refused, same, that};
use crate::check::sys::{Fd, HUP, IN, Role};
use crate::check::{Check, Cx, Dated, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const RAW: Check = of(Group::Raw);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "raw.s2m-256",
        title: "every byte value passes from slave to master",
        does: "Writes all 256 byte values to a raw slave and reads them at the master.",
        expects: "The same bytes.",
        sources: &["termios(3), cfmakeraw", "LTP pty01"],
        means: "Binary transfers over a terminal are corrupted.",
        run: |cx| all_values(cx, |pty| (&pty.slave, &pty.master)),
        ..RAW
    },
    Check {
        id: "raw.m2s-256",
        title: "every byte value passes from master to slave",
        does: "Writes all 256 byte values to the master and reads them at a raw slave.",
        expects: "The same bytes.",
        sources: &["termios(3), cfmakeraw", "LTP pty01"],
        means: "Binary transfers over a terminal are corrupted.",
        run: |cx| all_values(cx, |pty| (&pty.master, &pty.slave)),
        ..RAW
    },
    Check {
        id: "raw.early",
        title: "what is written before the slave opens waits for it",
        does: "Writes to a master whose slave was never open, then opens the slave.",
        expects: "The master says EAGAIN and no POLLHUP meanwhile; the slave reads all.",
        sources: &[
            "measured on 2.6.38 to 6.18",
            "n_tty_poll in drivers/tty/n_tty.c",
        ],
        reports: &["LinuxJedi/Copperline#380"],
        means: "Programs that type ahead lose their first words.",
        run: early,
        ..RAW
    },
    Check {
        id: "raw.flood",
        title: "a flood in both directions arrives complete and does not stall",
        does: "4 MiB each way at once, in pieces of pseudo-random size from 1 to 8192.",
        expects: "Every byte of both streams, and never a wait as long as the deadline.",
        eras: &[Era::bug(
            KernelVersion::new(0, 0, 0),
            KernelVersion::new(2, 6, 28),
            "both directions can stop for good",
            "acc71bbad334",
        )],
        sources: &["4903fde8047a", "NetBSD t_ptm"],
        reports: &["containerd/containerd#3738", "microsoft/WSL#1882"],
        means: "Sessions hang or lose output under load.",
        run: flood::run,
        ..RAW
    },
    Check {
        id: "raw.sizes",
        title: "writes of every awkward size arrive complete",
        does: "Writes of 1, 255 to 257, 511 to 513, 1792 and its neighbours, up to 65536 bytes \
               of a running sequence.",
        expects: "The sequence, nothing lost or doubled.",
        sources: &["tty_buffer_alloc and TTY_BUFFER_PAGE in drivers/tty/tty_buffer.c"],
        means: "Transfers fail depending on their block size.",
        run: sizes,
        ..RAW
    },
    Check {
        id: "raw.atomic",
        title: "two writes to one end never mix",
        does: "Three processes write 8000 bytes of a letter each to the slave, blocking, ten times.",
        expects: "Unbroken runs, each a multiple of 8000 bytes.",
        sources: &[
            "tty_write_lock in drivers/tty/tty_io.c: one writer at a time for a whole call",
            "measured on 2.6.38 to 6.18",
        ],
        means: "The lines of two programs on one terminal come mixed.",
        run: atomic,
        ..RAW
    },
    Check {
        id: "raw.splice",
        title: "splice works in both directions",
        tier: Tier::Second,
        does: "splice(2) from a pipe to the slave, and from the slave to a pipe.",
        expects: "The number of bytes asked for.",
        since: "5.11, and before 5.10",
        eras: &[Era {
            from: KernelVersion::new(5, 10, 0),
            ..Era::before(
                KernelVersion::new(5, 12, 0),
                "says EINVAL",
                Dated::Commit("9bb48c82aced (5.11), dd78b0c483e3 (5.12)"),
            )
        }],
        sources: &[
            "splice(2)",
            "tty_fops in drivers/tty/tty_io.c: read_iter, write_iter",
        ],
        means: "Programs that copy by splice, as some cat(1) do, fail on a terminal.",
        run: splices,
        ..RAW
    },
    Check {
        id: "raw.fault",
        title: "a read into bad memory leaves the stream in order",
        tier: Tier::Second,
        does: "Reads 300 bytes into a buffer of which only the first 100 are mapped, then the rest.",
        expects: "EFAULT or a short count; what follows is the stream's end, at most 300 bytes less.",
        since: "5.12",
        sources: &["iterate_tty_read in drivers/tty/tty_io.c copies blocks of 64 bytes"],
        means: "A program's error corrupts what others read.",
        run: fault,
        ..RAW
    },
];

fn all_values(cx: &Cx, ends: fn(&Pty) -> (&Fd, &Fd)) -> Verdict {
    let pty = cx.raw()?;
    let (from, to) = ends(&pty);
    let sent: Vec<u8> = (0..=255).collect();
    cx.write(from, &sent)?;
    bytes("256 values", &cx.read_exactly(to, 256)?, &sent)?;
    Ok(None)
}

fn early(cx: &Cx) -> Verdict {
    let master = cx.master()?;
    cx.unlock(&master)?;
    // Without echo there is nothing for the master to read.
    let attr = ok("tcgetattr", cx.sys.attr(&master))?;
    ok(
        "tcsetattr",
        cx.sys.set_attr(&master, libc::TCSANOW, &attr.raw()),
    )?;
    cx.write(&master, b"early bird")?;
    refused("read of the master", cx.peek(&master), &[Errno::EAGAIN])?;
    let revents = ok("poll", cx.sys.poll(&master, IN, Duration::ZERO))?;
    that(
        "no POLLHUP before the first open",
        revents & HUP == 0,
        || "POLLHUP".to_owned(),
    )?;
    let slave = cx.slave(&master)?;
    bytes(
        "what was written early",
        &cx.read_exactly(&slave, 10)?,
        b"early bird",
    )?;
    Ok(None)
}

fn sizes(cx: &Cx) -> Verdict {
    const SIZES: [usize; 20] = [
        1, 255, 256, 257, 511, 512, 513, 1791, 1792, 1793, 2047, 2048, 2049, 3583, 3584, 4095,
        4096, 4097, 8192, 65536,
    ];
    let pty = cx.raw()?;
    for (from, to) in [(&pty.slave, &pty.master), (&pty.master, &pty.slave)] {
        let mut number = 0_u32;
        for size in SIZES {
            let data: Vec<u8> = std::iter::from_fn(|| {
                number += 1;
                Some(number.to_be_bytes())
            })
            .flatten()
            .take(size)
            .collect();
            let got = through(cx, from, to, &data)?;
            bytes(&format!("writes of {size}"), &got, &data)?;
        }
    }
    Ok(None)
}

/// Writes `data` while reading it at the other end.
fn through(cx: &Cx, from: &Fd, to: &Fd, data: &[u8]) -> Result<Vec<u8>, Stop> {
    let (mut rest, mut got) = (data, Vec::new());
    while !rest.is_empty() {
        match cx.sys.write(from, rest) {
            Ok(n) => rest = rest.get(n..).unwrap_or_default(),
            Err(Errno::EAGAIN) => got.extend(cx.read(to, 8192)?),
            Err(errno) => return ok("write", Err(errno)),
        }
    }
    got.extend(cx.read_exactly(to, data.len().saturating_sub(got.len()))?);
    Ok(got)
}

fn atomic(cx: &Cx) -> Verdict {
    const RUN: usize = 8000;
    const TURNS: usize = 10;
    let pty = cx.raw()?;
    let writers = [b'a', b'b', b'c'].map(|letter| {
        cx.fork(|cx, _| {
            let data = [letter; RUN];
            ok("O_NONBLOCK off", cx.sys.nonblocking(&pty.slave, false))?;
            for _ in 0..TURNS {
                let n = ok("write", cx.sys.write(&pty.slave, &data))?;
                same("bytes taken by a blocking write", &n, &RUN)?;
            }
            Ok(())
        })
    });
    let data = cx.read_exactly(&pty.master, 3 * TURNS * RUN)?;
    for run in data.chunk_by(|a, b| a == b) {
        that("runs of whole writes", run.len() % RUN == 0, || {
            format!(
                "a run of {} of {:?}",
                counted(run.len(), "byte"),
                run.first().map(|&c| char::from(c))
            )
        })?;
    }
    for writer in writers {
        writer?.join(cx)?;
    }
    Ok(None)
}

fn splices(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    let (out, into) = ok("pipe", nix::unistd::pipe())?;
    let (out, into) = (Fd::new(out, Role::Other), Fd::new(into, Role::Other));
    let once = |from: &Fd, to: &Fd| {
        let made = cx.sys.call("splice", Role::Other, || {
            splice(from, None, to, None, 100, SpliceFFlags::empty()).map(|n| n as i64)
        });
        match made {
            Err(Errno::EINVAL) => Err(Stop::fail("splice moves 100 bytes", "EINVAL").or_era(0)),
            other => same("bytes spliced", &ok("splice", other)?, &100),
        }
    };
    let data = [b's'; 100];
    cx.write(&into, &data)?;
    once(&out, &pty.slave)?;
    bytes(
        "spliced to the slave",
        &cx.read_exactly(&pty.master, 100)?,
        &data,
    )?;
    cx.deliver(&pty.master, &pty.slave, &data)?;
    once(&pty.slave, &into)?;
    bytes(
        "spliced from the slave",
        &cx.read_exactly(&out, 100)?,
        &data,
    )?;
    Ok(None)
}

fn fault(cx: &Cx) -> Verdict {
    const SENT: usize = 300;
    const MAPPED: usize = 100;
    let pty = cx.raw()?;
    let mut sent: Vec<u8> = (0..SENT).map(|i| (i % 251) as u8).collect();
    cx.deliver(&pty.master, &pty.slave, &sent)?;
    let page = 4096.max(
        usize::try_from(
            nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE)
                .ok()
                .flatten()
                .unwrap_or(4096),
        )
        .unwrap_or(4096),
    );
    // SAFETY: a new private mapping of two pages at an address of the kernel's choice.
    let base = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            2 * page,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    that("memory", base != libc::MAP_FAILED, || "none".to_owned())?;
    // SAFETY: the second page of the mapping above, which nothing refers to.
    let gone = unsafe { libc::munmap(base.cast::<u8>().add(page).cast(), page) };
    same("munmap", &gone, &0)?;
    // SAFETY: the kernel checks the buffer, whose end is not mapped; the part
    // that it may write is the end of the first page, which is ours.
    let read = cx.sys.call("bad read", Role::Slave, || unsafe {
        Errno::result(libc::read(
            pty.slave.raw(),
            base.cast::<u8>().add(page - MAPPED).cast(),
            SENT,
        ))
        .map(|n| n as i64)
    });
    if let Ok(n) = read {
        that("EFAULT or a short count", n <= MAPPED as i64, || {
            n.to_string()
        })?;
    } else {
        refused("a read into bad memory", read, &[Errno::EFAULT])?;
    }
    cx.write(&pty.master, b"END")?;
    let rest = cx.read_until(&pty.slave, b"END")?;
    sent.extend_from_slice(b"END");
    let from = sent.len().saturating_sub(rest.len());
    bytes(
        "the rest of the stream",
        &rest,
        sent.get(from..).unwrap_or_default(),
    )?;
    Ok(Some(format!(
        "{read:?}, then {} of {SENT} bytes",
        rest.len() - 3
    )))
}
