//! `ptyscope link` and `ptyscope xmodem` as programs, with real clients.
//!
//! A client that is not installed is skipped with a word, or is a failure
//! where PTYSCOPE_REQUIRE_TOOLS is set.

#[path = "../support/skip.rs"]
mod skip;
#[path = "../support/wait.rs"]
mod wait;

mod clients;
mod names;
mod running;
mod told;
mod xmodem;
