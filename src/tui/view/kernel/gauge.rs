//! The bytes in flight against what this kernel's pty should take.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use crate::pty::capacity::{Flow as Filling, Geometry, Prediction, READ_QUEUE};
use crate::pty::{End, Flag};
use crate::sample::{Flow, Sample};
use crate::workload::{Payload, Settings};

use super::super::super::state::App;
use super::super::super::theme::Ink;
use super::super::text::bar;
use super::{Lines, named};

/// Bytes in flight against what this kernel's pty should take.
pub fn gauge(app: &App, sample: &Sample, flow: &Flow, lines: &mut Lines) {
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
            let (room, ink) = room(range.clone(), is_over);
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
            if let Some(text) = short(flow, bytes, range.clone()) {
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

/// Why a blocked writer has less in flight than fits, where that is so: the worker
/// (`flush_to_ldisc`) empties flip buffers without waking it, which only a read
/// does (`n_tty_check_unthrottle`).
fn short(flow: &Flow, bytes: i64, fresh: RangeInclusive<usize>) -> Option<String> {
    flow.writer.blocked?;
    let missing = usize::try_from(*fresh.start() as i64 - bytes).ok()?;
    let of_one_queue = (1..=READ_QUEUE).contains(&missing);
    of_one_queue.then(|| {
        format!(
            "{missing} less: the worker probably came after the writer slept; only a read wakes it"
        )
    })
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
