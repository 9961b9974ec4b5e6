//! Where the bytes are, who waits for what, and what the machine is.

mod flow;
mod gauge;
mod machine;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::super::state::App;
use super::super::theme::Ink;
use super::text::{Pieces, wrapped};

/// Columns of the names on the left.
const NAME: usize = 12;

/// Draws the flows, the threads and the machine below each other, or beside
/// each other where that does not fit and there is the width. Where there is
/// too little room for all, the arithmetic of the capacity goes first.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let facts = |width, with_arithmetic| {
        let mut lines = Lines::new(width, with_arithmetic);
        flows(app, &mut lines);
        lines.rows
    };
    let machine = |width| {
        let mut lines = Lines::new(width, true);
        machine::machine(app, &mut lines);
        lines.rows
    };
    let height = usize::from(area.height);
    let about = machine(area.width);
    let all = facts(area.width, true);
    if all.len() + about.len() <= height || area.width < BESIDE {
        let mut rows = if all.len() <= height {
            all
        } else {
            facts(area.width, false)
        };
        rows.extend(about);
        draw_rows(app, rows, area, buffer);
        return;
    }
    let [left, right] = Layout::horizontal([Constraint::Fill(1); 2])
        .spacing(2)
        .areas(area);
    draw_rows(app, facts(left.width, true), left, buffer);
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
    fn new(width: u16, with_arithmetic: bool) -> Self {
        Self {
            width,
            with_arithmetic,
            rows: Vec::new(),
        }
    }

    /// Adds a text under a name, on as many rows as it takes.
    fn add(&mut self, name: &str, text: &str, ink: Ink) {
        let room = usize::from(self.width).saturating_sub(NAME + 1);
        for (number, row) in wrapped(text, room).into_iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            self.rows.push(named(name).add(row, ink));
        }
    }
}

fn draw_rows(app: &App, rows: Vec<Pieces>, area: Rect, buffer: &mut Buffer) {
    for (place, row) in area.rows().zip(rows) {
        row.draw(app, place, buffer);
    }
}

fn named(name: &str) -> Pieces {
    Pieces::default().add(format!("{name:<NAME$} "), Ink::Label)
}

fn flows(app: &App, lines: &mut Lines) {
    let data = app.shown();
    let (Some(sample), Some(sum)) = (&data.latest, &data.readout) else {
        return;
    };
    for flow in &sample.flows {
        flow::flow_lines(app, sample, flow, sum, lines);
    }
    machine::spent(app, sum, lines);
}
