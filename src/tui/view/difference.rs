//! What the last change made of each metric, as ratios with their intervals.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::analysis::Ratio;

use super::super::state::{App, Metric};
use super::super::theme::Ink;
use super::text::{Pieces, clock};

/// Columns of one metric.
const COLUMN: u16 = 40;

/// Rows that it takes of a screen.
pub fn height(area: Rect) -> u16 {
    match area.height {
        0..=15 => 0,
        16..=19 => 1,
        20..=29 => 3,
        _ => 4,
    }
}

/// A line that says what is compared, and the ratios below it.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let mut rows = area.rows();
    let Some(head) = rows.next() else { return };
    let data = app.shown();
    let Some(comparison) = data.comparison() else {
        Pieces::default()
            .add(
                "no change yet: turn a setting, and what it changes is compared here",
                Ink::Label,
            )
            .draw(app.theme, head, buffer);
        return;
    };
    let what = if comparison.held { "A, " } else { "" };
    Pieces::default()
        .add(format!("{} ", comparison.now), Ink::Strong)
        .add(
            format!("since {} against {what}", clock(comparison.began)),
            Ink::Label,
        )
        .add(comparison.before, Ink::Strong)
        .add("  (95 %, not interleaved)", Ink::Label)
        .draw(app.theme, head, buffer);
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
        entry(*metric, *ratio).draw(app.theme, cell.intersection(area), buffer);
    }
}

fn entry(metric: Metric, ratio: Option<Ratio>) -> Pieces {
    let line = Pieces::default().add(format!("{:<10} ", metric.name()), Ink::Label);
    match ratio {
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
