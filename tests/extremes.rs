//! Every flag that takes a number, at its extremes: it is refused by its name,
//! or the command runs as with any other.

mod support {
    pub mod wait;
}

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Arg, CommandFactory};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ptyscope::cli::Cli;

use support::wait::wait_for;

/// What stands for a value that is no number.
const NO_NUMBERS: [&str; 30] = [
    "NAME",
    "DIRECTION",
    "MODE",
    "KIND",
    "PEERS",
    "FILE",
    "VIEW",
    "THEME",
    "COLOR",
    "TEXT",
    "NAME|FILE",
    "CHANNEL",
    "METRIC",
    "FORMAT",
    "FROM",
    "PATTERN",
    "GROUP",
    "FRAME",
    "BLOCK",
    "A,B",
    "ACCEL",
    "WORDS",
    "PROGRAM",
    "ARGUMENT",
    "OPTIONS",
    "KERNEL",
    "COMMAND",
    "DIRECTORY",
    "FAULT",
    "GROUND",
];

/// The extremes of a kind of number, legal or not, and something ordinary.
fn extremes(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "N" | "CPU" | "BAUD" | "PID" | "PTY" => &[
            "0",
            "1",
            "60",
            "65535",
            "65536",
            "4294967294",
            "4294967295",
            "9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "-1",
        ],
        "SIZE" | "CHUNK" => &[
            "0",
            "1",
            "512M",
            "4294967295",
            "4294967296",
            "18446744073709551615",
            "16777215T",
            "16777216T",
            "-1",
        ],
        "TIME" => &[
            "0",
            "1ns",
            "10ms",
            "596h",
            "5000000h",
            "18446744073709551615ns",
            "6000000h",
            "-1s",
        ],
        "PACE" => &[
            "0",
            "1ns",
            "5000000h",
            "18446744073709551615ns",
            "1B/s",
            "18446744073709551615B/s",
            "16777216T/s",
        ],
        "SHARE" | "PERCENT" | "FACTOR" => &[
            "0", "1", "1e-308", "5e-324", "1e308", "100%", "inf", "NaN", "-0", "-1",
        ],
        "CHUNKS" => &[
            "256,257",
            "0",
            "0..0",
            "1..4294967295",
            "18446744073709551615",
            "1..18446744073709551615",
            "18446744073709551615..1",
        ],
        "COLUMNSxROWS" => &[
            "80x24",
            "0x0",
            "1x1",
            "65535x65535",
            "65536x1",
            "4294967297x1",
        ],
        _ => return None,
    })
}

/// What makes each command short; a flag that is tried is left out of it.
fn shortly(command: &str) -> &'static [&'static [&'static str]] {
    match command {
        "" => &[&["--plain"], &["--duration", "20ms"]],
        "bench" => &[&["--duration", "20ms"]],
        "sweep" => &[
            &["256,257"],
            &["--runs", "6"],
            &["--visit", "1ms"],
            &["--warmup", "100us"],
        ],
        "capacity" => &[&["256"]],
        "compare" => &[&["a.json"], &["b.json"]],
        "check" => &[&["--only", "open.ptmx"]],
        "link" => &[&["--duration", "20ms"]],
        "xmodem" => &[&["--size", "256"]],
        "boot" => &[&["a.json"], &["--", "check"]],
        "replay" => &[&["run"]],
        _ => &[],
    }
}

/// The flags without which a flag has no meaning.
fn needed(command: &str, flag: Option<&str>) -> &'static [&'static str] {
    match (command, flag) {
        ("boot", Some("--seed" | "--seeds")) => &["--deterministic"],
        ("" | "replay", Some("--size")) => &["--snapshot", "picture.svg"],
        _ => &[],
    }
}

/// A command with one flag at an extreme.
struct Case {
    command: String,
    /// The flag as an error names it.
    name: String,
    arguments: Vec<String>,
}

fn cases() -> Vec<Case> {
    let mut cli = Cli::command();
    cli.build();
    let live = (String::new(), cli.clone());
    let commands = cli.get_subcommands().cloned();
    let commands = commands.map(|command| (command.get_name().to_owned(), command));
    let mut cases = Vec::new();
    for (name, command) in std::iter::once(live).chain(commands) {
        if name == "help" {
            continue;
        }
        for argument in command.get_arguments() {
            cases.extend(cases_of(&name, argument));
        }
    }
    cases
}

