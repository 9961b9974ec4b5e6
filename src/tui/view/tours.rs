//! The tours that can be chosen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::state::App;
use super::super::theme::Ink;
use super::super::tour::choices;
use super::text::Pieces;

/// Draws the tours with their keys.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let head = Pieces::default().add("Which tour? Any other key: none.", Ink::Strong);
    let tours = choices(app);
    let lines = tours.iter().zip(1..).map(|(tour, number)| {
        Pieces::default()
            .add(format!("{number}  "), Ink::Writer)
            .add(format!("{:<14}", tour.name), Ink::Strong)
            .add(tour.title.clone(), Ink::Text)
    });
    for (row, line) in area.rows().zip(std::iter::once(head).chain(lines)) {
        line.draw(app, row, buffer);
    }
}
