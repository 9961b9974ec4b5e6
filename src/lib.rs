//! ptyscope drives traffic through a Linux pseudo-terminal and shows what the
//! kernel's tty layer does with it.
//!
//! A *source* moves bytes and publishes a *sample* every interval; *sinks*
//! (the live screen, the reports) only read samples. Dependencies point one
//! way: [`command`] and [`tui`] → [`report`], [`record`], [`boot`], [`check`],
//! [`inspect`], [`link`], [`engine`], [`analysis`] → [`sample`], [`workload`], [`host`] → [`pty`];
//! all of them may use [`words`].

pub mod analysis;
pub mod boot;
pub mod check;
pub mod cli;
pub mod command;
pub mod engine;
pub mod host;
pub mod inspect;
pub mod link;
pub mod pty;
pub mod record;
pub mod report;
pub mod sample;
pub mod tui;
pub mod words;
pub mod workload;
