//! One file per subcommand: each wires a source to sinks.

mod live;
mod output;
mod plain;
mod stop;

use std::process::ExitCode;

use crate::cli::Cli;

/// Runs what the command line asks for, and says on stderr why it could not.
///
/// Exit codes: 0 done, 1 failed or bytes came wrong, 2 usage.
pub fn run(cli: Cli) -> ExitCode {
    let result = match cli.command {
        None => live::run(&cli.live),
        Some(command) => match command {},
    };
    match result {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ptyscope: {}", output::describe(&error));
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// Flags that contradict each other.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Usage(#[from] pub crate::workload::Contradiction);
