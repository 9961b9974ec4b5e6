//! `boot`: another command inside a kernel under test.

mod boots;
mod came;
mod fleet;
mod here;
mod inside;
mod show;
mod words;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::boot::{self, Accel, Kernel, Machine, NotAKernel, Order, Places};
use crate::cli::{AccelName, BootArgs, Command};
use crate::report::Came;
use crate::words::told_in_line;

use super::Usage;
use super::output::print_exactly;
use super::stop::Stop;

use boots::Boots;
use came::Subject;
use inside::Terms;
use show::Shown;

/// The argument that makes the program run a command for the program outside;
/// then come the terms, as JSON, and the command.
pub const INSIDE: &str = "__inside";

/// Runs the command that the arguments behind [`INSIDE`] name, with its report
/// as JSON on standard output.
pub fn run_inside() -> ExitCode {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let terms = words
        .nth(2)
        .and_then(|terms| serde_json::from_str(&terms).ok());
    let words: Vec<String> = words.collect();
    super::run(inside::in_guest(&words, terms.unwrap_or_default()))
}

/// Boots the kernels and reports what came of the command in each.
pub fn run(args: &BootArgs) -> anyhow::Result<ExitCode> {
    let command = match inside::parse(&args.command) {
        Ok(command) => command,
        Err(error) => return Ok(super::tell(&error)),
    };
    if args.machine.deterministic && args.machine.accel == AccelName::Kvm {
        let text = "--deterministic is a clock of TCG's: KVM has none that counts instructions";
        return Err(Usage(text.to_owned()).into());
    }
    let machine = args.machine.machine();
    let order = order(args, &command)?;
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
    let is_matrix = args.kernels.len() + args.with.len() + usize::from(args.host) > 1;
    let shown = Shown::open(&command, &args.matrix, is_matrix)?;
    let with: Vec<Subject> = args
        .with
        .iter()
        .map(|path| here::read(path))
        .collect::<anyhow::Result<_>>()?;
    let stop = Stop::listen()?;
    let boots = Boots::new(args, machine, image, stop.clone())?;
    let mut subjects = boot_all(args, &boots, &command);
    subjects.extend(with);
    if args.host {
        boots.show("this machine's own kernel: running");
        subjects.push(here::run(&args.command, &stop));
    }
    drop(boots);
    Ok(ExitCode::from(shown.show(subjects)?))
}

fn order(args: &BootArgs, command: &Command) -> anyhow::Result<Order> {
    let terms = Terms {
        deterministic: args.machine.deterministic,
        one_of_many: args.machine.seeds > 1,
    };
    let terms = serde_json::to_string(&terms)?;
    Ok(Order {
        words: [
            vec![INSIDE.to_owned(), terms],
            words::for_guest(&args.command),
        ]
        .concat(),
        settle: inside::is_timed(command),
        devpts: args.devpts.clone(),
    })
}

/// What came of each kernel, in their order. Those that are no kernels are
/// found out without qemu, which would run anything.
fn boot_all(args: &BootArgs, boots: &Boots, command: &Command) -> Vec<Subject> {
    let opened: Vec<_> = args.kernels.iter().map(|path| Kernel::open(path)).collect();
    let kernels: Vec<&Kernel> = opened
        .iter()
        .filter_map(|kernel| kernel.as_ref().ok())
        .collect();
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    // Times need the machine for themselves, unless they are those of a clock
    // that this machine's load does not touch; and two consoles on one terminal
    // cannot be read.
    let is_disturbed = inside::is_timed(command) && !args.machine.deterministic;
    let at_once = if is_disturbed || args.verbose {
        1
    } else {
        cpus
    };
    let seeds = args.machine.all_seeds();
    let mut booted = fleet::boot_all(&kernels, &seeds, at_once, boots, command).into_iter();
    let subject = |(path, opened): (&PathBuf, &Result<Kernel, NotAKernel>)| match opened {
        Ok(_) => booted.next(),
        Err(error) => {
            let name = path.display().to_string();
            Some(Subject::troubled(name, "no kernel", error.why()))
        }
    };
    let subjects = args.kernels.iter().zip(&opened);
    let mut subjects: Vec<Subject> = subjects.filter_map(subject).collect();
    tell_apart(&mut subjects, &args.kernels);
    let label = words::label(command);
    for subject in &mut subjects {
        if let Came::Report(report) = &mut subject.came {
            report.label = label.map(str::to_owned);
        }
    }
    subjects
}

/// Gives builds of one release the names of their images too.
fn tell_apart(subjects: &mut [Subject], images: &[PathBuf]) {
    let names: Vec<String> = subjects
        .iter()
        .map(|subject| subject.name.clone())
        .collect();
    for (subject, image) in subjects.iter_mut().zip(images) {
        if names.iter().filter(|name| **name == subject.name).count() > 1 {
            subject.name = format!("{} ({})", subject.name, image.display());
        }
    }
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
    for path in &args.kernels {
        let kernel = Kernel::open(path)?;
        let words = machine.arguments(&kernel, accel, &places, library_path);
        let program = std::iter::once(machine.qemu().into_os_string());
        let line: Vec<_> = program
            .chain(words)
            .map(|word| quoted(&word.to_string_lossy()))
            .collect();
        print_exactly(&(line.join(" ") + "\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    if told_in_line(word) != word {
        // As bash, zsh and ksh read what a terminal would obey.
        return format!("$'{}'", word.bytes().map(escaped).collect::<String>());
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn escaped(byte: u8) -> String {
    match char::from(byte) {
        c @ ('\'' | '\\') => format!("\\{c}"),
        c @ ' '..='~' => c.to_string(),
        _ => format!("\\x{byte:02x}"),
    }
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
        assert_eq!(quoted("a\u{1b}b'"), r"$'a\x1bb\''");
    }
}
