//! How much each direction holds, against the model of the running kernel.

use std::num::NonZeroUsize;

use nix::errno::Errno;

use crate::check::expect::{ok, that};
use crate::check::{Cx, Stop, Verdict};
use crate::pty::End;
use crate::pty::capacity::{Flow, Geometry, Prediction, READ_QUEUE};
use crate::words::counted;

const CHUNKS: [usize; 12] = [
    64, 128, 129, 200, 255, 256, 257, 513, 1000, 1024, 1793, 4096,
];

/// Measurements before a difference is believed.
const TRIES: u32 = 3;

pub(super) fn run(cx: &Cx) -> Verdict {
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE);
    let page = page
        .ok()
        .flatten()
        .and_then(|bytes| usize::try_from(bytes).ok())
        .unwrap_or(4096);
    let Some(geometry) = Geometry::of(cx.release, page) else {
        return Err(Stop::Skip(format!(
            "the buffers of {} are not known",
            cx.release
        )));
    };
    let mut shown = Vec::new();
    for chunk in CHUNKS {
        let Some(size) = NonZeroUsize::new(chunk) else {
            continue;
        };
        for end in [End::Slave, End::Master] {
            let Some(Prediction::Full(want)) = geometry.expected(Flow::raw(end, size)) else {
                continue;
            };
            // A worker in the middle of a write leaves another number, but not
            // again and again.
            let mut got = filled(cx, end, chunk, want.kept_up.accepted)?;
            for _ in 1..TRIES {
                if want.accepted().contains(&got) {
                    break;
                }
                got = filled(cx, end, chunk, want.kept_up.accepted)?;
            }
            if !want.accepted().contains(&got) {
                return Err(Stop::fail(
                    format!(
                        "writes of {chunk} to the {end} fill it at {}",
                        want.kept_up.accepted
                    ),
                    format!("{got}: the geometry of the flip buffers has changed"),
                ));
            }
            if chunk == 256 && end == End::Slave {
                shown.push(format!("{} by writes of 256", counted(got, "byte")));
            }
        }
    }
    Ok(shown.pop())
}

/// How much writes of `chunk` bytes fit, the worker keeping up: after each
/// write it is waited for, until the reader's queue is full and it can do no
/// more. Less than `want` is believed only after the deadline.
fn filled(cx: &Cx, end: End, chunk: usize, want: usize) -> Result<usize, Stop> {
    let pty = cx.raw()?;
    let (from, to) = match end {
        End::Slave => (&pty.slave, &pty.master),
        End::Master => (&pty.master, &pty.slave),
    };
    let data = vec![b'c'; chunk];
    let mut total = 0;
    loop {
        match cx.sys.write(from, &data) {
            Ok(n) => total += n,
            Err(Errno::EAGAIN) if total >= want => return Ok(total),
            Err(Errno::EAGAIN) => {
                let more = cx.until("room", || match cx.sys.write(from, &data) {
                    Ok(n) => Ok(Ok(n)),
                    Err(errno) => Ok(Err(format!("{errno:?}"))),
                });
                match more {
                    Ok(n) => total += n,
                    Err(_) => return Ok(total),
                }
            }
            Err(errno) => return ok("write", Err(errno)),
        }
        that("an end of the room", total < 1 << 20, || {
            format!("{} taken", counted(total, "byte"))
        })?;
        cx.until_queued(to, i32::try_from(total.min(READ_QUEUE)).unwrap_or(i32::MAX))?;
    }
}
