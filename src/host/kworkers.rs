//! The CPU time of the kernel threads that carry a pty's bytes.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use super::files;
use crate::pty::KernelVersion;
use crate::pty::capacity::Delivery;

/// How often /proc is searched for new workers.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);

/// Watches the kworkers that run `flush_to_ldisc`.
///
/// They run other work too: what is seen here on an idle machine is theirs,
/// not the pty's. A worker born during the watch counts from its birth, but
/// shows only once it was found, up to two seconds later.
#[derive(Debug)]
pub struct Kworkers {
    proc: PathBuf,
    kind: Kind,
    workers: Vec<Worker>,
    /// All process numbers of the last scan.
    seen: HashSet<u32>,
    scanned: Instant,
    /// Of workers that have ended.
    ended_ns: u64,
}

/// CPU time of the workers since the watch began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KworkerTime {
    /// Nanoseconds.
    pub ns: u64,
    /// How finely they were counted.
    pub resolution: Resolution,
    /// Workers watched.
    pub workers: usize,
}

/// How finely the kernel tells a thread's CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// /proc/PID/schedstat: nanoseconds, up to date at the last switch or tick.
    Nanoseconds,
    /// /proc/PID/stat: ticks of 10 ms (USER_HZ), often by sampling.
    Ticks,
}

#[derive(Debug)]
struct Worker {
    pid: u32,
    base_ns: u64,
    last_ns: u64,
}

/// Which workers deliver, by the names that they bear in /proc/PID/comm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `kworker/u8:0`, or with what it does: `kworker/u8:0-events_unbound`.
    Unbound,
    /// `kworker/0:1`, or `events/0` before 2.6.36.
    PerCpu,
}

impl Kworkers {
    /// Starts watching, or `None` where kernel threads cannot be seen: no
    /// /proc, a PID namespace, or a kernel that delivers without workers.
    pub fn watch() -> Option<Self> {
        let delivery = KernelVersion::running().map(Delivery::of);
        let kind = match delivery {
            Some(Delivery::Direct) => return None,
            Some(Delivery::NextTick | Delivery::SystemWorkqueue) => Kind::PerCpu,
            Some(Delivery::UnboundWorkqueue | Delivery::DefaultWorkqueue) | None => Kind::Unbound,
        };
        Self::watch_in("/proc".into(), kind)
    }

    fn watch_in(proc: PathBuf, kind: Kind) -> Option<Self> {
        if files::text(proc.join("2/comm"))? != "kthreadd" {
            return None;
        }
        let mut watch = Self {
            proc,
            kind,
            workers: Vec::new(),
            seen: HashSet::new(),
            scanned: Instant::now(),
            ended_ns: 0,
        };
        watch.scan();
        for worker in &mut watch.workers {
            worker.base_ns = worker.last_ns;
        }
        Some(watch)
    }

    /// The time up to now. Each worker costs one small read; a search for new
    /// ones comes on top every two seconds.
    pub fn sample(&mut self) -> KworkerTime {
        if self.scanned.elapsed() >= SCAN_INTERVAL {
            self.scan();
        }
        let resolution = self.resolution();
        self.workers.retain_mut(|worker| {
            // Less than before is another thread under the same number.
            let now = cpu_ns(&self.proc, worker.pid).filter(|&now| now >= worker.last_ns);
            match now {
                Some(now) => worker.last_ns = now,
                None => {
                    self.ended_ns += worker.spent();
                    self.seen.remove(&worker.pid);
                }
            }
            now.is_some()
        });
        let living: u64 = self.workers.iter().map(Worker::spent).sum();
        KworkerTime {
            ns: self.ended_ns + living,
            resolution,
            workers: self.workers.len(),
        }
    }

    /// Looks at the names of processes that were not there before.
    fn scan(&mut self) {
        self.scanned = Instant::now();
        let now: HashSet<u32> = std::fs::read_dir(&self.proc)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        for &pid in now.difference(&self.seen) {
            let comm = files::text(self.proc.join(format!("{pid}/comm")));
            if comm.is_some_and(|comm| self.kind.has(&comm)) {
                self.workers.push(Worker {
                    pid,
                    base_ns: 0,
                    last_ns: cpu_ns(&self.proc, pid).unwrap_or(0),
                });
            }
        }
        self.seen = now;
    }

    fn resolution(&self) -> Resolution {
        match self.proc.join("2/schedstat").exists() {
            true => Resolution::Nanoseconds,
            false => Resolution::Ticks,
        }
    }
}

impl Worker {
    fn spent(&self) -> u64 {
        self.last_ns - self.base_ns
    }
}

impl Kind {
    fn has(self, comm: &str) -> bool {
        let worker = comm.strip_prefix("kworker/");
        match self {
            Self::Unbound => worker.is_some_and(|name| name.starts_with('u')),
            Self::PerCpu => {
                comm.starts_with("events/")
                    || worker.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit()))
            }
        }
    }
}

fn cpu_ns(proc: &std::path::Path, pid: u32) -> Option<u64> {
    let file = |name: &str| files::short_text(proc.join(format!("{pid}/{name}")));
    file("schedstat")
        .and_then(|text| parse_schedstat(&text))
        .or_else(|| parse_stat(&file("stat")?))
}

