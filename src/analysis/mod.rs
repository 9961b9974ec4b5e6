//! Pure numbers: from plain slices of values to intervals and verdicts. No clock,
//! no input or output, no threads; the same values always give the same answer.
//!
//! # The statistics on one page
//!
//! A machine drifts by more than the effects looked for, its noise is skewed, and
//! one visit in twenty is hit by something else altogether. So nothing here
//! assumes a distribution, takes a mean of raw times, or throws outliers away.
//!
//! **A sweep** ([`Plan`]) visits all its points in a fresh random order in each
//! block. Of two points that do not differ, chance alone then decides which comes
//! out ahead in a block, whatever the machine does meanwhile. That is all that the
//! test of their difference needs: it is valid by the way the values were taken,
//! not by a belief about them.
//!
//! **Two points** are compared within blocks ([`paired_ratio`]): the logarithm of
//! the ratio in each block, the Hodges-Lehmann estimate of its centre, and the
//! interval of Wilcoxon's signed-rank test, exact to 50 blocks.
//!
//! Two samples that were not interleaved, as of two reports, have the same kind of
//! ratio without the pairs ([`unpaired_ratio`]), and all that differed between
//! them is in it.
//!
//! **A boundary** ([`BoundaryTest`]) is the two points on its sides. All boundaries
//! of a run, and all the looks it takes at them before it ends, share one
//! probability of error (Bonferroni): with 95 % *every* interval of the run holds
//! its true ratio. The verdict is read off the interval:
//!
//! - *no step* if it lies wholly within the effect that matters,
//! - a *step* if it leaves out 1 and the estimate is beyond the noise floor,
//! - *undecided* otherwise, with how many more blocks it would take.
//!
//! The **noise floor** is the interval of a ratio that is known to be 1: one point
//! is visited as two (A/A). Where randomisation did its work it adds little; it is
//! there for what randomisation cannot mend.
//!
//! **A point** has a median with an interval from order statistics
//! ([`median_interval`]).
//!
//! **The live screen** cannot interleave: it has a stretch before a change and one
//! after ([`before_after`]). Its ratio allows for the likeness of neighbouring
//! intervals, but not for a drift.
//!
//! **Two runs** are compared in the same way, each as a whole ([`series_ratio`]).
//!
//! **Warnings** ([`drift`], [`two_modes`], [`outliers`]) say that a series is not
//! what one number would suggest. They change no verdict.
//!
//! With too few values the answer is `None`: not yet.

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

pub use before_after::{before_after, series_ratio};
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
