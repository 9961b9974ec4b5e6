//! What the kernel was told at boot.

/// Options that can change what a pty or a scheduler measurement shows
/// (admin-guide/kernel-parameters of the kernel); a trailing `.` or `-` takes
/// all that start so.
const RELEVANT: &[&str] = &[
    "amd_pstate",
    "clocksource",
    "cpufreq.",
    "cpuidle.",
    "debug_pagealloc",
    "highres",
    "idle",
    "init_on_alloc",
    "init_on_free",
    "intel_idle.",
    "intel_pstate",
    "irqaffinity",
    "isolcpus",
    "kasan",
    "kasan.",
    "kfence.",
    "kpti",
    "kvm-",
    "lockdep",
    "maxcpus",
    "mitigations",
    "no_hash_pointers",
    "nohz",
    "nohz_full",
    "nopti",
    "nosmp",
    "nosmt",
    "nr_cpus",
    "page_poison",
    "preempt",
    "processor.",
    "pti",
    "rcu_nocbs",
    "rcupdate.",
    "retbleed",
    "skew_tick",
    "slab_debug",
    "slub_debug",
    "spec_store_bypass_disable",
    "spectre_v2",
    "threadirqs",
    "tsc",
    "workqueue.",
];

/// The relevant ones among the words of /proc/cmdline, as they stand there.
///
/// All others are left out: they can hold names of disks and hosts.
pub(super) fn relevant_options(command_line: &str) -> Vec<String> {
    command_line
        .split_whitespace()
        .take_while(|&word| word != "--")
        .filter(|word| is_relevant(word.split('=').next().unwrap_or(word)))
        .map(str::to_owned)
        .collect()
}

fn is_relevant(key: &str) -> bool {
    RELEVANT
        .iter()
        .any(|&name| match name.ends_with(['.', '-']) {
            true => key.starts_with(name),
            false => key == name,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_kept_and_in_order() {
        let line = "BOOT_IMAGE=/vmlinuz root=UUID=1-2 isolcpus=2,3 quiet nohz_full=2-3 \
                    mitigations=off intel_idle.max_cstate=0 idle=poll preempt=full -- idle=init\n";
        assert_eq!(
            relevant_options(line),
            [
                "isolcpus=2,3",
                "nohz_full=2-3",
                "mitigations=off",
                "intel_idle.max_cstate=0",
                "idle=poll",
                "preempt=full"
            ]
        );
        assert!(relevant_options("quiet idler=1").is_empty());
    }
}
