//! What a speaker before an audience adds to the screen.

use super::super::tour::Playing;
use super::app::View;
use super::number::Number;

/// The big view's number, what it hides, and a line of words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stage {
    /// Which number the big view shows.
    pub number: Number,
    /// What is to be said below the title.
    pub caption: Option<String>,
    /// The tour, once one has begun.
    pub tour: Option<Playing>,
    /// Whether a tour is being chosen.
    pub choosing: bool,
    /// The view that the big one has taken the place of.
    pub behind: Option<View>,
    /// Whether the run is recorded.
    pub recording: Recording,
}

/// Whether a run is recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recording {
    /// It was not asked for.
    #[default]
    No,
    /// It is.
    On,
    /// No longer: the file took no more.
    Stopped,
}

impl Stage {
    /// What is to be said now: by the tour, or else by the speaker.
    pub fn said(&self) -> Option<&str> {
        let by_tour = self.tour.as_ref().and_then(Playing::caption);
        by_tour.or(self.caption.as_deref())
    }
}
