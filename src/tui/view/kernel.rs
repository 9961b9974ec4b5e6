//! Where the bytes are, who waits for what, and what the machine is.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::pty::capacity::{Flow as Filling, Geometry, Prediction, READ_QUEUE};
use crate::pty::{End, Flag};
use crate::sample::{Flow, Sample, Side, Sum, ThreadUse};
use crate::workload::{Payload, Settings, units};

use super::super::state::App;
use super::super::theme::Ink;
use super::text::{Pieces, bar, percent};

/// Columns of the names on the left.
const NAME: usize = 10;

/// Draws the flows, the threads and the machine below each other, or beside
/// each other where that does not fit and there is the width.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let data = app.shown();
    let (Some(sample), Some(sum)) = (&data.latest, &data.readout) else {
        return;
    };
    let mut lines = Vec::new();
    for flow in &sample.flows {
        lines.extend(flow_lines(app, sample, flow, sum));
    }
    lines.extend(spent(app, sum));
    let machine = machine(app);
    if lines.len() + machine.len() > usize::from(area.height) && area.width >= 140 {
        let [left, right] =
            Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(area);
        draw_lines(app, lines, left, buffer);
        draw_lines(app, machine, right, buffer);
    } else {
        lines.extend(machine);
        draw_lines(app, lines, area, buffer);
    }
}

fn draw_lines(app: &App, lines: Vec<Pieces>, area: Rect, buffer: &mut Buffer) {
    for (row, line) in area.rows().zip(lines) {
        line.draw(app.theme, row, buffer);
    }
}

fn named(name: &str) -> Pieces {
    Pieces::default().add(format!("{name:<NAME$} "), Ink::Label)
}

fn flow_lines(app: &App, sample: &Sample, flow: &Flow, sum: &Sum) -> Vec<Pieces> {
    let (from, to) = (flow.from, flow.from.peer());
    let mut lines = vec![Pieces::default().add(format!("{from} to {to}"), Ink::Strong)];
    lines.extend(gauge(app, sample, flow));
    lines.push(queue(flow, sample.settings.pairs));
    lines.extend(account(flow, sample));
    let flow_sum = sum.flow(from);
    let seconds = sum.seconds * f64::from(sample.settings.pairs);
    let mut end = |name: String, side: &Side, used: Option<ThreadUse>, ink| {
        let shares = used.map_or("the same thread".to_owned(), |used| {
            time_shares(used, seconds)
        });
        lines.push(named(&name).add(shares, ink));
        if let Some(blocked) = side.blocked {
            let time = units::time(blocked.for_ns as f64);
            let text = format!("blocked in {}(2) for {time}", blocked.call);
            lines.push(named("").add(text, Ink::Warning));
        }
    };
    end(
        format!("{from} write"),
        &flow.writer,
        flow_sum.and_then(|f| f.writer),
        Ink::Writer,
    );
    end(
        format!("{to} read"),
        &flow.reader,
        flow_sum.and_then(|f| f.reader),
        Ink::Reader,
    );
    lines
}

/// Bytes in flight against what this kernel's pty should take.
fn gauge(app: &App, sample: &Sample, flow: &Flow) -> Vec<Pieces> {
    const WIDTH: u16 = 20;
    let settings = &sample.settings;
    let geometry = geometry(app);
    let filling = filling(settings, flow.from);
    let pairs = i64::from(settings.pairs);
    let bytes = flow.totals.in_flight.max(0) / pairs.max(1);
    let mut line = named("in flight").add(format!("{bytes:>6} B "), Ink::Strong);
    if flow.totals.in_flight < flow.totals.under_way as i64 {
        let text = format!("and some of {} in a call ", flow.totals.under_way);
        line = line.add(text, Ink::Label);
    }
    let expected = geometry.zip(filling).and_then(|(g, f)| g.expected(f));
    match expected {
        Some(Prediction::Full(capacity)) => {
            let range = capacity.delivered();
            let share = bytes as f64 / *range.end() as f64;
            let most = geometry.map_or(0, Geometry::most_in_flight);
            let (room, ink) = room(range, bytes, most);
            let drawn = bar(share, WIDTH, app.ascii);
            let pad = usize::from(WIDTH).saturating_sub(drawn.chars().count());
            let mut lines = vec![
                line.add("[", Ink::Label)
                    .add(drawn, Ink::Flow)
                    .add(" ".repeat(pad), Ink::Text)
                    .add("] ", Ink::Label)
                    .add(room, ink),
            ];
            if let Some(explanation) = geometry.zip(filling).and_then(|(g, f)| g.explain(f)) {
                for text in explanation.to_string().lines() {
                    lines.push(named("").add(text, Ink::Label));
                }
            }
            lines
        }
        Some(Prediction::NeverFull) => vec![line.add(
            "never full: a canonical line without newline loses all past 4095",
            Ink::Warning,
        )],
        None => vec![line.add("no model for this kernel and mode", Ink::Label)],
    }
}

/// What the bytes in flight are measured against. A pty that has been used
/// keeps 256-byte buffers on its free list, and those are handed out without
/// being held to the limit (`tty_buffer_alloc`).
fn room(fresh: RangeInclusive<usize>, bytes: i64, most: usize) -> (String, Ink) {
    if bytes > *fresh.end() as i64 {
        let text = format!(
            "over a new pty's {}: recycled buffers (at most {most})",
            fresh.end()
        );
        return (text, Ink::Warning);
    }
    let text = if fresh.start() == fresh.end() {
        format!("of a new pty's {}", fresh.end())
    } else {
        format!("of a new pty's {} to {}", fresh.start(), fresh.end())
    };
    (text, Ink::Label)
}

