//! The live screen. `update` and `view` are pure: state in, state or picture
//! out, with all times taken from the samples.

mod action;
mod bindings;
mod checker;
mod export;
mod input;
mod notes;
mod paint;
mod picture;
mod replay;
mod screen;
mod snapshot;
mod state;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod tour;
mod update;
mod view;

pub use replay::{seek, start as start_replay};
pub use screen::{Outcome, run};
pub use snapshot::{Drawing, draw as draw_snapshot};
pub use state::{App, Facts, Recording, View};
pub use terminal::obstacle;
pub use theme::Theme;
pub use tour::{
    Lack, Part, Setting, Stage, Step, Tour, TourError, parts as tour_parts, start as start_tour,
};
pub use update::{Effect, feed};
