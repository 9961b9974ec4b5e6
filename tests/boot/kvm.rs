//! A KVM that is there and does not work, as in some virtual machines.

use std::fs;

use crate::fake::{Fake, answer, errors, inside, line};
use crate::skip::skip;

const WORDS: &str = "check --only open.ptmx";

/// Whether `--accel auto` would try KVM at all.
fn is_there() -> bool {
    let mut options = fs::OpenOptions::new();
    let is_there = options.read(true).write(true).open("/dev/kvm").is_ok();
    if !is_there {
        skip(
            "there is no KVM to distrust",
            "a /dev/kvm that can be opened",
        );
    }
    is_there
}

/// A qemu that does `with_kvm` under KVM, and sends a report under TCG.
fn fake(with_kvm: &str) -> Fake {
    let fake = Fake::new(&format!(
        "[ $accel = tcg ] || {{ {with_kvm}; }}\ncat \"$here/line\" >$serial; exec sleep 1000"
    ));
    fake.write("line", &line(&answer(&inside("{}", WORDS), 0)));
    fake
}

fn run(fake: &Fake, accel: &str) -> std::process::Output {
    let mut command = fake.command_by(accel);
    command.arg(fake.path("kernel")).arg("--");
    let output = command.args(WORDS.split(' ')).output().unwrap();
    fake.assert_nothing_runs();
    output
}

#[test]
fn a_kvm_that_does_not_work_is_given_up() {
    if !is_there() {
        return;
    }
    for (failure, want) in [
        (
            "echo 'KVM internal error. Suberror: 1' >&2; exec sleep 1000",
            "KVM internal error",
        ),
        (
            "echo 'kvm: cannot set MSR' >&2; kill -ABRT $$",
            "cannot set MSR",
        ),
        ("exec sleep 1000", "no kernel came up within 3 s"),
    ] {
        let fake = fake(failure);
        let output = run(&fake, "auto");
        let errors = errors(&output);
        assert!(output.status.success(), "{errors}");
        assert!(
            errors.contains("KVM does not work here") && errors.contains(want),
            "{errors}"
        );
        assert_eq!(fake.pids().len(), 2);
    }
}

#[test]
fn a_kvm_that_has_shown_a_kernel_is_trusted() {
    if !is_there() {
        return;
    }
    // Silent for longer than one that has shown nothing may be.
    let fake = fake("echo 'Linux version 6.99' >$console; sleep 3.5");
    let output = run(&fake, "auto");
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(fake.pids().len(), 1, "{}", errors(&output));
}

#[test]
fn there_is_no_way_round_a_kvm_that_was_asked_for() {
    let fake = fake("echo 'kvm: cannot set MSR' >&2; kill -ABRT $$");
    let output = run(&fake, "kvm");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("cannot set MSR"));
    assert_eq!(fake.pids().len(), 1);
}

#[test]
fn a_kvm_that_was_asked_for_gets_more_time() {
    if std::env::var_os("PTYSCOPE_LONG_TESTS").is_none() {
        eprintln!("skipped: PTYSCOPE_LONG_TESTS=1 runs it, in half a minute");
        return;
    }
    let fake = fake("exec sleep 1000");
    let output = run(&fake, "kvm");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(errors.contains("no kernel came up within 30 s"), "{errors}");
    assert_eq!(fake.pids().len(), 1);
}
