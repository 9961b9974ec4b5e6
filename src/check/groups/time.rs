//! Time and latency. Figures are told; what fails is a mechanism, not a speed.

use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::stat::{UtimensatFlags, utimensat};
use nix::sys::time::TimeSpec;

use super::of;
use super::sig::acquire;
use crate::check::cx::FLAGS;
use crate::check::expect::{bytes, ok, same, that};
use crate::check::sys::{Attr, Fd, IN};
use crate::check::{Check, Cx, Era, Group, Stop, Tier, Verdict};
use crate::pty::KernelVersion;
use crate::words::counted;

const TIME: Check = Check {
    alone: true,
    ..of(Group::Time)
};

const TICK_BOUND: Era = Era::bug(
    KernelVersion::new(2, 6, 31),
    KernelVersion::new(2, 6, 39),
    "every hop waits for the next timer tick",
    "f23eb2b2b285",
);

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "lat.rtt",
        title: "a round trip does not wait for timer ticks",
        does: "1000 round trips of one byte between two processes.",
        expects: "Any time that is not two ticks almost every time, three times in a row.",
        since: "2.6.39",
        eras: &[TICK_BOUND],
        sources: &[
            "f23eb2b2b285",
            "tty_flip_buffer_push in drivers/tty/tty_buffer.c",
            "measured: 2.00 to 2.07 ms on 2.6.38 with HZ=1000",
        ],
        means: "Every keystroke and every block of a transfer takes ticks.",
        run: round_trips,
        ..TIME
    },
    Check {
        id: "lat.link",
        title: "a null modem of two ptys does not wait for timer ticks",
        does: "200 blocks of 132 bytes, each acknowledged by one, through two ptys that a third \
               process links.",
        expects: "All bytes; any time that is not four ticks a block.",
        since: "2.6.39",
        eras: &[TICK_BOUND],
        sources: &["f23eb2b2b285: XMODEM of 538368 bytes, 169 s at HZ=100 against 30 s"],
        means: "Stop-and-wait transfers between two programs crawl.",
        run: link,
        ..TIME
    },
    Check {
        id: "thr.step",
        title: "the step in throughput at 256 bytes is measured",
        does: "Moves 64 KiB by writes of 240 to 272 and of 496 to 528 bytes, seven times in turn.",
        expects: "All bytes. The step is told, with the interval of its median, and never fails.",
        sources: &["tty_buffer_free in drivers/tty/tty_buffer.c: only buffers of 256 are kept"],
        means: "Nothing: it is a figure to compare.",
        run: step,
        ..TIME
    },
    Check {
        id: "thr.read",
        title: "one read returns all that the line discipline holds",
        tier: Tier::Second,
        does: "Fills the reader's queue and reads once with a buffer of 8192 bytes.",
        expects: "4095 bytes.",
        since: "all but 5.12-rc",
        eras: &[Era::bug(
            KernelVersion::new(5, 12, 0),
            KernelVersion::new(5, 13, 0),
            "returns 64 bytes (in 5.12-rc)",
            "15ea8ae8e03f",
        )],
        sources: &["iterate_tty_read in drivers/tty/tty_io.c", "15ea8ae8e03f"],
        means: "Programs make sixty times as many calls.",
        run: read_size,
        ..TIME
    },
    Check {
        id: "time.mtime",
        title: "the slave's times move in steps of 8 seconds alone",
        tier: Tier::Second,
        does: "Sets the node's times back by a minute and writes, directly and by /dev/tty; then \
               sets them within the current 8 seconds and writes.",
        expects: "Now, now, and as they were.",
        since: "3.10",
        sources: &[
            "tty_update_time in drivers/tty/tty_io.c",
            "37b7f3c76595",
            "fbf47635315a",
            "tools/testing/selftests/tty/tty_tstamp_update.c",
        ],
        means: "w(1) shows wrong idle times, or others can time the keystrokes.",
        run: mtime,
        ..TIME
    },
];

/// The times of many trips, sorted.
struct Times(Vec<u64>);

impl Times {
    fn new(mut ns: Vec<u64>) -> Self {
        ns.sort_unstable();
        Self(ns)
    }

    /// The value below which `percent` of them are.
    fn at(&self, percent: usize) -> u64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get(last * percent / 100).copied().unwrap_or(0)
    }

    /// Whether they are `ticks` ticks, nearly all of them.
    fn bound_to(&self, ticks: u64, tick: u64) -> bool {
        let (want, middle) = (ticks * tick, self.at(50));
        let spread = self.at(90).saturating_sub(self.at(10));
        middle.abs_diff(want) * 5 < want && spread * 5 < middle
    }

    fn text(&self) -> String {
        let us = |ns: u64| format!("{}.{:02} us", ns / 1000, ns % 1000 / 10);
        format!(
            "least {}, median {}, p99 {}",
            us(self.at(0)),
            us(self.at(50)),
            us(self.at(99))
        )
    }
}