fn cases_of(command: &str, argument: &Arg) -> Vec<Case> {
    let kinds = argument.get_value_names().unwrap_or_default();
    let Some(kind) = kinds
        .first()
        .filter(|_| argument.get_action().takes_values())
    else {
        return Vec::new();
    };
    let Some(extremes) = extremes(kind) else {
        let is_known = NO_NUMBERS.contains(&kind.as_str());
        assert!(is_known, "{command} {argument}: what is {kind}?");
        return Vec::new();
    };
    let flag = argument.get_long().map(|long| format!("--{long}"));
    let case = |value: &&str| {
        let mut arguments = vec![command.to_owned()];
        arguments.retain(|command| !command.is_empty());
        arguments.push(match &flag {
            Some(flag) => format!("{flag}={value}"),
            None => (*value).to_owned(),
        });
        let flag = flag.as_deref();
        let needed = needed(command, flag).iter().copied();
        // What stands behind "--" is the last of them.
        let others = shortly(command).iter().filter(|words| match flag {
            Some("--bytes") => words[0] != "--duration",
            Some(flag) => words[0] != flag,
            // The one argument without a flag.
            None => words[0].starts_with('-'),
        });
        let words = others.flat_map(|words| words.iter().copied());
        arguments.extend(needed.chain(words).map(str::to_owned));
        Case {
            command: command.to_owned(),
            name: flag.map_or_else(|| kind.to_string(), str::to_owned),
            arguments,
        }
    };
    extremes.iter().map(case).collect()
}

/// A command that goes on for so long has begun well, and is asked to end.
const BEGUN: Duration = Duration::from_millis(400);

fn run(case: &Case, folder: &Path) -> (ExitStatus, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command
        .args(&case.arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // SAFETY: setrlimit is a system call and allocates nothing.
    unsafe {
        command.pre_exec(|| Ok(setrlimit(Resource::RLIMIT_AS, 16 << 30, 16 << 30)?));
    }
    let mut child = command.spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        let _ = stderr.read_to_end(&mut said);
        String::from_utf8_lossy(&said).into_owned()
    });
    let began = Instant::now();
    let mut is_asked = false;
    let status = wait_for(
        "the end",
        || {
            if began.elapsed() > BEGUN && !is_asked {
                is_asked = true;
                let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
            }
            child.try_wait().unwrap()
        },
        || format!("{:?}", case.arguments),
    );
    (status, said.join().unwrap())
}

/// What is wrong with how it ended.
fn fault(case: &Case, status: ExitStatus, said: &str) -> Option<String> {
    let is_well = match status.code() {
        Some(2) => said.contains(&case.name) || said.contains("unexpected argument '-1'"),
        Some(101) => false,
        Some(_) => !said.contains("panicked"),
        None => status.signal() == Some(Signal::SIGTERM as i32),
    };
    (!is_well).then(|| format!("{:?} ended with {status}: {said}", case.arguments))
}

#[test]
fn every_number_is_refused_by_its_name_or_taken() {
    let folder = tempfile::tempdir().unwrap();
    let make = |arguments: &[&str], file: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_ptyscope"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        if !file.is_empty() {
            fs::write(folder.path().join(file), output.stdout).unwrap();
        }
    };
    for file in ["a.json", "b.json"] {
        make(&["bench", "--bytes", "64K", "--json"], file);
    }
    make(&["--plain", "--duration", "20ms", "--record", "run"], "");

    let cases = cases();
    for command in [
        "", "bench", "check", "inspect", "link", "xmodem", "boot", "replay",
    ] {
        assert!(
            cases.iter().any(|case| case.command == command),
            "{command}"
        );
    }
    let left = Mutex::new(cases.iter());
    let faults = Mutex::new(Vec::new());
    let taken = Mutex::new(BTreeSet::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some(case) = left.lock().unwrap().next() else {
                        return;
                    };
                    let (status, said) = run(case, folder.path());
                    if status.code() != Some(2) {
                        taken.lock().unwrap().insert((&case.command, &case.name));
                    }
                    faults.lock().unwrap().extend(fault(case, status, &said));
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // A flag that is always refused is refused for another reason. A sweep has its
    // chunks as an argument.
    let taken = taken.into_inner().unwrap();
    let mut all: BTreeSet<_> = cases
        .iter()
        .map(|case| (&case.command, &case.name))
        .collect();
    all.retain(|(command, name)| (command.as_str(), name.as_str()) != ("sweep", "--chunk"));
    assert_eq!(taken, all);
}
