//! Counting the kernel's memory requests on behalf of one thread.

use std::fs::File;
use std::io::Read;

use nix::errno::Errno;

use super::{files, mounts};

mod event;

/// Counts kmalloc calls (tracepoint kmem:kmalloc) of one thread, from any
/// thread of any process that may.
///
/// All of them, whatever for: compare counts per write at two chunk sizes
/// rather than trust one.
#[derive(Debug)]
pub struct KmallocCounter {
    event: File,
}

/// Why kmalloc calls cannot be counted; its Display says in a line what would
/// allow it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PerfUnavailable {
    /// No tracefs is mounted, which tells the tracepoint's number.
    #[error("no tracefs: mount -t tracefs nodev /sys/kernel/tracing")]
    NoTracefs,
    /// A tracefs is mounted, and not for us.
    #[error("tracefs at {0} is not readable: run as root, or remount it with gid= and mode=")]
    TracefsDenied(String),
    /// A tracefs without this tracepoint.
    #[error(
        "this kernel has no tracepoint kmem:kmalloc (CONFIG_TRACEPOINTS, CONFIG_EVENT_TRACING)"
    )]
    NoTracepoint,
    /// perf_event_open(2) said EACCES or EPERM.
    #[error(
        "perf events are not allowed{}: needs CAP_PERFMON (CAP_SYS_ADMIN before 5.8), or sysctl kernel.perf_event_paranoid=1",
        setting(*paranoid)
    )]
    Denied {
        /// kernel.perf_event_paranoid.
        paranoid: Option<i32>,
    },
    /// perf_event_open(2) said ENOSYS.
    #[error("this kernel has no perf events (CONFIG_PERF_EVENTS)")]
    NoPerfEvents,
    /// The thread has ended.
    #[error("there is no thread {0}")]
    NoThread(i32),
    /// perf_event_open(2) said something else.
    #[error("perf_event_open: {0:?} ({desc})", desc = .0.desc())]
    Other(Errno),
}

fn setting(paranoid: Option<i32>) -> String {
    paranoid.map_or_else(String::new, |level| {
        format!(" (kernel.perf_event_paranoid is {level})")
    })
}

impl KmallocCounter {
    /// Starts counting for thread `tid` (gettid(2)), or the main thread of the
    /// process of that number. Threads that it starts are not counted.
    ///
    /// # Errors
    /// What is missing.
    pub fn open(tid: i32) -> Result<Self, PerfUnavailable> {
        let id = tracepoint_id()?;
        match event::open_tracepoint(id, tid) {
            Ok(event) => Ok(Self { event }),
            Err(Errno::EACCES | Errno::EPERM) => Err(PerfUnavailable::Denied {
                paranoid: files::number("/proc/sys/kernel/perf_event_paranoid"),
            }),
            Err(Errno::ENOSYS) => Err(PerfUnavailable::NoPerfEvents),
            Err(Errno::ESRCH) => Err(PerfUnavailable::NoThread(tid)),
            Err(errno) => Err(PerfUnavailable::Other(errno)),
        }
    }

    /// Calls counted since it was opened; stays what it was when the thread
    /// ends.
    ///
    /// # Errors
    /// What read(2) says.
    pub fn read(&mut self) -> std::io::Result<u64> {
        let mut count = [0; 8];
        self.event.read_exact(&mut count)?;
        Ok(u64::from_ne_bytes(count))
    }
}

fn tracepoint_id() -> Result<u64, PerfUnavailable> {
    let mounted = mounts::of_type("tracefs").unwrap_or_default();
    let roots = mounted
        .into_iter()
        .map(|mount| mount.mount_point.display().to_string())
        // Kernels before 4.1 have it in debugfs only.
        .chain(["/sys/kernel/tracing", "/sys/kernel/debug/tracing"].map(str::to_owned));
    let mut best = PerfUnavailable::NoTracefs;
    for root in roots {
        match tracepoint_id_in(&root) {
            Ok(id) => return Ok(id),
            Err(PerfUnavailable::NoTracefs) => {}
            Err(other) => best = other,
        }
    }
    Err(best)
}

fn tracepoint_id_in(root: &str) -> Result<u64, PerfUnavailable> {
    let denied = || PerfUnavailable::TracefsDenied(root.to_owned());
    match std::fs::read_to_string(format!("{root}/events/kmem/kmalloc/id")) {
        Ok(text) => text
            .trim()
            .parse()
            .map_err(|_| PerfUnavailable::NoTracepoint),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Err(denied()),
        Err(_) if std::path::Path::new(root).join("events").exists() => {
            Err(PerfUnavailable::NoTracepoint)
        }
        Err(_) => Err(PerfUnavailable::NoTracefs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_number_comes_from_tracefs_or_says_what_is_missing() {
        let root = tempfile::tempdir().unwrap();
        let id = || tracepoint_id_in(root.path().to_str().unwrap());
        assert_eq!(id(), Err(PerfUnavailable::NoTracefs));
        fs::create_dir_all(root.path().join("events/kmem/kmalloc")).unwrap();
        assert_eq!(id(), Err(PerfUnavailable::NoTracepoint));
        fs::write(root.path().join("events/kmem/kmalloc/id"), "658\n").unwrap();
        assert_eq!(id(), Ok(658));
    }

    #[test]
    fn each_reason_is_one_line_that_names_a_remedy() {
        for (reason, remedy) in [
            (
                PerfUnavailable::NoTracefs,
                "mount -t tracefs nodev /sys/kernel/tracing",
            ),
            (
                PerfUnavailable::TracefsDenied("/t".to_owned()),
                "run as root",
            ),
            (
                PerfUnavailable::Denied { paranoid: Some(2) },
                "(kernel.perf_event_paranoid is 2)",
            ),
            (PerfUnavailable::Denied { paranoid: None }, "CAP_PERFMON"),
            (PerfUnavailable::NoPerfEvents, "CONFIG_PERF_EVENTS"),
            (PerfUnavailable::NoThread(7), "no thread 7"),
            (PerfUnavailable::Other(Errno::EMFILE), "EMFILE"),
        ] {
            let text = reason.to_string();
            assert!(text.contains(remedy), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }

    #[test]
    fn a_thread_that_writes_large_chunks_allocates() {
        let tid = nix::unistd::gettid().as_raw();
        let mut counter = match KmallocCounter::open(tid) {
            Ok(counter) => counter,
            Err(reason) => {
                println!("skipped: {reason}");
                return;
            }
        };
        let pair = crate::pty::Pair::open(crate::pty::Mode::RAW).unwrap();
        let before = counter.read().unwrap();
        // 257 bytes do not fit in a recycled buffer (tty_buffer_alloc).
        nix::unistd::write(pair.fd(crate::pty::End::Slave), &[0; 257]).unwrap();
        let counted = counter.read().unwrap() - before;
        assert!(counted >= 1, "{counted}");
        assert_eq!(
            KmallocCounter::open(i32::MAX).unwrap_err(),
            PerfUnavailable::NoThread(i32::MAX)
        );
    }
}
