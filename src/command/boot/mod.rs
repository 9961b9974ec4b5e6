//! `boot`: another command inside a kernel under test.

mod boots;
mod inside;
mod show;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

use crate::boot::{self, Accel, Kernel, Machine, Order, Places};
use crate::cli::{AccelName, BootArgs, Cli};

use super::output::say;
use super::stop::Stop;

use boots::Boots;

/// The argument that makes the program run a command for the program outside.
pub const INSIDE: &str = "__inside";

/// Runs the command that the arguments behind [`INSIDE`] are, with its report
/// as JSON on standard output.
pub fn run_inside() -> ExitCode {
    let mut words = std::env::args_os();
    let program = words.next();
    let cli = Cli::parse_from(program.into_iter().chain(words.skip(1)));
    super::run(inside::in_guest(cli))
}

/// Boots the kernels and reports what came of the command in each.
pub fn run(args: &BootArgs) -> anyhow::Result<ExitCode> {
    let command = match inside::parse(&args.command) {
        Ok(command) => command,
        // As clap does for a command line of our own.
        Err(error) => error.exit(),
    };
    let order = Order {
        words: [vec![INSIDE.to_owned()], args.command.clone()].concat(),
        settle: inside::is_timed(&command),
        devpts: args.devpts.clone(),
    };
    let machine = args.machine.machine();
    let image = boot::pack(&order).context("cannot pack this program for the guest")?;
    if let Some(path) = &args.initramfs {
        let written = std::fs::write(path, &image.bytes);
        written.with_context(|| format!("cannot write to {}", path.display()))?;
    }
    if args.show_command {
        return show_commands(args, &machine, &image.library_path);
    }
    if args.initramfs.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    let shown = show::Shown::open(&command)?;
    let stop = Stop::listen()?;
    let boots = Boots::new(args, machine, image, stop)?;
    let mut code = 0;
    let mut shown = Some(shown);
    for path in &args.kernels {
        match Kernel::open(path) {
            Err(error) => {
                say(error);
                code = 1;
            }
            Ok(kernel) => {
                let booted = boots.boot(&kernel)?;
                if let Some(shown) = shown.take() {
                    code = shown.show(&kernel, booted, &command)?;
                }
            }
        }
    }
    Ok(ExitCode::from(code))
}

/// Prints the command line for each kernel, to be typed.
fn show_commands(
    args: &BootArgs,
    machine: &Machine,
    library_path: &str,
) -> anyhow::Result<ExitCode> {
    let named = args
        .initramfs
        .as_ref()
        .map(|path| path.display().to_string());
    let places = Places {
        initrd: named.unwrap_or_else(|| "initramfs".to_owned()),
        console: "/dev/stdout".to_owned(),
        serial: "result.serial".to_owned(),
        port: "result.port".to_owned(),
    };
    let accel = match args.machine.accel {
        AccelName::Kvm => Accel::Kvm,
        AccelName::Auto | AccelName::Tcg => Accel::Tcg,
    };
    let mut out = std::io::stdout().lock();
    for path in &args.kernels {
        let kernel = Kernel::open(path)?;
        let words = machine.arguments(&kernel, accel, &places, library_path);
        let program = std::iter::once(machine.qemu().into_os_string());
        let line: Vec<_> = program
            .chain(words)
            .map(|word| quoted(&word.to_string_lossy()))
            .collect();
        writeln!(out, "{}", line.join(" "))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("-smp"), "-smp");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
