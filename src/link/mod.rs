//! A null modem: two ptys whose clients talk to each other, and everything
//! that can be seen in between.
//!
//! Each link has a thread that does nothing but carry its bytes, so that no
//! link waits for another; it writes down what it sees, and whoever drives the
//! [`NullModem`] takes that away once an interval as a sample.

mod cable;
mod clients;
mod faults;
mod lane;
mod ledger;
pub mod names;
mod nudge;
mod null_modem;
mod port;
mod reads;
mod relay;
mod source;
mod speed;
mod stall;
mod trace;
pub mod xmodem;

pub use null_modem::{BUSY_POLL, Error, MAX_LINKS, NullModem, Setup};
pub use port::Access;
pub use source::stream;
pub use trace::{Format, Target};
