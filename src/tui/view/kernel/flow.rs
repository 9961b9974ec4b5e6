//! Where the bytes of a flow are, and what its ends do.

use crate::pty::capacity::READ_QUEUE;
use crate::sample::{Flow, Sample, Side, Sum, ThreadUse};
use crate::workload::units;

use super::super::super::state::App;
use super::super::super::theme::Ink;
use super::super::text::{Pieces, percent};
use super::gauge::gauge;
use super::{Lines, named};

pub fn flow_lines(app: &App, sample: &Sample, flow: &Flow, sum: &Sum, lines: &mut Lines) {
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
