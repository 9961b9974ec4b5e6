//! Running a command of ours inside a kernel under test: the program packs
//! itself as the root file system of a guest, and is init there.
//!
//! [`pack`] makes the root file system, [`boot`] runs one kernel with it under
//! qemu, and [`guest`] is the other side. The result comes back over a line of
//! its own (see [`channel`]), apart from the console.

mod accel;
pub mod channel;
mod console;
mod cpio;
pub mod guest;
mod image;
mod kernel;
mod machine;
mod order;
mod outcome;
mod platform;
mod run;
mod wires;

use std::time::Duration;

pub use accel::{Accel, KvmTrial};
pub use console::Tail;
pub use image::{Image, pack};
pub use kernel::{Kernel, NotAKernel};
pub use machine::{Machine, Places};
pub use order::Order;
pub use outcome::{Answer, Booted, Fate};
pub use run::{Failure, Limits, Watch, boot};

/// Init's place in the guest.
const INIT: &str = "/init";
/// The name of the virtio console's port that the result travels through.
const PORT_NAME: &str = "ptyscope.result";
/// How often init says that it still gets to run.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// What begins a line of init's own on the console.
const CONSOLE_PREFIX: &str = "ptyscope: ";
