//! `ptyscope compare` of two runs of checks.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use ptyscope::report::Comparison;
use serde_json::Value;

/// A real report of two checks, and one in which they ended otherwise.
struct Reports {
    folder: tempfile::TempDir,
}

impl Reports {
    /// What ended how on one kernel, and on another.
    fn of(before: [&str; 2], after: [&str; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let reports = Self { folder };
        let path = reports.path("before").display().to_string();
        let only = ["--only", "open.ptmx", "--only", "open.locked"];
        // Whatever this kernel says: it is made up below.
        run(&[&["check", "-q", "-o", &path], &only[..]].concat());
        let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for (name, classes) in [("before", before), ("after", after)] {
            let checks = value.pointer_mut("/result/check/checks").unwrap();
            let checks = checks.as_array_mut().unwrap();
            assert_eq!(checks.len(), classes.len());
            for (check, class) in checks.iter_mut().zip(classes) {
                check["class"] = Value::from(class);
            }
            fs::write(reports.path(name), value.to_string()).unwrap();
        }
        reports
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.json"))
    }

    fn compare(&self, flags: &[&str]) -> Output {
        let paths = ["before", "after"].map(|name| self.path(name).display().to_string());
        run(&[&["compare", &paths[0], &paths[1]], flags].concat())
    }
}

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    let command = command.args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

fn told(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (
        output.status.code(),
        text + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn what_passed_there_and_fails_here_is_told_and_fails_a_gate() {
    for bad in ["fail", "hang"] {
        let reports = Reports::of(["pass", "pass"], ["pass", bad]);
        let (code, text) = told(&reports.compare(&[]));
        assert_eq!(code, Some(0), "{text}");
        let words = ["check open.locked", "pass", bad];
        let line = |line: &str| words.iter().all(|word| line.contains(word));
        assert!(text.lines().any(line), "{text}");
        assert!(!text.contains("open.ptmx"), "{text}");
        let (code, text) = told(&reports.compare(&["--fail-on-worse", "5%"]));
        assert_eq!(code, Some(3), "{text}");
    }
}

#[test]
fn what_is_no_worse_passes_a_gate() {
    for (before, after, changes) in [
        (["pass", "pass"], ["pass", "pass"], 0),
        (["fail", "hang"], ["pass", "pass"], 2),
        // Bad there too, in another way.
        (["fail", "hang"], ["hang", "fail"], 2),
        (["pass", "pass"], ["skip", "env"], 2),
        (["known", "pass"], ["pass", "known"], 2),
    ] {
        let reports = Reports::of(before, after);
        let output = reports.compare(&["--fail-on-worse", "5%", "--json"]);
        let (code, text) = told(&output);
        assert_eq!(code, Some(0), "{before:?} {after:?}: {text}");
        let comparison: Comparison = serde_json::from_slice(&output.stdout).unwrap();
        let is_check = |what: &str| what.starts_with("check open.");
        let told = comparison.changes.iter().filter(|c| is_check(&c.what));
        assert_eq!(told.count(), changes, "{text}");
    }
}

#[test]
fn reports_with_nothing_in_common_are_no_success() {
    let reports = Reports::of(["pass", "pass"], ["pass", "pass"]);
    let bench = reports.path("bench").display().to_string();
    assert!(
        run(&["bench", "--bytes", "64K", "-q", "-o", &bench])
            .status
            .success()
    );
    let check = reports.path("before").display().to_string();
    for pair in [[&check, &bench], [&bench, &check]] {
        let output = run(&["compare", pair[0], pair[1], "--fail-on-worse", "1%"]);
        let (code, said) = told(&output);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("nothing to compare"), "{said}");
    }
}
