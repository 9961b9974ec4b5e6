//! What a speaker before an audience adds to the screen.

use super::app::View;
use super::number::Number;

/// The big view's number, what it hides, and a line of words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// Which number the big view shows.
    pub number: Number,
    /// What is to be said below the title.
    pub caption: Option<String>,
    /// The view that the big one has taken the place of.
    pub behind: Option<View>,
}
