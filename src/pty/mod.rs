//! The kernel object: a pseudo-terminal pair, its termios modes and ioctls.
//!
//! No threads and no numbers live here; everything is one system call away
//! from the kernel and says, when it fails, what failed on what and why.

pub mod capacity;
mod error;
mod fill;
mod ioctl;
mod mode;
mod pair;
mod release;

pub use error::{Error, Result};
pub use fill::{Drained, FillLimits, Filled, Measured, Stop, drain, fill, measure};
pub use ioctl::{
    device, foreground_of, index, is_exclusive, is_locked, is_packet_mode, line_discipline,
    packet_mode, queued_input, queued_output, session_of, set_window_size, unlock_slave,
    window_size,
};
pub use mode::{Flag, Mode, ModeParseError};
pub use pair::{End, Pair};
pub use release::{KernelVersion, KernelVersionParseError};
