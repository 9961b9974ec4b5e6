//! Reports as pages: what people read of them.

mod bench;
mod capacity;
mod check;
mod comparison;
mod inspect;
mod sweep;
mod xmodem;

use std::fmt::Display;

use crate::host::HostFacts;
use crate::words::counted;
use crate::workload::Settings;

use super::page::Page;
use super::{Conditions, Nanoseconds, Outcome, Quantiles, Report};

impl Report {
    /// What a person wants to read of it: the result, then what it rests on.
    pub fn page(&self) -> Page {
        let mut page = Page::default();
        match &self.result {
            Outcome::Bench(bench) => bench.show(&mut page),
            Outcome::Sweep(sweep) => sweep.show(&mut page),
            Outcome::Check(checkup) => check::show(checkup, &mut page),
            Outcome::Capacity(capacity) => capacity.show(&mut page),
            Outcome::Xmodem(xmodem) => xmodem.show(&mut page),
            Outcome::Inspect(inspection) => inspect::show(inspection, &mut page),
        }
        if let Some(reason) = &self.cut_short {
            page.text(format!(
                "CUT SHORT: {reason}. This is what was measured until then."
            ));
        }
        if matches!(self.result, Outcome::Inspect(_)) {
            // Nothing was measured, so the load and the clock mean nothing.
            page.text(machine(&self.host));
            return page;
        }
        if !self.warnings.is_empty() {
            let text = |warning: &super::Warning| format!("warning: {}", warning.text);
            page.list(self.warnings.iter().map(text).collect());
        }
        if let Some(guest) = &self.guest {
            page.text(guest.text());
        }
        page.text(machine(&self.host));
        page.text(circumstances(&self.conditions));
        page.text(self.program.told(&self.command));
        page
    }
}

/// The machine in a sentence or two.
fn machine(host: &HostFacts) -> String {
    let or = |text: &Option<String>, otherwise: &str| {
        text.clone().unwrap_or_else(|| otherwise.to_owned())
    };
    let number = |number: Option<u32>| number.map_or("unknown".to_owned(), |n| n.to_string());
    let mut text = format!(
        "Linux {} {}, {} x {}, governor {}, HZ {}, pty.max {}",
        or(&host.kernel.release, "of unknown release"),
        or(&host.kernel.arch, ""),
        host.cpu.online.map_or("?".to_owned(), |n| n.to_string()),
        or(&host.cpu.model, "CPU of unknown model"),
        or(&host.cpu.governor, "unknown"),
        number(host.kernel.hz),
        number(host.pty.max),
    );
    let around = &host.surroundings;
    for (name, value) in [
        ("hypervisor", &around.hypervisor),
        ("container", &around.container),
        ("kernel flavour", &around.kernel_flavour),
    ] {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {value}"));
        }
    }
    if let Some(options) = host
        .kernel
        .boot_options
        .as_ref()
        .filter(|words| !words.is_empty())
    {
        text.push_str(&format!(", booted with {}", options.join(" ")));
    }
    text
}

fn circumstances(conditions: &Conditions) -> String {
    let load = |load: Option<[f64; 3]>| {
        load.map_or("unknown".to_owned(), |[minute, ..]| format!("{minute:.2}"))
    };
    format!(
        "{}, took {}; load {} at the start, {} at the end; clock {}, {} a reading, once a call",
        conditions.started,
        conditions.lasted,
        load(conditions.load_at_start),
        load(conditions.load_at_end),
        conditions.clock,
        conditions.clock_cost,
    )
}

/// The settings in a line: those that every run has, then those that differ
/// from the usual.
fn settings(settings: &Settings) -> String {
    let usual = Settings::default();
    let always = ["direction", "chunk", "mode", "payload", "peers"];
    let ours = settings.entries().into_iter().zip(usual.entries());
    let words = ours
        .filter(|(ours, usual)| always.contains(&ours.0) || ours != usual)
        .map(|((name, value), _)| format!("{name} {value}"));
    let mut words: Vec<String> = words.collect();
    if !settings.verify {
        words.push("not verified".to_owned());
    }
    words.join(", ")
}

/// `all 8 intervals`, `the one interval`.
fn all_of(count: impl Display + From<u8> + PartialEq, noun: &str) -> String {
    if count == 1.into() {
        return format!("the one {noun}");
    }
    format!("all {}", counted(count, noun))
}

/// What intervals do that are so many.
fn hold(count: usize) -> &'static str {
    if count == 1 { "holds" } else { "hold together" }
}

fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

/// A time that may have become longer.
fn at_least(time: Nanoseconds) -> String {
    format!(">= {time}")
}

/// `p50 p90 p99 p99.9 max`, or dashes. The longest is a least value where it has
/// not returned.
fn quantile_cells(times: Option<Quantiles>) -> [String; 5] {
    let at = |of: fn(&Quantiles) -> Nanoseconds| or_dash(times.as_ref().map(of));
    [
        at(|q| q.p50),
        at(|q| q.p90),
        at(|q| q.p99),
        at(|q| q.p999),
        or_dash(times.map(|times| match times.max_is_least {
            true => at_least(times.max),
            false => times.max.to_string(),
        })),
    ]
}
