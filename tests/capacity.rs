//! `ptyscope capacity` as its users run it.

use std::process::{Command, Output, Stdio};

use ptyscope::pty::capacity::Geometry;
use ptyscope::report::{Agreement, CapacityReport, Outcome, Report};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.arg("capacity").args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

fn capacity(arguments: &[&str]) -> CapacityReport {
    let output = run(&[arguments, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    match report.result {
        Outcome::Capacity(capacity) => capacity,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_directions_and_modes_are_measured_and_every_byte_comes_out() {
    let report = capacity(&["256,257,2049"]);
    // Raw both ways; cooked with and without lines out, with lines in; and once
    // the canonical reader that is never full.
    assert_eq!(report.cases.len(), 3 + 3 + 2 * 3 + 1 + 3);
    assert!(
        report.cases.iter().all(|case| case.is_intact()),
        "{report:?}"
    );
    for case in &report.cases {
        if Geometry::running().is_none() {
            println!("not compared: this kernel is of no known era");
            continue;
        }
        // A machine may be too busy to tell, however often it is asked; it may
        // not tell otherwise.
        let fine = [Agreement::AsExpected, Agreement::Undetermined];
        assert!(fine.contains(&case.agreement), "{case:?}");
    }
}

#[test]
fn few_cases_are_explained() {
    let output = run(&["257", "--mode", "raw", "--from", "slave"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("257") && text.contains("Every byte that went in came out"),
        "{text}"
    );
    if Geometry::running().is_some() {
        assert!(text.contains("slave to master, raw, chunk 257"), "{text}");
        assert!(text.contains("the reader's queue of 4095"), "{text}");
    }
}

#[test]
fn bad_usage_is_two() {
    for arguments in [&["0"][..], &["--mode", "boiled"], &["--from", "middle"]] {
        assert_eq!(run(arguments).status.code(), Some(2), "{arguments:?}");
    }
}
