//! Guests that do not come to their end, and nothing that is left of them.

use std::fs;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ptyscope::boot::channel::{End, Message};

use crate::fake::{Fake, answer, errors, inside, is_running, started};
use crate::skip::skip;
use crate::wait::wait_for;

#[test]
fn a_qemu_that_is_not_there_is_named() {
    let fake = Fake::new("");
    let mut command = crate::fake::boot();
    command.args(["--accel", "tcg", "--qemu", "/no/such/qemu"]);
    let output = command
        .arg(fake.path("kernel"))
        .args(["--", "check"])
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(
        errors.contains("cannot start /no/such/qemu: ENOENT"),
        "{errors}"
    );
}

#[test]
fn a_qemu_that_dies_is_quoted() {
    let fake = Fake::new("echo 'qemu: no such machine' >&2; exit 3");
    let output = fake.run("-- check");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(
        errors.contains("exit status: 3") && errors.contains("no such machine"),
        "{errors}"
    );
}

#[test]
fn a_kernel_that_panics_is_a_result_with_its_last_lines() {
    let fake = Fake::new(
        "printf 'Linux version 6.99\\r\\nbefore\\r\\nKernel panic - not syncing: VFS\\r\\n' >$console",
    );
    let output = fake.run("-- check");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(
        errors.contains("panicked: Kernel panic - not syncing: VFS"),
        "{errors}"
    );
    assert!(errors.contains("\n  before\n"), "{errors}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_kernel_that_does_not_start_init_is_a_result() {
    let fake = Fake::new("printf 'stuck here' >$console; exec sleep 1000");
    let output = fake.run("--boot-timeout 300ms -- check");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(
        errors.contains("did not start init") && errors.contains("stuck here"),
        "{errors}"
    );
}

#[test]
fn a_machine_that_goes_off_before_its_time_is_a_result() {
    let fake = Fake::new("exit 0");
    let output = fake.run("-- check");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("reset itself before init"));
}

#[test]
fn a_timeout_is_124() {
    let fake = Fake::sending(&[started(), Message::Output(b"{".to_vec())]);
    let output = fake.run("--timeout 400ms -- check");
    assert_eq!(output.status.code(), Some(124), "{}", errors(&output));
    assert!(output.stdout.is_empty());
}

#[test]
fn a_guest_without_memory_is_told_from_others() {
    let killed = Message::Ended(End {
        code: None,
        signal: Some(9),
        took_ns: 1,
    });
    let fake = Fake::sending(&[started(), killed]);
    let fake_script = fs::read_to_string(fake.path("qemu")).unwrap();
    let said = "printf 'Out of memory: Killed process 57 (init)\\r\\n' >$console; sleep 0.2\n";
    let script = fake_script.replace("cat \"$here", &format!("{said}cat \"$here"));
    fake.write("qemu", script.as_bytes());
    let output = fake.run("-- check");
    assert_eq!(output.status.code(), Some(1));
    let errors = errors(&output);
    assert!(
        errors.contains("ran out of memory") && errors.contains("Killed process 57"),
        "{errors}"
    );
}

#[test]
fn a_command_that_cannot_run_says_why() {
    let why = "this kernel does not mount devpts with max=3: EINVAL".to_owned();
    let fake = Fake::sending(&[started(), Message::Refused(why.clone())]);
    let output = fake.run("--devpts max=3 -- check");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains(&why));
}

#[test]
fn qemu_ends_with_us_however_we_end() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGKILL] {
        let fake = Fake::new("echo begun >$console; exec sleep 1000");
        let folder = tempfile::tempdir().unwrap();
        let mut command = fake.command();
        command.args(["--", "check"]).env("TMPDIR", folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let qemu = wait_for("qemu", || fake.pids().pop(), String::new);
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        let status = wait_for("our end", || child.try_wait().unwrap(), String::new);
        assert!(!status.success(), "{signal}");
        wait_for(
            "qemu's end",
            || (!is_running(&qemu)).then_some(()),
            String::new,
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{signal}");
    }
}

#[test]
fn a_folder_for_temporary_files_is_not_needed() {
    let report = inside("{}", "check --only open.ptmx");
    let fake = Fake::sending(&answer(&report, 0));
    let mut command = fake.command();
    command.args("-- check --only open.ptmx".split(' '));
    let output = command.env("TMPDIR", "/no/such/folder").output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
}

#[test]
fn a_kvm_that_does_not_work_is_given_up() {
    if fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/kvm")
        .is_err()
    {
        skip(
            "there is no KVM to distrust",
            "a /dev/kvm that can be opened",
        );
        return;
    }
    let report = inside("{}", "check --only open.ptmx");
    for (failure, want) in [
        (
            "echo 'KVM internal error. Suberror: 1' >&2; exec sleep 1000",
            "KVM internal error",
        ),
        (
            "echo 'kvm: cannot set MSR' >&2; kill -ABRT $$",
            "cannot set MSR",
        ),
    ] {
        let script = format!(
            "[ $accel = tcg ] || {{ {failure}; }}\ncat \"$here/line\" >$serial; exec sleep 1000"
        );
        let fake = Fake::new(&script);
        fake.write("line", &crate::fake::line(&answer(&report, 0)));
        let mut command = fake.command_by("auto");
        command
            .arg(fake.path("kernel"))
            .args("-- check --only open.ptmx".split(' '));
        let output = command.output().unwrap();
        let errors = errors(&output);
        assert!(output.status.success(), "{errors}");
        assert!(
            errors.contains("KVM does not work here") && errors.contains(want),
            "{errors}"
        );
        assert_eq!(fake.pids().len(), 2);
        fake.assert_nothing_runs();
    }
}
