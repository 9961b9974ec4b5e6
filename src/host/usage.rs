//! What this process spends, and what the hypervisor takes.

use std::ops::{Add, Sub};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};

use super::files;

/// CPU time and context switches up to now, getrusage(2); subtract two for
/// what lies between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// CPU time in user space.
    pub user: Duration,
    /// CPU time in the kernel on our behalf; a kworker's is not in it.
    pub system: Duration,
    /// Times that a thread gave up its CPU to wait.
    pub voluntary_switches: u64,
    /// Times that a CPU was taken from a thread.
    pub involuntary_switches: u64,
}

impl Usage {
    /// Of all threads of this process, living and ended.
    pub fn of_process() -> Self {
        Self::of(UsageWho::RUSAGE_SELF)
    }

    /// Of the children that have ended and were waited for.
    pub fn of_children() -> Self {
        Self::of(UsageWho::RUSAGE_CHILDREN)
    }

    /// Of the calling thread.
    pub fn of_thread() -> Self {
        Self::of(UsageWho::RUSAGE_THREAD)
    }

    fn of(who: UsageWho) -> Self {
        let count = |number| u64::try_from(number).unwrap_or(0);
        getrusage(who).map_or_else(
            |_| Self::default(),
            |usage| Self {
                user: duration(usage.user_time()),
                system: duration(usage.system_time()),
                voluntary_switches: count(usage.voluntary_context_switches()),
                involuntary_switches: count(usage.involuntary_context_switches()),
            },
        )
    }

    /// CPU time in user space and in the kernel.
    pub fn cpu(&self) -> Duration {
        self.user + self.system
    }
}

impl Add for Usage {
    type Output = Self;

    /// What both spent.
    fn add(self, other: Self) -> Self {
        Self {
            user: self.user + other.user,
            system: self.system + other.system,
            voluntary_switches: self.voluntary_switches + other.voluntary_switches,
            involuntary_switches: self.involuntary_switches + other.involuntary_switches,
        }
    }
}

impl Sub for Usage {
    type Output = Self;

    /// What was spent since `earlier`, never less than nothing.
    fn sub(self, earlier: Self) -> Self {
        Self {
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
            voluntary_switches: self
                .voluntary_switches
                .saturating_sub(earlier.voluntary_switches),
            involuntary_switches: self
                .involuntary_switches
                .saturating_sub(earlier.involuntary_switches),
        }
    }
}

fn duration(time: TimeVal) -> Duration {
    let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec()).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// Time since boot that the CPUs had work and the hypervisor ran something
/// else, summed over all CPUs (`steal` of proc_stat(5)), in steps of 10 ms.
pub fn stolen() -> Option<Duration> {
    let ticks = sysconf(SysconfVar::CLK_TCK).ok()??;
    parse_stolen(
        &files::short_text("/proc/stat")?,
        u64::try_from(ticks).ok()?,
    )
}

fn parse_stolen(stat: &str, ticks_per_second: u64) -> Option<Duration> {
    let cpu = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let steal: u64 = cpu.split_whitespace().nth(7)?.parse().ok()?;
    let nanos = u128::from(steal) * 1_000_000_000 / u128::from(ticks_per_second.max(1));
    Some(Duration::from_nanos(u64::try_from(nanos).ok()?))
}

/// The frequency of `cpu` now, in kHz: what cpufreq says, or else /proc/cpuinfo.
pub fn cpu_khz(cpu: usize) -> Option<u64> {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_cur_freq");
    files::number(path).or_else(|| parse_khz(&files::text("/proc/cpuinfo")?, cpu))
}

fn parse_khz(cpuinfo: &str, cpu: usize) -> Option<u64> {
    let wanted = cpu.to_string();
    let mut fields = cpuinfo.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim(), value.trim()))
    });
    fields.find(|&(name, value)| name == "processor" && value == wanted)?;
    let (_, mhz) = fields
        .take_while(|&(name, _)| name != "processor")
        .find(|&(name, _)| name == "cpu MHz")?;
    let khz = (mhz.parse::<f64>().ok()? * 1000.0).round();
    (khz.is_finite() && khz > 0.0).then_some(khz as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spending_grows_and_its_difference_is_what_was_spent() {
        let before = Usage::of_thread();
        let goal = before.cpu() + Duration::from_millis(2);
        while Usage::of_thread().cpu() < goal {
            std::hint::black_box(0);
        }
        let spent = Usage::of_thread() - before;
        assert!(spent.cpu() >= Duration::from_millis(2));
        assert!(Usage::of_process().cpu() >= spent.cpu());
        assert_eq!(before - Usage::of_thread(), Usage::default());
    }

    #[test]
    fn steal_is_the_eighth_number() {
        let stat = "cpu  10 1 20 300 4 0 5 250 0 0\ncpu0 1 1 1 1 1 1 1 9 0 0\n";
        assert_eq!(parse_stolen(stat, 100), Some(Duration::from_millis(2500)));
        assert_eq!(parse_stolen("cpu  1 2 3\n", 100), None);
        assert_eq!(parse_stolen("", 0), None);
    }

    #[test]
    fn frequencies_belong_to_their_cpu() {
        let cpuinfo = "processor\t: 0\ncpu MHz\t\t: 2400.125\n\n\
                       processor\t: 1\ncpu MHz\t\t: 800.000\n\nprocessor\t: 2\n";
        assert_eq!(parse_khz(cpuinfo, 0), Some(2_400_125));
        assert_eq!(parse_khz(cpuinfo, 1), Some(800_000));
        assert_eq!(parse_khz(cpuinfo, 2), None);
        assert_eq!(parse_khz(cpuinfo, 3), None);
    }
}
