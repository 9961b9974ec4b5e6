//! What the kernel spends elsewhere, and what the machine is.

use crate::sample::Sum;

use super::super::super::state::App;
use super::super::super::theme::Ink;
use super::super::text::percent;
use super::Lines;

/// What the kernel spends elsewhere.
pub fn spent(app: &App, sum: &Sum, lines: &mut Lines) {
    let wall = (sum.seconds * 1e9).max(1.0);
    let kworkers = match sum.kworker_ns {
        Some(ns) => format!(
            "{} of a CPU, all unbound ones (flush_to_ldisc and others)",
            percent(ns as f64 / wall)
        ),
        None => "their CPU time cannot be seen from here".to_owned(),
    };
    lines.add("kworkers", &kworkers, Ink::Text);
    let writes: u64 = sum.flows.iter().map(|flow| flow.writes.count()).sum();
    let kmallocs = match (sum.kmallocs, &app.facts.no_kmallocs) {
        (Some(calls), _) if writes > 0 => {
            format!(
                "{:.3} calls per write by the writer's thread",
                calls as f64 / writes as f64
            )
        }
        (Some(_), _) => "no writes".to_owned(),
        (None, Some(why)) => why.clone(),
        (None, None) => "not counted".to_owned(),
    };
    lines.add("kmalloc", &kmallocs, Ink::Text);
    if let Some(steal) = sum.steal_ns.filter(|&ns| ns > 0) {
        let share = percent(steal as f64 / wall);
        let text = format!("{share} of a CPU went to other guests");
        lines.add("steal", &text, Ink::Warning);
    }
}

/// What does not change.
pub fn machine(app: &App, lines: &mut Lines) {
    let host = &app.facts.host;
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let number = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
    let kworkers = match host.kernel.kworker_cpus() {
        Some(cpu) if cpu.parse::<u32>().is_ok() => format!("CPU {cpu}"),
        Some(cpus) => format!("CPUs {cpus}"),
        None => "unknown CPUs".to_owned(),
    };
    let kernel = format!(
        "Linux {} {}, HZ {}, kworkers on {}",
        or(&host.kernel.release),
        or(&host.kernel.arch),
        number(host.kernel.hz),
        kworkers
    );
    lines.add("kernel", &kernel, Ink::Text);
    let cpu = format!(
        "{} online, governor {}, {}",
        host.cpu.online.map_or("?".to_owned(), |n| n.to_string()),
        host.cpu.governor.as_deref().unwrap_or("unknown"),
        or(&host.cpu.model)
    );
    lines.add("CPU", &cpu, Ink::Text);
    let ptys = format!(
        "{} of {} in use before this run, {} reserved",
        number(host.pty.nr),
        number(host.pty.max),
        number(host.pty.reserve)
    );
    lines.add("ptys", &ptys, Ink::Text);
    // One may lie over another just like it.
    let mut mounts: Vec<String> = host
        .pty
        .devpts
        .iter()
        .flatten()
        .map(|mount| format!("{} ({})", mount.mount_point.display(), mount.options))
        .collect();
    mounts.dedup();
    for mount in mounts {
        lines.add("devpts", &mount, Ink::Text);
    }
    let around = &host.surroundings;
    let hints: Vec<&str> = [
        &around.hypervisor,
        &around.machine,
        &around.container,
        &around.kernel_flavour,
    ]
    .into_iter()
    .filter_map(|hint| hint.as_deref())
    .collect();
    if !hints.is_empty() {
        lines.add("inside", &hints.join(", "), Ink::Text);
    }
    if let Some(build) = &host.kernel.build {
        lines.add("build", build, Ink::Text);
    }
    let options = host.kernel.boot_options.iter().flatten();
    let options: Vec<&str> = options.map(String::as_str).collect();
    if !options.is_empty() {
        lines.add("booted with", &options.join(" "), Ink::Text);
    }
}
