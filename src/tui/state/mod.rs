//! What the screen knows: everything a view draws, and nothing that draws.

mod app;
mod checks;
mod curve;
mod data;
mod history;
mod number;
mod prompt;
mod stage;
mod stretch;

pub use app::{App, Axes, Facts, View, WINDOWS, Weight};
pub use checks::{Checks, News, Phase};
pub use curve::Walk;
pub use data::Data;
pub use history::{History, Mark, Point, Times};
pub use number::{Number, Reading, difference};
pub use prompt::{Field, Prompt};
pub use stage::Recording;
pub use stretch::Metric;
