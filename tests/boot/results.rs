//! What comes back from guests, and how it is shown.

use std::fs;

use ptyscope::boot::channel::Message;
use ptyscope::report::{Came, Matrix, Outcome, Report};

use crate::fake::{Fake, answer, bz_image, errors, inside, line};

const CHECK: &str = "check --only open.*";

#[test]
fn a_report_is_shown_as_if_the_command_had_run_here() {
    let fake = Fake::sending(&answer(&inside("{}", CHECK), 0));
    let output = fake.run(&format!("-- {CHECK}"));
    assert!(output.status.success(), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("pass   open.ptmx "), "{text}");
    assert!(text.contains(" checks in "), "{text}");
}

#[test]
fn a_report_as_json_says_what_it_ran_in() {
    let fake = Fake::sending(&answer(&inside("{}", CHECK), 0));
    let words = format!("--memory 300M --append quiet -- {CHECK} --json --label old");
    let report = Report::parse(&fake.run(&words).stdout).unwrap();
    assert_eq!(report.label.as_deref(), Some("old"));
    assert!(report.command.contains(&"--append".to_owned()));
    let guest = report.guest.unwrap();
    assert_eq!(guest.memory.0, 300 << 20);
    assert_eq!(guest.append, ["quiet"]);
    assert_eq!(guest.seeds, None);
    assert!(guest.image.ends_with("kernel"));
}

#[test]
fn the_exit_code_is_the_command_s() {
    for code in [0, 1, 3, 4] {
        let fake = Fake::sending(&answer(&inside("{}", CHECK), code));
        let output = fake.run(&format!("-- {CHECK} -q"));
        assert_eq!(output.status.code(), Some(code.into()));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn what_the_command_complains_of_is_passed_on() {
    let mut messages = answer(&inside("{}", CHECK), 0);
    let complaint = Message::Complaint(b"ptyscope: mind the gap\n".to_vec());
    messages.insert(2, complaint);
    let fake = Fake::sending(&messages);
    assert!(errors(&fake.run(&format!("-- {CHECK}"))).contains("mind the gap"));
}

#[test]
fn a_result_that_came_damaged_is_none() {
    let whole = line(&answer(&inside("{}", CHECK), 0));
    for at in [whole.len() / 2, whole.len() / 3] {
        let fake = Fake::sending(&[]);
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        fake.write("line", &damaged);
        let output = fake.run(&format!("-- {CHECK} --json"));
        assert_eq!(output.status.code(), Some(1));
        assert!(
            errors(&output).contains("lost on its way"),
            "{}",
            errors(&output)
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_command_without_a_report_is_no_success_in_silence() {
    let fake = Fake::sending(&answer(b"", 2));
    let output = fake.run("-- check");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("has no report"),
        "{}",
        errors(&output)
    );
    let fake = Fake::sending(&answer(b"{\"schema_version\": 1}", 0));
    let output = fake.run("-- check");
    assert_ne!(output.status.code(), Some(0));
}

#[test]
fn several_kernels_make_a_matrix_in_every_form() {
    let report = inside("{}", CHECK);
    let fake = Fake::sending(&answer(&report, 0));
    fake.write("other", &bz_image("6.98.0-other (x@y)"));
    fake.write("script", b"#!/bin/sh\n");
    fake.write("earlier.json", &report);
    let mut command = fake.command();
    command.arg(fake.path("other")).arg(fake.path("script"));
    command
        .arg("--with")
        .arg(fake.path("earlier.json"))
        .arg("--host");
    for ending in ["json", "md", "svg", "txt"] {
        command
            .arg("--matrix")
            .arg(fake.path(&format!("matrix.{ending}")));
    }
    let output = command
        .args(["--"])
        .args(CHECK.split(' '))
        .output()
        .unwrap();
    // The script is no kernel.
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    fake.assert_nothing_runs();

    let read = |ending: &str| fs::read_to_string(fake.path(&format!("matrix.{ending}"))).unwrap();
    let matrix: Matrix = serde_json::from_str(&read("json")).unwrap();
    assert_eq!(matrix.rows.len(), 5);
    assert_eq!(matrix.reports().count(), 4);
    let Came::Trouble(trouble) = &matrix.rows[2].came else {
        panic!("{:?}", matrix.rows[2]);
    };
    assert_eq!(trouble.word, "no kernel");
    assert!(matrix.rows[4].kernel.ends_with("(this machine)"));
    for row in &matrix.rows {
        for ending in ["md", "svg", "txt"] {
            let name = row.kernel.trim_start_matches('/');
            let name = if ending == "md" {
                name.replace('_', "\\_")
            } else {
                name.to_owned()
            };
            assert!(read(ending).contains(&name), "{ending}: {name}");
        }
    }
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(stdout, read("txt"));
    assert!(stdout.starts_with("kernel "), "{stdout}");
}

#[test]
fn one_matrix_can_be_had_of_one_kernel() {
    let fake = Fake::sending(&answer(&inside("{}", CHECK), 0));
    let file = fake.path("matrix.json");
    let mut command = fake.command();
    command
        .arg("--matrix")
        .arg(&file)
        .arg("--")
        .args(CHECK.split(' '));
    let output = command.output().unwrap();
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("pass   open.ptmx ")
    );
    let matrix: Matrix = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(matrix.rows.len(), 1);
}

#[test]
fn each_seed_is_a_block_of_one_sweep() {
    let terms = r#"{"deterministic":true,"one_of_many":true}"#;
    let words = "sweep 255..=257 --visit 100ms";
    let fake = Fake::sending(&answer(&inside(terms, words), 0));
    let output = fake.run(&format!(
        "--deterministic --seed 3 --seeds 6 -- {words} --json"
    ));
    let report = Report::parse(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)));
    assert_eq!(fake.pids().len(), 6);
    assert_eq!(report.guest.unwrap().seeds.unwrap(), [3, 4, 5, 6, 7, 8]);
    let Outcome::Sweep(sweep) = report.result else {
        panic!("no sweep");
    };
    assert_eq!((sweep.blocks, sweep.plan.warm_up_blocks), (6, 0));
    assert!(
        sweep
            .boundaries
            .iter()
            .all(|found| found.finding.ratio.is_some())
    );
}

#[test]
fn every_command_comes_back_from_a_guest() {
    for (words, want) in [
        ("bench 256 --bytes 64K", "chunk = 256."),
        ("capacity 256 --from slave --mode raw", "256"),
        ("xmodem --size 1K", "XMODEM: 1024 bytes"),
    ] {
        let fake = Fake::sending(&answer(&inside("{}", words), 0));
        let output = fake.run(&format!("-- {words}"));
        assert!(output.status.success(), "{words}: {}", errors(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(want), "{words}: {text}");
    }
}