fn geometry(app: &App) -> Option<Geometry> {
    let host = &app.facts.host;
    Geometry::of(host.kernel.version?, host.page_size?)
}

/// The workload as the capacity model takes it; None for bytes whose place of
/// newlines it does not know.
fn filling(settings: &Settings, from: End) -> Option<Filling> {
    let line = match settings.effective_payload() {
        Payload::Lines(length) => NonZeroUsize::new(length as usize),
        Payload::Sequence | Payload::Random(_)
            if from == End::Slave && settings.mode.has(Flag::Opost) =>
        {
            return None;
        }
        _ => None,
    };
    Some(Filling {
        from,
        mode: settings.mode,
        chunk: NonZeroUsize::new(settings.chunk)?,
        line,
    })
}

fn queue(flow: &Flow, pairs: u32) -> Pieces {
    let Some(queued) = flow.queued_input else {
        return named("FIONREAD").add("cannot be asked", Ink::Label);
    };
    let full = READ_QUEUE as u64 * u64::from(pairs);
    let meaning = if queued >= full {
        "the reader's queue is full; more waits in flip buffers"
    } else {
        "in the reader's queue; flip buffers are not counted"
    };
    named("FIONREAD")
        .add(format!("{queued:>6} B "), Ink::Strong)
        .add(meaning, Ink::Label)
}

/// What the line discipline made of the bytes, where it made something.
fn account(flow: &Flow, sample: &Sample) -> Vec<Pieces> {
    let totals = flow.totals;
    let mut lines = Vec::new();
    if totals.added > 0 {
        let text = format!(
            "{} CR added before NL (OPOST, ONLCR)",
            units::count(totals.added as f64)
        );
        lines.push(named("added").add(text, Ink::Text));
    }
    if totals.dropped > 0 {
        let text = format!(
            "{} past character 4095 of a line (ICANON)",
            units::size(totals.dropped as f64)
        );
        lines.push(named("dropped").add(text, Ink::Warning));
    }
    if sample.echoed_bytes > 0 {
        let rate = units::rate(sample.echoed_bytes as f64 / sample.seconds().max(1e-9));
        lines.push(named("echo").add(
            format!("{rate} come back to the master and are read away"),
            Ink::Text,
        ));
    }
    lines
}

/// Where a thread's time went, as shares of the wall time.
fn time_shares(used: ThreadUse, seconds: f64) -> String {
    let wall = (seconds * 1e9).max(1.0);
    let user = used.cpu.user_ns as f64 / wall;
    let system = used.cpu.system_ns as f64 / wall;
    let per_second = |n: u64| units::count((n as f64 / seconds.max(1e-9)).round());
    format!(
        "user {:>5} system {:>5} waiting {:>5}  switches/s {} + {} forced",
        percent(user),
        percent(system),
        percent((1.0 - user - system).max(0.0)),
        per_second(used.switches.voluntary),
        per_second(used.switches.involuntary),
    )
}

/// What the kernel spends elsewhere.
fn spent(app: &App, sum: &Sum) -> Vec<Pieces> {
    let wall = (sum.seconds * 1e9).max(1.0);
    let kworkers = match sum.kworker_ns {
        Some(ns) => format!(
            "{} of a CPU (all unbound workers: flush_to_ldisc and others)",
            percent(ns as f64 / wall)
        ),
        None => "their CPU time cannot be seen from here".to_owned(),
    };
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
    let mut lines = vec![
        named("kworkers").add(kworkers, Ink::Text),
        named("kmalloc").add(kmallocs, Ink::Text),
    ];
    if let Some(steal) = sum.steal_ns.filter(|&ns| ns > 0) {
        let text = format!(
            "{} of a CPU went to other guests",
            percent(steal as f64 / wall)
        );
        lines.push(named("steal").add(text, Ink::Warning));
    }
    lines
}

/// What does not change.
fn machine(app: &App) -> Vec<Pieces> {
    let host = &app.facts.host;
    let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let number = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
    let mut lines = vec![
        named("kernel").add(
            format!(
                "Linux {} {}  {}",
                or(&host.kernel.release),
                or(&host.kernel.arch),
                or(&host.kernel.build)
            ),
            Ink::Text,
        ),
        named("").add(
            format!(
                "HZ {}  workers may use CPUs {}",
                number(host.kernel.hz),
                or(&host.kernel.unbound_workqueue_cpus)
            ),
            Ink::Text,
        ),
        named("CPU").add(
            format!(
                "{}, {} online, governor {}",
                or(&host.cpu.model),
                host.cpu.online.map_or("?".to_owned(), |n| n.to_string()),
                host.cpu.governor.as_deref().unwrap_or("unknown")
            ),
            Ink::Text,
        ),
        named("ptys").add(
            format!(
                "{} of {} in use before this run, {} reserved",
                number(host.pty.nr),
                number(host.pty.max),
                number(host.pty.reserve)
            ),
            Ink::Text,
        ),
    ];
    for mount in host.pty.devpts.iter().flatten() {
        let text = format!("{} ({})", mount.mount_point.display(), mount.options);
        lines.push(named("devpts").add(text, Ink::Text));
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
        lines.push(named("inside").add(hints.join(", "), Ink::Text));
    }
    lines
}
