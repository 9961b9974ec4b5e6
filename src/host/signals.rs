//! Signals that ask a program to end.

use nix::libc::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGVTALRM, SIGXCPU,
};

/// All whose default is to end the process and that somebody else may send
/// (signal(7)); those of the program's own faults are not among them.
pub const ENDING: [i32; 10] = [
    SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO, SIGABRT,
];
