//! Real kernels under a real qemu.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::{Command, Output};

use ptyscope::report::{Came, Matrix, Outcome, Report, Sweep};

use crate::fake::{boot, errors};
use crate::skip::skip;

/// The kernels to test with, if they are to be had.
fn kernels() -> Vec<PathBuf> {
    if std::env::var_os("PTYSCOPE_LONG_TESTS").is_none() {
        eprintln!("skipped: PTYSCOPE_LONG_TESTS=1 runs it, in a minute or so");
        return Vec::new();
    }
    let given = std::env::var_os("PTYSCOPE_TEST_KERNELS").unwrap_or_default();
    let kernels: Vec<PathBuf> = std::env::split_paths(&given)
        .filter(|path| !path.as_os_str().is_empty())
        .collect();
    let qemu = format!("qemu-system-{}", std::env::consts::ARCH);
    if kernels.is_empty() {
        skip(
            "there are no kernels to boot",
            "PTYSCOPE_TEST_KERNELS=IMAGE:IMAGE",
        );
    } else if Command::new(&qemu).arg("--version").output().is_err() {
        skip(
            &format!("there is no {qemu}"),
            "the package qemu-system-x86",
        );
        return Vec::new();
    }
    kernels
}

/// Runs it, and checks that nothing is left of it.
fn run(kernels: &[PathBuf], arguments: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    // qemu is found by it among those of other tests. The same machines have
    // the same one: it is a part of what a guest's run depends on.
    let mut hasher = DefaultHasher::new();
    (std::process::id(), arguments.split("-- ").next()).hash(&mut hasher);
    let mark = format!("test.run={:016x}", hasher.finish());
    let mut command = boot();
    command
        .args(kernels)
        .args(["--accel", "tcg", "--append", &mark]);
    command.env("TMPDIR", folder.path());
    let output = command.args(arguments.split(' ')).output().unwrap();
    assert_eq!(left_running(&mark), Vec::<String>::new(), "{arguments}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    output
}

/// The processes whose command line has `mark` in it.
fn left_running(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let line = |process: std::fs::DirEntry| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).into_owned()
    };
    processes
        .map(line)
        .filter(|line| line.contains(mark))
        .collect()
}

fn sweep(output: &Output) -> (Report, Sweep) {
    let report = Report::parse(&output.stdout);
    let report = report.unwrap_or_else(|error| panic!("{error}: {}", errors(output)));
    match report.result.clone() {
        Outcome::Sweep(sweep) => (report, sweep),
        other => panic!("{other:?}"),
    }
}

#[test]
fn checks_pass_in_every_kernel() {
    let kernels = kernels();
    if kernels.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let console = folder.path().join("console");
    let json = folder.path().join("matrix.json");
    let options = format!(
        "--console {} --matrix {}",
        console.display(),
        json.display()
    );
    let output = run(&kernels, &format!("{options} -- check"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let matrix: Matrix = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    assert_eq!(matrix.rows.len(), kernels.len());
    for row in &matrix.rows {
        let Came::Report(report) = &row.came else {
            panic!("{row:?}");
        };
        assert_eq!(report.host.kernel.release.as_ref(), Some(&row.kernel));
        let guest = report.guest.as_ref().unwrap();
        assert!(guest.lacks.is_empty(), "{:?}", guest.lacks);
        assert!(guest.to_init.0 > 0.0 && guest.command.0 > 0.0);
    }
    for number in 1..=kernels.len() {
        let console = std::fs::read_to_string(format!("{}.{number}", console.display())).unwrap();
        assert_eq!(console.matches("] Linux version ").count(), 1);
    }
}

#[test]
fn a_deterministic_sweep_is_the_same_every_time() {
    let Some(kernel) = kernels().pop() else {
        return;
    };
    let words = "--deterministic -- sweep 255..=257 --runs 6 --visit 10ms --json";
    // What is done with the report changes nothing in the guest.
    let kernel = std::slice::from_ref(&kernel);
    let runs = ["", " --label another"].map(|more| run(kernel, &format!("{words}{more}")));
    let [(first, a), (second, b)] = [sweep(&runs[0]), sweep(&runs[1])];
    assert_eq!(first.guest.unwrap().seeds, Some(vec![1]));
    assert_eq!(first.host.cpu.online, Some(1));
    assert_eq!(first.conditions, second.conditions);
    assert_eq!(a, b);
}

#[test]
fn devpts_is_mounted_as_asked() {
    let Some(kernel) = kernels().pop() else {
        return;
    };
    let words = "--devpts max=3,ptmxmode=0640 -- check --only env.* --only open.ptmx --json";
    let output = run(&[kernel], words);
    let report = Report::parse(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)));
    let mounts = report.host.pty.devpts.unwrap();
    let [mount] = mounts.as_slice() else {
        panic!("{mounts:?}");
    };
    assert!(mount.options.contains("max=3") && mount.options.contains("ptmxmode=640"));
}

#[test]
fn a_kernel_without_ptys_is_one_that_cannot_be_checked() {
    let Some(kernel) = kernels().pop() else {
        return;
    };
    let words = "--append initcall_blacklist=pty_init -- check --json";
    let output = run(&[kernel], words);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let report = Report::parse(&output.stdout).unwrap();
    let Outcome::Check(checkup) = report.result else {
        panic!("no checks");
    };
    let counts = checkup.counts;
    assert!(counts.fail == 0 && counts.hang == 0, "{counts:?}");
    assert!(counts.env > 50, "{counts:?}");
}

#[test]
fn what_goes_wrong_in_a_real_kernel_is_told() {
    let Some(kernel) = kernels().pop() else {
        return;
    };
    let kernel = [kernel];
    for (words, code, want) in [
        ("--append rdinit=/no/such -- check", 1, "panicked: "),
        ("--memory 40M -- check", 1, "--memory gives it more"),
        ("--timeout 1s -- check", 124, "not done within 1 s"),
        ("--qemu-arg=--no-such-option -- check", 1, "no-such-option"),
    ] {
        let output = run(&kernel, words);
        assert_eq!(
            output.status.code(),
            Some(code),
            "{words}: {}",
            errors(&output)
        );
        assert!(
            errors(&output).contains(want),
            "{words}: {}",
            errors(&output)
        );
        assert!(output.stdout.is_empty(), "{words}");
    }
}
