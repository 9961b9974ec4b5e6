//! Shell completions and man pages, as clap makes them of the command line.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;

const NAME: &str = "ptyscope";

/// Writes `completions/` and `man/` below `directory`.
pub fn run(directory: &Path) -> anyhow::Result<ExitCode> {
    let [completions, man] = ["completions", "man"].map(|name| directory.join(name));
    for directory in [&completions, &man] {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
    }
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), NAME, &completions)
            .with_context(|| format!("cannot write to {}", completions.display()))?;
    }
    // The pages say how to be found by name, not that there is a help command.
    let command = Cli::command().name(NAME).disable_help_subcommand(true);
    clap_mangen::generate_to(command, &man)
        .with_context(|| format!("cannot write to {}", man.display()))?;
    Ok(ExitCode::SUCCESS)
}
