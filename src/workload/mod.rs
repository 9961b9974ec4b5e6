//! What to do, as plain data: settings, presets, payload, pacing, and the
//! units in which people write them.

mod channel;
mod chunks;
mod knob;
mod line;
mod pace;
mod payload;
mod preset;
mod settings;
mod stream;
pub mod units;

pub use channel::Channel;
pub use chunks::{Chunks, ChunksError, MAX_POINTS};
pub use knob::Knob;
pub use line::{Baud, Frame, Line, MAX_DELAY, Share};
pub use pace::Pace;
pub use payload::Payload;
pub use preset::Preset;
pub use settings::{Contradiction, Direction, MAX_CHUNK, MAX_PAIRS, Peers, Settings};
pub use stream::{Account, CANONICAL_LINE, Pattern, Stream, Streams};
