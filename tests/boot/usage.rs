//! Command lines, and files that are no kernels.

use crate::fake::{Fake, boot, errors};

#[test]
fn command_lines_that_make_no_sense_are_refused() {
    for arguments in [
        "",
        "kernel",
        "-- check",
        "kernel -- link /tmp/a /tmp/b",
        "kernel -- check --list",
        "kernel -- check --no-such-flag",
        "kernel -- bench 0",
        "kernel --memory 1 -- check",
        "kernel --cpus 0 -- check",
        "kernel --seed 2 -- sweep",
        "kernel --deterministic --seeds 0 -- sweep",
        "kernel --deterministic --cpus 2 -- sweep",
        "kernel --deterministic --accel kvm -- check",
        "kernel --timeout 0 -- check",
        "kernel --host -- check --format ktap",
        "kernel --matrix x.csv -- check",
    ] {
        let words = arguments.split(' ').filter(|word| !word.is_empty());
        let output = boot().args(words).output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments}: {}",
            errors(&output)
        );
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn what_is_no_kernel_is_never_given_to_qemu() {
    let fake = Fake::new("exec sleep 1000");
    fake.write("empty", b"");
    fake.write("script", b"#!/bin/sh\nreboot\n");
    fake.write("garbage", &[0xa5; 100_000]);
    fake.write("package", b"!<arch>\ndebian-binary");
    for (name, want) in [
        ("absent", "ENOENT"),
        ("empty", "it is empty"),
        ("script", "it is a script"),
        ("garbage", "has the header of neither"),
        ("package", "dpkg -x"),
        (".", "no regular file"),
    ] {
        let mut command = fake.command_by("tcg");
        let output = command.arg(fake.path(name)).args(["--", "check"]).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(
            errors(&output).contains(want),
            "{name}: {}",
            errors(&output)
        );
        assert!(output.stdout.is_empty());
    }
    assert!(fake.pids().is_empty());
}

#[test]
fn the_command_can_be_had_without_being_run() {
    let fake = Fake::new("exec sleep 1000");
    let file = fake.path("initramfs");
    let mut command = fake.command();
    command.arg("--initramfs").arg(&file);
    command.args("--show-command --cpus 3 --memory 256M --append".split(' '));
    command.args(["isolcpus=1 quiet", "--qemu-arg=-snapshot", "--", "check"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        fake.path("qemu").to_str().unwrap(),
        fake.path("kernel").to_str().unwrap(),
        file.to_str().unwrap(),
        "-smp 3",
        "-m 262144K",
        "isolcpus=1 quiet",
        "-snapshot",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let image = std::fs::read(&file).unwrap();
    let is_archive = image.starts_with(b"070701") || image.starts_with(&[0x1f, 0x8b]);
    assert!(is_archive);
    assert!(fake.pids().is_empty());
}

#[test]
fn a_deterministic_machine_has_one_cpu_and_a_seed() {
    let fake = Fake::new("exec sleep 1000");
    let output = fake.run("--deterministic --seed 7 --show-command -- sweep");
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "-smp 1",
        "-icount shift=0,sleep=off",
        "-seed 7",
        "nokaslr",
        "ptyscope.seed=7",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("virtio"), "{text}");
}
