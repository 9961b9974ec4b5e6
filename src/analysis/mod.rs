//! Pure numbers: from plain slices of values to intervals and verdicts. No clock,
//! no input or output, no threads; the same values always give the same answer.

mod before_after;
mod boundary;
mod curve;
mod drift;
mod median_interval;
mod modes;
mod normal;
mod outliers;
mod pairwise;
mod quantile;
mod ratio;
mod rng;
mod schedule;
mod shift;
#[cfg(test)]
mod truth;

pub use before_after::before_after;
pub use boundary::{Boundaries, BoundaryTest, Finding, LOOKS, Verdict};
pub use curve::Curve;
pub use drift::{Drift, drift};
pub use median_interval::{Interval, median_interval};
pub use modes::{TwoModes, two_modes};
pub use outliers::{Outliers, outliers};
pub use quantile::{Summary, mad, median, quantile};
pub use ratio::{Ratio, paired_ratio, unpaired_ratio};
pub use rng::SplitMix64;
pub use schedule::{Plan, Visit};
