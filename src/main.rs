//! Arguments to command to exit code.

use std::process::ExitCode;

use clap::Parser;
use ptyscope::cli::Cli;
use ptyscope::engine::{PEER_ARGUMENT, peer_main};
use ptyscope::host::bear_name;
use ptyscope::{boot, check, command};

fn main() -> ExitCode {
    if boot::guest::is_init() {
        boot::guest::main();
    }
    let words = std::env::args_os().skip(1);
    let mut arguments = words.map(|word| word.to_string_lossy().into_owned());
    let first = arguments.next();
    if let Some(PEER_ARGUMENT | check::entry::ARGUMENT | command::INSIDE) = first.as_deref() {
        bear_name();
    }
    match first.as_deref() {
        Some(PEER_ARGUMENT) => match peer_main(&arguments.next().unwrap_or_default()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Some(check::entry::ARGUMENT) => check::entry::main(&arguments.next().unwrap_or_default()),
        Some(command::INSIDE) => command::run_inside(),
        _ => match Cli::try_parse() {
            Ok(cli) => command::run(cli),
            Err(error) => command::tell(&error),
        },
    }
}
