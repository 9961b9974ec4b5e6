//! The machine, as every report states it.

use std::path::Path;

use nix::unistd::{SysconfVar, sysconf};
use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::cpu_mask::cpu_list;
use super::mounts::{self, Mount};
use super::{Surroundings, boot, clock, files};
use crate::pty::KernelVersion;

/// What this machine is. Whatever could not be found out is `None`; the host
/// name is not asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostFacts {
    /// The kernel.
    pub kernel: KernelFacts,
    /// The processors.
    pub cpu: CpuFacts,
    /// Its ptys.
    pub pty: PtyFacts,
    /// Hypervisor, container, sandbox.
    pub surroundings: Surroundings,
    /// Bytes per page.
    pub page_size: Option<usize>,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

/// The kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelFacts {
    /// Its release (`uname -r`).
    pub release: Option<String>,
    /// The numbers of the release.
    pub version: Option<KernelVersion>,
    /// Its build (`uname -v`), which names the preemption model.
    pub build: Option<String>,
    /// The machine's architecture (`uname -m`).
    pub arch: Option<String>,
    /// Those words of its command line that can change a measurement.
    pub boot_options: Option<Vec<String>>,
    /// Timer ticks per second (CONFIG_HZ), from the coarse clock's resolution.
    pub hz: Option<u32>,
    /// CPUs that unbound kworkers may use, as a hexadecimal mask: they deliver
    /// every byte that crosses a pty since 4.4.
    pub unbound_workqueue_cpus: Option<String>,
}

/// The processors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuFacts {
    /// The model's name.
    pub model: Option<String>,
    /// CPUs online.
    pub online: Option<usize>,
    /// The governor of CPU 0, `None` where its frequency is not ours to know.
    pub governor: Option<String>,
}

/// The pty driver and its file systems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtyFacts {
    /// kernel.pty.max: ptys that there can be.
    pub max: Option<u32>,
    /// kernel.pty.nr: ptys that there were.
    pub nr: Option<u32>,
    /// kernel.pty.reserve: those that only the initial mount can use.
    pub reserve: Option<u32>,
    /// All devpts mounts seen from here.
    pub devpts: Option<Vec<Mount>>,
}

impl HostFacts {
    /// Asks the running kernel; takes a few milliseconds.
    pub fn collect() -> Self {
        let system = System::new_with_specifics(
            RefreshKind::nothing()
                .with_cpu(CpuRefreshKind::nothing())
                .with_memory(MemoryRefreshKind::nothing().with_ram()),
        );
        Self {
            kernel: KernelFacts::collect(),
            cpu: CpuFacts::collect(&system),
            pty: PtyFacts::collect(),
            surroundings: Surroundings::detect(),
            page_size: sysconf_number(SysconfVar::PAGE_SIZE),
            memory: Some(system.total_memory()).filter(|&bytes| bytes > 0),
        }
    }
}

impl KernelFacts {
    /// The CPUs that unbound kworkers may use, as a list (`0-3,8`), or the mask
    /// as it is where it is none; None where it is not known.
    pub fn kworker_cpus(&self) -> Option<String> {
        let mask = self.unbound_workqueue_cpus.as_deref()?;
        Some(cpu_list(mask).unwrap_or_else(|| format!("mask {mask}")))
    }

    fn collect() -> Self {
        let name = nix::sys::utsname::uname().ok();
        let part = |of: fn(&nix::sys::utsname::UtsName) -> &std::ffi::OsStr| {
            let text = of(name.as_ref()?).to_string_lossy().into_owned();
            (!text.is_empty()).then_some(text)
        };
        let release = part(|name| name.release());
        Self {
            version: release.as_deref().and_then(|text| text.parse().ok()),
            release,
            build: part(|name| name.version()),
            arch: part(|name| name.machine()),
            boot_options: files::text("/proc/cmdline").map(|line| boot::relevant_options(&line)),
            hz: clock::ticks_per_second(),
            unbound_workqueue_cpus: files::text("/sys/devices/virtual/workqueue/cpumask"),
        }
    }
}

impl CpuFacts {
    fn collect(system: &System) -> Self {
        let model = system.cpus().first().map(|cpu| cpu.brand().trim());
        Self {
            model: model.filter(|name| !name.is_empty()).map(str::to_owned),
            online: sysconf_number(SysconfVar::_NPROCESSORS_ONLN),
            governor: files::text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        }
    }
}

impl PtyFacts {
    /// Asks the running kernel.
    pub fn collect() -> Self {
        let limit = |name: &str| files::number(Path::new("/proc/sys/kernel/pty").join(name));
        Self {
            max: limit("max"),
            nr: limit("nr"),
            reserve: limit("reserve"),
            devpts: mounts::of_type("devpts"),
        }
    }
}

/// Processes that wanted to run, on average over 1, 5 and 15 minutes.
pub fn load_average() -> Option<[f64; 3]> {
    parse_load(&files::text("/proc/loadavg")?)
}

fn parse_load(text: &str) -> Option<[f64; 3]> {
    let mut numbers = text.split_whitespace().map(|word| word.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

fn sysconf_number(variable: SysconfVar) -> Option<usize> {
    usize::try_from(sysconf(variable).ok()??).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_survive_json() {
        let facts = HostFacts::collect();
        let json = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<HostFacts>(&json).unwrap(), facts);
    }

    #[test]
    fn what_uname_and_sysconf_say_is_known_everywhere() {
        let facts = HostFacts::collect();
        assert_eq!(facts.kernel.version, KernelVersion::running());
        assert!(facts.kernel.release.is_some());
        assert!(facts.page_size.is_some_and(usize::is_power_of_two));
        assert!(facts.cpu.online.is_some_and(|count| count > 0));
    }

    #[test]
    fn load_is_three_numbers() {
        assert_eq!(
            parse_load("0.13 0.50 1.02 2/115 4242\n"),
            Some([0.13, 0.5, 1.02])
        );
        assert_eq!(parse_load("0.13 0.50"), None);
        assert_eq!(parse_load("a b c"), None);
    }
}