/// Measures up to three times; fails when each was bound to ticks.
fn not_bound(
    cx: &Cx,
    ticks: u64,
    measure: impl Fn() -> Result<Times, Stop>,
) -> Result<Times, Stop> {
    let Some(tick) = cx.sys.tick() else {
        return measure();
    };
    let mut times = measure()?;
    for _ in 0..2 {
        if !times.bound_to(ticks, tick) {
            return Ok(times);
        }
        times = measure()?;
    }
    if times.bound_to(ticks, tick) {
        let what = format!(
            "times other than {} of {} us",
            counted(ticks, "tick"),
            tick / 1000
        );
        return Err(Stop::fail(what, times.text()).or_era(0));
    }
    Ok(times)
}

fn round_trips(cx: &Cx) -> Verdict {
    let times = not_bound(cx, 2, || trips(cx))?;
    if let Some(most) = cx.gates.max_p99_ns {
        let what = format!("a p99 of at most {} us, as was asked for", most / 1000);
        that(&what, times.at(99) <= most, || times.text())?;
    }
    Ok(Some(times.text()))
}

fn trips(cx: &Cx) -> Result<Times, Stop> {
    const TRIPS: usize = 1000;
    let pty = cx.raw()?;
    let echo = cx.fork(|cx, _| {
        for _ in 0..TRIPS {
            let byte = cx.read(&pty.slave, 1)?;
            cx.write(&pty.slave, &byte)?;
        }
        Ok(())
    })?;
    let mut times = Vec::with_capacity(TRIPS);
    for trip in 0..TRIPS {
        let start = Instant::now();
        let byte = [trip as u8];
        cx.write(&pty.master, &byte)?;
        bytes("the byte that comes back", &cx.read(&pty.master, 1)?, &byte)?;
        times.push(cx.sys.elapsed(start));
    }
    echo.join(cx)?;
    Ok(Times::new(times))
}

fn link(cx: &Cx) -> Verdict {
    let times = not_bound(cx, 4, || blocks(cx))?;
    let seconds = times.at(50) as f64 * 4206.0 / 1e9;
    Ok(Some(format!(
        "{} a block; 538368 bytes by XMODEM in about {seconds:.2} s (169 s on 2.6.38 at HZ=100)",
        times.text()
    )))
}

fn blocks(cx: &Cx) -> Result<Times, Stop> {
    const BLOCKS: usize = 200;
    const BLOCK: usize = 132;
    let (one, two) = (cx.raw()?, cx.raw()?);
    let receiver = cx.fork(|cx, _| {
        for number in 0..BLOCKS {
            let got = cx.read_exactly(&two.slave, BLOCK)?;
            bytes(&format!("block {number}"), &got, &[number as u8; BLOCK])?;
            cx.write(&two.slave, b"\x06")?;
        }
        Ok(())
    })?;
    let sender = |cx: &Cx| {
        let mut times = Vec::with_capacity(BLOCKS);
        for number in 0..BLOCKS {
            let start = Instant::now();
            cx.write(&one.slave, &[number as u8; BLOCK])?;
            bytes(
                "the acknowledgement",
                &cx.read_exactly(&one.slave, 1)?,
                b"\x06",
            )?;
            times.push(cx.sys.elapsed(start));
        }
        Ok::<_, Stop>(times)
    };
    let relay = cx.fork(|cx, _| relay(cx, &one.master, &two.master))?;
    let times = sender(cx)?;
    receiver.join(cx)?;
    drop(relay);
    Ok(Times::new(times))
}

/// Passes bytes between two masters until it is killed.
fn relay(cx: &Cx, one: &Fd, two: &Fd) -> Result<(), Stop> {
    loop {
        ok("poll", cx.sys.poll_both((one, IN), (two, IN), cx.deadline))?;
        for (from, to) in [(one, two), (two, one)] {
            match cx.sys.read(from, 4096) {
                Ok(data) => cx.write(to, &data)?,
                Err(Errno::EAGAIN) => {}
                Err(errno) => return ok("read", Err(errno)),
            }
        }
    }
}

/// Nanoseconds for 64 KiB by writes of `chunk` bytes, read back by one process.
fn moved(cx: &Cx, chunk: usize) -> Result<u64, Stop> {
    const ALL: usize = 65536;
    let pty = cx.raw()?;
    let data = vec![b't'; chunk];
    let start = Instant::now();
    let mut total = 0;
    while total < ALL {
        let mut batch = 0;
        while batch + chunk <= 4095 {
            cx.write(&pty.slave, &data)?;
            batch += chunk;
        }
        cx.drain(&pty.master, batch)?;
        total += batch;
    }
    Ok(cx.sys.elapsed(start) * 1024 / total as u64)
}

