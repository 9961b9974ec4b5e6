//! Arguments to command to exit code.

use std::process::ExitCode;

use clap::Parser;
use ptyscope::cli::Cli;
use ptyscope::engine::{PEER_ARGUMENT, peer_main};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(PEER_ARGUMENT) {
        return match peer_main(&arguments.next().unwrap_or_default()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    ptyscope::command::run(Cli::parse())
}
