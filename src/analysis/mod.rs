//! Pure numbers: from plain slices of values to intervals and verdicts. No clock,
//! no input or output, no threads; the same values always give the same answer.

mod quantile;

pub use quantile::{Summary, mad, median, quantile};