fn step(cx: &Cx) -> Verdict {
    const CHUNKS: [usize; 10] = [240, 255, 256, 257, 272, 496, 511, 512, 513, 528];
    const TURNS: usize = 7;
    let mut per_kib = [[0_u64; CHUNKS.len()]; TURNS];
    for (turn, times) in per_kib.iter_mut().enumerate() {
        // Another order each time, so that drift does not fall on one size.
        for place in 0..CHUNKS.len() {
            let at = (place * 3 + turn) % CHUNKS.len();
            times[at] = moved(cx, CHUNKS[at])?;
        }
    }
    let ratio = |small: usize, large: usize| {
        let find = |chunk| CHUNKS.iter().position(|&c| c == chunk).unwrap_or(0);
        let (small, large) = (find(small), find(large));
        let mut ratios: Vec<f64> = per_kib
            .iter()
            .map(|times| (times[large] as f64 / times[small].max(1) as f64 - 1.0) * 100.0)
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        // The least and the most of seven hold the median at 98.4 %.
        format!(
            "{:+.0} % ({:+.0} to {:+.0})",
            ratios[TURNS / 2],
            ratios[0],
            ratios[TURNS - 1]
        )
    };
    let mut at_256: Vec<u64> = per_kib.iter().map(|times| times[2]).collect();
    at_256.sort_unstable();
    let rate = 1024 * 1_000_000_000 / at_256[TURNS / 2].max(1);
    if let Some(least) = cx.gates.min_rate {
        let what = format!("at least {least} bytes/s by writes of 256, as was asked for");
        that(&what, rate >= least, || rate.to_string())?;
    }
    Ok(Some(format!(
        "{rate} bytes/s by writes of 256; time from 256 to 257: {}; from 512 to 513: {}",
        ratio(256, 257),
        ratio(512, 513)
    )))
}

fn read_size(cx: &Cx) -> Verdict {
    let pty = cx.raw()?;
    cx.write(&pty.slave, &[b'r'; 6000])?;
    cx.until_queued(&pty.master, 4095)?;
    let got = cx.read(&pty.master, 8192)?.len();
    let checked = same("bytes of one read", &got, &4095);
    checked.map_err(|stop| if got == 64 { stop.or_era(0) } else { stop })?;
    Ok(None)
}

/// Sets the node's times to `ago` before now.
fn set_back(fd: &Fd, path: &str, ago: Duration) -> Result<i64, Stop> {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let then = TimeSpec::from_duration(now.saturating_sub(ago));
    let set = utimensat(fd, path, &then, &then, UtimensatFlags::FollowSymlink);
    ok("utimensat", set)?;
    Ok(i64::try_from(now.as_secs()).unwrap_or(0))
}

fn mtime(cx: &Cx) -> Verdict {
    const MINUTE: Duration = Duration::from_secs(60);
    let pty = cx.with(Attr::raw)?;
    let path = pty.path();
    match (cx.sys.stat(&path), ok("fstat", cx.sys.fstat(&pty.slave))?) {
        (Ok(node), open) if (node.dev, node.ino) == (open.dev, open.ino) => {}
        _ => return Err(Stop::Env(format!("{path} is not this pty's"))),
    }
    acquire(cx, &pty.slave)?;
    let tty = ok("open of /dev/tty", cx.sys.open("/dev/tty", FLAGS))?;
    let changed = || Ok::<_, Stop>(ok("stat", cx.sys.stat(&path))?.mtime);
    for (fd, how) in [(&pty.slave, "a write"), (&tty, "a write by /dev/tty")] {
        let now = set_back(&pty.slave, &path, MINUTE)?;
        cx.write(fd, b"x")?;
        let got = changed()?;
        // The kernel's coarse clock may be a tick behind.
        that(
            &format!("{how} sets the time"),
            (now - 1..now + 60).contains(&got),
            || format!("{} s before now", now - got),
        )?;
    }
    // Within one step of 8 seconds; again where the step ended meanwhile.
    cx.until("a time that stays for the rest of its 8 seconds", || {
        let now = set_back(&pty.slave, &path, Duration::ZERO)?;
        // The first second of the step differs from any later time in it.
        let start = now & !7;
        if now == start {
            return Ok(Err("a step began".to_owned()));
        }
        set_back(&pty.slave, &path, Duration::from_secs((now - start) as u64))?;
        let before = ok("fstat", cx.sys.fstat(&pty.slave))?.mtime;
        cx.write(&pty.slave, b"x")?;
        let after = changed()?;
        Ok(if before == after {
            Ok(())
        } else {
            Err(format!("{} s later", after - before))
        })
    })?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_are_ticks_are_bound_to_ticks() {
        const TICK: u64 = 4_000_000;
        let bound = |ns: Vec<u64>| Times::new(ns).bound_to(2, TICK);
        assert!(bound((0..100).map(|i| 8_000_000 + i * 100).collect()));
        // Faster, slower, and scattered over the same middle.
        assert!(!bound(vec![60_000; 100]));
        assert!(!bound(vec![30_000_000; 100]));
        assert!(!bound((0..100).map(|i| i * 160_000).collect()));
        assert!(!bound(Vec::new()));
    }
}
