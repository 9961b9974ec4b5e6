//! The command that runs in the guest: what of its options is for the guest,
//! and what for us.

use clap::Parser;
use clap::error::ErrorKind;

use crate::cli::{Cli, Command, FormatName, OutputArgs};

/// The commands that can run in a guest, without those options that are about
/// what happens to the report.
pub fn in_guest(cli: Cli) -> Cli {
    let command = cli.command.map(|command| match command {
        Command::Check(mut args) => {
            args.json = true;
            args.files.clear();
            args.quiet = false;
            Command::Check(args)
        }
        Command::Bench(mut args) => {
            args.output = json();
            args.baseline.save = None;
            args.baseline.against = None;
            Command::Bench(args)
        }
        Command::Sweep(mut args) => {
            args.output = json();
            Command::Sweep(args)
        }
        Command::Capacity(mut args) => {
            args.output = json();
            Command::Capacity(args)
        }
        Command::Xmodem(mut args) => {
            args.json = true;
            Command::Xmodem(args)
        }
        other => other,
    });
    Cli { command, ..cli }
}

fn json() -> OutputArgs {
    OutputArgs {
        format: FormatName::Json,
        json: true,
        files: Vec::new(),
        quiet: false,
    }
}

/// The command that `words` are.
///
/// # Errors
/// As clap has it, when they are none that can run in a guest.
pub fn parse(words: &[String]) -> Result<Command, clap::Error> {
    let program = std::iter::once("ptyscope");
    let cli = Cli::try_parse_from(program.chain(words.iter().map(String::as_str)))?;
    let refuse = |why: &str| {
        Err(clap::Error::raw(
            ErrorKind::ValueValidation,
            format!("{why}\n"),
        ))
    };
    match cli.command {
        Some(Command::Check(args)) if args.list || args.explain.is_some() => {
            refuse("check --list and --explain need no kernel: run them without boot")
        }
        Some(Command::Xmodem(args)) if args.on.is_some() => {
            refuse("xmodem --on names terminals, which the guest does not have")
        }
        Some(
            command @ (Command::Check(_)
            | Command::Bench(_)
            | Command::Sweep(_)
            | Command::Capacity(_)
            | Command::Xmodem(_)),
        ) => Ok(command),
        _ => refuse("after -- stands check, bench, sweep, capacity or xmodem"),
    }
}

/// Whether times are what the command is about.
pub fn is_timed(command: &Command) -> bool {
    matches!(
        command,
        Command::Bench(_) | Command::Sweep(_) | Command::Xmodem(_)
    )
}
