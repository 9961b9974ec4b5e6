//! `ptyscope boot` as its users run it: most of it with a stand-in for qemu,
//! the rest with real kernels where there are some.

#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/wait.rs"]
mod wait;

mod ends;
mod fake;
mod kernels;
mod kvm;
mod results;
mod usage;
