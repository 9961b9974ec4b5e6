//! The ways in which checks and their findings are written.

mod describe;
mod ktap;
mod text;

pub use describe::{explain, list, rows, table};
pub use ktap::ktap;
pub use text::{header, line, summary};
