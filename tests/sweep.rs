//! `ptyscope sweep` as its users run it.

#[path = "support/wait.rs"]
mod wait;

use std::process::{Command, Output, Stdio};

use ptyscope::report::{Outcome, Report, Sweep};
use ptyscope::sample::Verdict;

use wait::wait_for;

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.arg("sweep").args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

fn report(arguments: &[&str]) -> Report {
    let output = run(&[arguments, &["--json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn sweep(report: &Report) -> &Sweep {
    match &report.result {
        Outcome::Sweep(sweep) => sweep,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_point_is_visited_once_a_block_and_the_control_twice() {
    let report = report(&["254..=257", "--runs", "6", "--visit", "2ms", "--seed", "7"]);
    let sweep = sweep(&report);
    assert_eq!(sweep.plan.chunks, [254, 255, 256, 257]);
    assert_eq!((sweep.plan.control, sweep.plan.seed), (256, 7));
    assert_eq!(sweep.verdict, Verdict::Sound);
    assert!(sweep.integrity.verified > 0);
    for block in 0..=6 {
        let mut visited: Vec<(u64, bool)> = sweep
            .visits
            .iter()
            .filter(|visit| visit.block == block)
            .map(|visit| (visit.chunk, visit.twin))
            .collect();
        let count = visited.len();
        visited.sort_unstable();
        visited.dedup();
        // A visit that began before the one before it had ended is left out.
        assert!(visited.len() == count && count <= 5, "{visited:?}");
    }
    assert!(sweep.visits.iter().any(|visit| visit.twin));
    assert!(sweep.visits.iter().all(|visit| visit.block <= 6));
}

#[test]
fn visits_are_of_their_chunk_alone() {
    let report = report(&["100,1000", "--runs", "6", "--visit", "2ms"]);
    for visit in &sweep(&report).visits {
        let measured = visit.measured;
        // Whatever is cut short is shorter than a chunk, never longer.
        assert!(
            measured.bytes.0 <= measured.reads * visit.chunk,
            "{visit:?}"
        );
    }
}

#[test]
fn a_ping_pong_is_set_up_anew_for_each_chunk() {
    let report = report(&[
        "64,65",
        "--direction",
        "echo",
        "--runs",
        "6",
        "--visit",
        "2ms",
    ]);
    assert_eq!(sweep(&report).verdict, Verdict::Sound);
    assert!(!sweep(&report).visits.is_empty());
}

#[test]
fn text_says_what_was_found_at_each_boundary() {
    let output = run(&["128,129,256,257", "--runs", "6", "--visit", "1ms"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("128 -> 129") && text.contains("256 -> 257"),
        "{text}"
    );
    assert!(text.contains("256 -> 256"), "{text}");
    assert!(!text.contains('\x1b') && output.stderr.is_empty());
}

#[test]
fn the_seed_decides_the_order() {
    let arguments = ["64,128,256", "--runs", "6", "--visit", "1ms", "--seed", "3"];
    let order = |report: &Report| {
        let visits = &sweep(report).visits;
        visits
            .iter()
            .map(|v| (v.block, v.chunk, v.twin))
            .collect::<Vec<_>>()
    };
    let (first, second) = (report(&arguments), report(&arguments));
    let (first, second) = (order(&first), order(&second));
    // Either may lack a visit that was not settled.
    let common: Vec<_> = first
        .iter()
        .filter(|visit| second.contains(visit))
        .collect();
    let same: Vec<_> = second
        .iter()
        .filter(|visit| first.contains(visit))
        .collect();
    assert_eq!(common, same);
    assert!(common.len() > 6);
}

#[test]
fn what_makes_no_sweep_is_refused_with_two() {
    for arguments in [
        &["0"][..],
        &["272..240"],
        &["1..65536"],
        &[""],
        &["--chunk", "256"],
        &["--min-effect", "0"],
        &["--min-effect", "200%"],
        &["--min-effect", "-5%"],
        &["--min-effect", "much"],
        &["--visit", "0"],
        &["--visit", "2h"],
        &["--runs", "5"],
        &["--runs", "60", "--until-decided"],
        &["64..8192:log", "--direction", "echo", "--mode", "ICANON"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty());
    }
}

#[test]
fn a_picture_is_made_of_a_sweep_and_of_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("curve.svg").display().to_string();
    let arguments = [
        "250..=260",
        "--runs",
        "8",
        "--visit",
        "1ms",
        "-q",
        "-o",
        &path,
    ];
    assert!(run(&arguments).status.success());
    let picture = std::fs::read_to_string(&path).unwrap();
    assert!(
        picture.starts_with("<svg ") && picture.ends_with("</svg>\n"),
        "{picture}"
    );
    assert_eq!(picture.matches("<circle").count(), 11);
    assert!(picture.contains("prefers-color-scheme:dark") && !picture.contains("NaN"));

    assert!(
        run(&[&arguments[..], &["--theme", "dark"]].concat())
            .status
            .success()
    );
    let dark = std::fs::read_to_string(&path).unwrap();
    assert!(!dark.contains("prefers-color-scheme"));

    let mut bench = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    let output = bench.args(["bench", "-o", &path]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn it_goes_on_until_decided_or_the_limit() {
    let limit = ["--until-decided", "--limit", "1s"];
    let report = report(&[&["256,257", "--visit", "1ms"][..], &limit].concat());
    let sweep = sweep(&report);
    assert_eq!(sweep.plan.looks[0], 60);
    assert_eq!(sweep.test.looks as usize, sweep.plan.looks.len());
    // Whatever the verdict, it is one of a look.
    let last = sweep.visits.iter().map(|visit| visit.block).max().unwrap();
    assert!(
        sweep.plan.looks.contains(&last),
        "{last} of {:?}",
        sweep.plan.looks
    );
}

#[test]
fn a_signal_ends_it_early_with_a_report() {
    use nix::sys::signal::{Signal, kill};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command
        .args(["sweep", "256,257", "--runs", "1000000", "-q", "-o"])
        .arg(&path);
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let process = nix::unistd::Pid::from_raw(child.id() as i32);
    // Its workers have started, so it listens to signals.
    let threads = || std::fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
    wait_for(
        "its workers",
        || (threads() >= 3).then_some(()),
        String::new,
    );
    kill(process, Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
    let report: Report = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert!(report.cut_short.is_some());
    assert!(matches!(report.result, Outcome::Sweep(_)));
}
