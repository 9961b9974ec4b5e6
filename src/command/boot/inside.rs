//! The command that runs in the guest: what of its options is for the guest,
//! and what for us.

use std::time::Duration;

use clap::Parser;
use clap::error::ErrorKind;
use serde::{Deserialize, Serialize};

use crate::cli::{Cli, Command, FormatName, OutputArgs, SweepArgs};

/// What the program outside knows better than the one in the guest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Whether the clock counts instructions.
    pub deterministic: bool,
    /// Whether this is one of several boots that are taken together: each is
    /// one block of a sweep.
    pub one_of_many: bool,
}

/// Blocks of a sweep where nothing but the pty layer itself scatters: the
/// least that give an interval, and some for visits that come to nothing.
const BLOCKS: u32 = 14;
/// Long enough that ticks and time slices average out.
const VISIT: Duration = Duration::from_millis(50);
const ONLY_VISIT: Duration = Duration::from_millis(200);
/// What such a sweep can see.
const MIN_EFFECT: f64 = 0.02;

/// The command line that `words` are, as it runs in a guest: the report is
/// written as JSON to standard output, and goes nowhere else.
pub fn in_guest(words: &[String], terms: Terms) -> Cli {
    let program = std::iter::once("ptyscope");
    let cli = Cli::parse_from(program.chain(words.iter().map(String::as_str)));
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
            if terms.deterministic {
                without_repeats(&mut args, words, terms);
            }
            Command::Sweep(args)
        }
        Command::Capacity(mut args) => {
            args.output = json();
            Command::Capacity(args)
        }
        Command::Xmodem(mut args) => {
            args.output = json();
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

/// Sets what was not asked for as fits a machine that does the same each time.
fn without_repeats(args: &mut SweepArgs, words: &[String], terms: Terms) {
    let is_given = |flag: &str| {
        let is_it = |word: &String| word.split('=').next() == Some(flag);
        words.iter().any(is_it)
    };
    let plan = &mut args.plan;
    plan.seed.get_or_insert(1);
    if terms.one_of_many {
        plan.runs = Some(1);
        plan.until_decided = false;
    } else if !plan.until_decided {
        plan.runs.get_or_insert(BLOCKS);
    }
    if !is_given("--visit") {
        plan.visit = if terms.one_of_many { ONLY_VISIT } else { VISIT };
    }
    if !is_given("--min-effect") {
        plan.min_effect = MIN_EFFECT;
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
        let text = format!("{why}\n");
        Err(clap::Error::raw(ErrorKind::ValueValidation, text))
    };
    match cli.command {
        Some(Command::Check(args)) if args.list || args.explain.is_some() => {
            refuse("check --list and --explain need no kernel: run them without boot")
        }
        Some(Command::Bench(args)) if args.record.record.is_some() => {
            refuse("bench --record would write to the guest's own files: run it without boot")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_report_comes_back_and_goes_nowhere_else() {
        let words = words("check -q -o x.json -o y.md --format ktap --only open.*");
        let Some(Command::Check(args)) = in_guest(&words, Terms::default()).command else {
            panic!("no check");
        };
        assert!(args.json && !args.quiet && args.files.is_empty());
        assert_eq!(args.only, ["open.*"]);
    }

    #[test]
    fn a_deterministic_sweep_needs_no_repeats_unless_they_are_asked_for() {
        let plan = |line: &str, one_of_many| {
            let terms = Terms {
                deterministic: true,
                one_of_many,
            };
            match in_guest(&words(line), terms).command {
                Some(Command::Sweep(args)) => args.plan,
                _ => panic!("no sweep"),
            }
        };
        let usual = plan("sweep 255..257", false);
        assert_eq!(
            (usual.runs, usual.visit, usual.seed),
            (Some(BLOCKS), VISIT, Some(1))
        );
        assert_eq!(usual.min_effect, MIN_EFFECT);
        let asked = plan(
            "sweep --runs 20 --visit=7ms --min-effect 4% --seed 3",
            false,
        );
        assert_eq!((asked.runs, asked.seed), (Some(20), Some(3)));
        assert_eq!(asked.visit, Duration::from_millis(7));
        assert_eq!(asked.min_effect, 0.04);
        assert_eq!(plan("sweep", true).runs, Some(1));
    }

    #[test]
    fn what_cannot_run_in_a_guest_is_refused() {
        for line in [
            "link /tmp/a /tmp/b",
            "check --list",
            "xmodem --on a,b",
            "boot k -- check",
            "compare a b",
        ] {
            assert!(parse(&words(line)).is_err(), "{line}");
        }
        for line in ["check --all", "bench 256", "sweep", "capacity", "xmodem"] {
            assert!(parse(&words(line)).is_ok(), "{line}");
        }
    }
}
