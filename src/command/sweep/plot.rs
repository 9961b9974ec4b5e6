//! The sweep while it runs, on stderr if that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::analysis::Interval;
use crate::report::{Axis, SweepPlan, SweepTable, SweepVisit};
use crate::workload::units;

use super::blocks_take;

/// Interval bars that are drawn over themselves.
pub struct Plot {
    /// When to draw next; None where nothing can be drawn.
    due: Option<Instant>,
    began: Instant,
    /// Chunks at which a boundary lies.
    boundaries: Vec<u64>,
    /// Lines drawn last time.
    lines: usize,
}

/// Each drawing goes through the very layer that is measured: seldom enough.
const INTERVAL: Duration = Duration::from_secs(1);

impl Plot {
    /// Draws nothing unless stderr is a terminal that knows escape sequences.
    pub fn new(plan: &SweepPlan, page_size: usize) -> Self {
        let knows = std::env::var_os("TERM").is_none_or(|name| name != "dumb");
        let (sides, _) = plan.sides(page_size);
        Self {
            due: (io::stderr().is_terminal() && knows).then(Instant::now),
            began: Instant::now(),
            boundaries: sides.iter().map(|sides| sides.boundary.at as u64).collect(),
            lines: 0,
        }
    }

    /// Draws what is known after so many blocks, if it is time.
    pub fn show(&mut self, plan: &SweepPlan, visits: &[SweepVisit], blocks: u32) {
        let now = Instant::now();
        if self.due.is_none_or(|due| now < due) {
            return;
        }
        self.due = Some(now + INTERVAL);
        let (rows, columns) = size();
        let mut lines = vec![status(plan, blocks, self.began.elapsed())];
        let points: Vec<_> = SweepTable::new(plan, visits).throughputs().collect();
        lines.extend(bars(
            &points,
            &self.boundaries,
            rows.saturating_sub(2),
            columns,
        ));
        let mut text = self.up();
        for line in &lines {
            let line: String = line.chars().take(columns).collect();
            text.push_str(&format!("{line}\x1b[K\n"));
        }
        self.lines = lines.len();
        // Nothing depends on it, so a failure is none.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Back to where the last drawing began, and all of it away.
    fn up(&self) -> String {
        match self.lines {
            0 => String::new(),
            lines => format!("\x1b[{lines}A\r\x1b[J"),
        }
    }
}

impl Drop for Plot {
    fn drop(&mut self) {
        let _ = io::stderr().write_all(self.up().as_bytes());
    }
}

fn status(plan: &SweepPlan, blocks: u32, elapsed: Duration) -> String {
    let next = plan.looks.iter().find(|&&look| look > blocks);
    let look = next.map_or(String::new(), |&look| {
        let left = blocks_take(look - blocks, plan.block_time());
        format!(", verdicts at block {look} in about {left}")
    });
    format!(
        "block {blocks} after {}{look} (Ctrl-C ends early with a report)",
        units::duration(elapsed)
    )
}

/// One line for each point, as many as there is room for; those at boundaries
/// first.
fn bars(
    points: &[(u64, Option<Interval>)],
    boundaries: &[u64],
    room: usize,
    columns: usize,
) -> Vec<String> {
    let highest = points.iter().filter_map(|(_, interval)| interval.as_ref());
    let highest = highest.map(|interval| interval.high).fold(0.0, f64::max);
    let axis = Axis::new(0.0, highest, columns.saturating_sub(28).min(100));
    let shown = chosen(points, boundaries, room);
    let line = |&(chunk, ref interval): &(u64, Option<Interval>)| {
        let mark = if boundaries.contains(&chunk) {
            '▁'
        } else {
            ' '
        };
        match interval {
            Some(interval) => format!(
                "{chunk:>8}{mark} {:>11} {}",
                units::rate(interval.estimate),
                axis.bar(interval, &[])
            ),
            None => format!("{chunk:>8}{mark} {:>11}", "not yet"),
        }
    };
    shown.into_iter().map(line).collect()
}

/// All points if there is room, or else those beside a boundary and as many of
/// the others, evenly, as fit.
fn chosen<'a>(
    points: &'a [(u64, Option<Interval>)],
    boundaries: &[u64],
    room: usize,
) -> Vec<&'a (u64, Option<Interval>)> {
    if points.len() <= room {
        return points.iter().collect();
    }
    let beside = |chunk: u64| boundaries.iter().any(|&at| chunk == at || chunk == at + 1);
    let near = points.iter().filter(|(chunk, _)| beside(*chunk)).count();
    let others = points.len() - near;
    let places = room.saturating_sub(near);
    let mut seen = 0;
    let wanted = |(chunk, _): &&(u64, Option<Interval>)| {
        if beside(*chunk) {
            return true;
        }
        seen += 1;
        seen * places / others.max(1) > (seen - 1) * places / others.max(1)
    };
    points.iter().filter(wanted).take(room).collect()
}

/// Rows and columns of the terminal at stderr; 24 and 80 where it does not say.
fn size() -> (usize, usize) {
    match crate::pty::window_size(io::stderr()) {
        Ok(size) if size.ws_row > 0 && size.ws_col > 0 => (size.ws_row.into(), size.ws_col.into()),
        _ => (24, 80),
    }
}
