//! What the last change made of each metric, as ratios with their intervals.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::analysis::Ratio;

use super::super::state::{App, Metric, View};
use super::super::theme::Ink;
use super::text::{Pieces, clock};

/// Columns of one metric.
const COLUMN: u16 = 40;

/// Rows that it takes of a screen. The facts of the kernel view need all rows
/// of a low one, the list of checks and the big number those of any.
pub fn height(view: View, area: Rect) -> u16 {
    let metrics = (Metric::ALL.len() as u16 - 1).div_ceil((area.width / COLUMN).max(1));
    match area.height {
        _ if matches!(view, View::Checks | View::Big) => 0,
        0..=15 => 0,
        16..=29 if view == View::Kernel => 0,
        16..=19 => 1,
        20..=29 => 1 + metrics.min(2),
        _ => 1 + metrics.min(3),
    }
}

/// A line that says what is compared, and the ratios below it.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut rows = area.rows();
    let Some(head) = rows.next() else { return };
    let data = app.shown();
    if data.curve.walk.as_ref().is_some_and(|walk| walk.going) {
        let text = "while points are visited, the curve view compares them";
        Pieces::default()
            .add(text, Ink::Label)
            .draw(app, head, buffer);
        return;
    }
    let Some(comparison) = data.comparison() else {
        Pieces::default()
            .add(
                "no change yet: turn a setting, and what it changes is compared here",
                Ink::Label,
            )
            .draw(app, head, buffer);
        return;
    };
    let what = if comparison.held { "A, " } else { "" };
    let mut line = Pieces::default()
        .add(format!("{} ", comparison.now), Ink::Strong)
        .add(
            format!("since {} against {what}", clock(comparison.began)),
            Ink::Label,
        )
        .add(comparison.before, Ink::Strong);
    let caution = "  (95 %, not interleaved)";
    if line.width() + caution.len() <= usize::from(head.width) {
        line = line.add(caution, Ink::Label);
    }
    line.draw(app, head, buffer);
    let flows = data
        .readout
        .as_ref()
        .is_some_and(|sum| sum.throughput() > 0.0);
    let columns = (area.width / COLUMN).max(1);
    for (number, (metric, ratio)) in data.differences.iter().enumerate() {
        let (row, column) = (number as u16 / columns, number as u16 % columns);
        if head.y + 1 + row >= area.bottom() {
            break;
        }
        let cell = Rect {
            x: area.x + column * COLUMN,
            y: head.y + 1 + row,
            width: COLUMN.min(area.width),
            height: 1,
        };
        entry(*metric, *ratio, flows).draw(app, cell.intersection(area), buffer);
    }
}

fn entry(metric: Metric, ratio: Option<Ratio>, flows: bool) -> Pieces {
    let line = Pieces::default().add(format!("{:<10} ", metric.name()), Ink::Label);
    match ratio {
        None if !flows => line.add("nothing flows", Ink::Label),
        None => line.add("not yet", Ink::Label),
        Some(ratio) => {
            let ink = if ratio.differs() {
                Ink::Strong
            } else {
                Ink::Text
            };
            line.add(format!("x{}", number(ratio.estimate)), ink).add(
                format!(" [{}, {}]", number(ratio.low), number(ratio.high)),
                Ink::Text,
            )
        }
    }
}

/// A ratio with three digits or so.
pub fn number(ratio: f64) -> String {
    match ratio {
        r if r < 9.995 => format!("{r:.3}"),
        r if r < 999.5 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}
