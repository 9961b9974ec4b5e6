//! For how long a thread has slept.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// How long ago, in ms, the thread left the CPU, if that can be told.
///
/// /proc/PID/sched has the time at which a thread last ran (`se.exec_start`),
/// by the clock of the CPU that it ran on. Those clocks are no other clock, and
/// not the same as one another, so a thread of ours goes to that CPU and reads
/// its own. It may lag by a tick of the scheduler.
pub fn asleep_ms(pid: u32, tid: u32, cpu: u32) -> Option<u64> {
    let then = last_ran(&format!("/proc/{pid}/task/{tid}/sched"))?;
    let thread = std::thread::Builder::new();
    let there = thread.spawn(move || {
        let mut only = CpuSet::new();
        only.set(usize::try_from(cpu).ok()?).ok()?;
        sched_setaffinity(Pid::from_raw(0), &only).ok()?;
        last_ran("/proc/thread-self/sched")
    });
    let passed = there.ok()?.join().ok()?? - then;
    (passed >= 0.0).then_some(passed as u64)
}

fn last_ran(path: &str) -> Option<f64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("se.exec_start"))?;
    line.split_once(':')?.1.trim().parse().ok()
}
