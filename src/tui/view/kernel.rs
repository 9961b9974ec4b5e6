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
use super::text::{Pieces, bar, percent, wrapped};

/// Columns of the names on the left.
const NAME: usize = 12;

/// Draws the flows, the threads and the machine below each other, or beside
/// each other where that does not fit and there is the width. Where there is
/// too little room for all, the arithmetic of the capacity goes first.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let facts = |width: u16, with_arithmetic: bool| {
        let mut lines = Lines {
            width,
            with_arithmetic,
            rows: Vec::new(),
        };
        flows(app, &mut lines);
        lines
    };
    let machine = |width: u16| {
        let mut lines = Lines {
            width,
            with_arithmetic: true,
            rows: Vec::new(),
        };
        machine(app, &mut lines);
        lines.rows
    };
    let height = usize::from(area.height);
    let about = machine(area.width);
    let all = facts(area.width, true).rows;
    if all.len() + about.len() <= height || area.width < BESIDE {
        let mut rows = if all.len() <= height {
            all
        } else {
            facts(area.width, false).rows
        };
        rows.extend(about);
        draw_rows(app, rows, area, buffer);
        return;
    }
    let [left, right] = Layout::horizontal([Constraint::Fill(1); 2])
        .spacing(2)
        .areas(area);
    draw_rows(app, facts(left.width, true).rows, left, buffer);
    draw_rows(app, machine(right.width), right, buffer);
}

/// From which width on the machine may stand beside the flows.
const BESIDE: u16 = 140;

/// Rows of names and what they stand for, no wider than `width`.
struct Lines {
    width: u16,
    with_arithmetic: bool,
    rows: Vec<Pieces>,
}

impl Lines {
    /// Adds a text under a name, on as many rows as it takes.
    fn add(&mut self, name: &str, text: &str, ink: Ink) {
        let room = usize::from(self.width).saturating_sub(NAME + 1);
        for (number, row) in wrapped(text, room).into_iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            self.rows.push(named(name).add(row, ink));
        }
    }
}

fn flows(app: &App, lines: &mut Lines) {
    let data = app.shown();
    let (Some(sample), Some(sum)) = (&data.latest, &data.readout) else {
        return;
    };
    for flow in &sample.flows {
        flow_lines(app, sample, flow, sum, lines);
    }
    spent(app, sum, lines);
}

fn draw_rows(app: &App, rows: Vec<Pieces>, area: Rect, buffer: &mut Buffer) {
    for (place, row) in area.rows().zip(rows) {
        row.draw(app, place, buffer);
    }
}

fn named(name: &str) -> Pieces {
    Pieces::default().add(format!("{name:<NAME$} "), Ink::Label)
}

fn flow_lines(app: &App, sample: &Sample, flow: &Flow, sum: &Sum, lines: &mut Lines) {
    let (from, to) = (flow.from, flow.from.peer());
    let heading = Pieces::default().add(format!("{from} to {to}"), Ink::Strong);
    let heading = match sample.settings.pairs {
        1 => heading,
        pairs => heading.add(
            format!(", {pairs} ptys; bytes are means of one"),
            Ink::Label,
        ),
    };
    lines.rows.push(heading);
    gauge(app, sample, flow, lines);
    lines.rows.push(queue(flow, sample.settings.pairs));
    account(flow, sample, lines);
    let flow_sum = sum.flow(from);
    let seconds = sum.seconds * f64::from(sample.settings.pairs);
    let mut end = |name: String, side: &Side, used: Option<Option<ThreadUse>>, ink| {
        let shares = match used {
            Some(Some(used)) => time_shares(used, seconds),
            Some(None) => "by the thread that writes there".to_owned(),
            None => "not yet".to_owned(),
        };
        lines.add(&name, &shares, ink);
        if let Some(blocked) = side.blocked {
            let time = units::time(blocked.for_ns as f64);
            let text = format!("blocked in {}(2) for {time}", blocked.call);
            lines.add("", &text, Ink::Warning);
        }
    };
    end(
        format!("{from} write"),
        &flow.writer,
        flow_sum.map(|f| f.writer),
        Ink::Writer,
    );
    end(
        format!("{to} read"),
        &flow.reader,
        flow_sum.map(|f| f.reader),
        Ink::Reader,
    );
}