/// The first number is the time on a CPU (scheduler/sched-stats of the kernel).
fn parse_schedstat(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}

/// utime and stime, the 14th and 15th field; the 2nd is a name that can hold
/// anything, in parentheses.
fn parse_stat(text: &str) -> Option<u64> {
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let utime: u64 = fields.next()?.parse().ok()?;
    let stime: u64 = fields.next()?.parse().ok()?;
    let per_second = u64::try_from(sysconf(SysconfVar::CLK_TCK).ok()??).ok()?;
    let ticks = utime.checked_add(stime)?;
    ticks.checked_mul(1_000_000_000 / per_second.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// A /proc of our own.
    struct FakeProc(tempfile::TempDir);

    impl FakeProc {
        fn new() -> Self {
            let proc = Self(tempfile::tempdir().unwrap());
            proc.put(2, "kthreadd", 5);
            fs::create_dir(proc.path().join("sys")).unwrap();
            proc
        }

        fn path(&self) -> &Path {
            self.0.path()
        }

        fn put(&self, pid: u32, comm: &str, ns: u64) {
            let dir = self.path().join(pid.to_string());
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("comm"), format!("{comm}\n")).unwrap();
            fs::write(dir.join("schedstat"), format!("{ns} 7 3\n")).unwrap();
        }

        fn remove(&self, pid: u32) {
            fs::remove_dir_all(self.path().join(pid.to_string())).unwrap();
        }

        fn watch(&self) -> Kworkers {
            Kworkers::watch_in(self.path().to_owned(), Kind::Unbound).unwrap()
        }
    }

    #[test]
    fn only_time_since_the_start_and_only_of_unbound_workers_counts() {
        let proc = FakeProc::new();
        proc.put(10, "kworker/u8:0-events_unbound", 1000);
        proc.put(11, "kworker/0:1-events", 1000);
        let mut watch = proc.watch();
        assert_eq!(watch.sample().ns, 0);
        proc.put(10, "kworker/u8:0", 1500);
        proc.put(11, "kworker/0:1", 9000);
        let time = watch.sample();
        assert_eq!(
            (time.ns, time.resolution, time.workers),
            (500, Resolution::Nanoseconds, 1)
        );
    }

    #[test]
    fn workers_that_come_and_go_are_counted_whole() {
        let proc = FakeProc::new();
        proc.put(10, "kworker/u8:0", 1000);
        let mut watch = proc.watch();
        proc.put(10, "kworker/u8:0", 1200);
        assert_eq!(watch.sample().ns, 200);
        proc.remove(10);
        proc.put(12, "kworker/u8:2", 40);
        watch.scan();
        assert_eq!(watch.sample().ns, 240);
        proc.put(12, "kworker/u8:2", 50);
        assert_eq!(watch.sample().ns, 250);
    }

    #[test]
    fn a_number_used_again_does_not_count_backwards() {
        let proc = FakeProc::new();
        proc.put(10, "kworker/u8:0", 1000);
        let mut watch = proc.watch();
        proc.put(10, "kworker/u8:0", 1100);
        assert_eq!(watch.sample().ns, 100);
        proc.put(10, "sh", 3);
        let time = watch.sample();
        assert_eq!((time.ns, time.workers), (100, 0));
    }

    #[test]
    fn without_kernel_threads_there_is_no_watch() {
        let proc = FakeProc::new();
        proc.put(2, "bash", 0);
        assert!(Kworkers::watch_in(proc.path().to_owned(), Kind::Unbound).is_none());
        assert!(Kworkers::watch_in("/nonexistent".into(), Kind::Unbound).is_none());
    }

    #[test]
    fn kinds_are_told_by_name() {
        assert!(Kind::Unbound.has("kworker/u8:0-events_unbound"));
        assert!(!Kind::Unbound.has("kworker/0:1H-kblockd"));
        assert!(Kind::PerCpu.has("kworker/0:1"));
        assert!(Kind::PerCpu.has("events/0"));
        assert!(!Kind::PerCpu.has("kworker/R-rcu_gp"));
        assert!(!Kind::PerCpu.has("kworker/u8:1"));
    }

    #[test]
    fn times_are_read_in_both_forms() {
        assert_eq!(
            parse_schedstat("1024100377 497284176 165903"),
            Some(1_024_100_377)
        );
        assert_eq!(parse_schedstat(""), None);
        let stat = "17 (kworker/u8:0-a) b) I 2 0 0 0 -1 69238880 0 0 0 0 2 33 0 0 20 0 1 0 39 0 0";
        let per_second = sysconf(SysconfVar::CLK_TCK).unwrap().unwrap() as u64;
        assert_eq!(parse_stat(stat), Some(35 * (1_000_000_000 / per_second)));
        assert_eq!(parse_stat("17 (x) I 2"), None);
    }

    #[test]
    fn the_running_kernels_workers_never_count_backwards() {
        let Some(mut watch) = Kworkers::watch() else {
            println!("skipped: no kernel threads in /proc (a PID namespace?)");
            return;
        };
        let before = watch.sample();
        watch.scan();
        assert!(watch.sample().ns >= before.ns);
    }
}
