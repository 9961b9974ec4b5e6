//! Waiting for the end of what a kernel still does when init has begun.

use std::fs;
use std::time::{Duration, Instant};

/// How long at most: a kernel that is never idle is measured as it is.
const LIMIT: Duration = Duration::from_secs(10);
/// How long it must have been idle.
const QUIET: Duration = Duration::from_millis(500);
/// The share of that time that counts as idle: a tick's work is borne.
const IDLE: f64 = 0.97;

/// Waits until the CPUs are idle. For a second or two a booting kernel frees
/// memory, tests its cryptography and looks for devices in the background; on
/// one CPU that takes a third of what is measured meanwhile.
pub fn settle() {
    let until = Instant::now() + LIMIT;
    while Instant::now() < until {
        let before = times();
        std::thread::sleep(QUIET);
        match (before, times()) {
            (Some(before), Some(after)) if share(before, after) < IDLE => {}
            _ => return,
        }
    }
}

/// Idle time and all time of all CPUs, in ticks.
fn times() -> Option<(u64, u64)> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

/// The first line of /proc/stat: user, nice, system, idle, iowait and more
/// (proc_stat(5)).
fn parse(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .map_while(|word| word.parse().ok())
        .collect();
    let idle = ticks.get(3)? + ticks.get(4).unwrap_or(&0);
    Some((idle, ticks.iter().sum()))
}

fn share(before: (u64, u64), after: (u64, u64)) -> f64 {
    let idle = after.0.saturating_sub(before.0) as f64;
    let all = after.1.saturating_sub(before.1) as f64;
    if all > 0.0 { idle / all } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_the_fourth_number_and_the_fifth() {
        let stat = "cpu  10 0 20 100 5 1 2 0 0 0\ncpu0 10 0 20 100 5 1 2 0 0 0\n";
        assert_eq!(parse(stat), Some((105, 138)));
        assert_eq!(parse("cpu0 1 2 3 4\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_share_is_of_the_time_between() {
        assert_eq!(share((100, 200), (150, 300)), 0.5);
        assert_eq!(share((100, 200), (100, 200)), 1.0);
    }
}
