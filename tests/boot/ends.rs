//! Guests that do not come to their end, and nothing that is left of them.

use std::fs;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use ptyscope::boot::channel::{End, Message};

use crate::fake::{Fake, answer, errors, inside, is_running, started};
use crate::skip::skip;
use crate::wait::wait_for;

/// Runs a check that comes to nothing, with exit code 1 and no report, and
/// expects all of `want` in what it says.
fn comes_to_nothing(fake: &Fake, arguments: &str, want: &[&str]) {
    let output = fake.run(arguments);
    let errors = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(output.stdout.is_empty(), "{errors}");
    for text in want {
        assert!(errors.contains(text), "{text}: {errors}");
    }
}

#[test]
fn a_qemu_that_is_not_there_is_named() {
    let fake = Fake::new("");
    fs::remove_file(fake.path("qemu")).unwrap();
    let want = format!("cannot start {}: ENOENT", fake.path("qemu").display());
    comes_to_nothing(&fake, "-- check", &[&want]);
}

#[test]
fn a_qemu_that_dies_is_quoted() {
    let fake = Fake::new("echo 'qemu: no such machine' >&2; exit 3");
    comes_to_nothing(&fake, "-- check", &["exit status: 3", "no such machine"]);
}

#[test]
fn a_kernel_that_panics_is_a_result_with_its_last_lines() {
    let fake = Fake::new(
        "printf 'Linux version 6.99\\r\\nbefore\\r\\nKernel panic - not syncing: VFS\\r\\n' >$console",
    );
    let want = ["panicked: Kernel panic - not syncing: VFS", "\n  before\n"];
    comes_to_nothing(&fake, "-- check", &want);
}

#[test]
fn a_kernel_that_does_not_start_init_is_a_result() {
    let fake = Fake::new("printf 'stuck here' >$console; exec sleep 1000");
    let want = ["did not start init", "stuck here"];
    comes_to_nothing(&fake, "--boot-timeout 300ms -- check", &want);
}

#[test]
fn a_machine_that_goes_off_before_its_time_is_a_result() {
    let fake = Fake::new("exit 0");
    comes_to_nothing(&fake, "-- check", &["reset itself before init"]);
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
    let want = ["ran out of memory", "Killed process 57"];
    comes_to_nothing(&fake, "-- check", &want);
}

#[test]
fn a_command_that_cannot_run_says_why() {
    let why = "this kernel does not mount devpts with max=3: EINVAL".to_owned();
    let fake = Fake::sending(&[started(), Message::Refused(why.clone())]);
    comes_to_nothing(&fake, "--devpts max=3 -- check", &[&why]);
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
fn a_full_folder_for_temporary_files_does_not_matter() {
    if !nix::unistd::geteuid().is_root() {
        skip("a small file system cannot be mounted", "root");
        return;
    }
    let fake = Fake::sending(&answer(&inside("{}", "check --only open.ptmx"), 0));
    let mut command = fake.command();
    command.args("-- check --only open.ptmx".split(' '));
    // Of its own, so that nothing is left mounted whatever happens.
    let script = "mount -t tmpfs -o size=4k full /mnt && \
                  ! head -c 1M /dev/zero >/mnt/file 2>&- && TMPDIR=/mnt exec \"$@\"";
    let mut full = Command::new("unshare");
    full.args(["--mount", "sh", "-c", script, "sh"]);
    full.arg(command.get_program()).args(command.get_args());
    let output = full.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(output.stdout.starts_with(b"kernel "), "{output:?}");
    fake.assert_nothing_runs();
}

#[test]
fn no_room_for_what_was_asked_for_is_told() {
    let report = inside("{}", "check --only open.ptmx");
    let fake = Fake::sending(&answer(&report, 0));
    let script = fs::read_to_string(fake.path("qemu")).unwrap();
    let script = script.replace("cat \"$here", "echo hello >$console; cat \"$here");
    fake.write("qemu", script.as_bytes());
    // The console is a by-product; without its file there is still a report.
    for (words, code) in [("--console /dev/full", 0), ("--initramfs /dev/full", 1)] {
        let output = fake.run(&format!("{words} -- check --only open.ptmx"));
        let errors = errors(&output);
        assert_eq!(output.status.code(), Some(code), "{words}: {errors}");
        assert!(errors.contains("ENOSPC"), "{words}: {errors}");
    }
}
