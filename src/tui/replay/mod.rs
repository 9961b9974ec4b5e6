//! A recording on the screen: a source whose time can be turned.
//!
//! What was recorded goes the way of what is measured, into the same state and
//! the same views. Turning time back takes the state from an [`Index`].

mod guide;
mod index;
mod keys;
mod player;
mod seek;
mod words;

pub use guide::{follow, show};
pub use keys::key;
pub use player::{Player, Turn, advance, is_playing, start, turn};
pub use seek::seek;
pub use words::{about, state};
