//! From the state to the screen; one file for each region.

mod axis;
mod bars;
mod big;
mod caption;
mod checks;
mod chunk_axis;
mod curve;
mod difference;
mod distribution;
mod fit;
mod frame;
mod help;
mod kernel;
mod keys;
mod link;
mod plot;
mod text;
mod time;
mod tours;

pub use help::help_end;
pub use text::clock;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::state::{App, View};
use super::theme::Ink;

/// The smallest screen on which there is something to see.
pub const SMALLEST: (u16, u16) = (40, 8);

/// Draws the whole screen.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    text::fill(area, app.theme.ground(), buffer);
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(app, area, buffer);
        return;
    }
    if let Some(scroll) = app.help {
        help::draw(app, scroll, area, buffer);
        return;
    }
    let [title, said, set, numbers, body, compared, message, keys] = regions(app, area);
    frame::title(app, title, buffer);
    caption::draw(app, area, said, buffer);
    frame::settings(app, set, buffer);
    match app.view {
        View::Big => big::name(app, numbers, buffer),
        _ => frame::numbers(app, numbers, buffer),
    }
    draw_body(app, body, buffer);
    difference::draw(app, compared, buffer);
    frame::message(app, message, buffer);
    keys::draw(app, keys, buffer);
}

/// The title, caption, settings, numbers, view, differences, message and keys.
fn regions(app: &App, area: Rect) -> [Rect; 8] {
    // What gives way first on a low screen stands first.
    let differences = difference::height(app.view, area);
    let settings = match app.view {
        View::Big => area.height >= big::ROOMY,
        _ => area.height >= 10,
    };
    Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(caption::height(app, area)),
        Constraint::Length(settings.into()),
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(differences),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area)
}

/// On a wide screen the plots leave room for a second view.
fn draw_body(app: &App, area: Rect, buffer: &mut Buffer) {
    let (main, side) = if area.width >= 150 && app.view == View::Time && app.line.is_none() {
        let [main, gap, side] = Layout::horizontal([
            Constraint::Fill(3),
            Constraint::Length(2),
            Constraint::Fill(2),
        ])
        .areas(area);
        let _ = gap;
        (main, Some(side))
    } else {
        (area, None)
    };
    if app.stage.choosing {
        tours::draw(app, area, buffer);
        return;
    }
    match app.view {
        View::Time => time::draw(app, main, buffer),
        View::Curve => curve::draw(app, main, buffer),
        View::Distribution => distribution::draw(app, main, buffer),
        View::Kernel => kernel::draw(app, main, buffer),
        View::Link => link::draw(app, main, buffer),
        View::Checks => checks::draw(app, main, buffer),
        View::Big => big::draw(app, main, buffer),
    }
    let Some(side) = side else { return };
    let [upper, lower] = Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(side);
    distribution::draw(app, upper, buffer);
    kernel::draw(app, lower, buffer);
}

/// How far the explanation of a check can be scrolled on a screen.
pub fn explanation_end(app: &App, area: Rect) -> u16 {
    let [_, _, _, _, body, ..] = regions(app, area);
    checks::explanation_end(app, body)
}

fn too_small(app: &App, area: Rect, buffer: &mut Buffer) {
    let (width, height) = SMALLEST;
    let style = app.theme.style(Ink::Warning);
    for (row, words) in ["too small", &format!("needs {width}x{height}")]
        .into_iter()
        .enumerate()
    {
        let y = area.y + row as u16;
        if y < area.bottom() {
            // Dots would leave nothing of so few letters.
            buffer.set_stringn(area.x, y, words, usize::from(area.width), style);
        }
    }
}
