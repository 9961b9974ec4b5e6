//! One file per subcommand: each wires a source to sinks.

mod baseline;
mod bench;
mod boot;
mod capacity;
mod check;
mod compare;
mod generate;
mod inspect;
mod link;
mod live;
mod measure;
mod output;
mod plain;
mod progress;
mod record;
mod replay;
mod sinks;
mod snapshot;
mod stop;
mod sweep;
mod xmodem;

use std::io::Write;
use std::process::ExitCode;

use crate::cli::{Cli, Command};
use crate::words::told_in_line;
use crate::workload::Contradiction;

pub use boot::{INSIDE, run_inside};

/// Runs what the command line asks for, and says on stderr why it could not.
///
/// Exit codes: 0 done, 1 failed or bytes came wrong, 2 usage, 3 a gate that was
/// asked for has failed.
pub fn run(cli: Cli) -> ExitCode {
    let result = match cli.command {
        None => live::run(&cli.live),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Sweep(args)) => sweep::run(&args),
        Some(Command::Link(args)) => link::run(&args),
        Some(Command::Xmodem(args)) => xmodem::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Capacity(args)) => capacity::run(&args),
        Some(Command::Inspect(args)) => inspect::run(&args),
        Some(Command::Boot(args)) => boot::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Generate { directory }) => generate::run(&directory),
    };
    conclude(result)
}

/// Shows what clap says instead of a command line: help or the version on
/// standard output, or on standard error why the words are none.
pub fn tell(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        if words.any(|word| told_in_line(&word) != word) {
            output::pass_on(&error.render().to_string());
        } else {
            // As `output::say`: nobody can be told.
            let _ = error.print();
        }
        return ExitCode::from(2);
    }
    // clap leaves what follows the last line break in the buffer.
    let shown = output::stdout().and_then(|mut out| {
        error.print()?;
        out.flush()
    });
    conclude(output::of_stdout(shown).map(|()| ExitCode::SUCCESS))
}

/// The exit code, with what went wrong said.
fn conclude(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::say(output::describe(&error));
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// Something could not be done, or bytes came wrong.
const FAILURE: u8 = 1;
/// A gate that was asked for has failed.
const GATE: u8 = 3;

/// The command line, word by word, for the report.
fn command_line() -> Vec<String> {
    let word = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
    std::env::args_os().map(word).collect()
}

/// A command line that makes no sense, with the reason.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

impl From<Contradiction> for Usage {
    fn from(contradiction: Contradiction) -> Self {
        Self(contradiction.to_string())
    }
}