/// Bytes in flight against what this kernel's pty should take.
fn gauge(app: &App, sample: &Sample, flow: &Flow, lines: &mut Lines) {
    const WIDTH: u16 = 20;
    let settings = &sample.settings;
    let geometry = geometry(app);
    let filling = flow.from.pty_end().and_then(|from| filling(settings, from));
    let pairs = i64::from(settings.pairs);
    let bytes = flow.totals.in_flight.max(0) / pairs.max(1);
    let line = named("in flight").add(format!("{bytes:>6} B "), Ink::Strong);
    let expected = geometry.zip(filling).and_then(|(g, f)| g.expected(f));
    match expected {
        Some(Prediction::Full(capacity)) => {
            let range = capacity.delivered();
            let share = bytes as f64 / *range.end() as f64;
            let drawn = bar(share, WIDTH, app.ascii);
            let pad = usize::from(WIDTH).saturating_sub(drawn.chars().count());
            let is_over = bytes > *range.end() as i64;
            let (room, ink) = room(range, is_over);
            lines.rows.push(
                line.add("[", Ink::Label)
                    .add(drawn, Ink::Flow)
                    .add(" ".repeat(pad), Ink::Text)
                    .add("] ", Ink::Label)
                    .add(room, ink),
            );
            if is_over {
                let most = geometry.map_or(0, Geometry::most_in_flight);
                let text = format!("recycled buffers are not counted: at most {most} fit");
                lines.add("", &text, Ink::Warning);
            }
            let explanation = geometry.zip(filling).and_then(|(g, f)| g.explain(f));
            if let Some(explanation) = explanation.filter(|_| lines.with_arithmetic) {
                for text in explanation.to_string().lines() {
                    lines.add("", text, Ink::Label);
                }
            }
        }
        Some(Prediction::NeverFull) => {
            lines.rows.push(line);
            let text = "never full: a canonical line without newline loses all past 4095";
            lines.add("", text, Ink::Warning);
        }
        None => lines
            .rows
            .push(line.add("no model for this kernel and mode", Ink::Label)),
    }
    if flow.totals.in_flight < flow.totals.under_way as i64 {
        let text = format!(
            "and some of the {} B of a write that has not returned",
            flow.totals.under_way
        );
        lines.add("", &text, Ink::Label);
    }
}

/// What the bytes in flight are measured against. A pty that has been used
/// keeps 256-byte buffers on its free list, and those are handed out without
/// being held to the limit (`tty_buffer_alloc`).
fn room(fresh: RangeInclusive<usize>, is_over: bool) -> (String, Ink) {
    let (least, most) = (fresh.start(), fresh.end());
    if is_over {
        (format!("over a new pty's {most}"), Ink::Warning)
    } else if least == most {
        (format!("of a new pty's {most}"), Ink::Label)
    } else {
        (format!("of a new pty's {least} to {most}"), Ink::Label)
    }
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
    let queued = queued / u64::from(pairs.max(1));
    let meaning = if queued >= READ_QUEUE as u64 {
        "a full reader's queue; the rest is in flip buffers"
    } else {
        "in the reader's queue; flip buffers are not counted"
    };
    named("FIONREAD")
        .add(format!("{queued:>6} B "), Ink::Strong)
        .add(meaning, Ink::Label)
}

/// What the line discipline made of the bytes, where it made something.
fn account(flow: &Flow, sample: &Sample, lines: &mut Lines) {
    let totals = flow.totals;
    if totals.added > 0 {
        let count = units::count(totals.added as f64);
        let text = format!("{count} CR added before NL (OPOST, ONLCR)");
        lines.add("added", &text, Ink::Text);
    }
    if totals.dropped > 0 {
        let size = units::size(totals.dropped as f64);
        let text = format!("{size} past character 4095 of a line (ICANON)");
        lines.add("dropped", &text, Ink::Warning);
    }
    if sample.echoed_bytes > 0 {
        let rate = units::rate(sample.echoed_bytes as f64 / sample.seconds().max(1e-9));
        let text = format!("{rate} come back to the master and are read away");
        lines.add("echo", &text, Ink::Text);
    }
}

/// Where a thread's time went, as shares of the wall time.
fn time_shares(used: ThreadUse, seconds: f64) -> String {
    let wall = (seconds * 1e9).max(1.0);
    let user = used.cpu.user_ns as f64 / wall;
    let system = used.cpu.system_ns as f64 / wall;
    let per_second = |n: u64| units::count((n as f64 / seconds.max(1e-9)).round());
    format!(
        "user {:>5} sys {:>5} wait {:>5}  switches/s {} + {} forced",
        percent(user),
        percent(system),
        percent((1.0 - user - system).max(0.0)),
        per_second(used.switches.voluntary),
        per_second(used.switches.involuntary),
    )
}

/// What the kernel spends elsewhere.
fn spent(app: &App, sum: &Sum, lines: &mut Lines) {
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
fn machine(app: &App, lines: &mut Lines) {
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
