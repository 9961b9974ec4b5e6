//! Every check is seen both to pass and to fail: it passes on this kernel, and
//! fails when the kernel's answers are altered as a row of the group says.

mod canon;
mod close;
mod flow;
mod lim;
mod name;
mod open;
mod out;
mod pkt;
mod poll;
mod raw;
mod run;
mod sig;
#[path = "../support/skip.rs"]
mod skip;
mod surroundings;
mod time;
mod tio;
#[path = "../support/wait.rs"]
mod wait;

use std::path::PathBuf;
use std::time::Duration;

use ptyscope::check::entry::Gates;
use ptyscope::check::runner::{self, Finding, Settings};
use ptyscope::check::sys::{Effect, Fault, Role};
use ptyscope::check::{Class, all, find};

use skip::skip;

/// A check, what is altered, and how the check must then end.
struct Row {
    id: &'static str,
    faults: Vec<Fault>,
    class: Class,
    /// What the outcome must speak of, so that the check fails for this reason
    /// and no other.
    tells: &'static str,
}

fn fails(id: &'static str, tells: &'static str, faults: impl Into<Vec<Fault>>) -> Row {
    Row {
        id,
        faults: faults.into(),
        class: Class::Fail,
        tells,
    }
}

fn ends(id: &'static str, class: Class, tells: &'static str, faults: impl Into<Vec<Fault>>) -> Row {
    Row {
        class,
        ..fails(id, tells, faults)
    }
}

/// The call fails.
fn errno(call: &str, errno: nix::errno::Errno) -> Fault {
    Fault::new(call, Effect::Errno(errno as i32))
}

/// The call returns this instead.
fn value(call: &str, value: i64) -> Fault {
    Fault::new(call, Effect::Value(value))
}

/// What a read brings is altered.
fn read(effect: Effect) -> Fault {
    let call = match effect {
        Effect::Drop | Effect::DropLast | Effect::Flip | Effect::Double => "data",
        _ => "read",
    };
    Fault::new(call, effect)
}

/// Bits of a field of the answer are changed.
fn bits(call: &str, field: &str, set: u64, clear: u64) -> Fault {
    let field = field.to_owned();
    Fault::new(call, Effect::Bits { field, set, clear })
}

/// A file says something else.
fn text(path: &str, text: &str) -> Fault {
    Fault::new(path, Effect::Text(text.to_owned()))
}

/// The running kernel claims to be this release.
fn claims(release: &str) -> Fault {
    text("uname", release)
}

fn settings(deadline: Duration, faults: Vec<Fault>) -> Settings {
    Settings {
        program: PathBuf::from(env!("CARGO_BIN_EXE_ptyscope")),
        deadline,
        jobs: 2,
        repeat: 1,
        seed: 1,
        risky: false,
        gates: Gates::default(),
        faults,
    }
}

fn run(id: &str, deadline: Duration, faults: Vec<Fault>) -> Finding {
    let check = find(id).unwrap_or_else(|| panic!("no check is called {id}"));
    let mut findings = runner::run(&[check], &settings(deadline, faults), |_| {});
    findings.pop().unwrap()
}

/// Sees each row's check pass as it is and end otherwise when altered.
fn prove(rows: &[Row]) {
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
                    Class::Skip | Class::Env | Class::Known => skip(
                        &format!("{} proves nothing here: {:?}", row.id, plain.outcome),
                        "a kernel and a machine on which it passes",
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
        // Many rows end by the deadline, so a short one is tried first; what a
        // busy machine needs longer for is given longer.
        let tries = [300, 5000].map(Duration::from_millis);
        let mut told = String::new();
        let proven = tries.into_iter().any(|deadline| {
            let outcome = run(row.id, deadline, row.faults.clone()).outcome;
            told = format!("{outcome:?}");
            outcome.class == row.class && told.contains(row.tells)
        });
        if !proven {
            wrong.push(format!(
                "{} under {:?} should end as {:?} and tell {:?}: {told}",
                row.id, row.faults, row.class, row.tells
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The checks whose proof is a test of its own instead of a row.
const PROVEN_ELSEWHERE: [&str; 1] = ["env.mounts"];

#[test]
fn no_check_is_without_a_proof_that_it_can_fail() {
    let rows = [
        canon::rows(),
        close::rows(),
        flow::rows(),
        lim::rows(),
        name::rows(),
        open::rows(),
        out::rows(),
        pkt::rows(),
        poll::rows(),
        raw::rows(),
        sig::rows(),
        sig::session_rows(),
        time::rows(),
        tio::rows(),
    ];
    let proven: Vec<_> = rows
        .iter()
        .flatten()
        .filter(|row| matches!(row.class, Class::Fail | Class::Env))
        .map(|row| row.id)
        .chain(PROVEN_ELSEWHERE)
        .collect();
    let unproven: Vec<_> = all()
        .map(|check| check.id)
        .filter(|id| !proven.contains(id))
        .collect();
    assert_eq!(unproven, [""; 0]);
}
