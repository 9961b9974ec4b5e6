//! Every check is seen both to pass and to fail: it passes on this kernel, and
//! fails when the kernel's answers are altered as a row of the group says.

mod open;

use std::path::PathBuf;
use std::time::Duration;

use ptyscope::check::runner::{self, Finding, Settings};
use ptyscope::check::sys::{Effect, Fault, Role};
use ptyscope::check::{Class, find};

/// A check, what is altered, and how the check must then end.
pub struct Row {
    id: &'static str,
    faults: Vec<Fault>,
    class: Class,
    /// What the outcome must speak of, so that the check fails for this reason
    /// and no other.
    tells: &'static str,
}

pub fn fails(id: &'static str, tells: &'static str, faults: impl Into<Vec<Fault>>) -> Row {
    Row {
        id,
        faults: faults.into(),
        class: Class::Fail,
        tells,
    }
}

pub fn ends(
    id: &'static str,
    class: Class,
    tells: &'static str,
    faults: impl Into<Vec<Fault>>,
) -> Row {
    Row {
        class,
        ..fails(id, tells, faults)
    }
}

/// The call fails.
pub fn errno(call: &str, errno: nix::errno::Errno) -> Fault {
    Fault::new(call, Effect::Errno(errno as i32))
}

/// The call returns this instead.
pub fn value(call: &str, value: i64) -> Fault {
    Fault::new(call, Effect::Value(value))
}

/// Bits of a field of the answer are changed.
pub fn bits(call: &str, field: &str, set: u64, clear: u64) -> Fault {
    let field = field.to_owned();
    Fault::new(call, Effect::Bits { field, set, clear })
}

/// A file says something else.
pub fn text(path: &str, text: &str) -> Fault {
    Fault::new(path, Effect::Text(text.to_owned()))
}

/// The running kernel claims to be this release.
pub fn claims(release: &str) -> Fault {
    text("uname", release)
}

pub fn settings(deadline: Duration, faults: Vec<Fault>) -> Settings {
    Settings {
        program: PathBuf::from(env!("CARGO_BIN_EXE_ptyscope")),
        deadline,
        jobs: 2,
        repeat: 1,
        seed: 1,
        risky: false,
        faults,
    }
}

pub fn run(id: &str, deadline: Duration, faults: Vec<Fault>) -> Finding {
    let check = find(id).unwrap_or_else(|| panic!("no check is called {id}"));
    let mut findings = runner::run(&[check], &settings(deadline, faults), |_| {});
    findings.pop().unwrap()
}

/// Sees each row's check pass as it is and end otherwise when altered.
pub fn prove(rows: &[Row]) {
    let mut wrong = Vec::new();
    let mut seen: Vec<(&str, bool)> = Vec::new();
    for row in rows {
        let passes = match seen.iter().find(|(id, _)| *id == row.id) {
            Some(&(_, passes)) => passes,
            None => {
                let plain = run(row.id, Duration::from_secs(10), Vec::new());
                let passes = plain.outcome.class == Class::Pass;
                match plain.outcome.class {
                    Class::Pass => {}
                    Class::Skip | Class::Env | Class::Known => eprintln!(
                        "{} was not seen to pass or fail here: {:?}",
                        row.id, plain.outcome.got
                    ),
                    _ => wrong.push(format!("{} does not pass: {:?}", row.id, plain.outcome)),
                }
                seen.push((row.id, passes));
                passes
            }
        };
        if !passes {
            continue;
        }
        let altered = run(row.id, Duration::from_millis(300), row.faults.clone());
        let told = format!("{:?}", altered.outcome);
        if altered.outcome.class != row.class || !told.contains(row.tells) {
            wrong.push(format!(
                "{} under {:?} should end as {:?} and tell {:?}: {told}",
                row.id, row.faults, row.class, row.tells
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
