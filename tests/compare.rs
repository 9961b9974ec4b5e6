//! `ptyscope compare` and baselines, and what reading bad reports does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use ptyscope::analysis::SplitMix64;
use ptyscope::report::{Comparison, Document, Format, Report, Theme};
use serde_json::Value;

fn ptyscope(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    ptyscope(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Real reports of each kind, small ones, made once. Only their speeds are made
/// up, so that no test depends on the machine's.
struct Reports {
    folder: tempfile::TempDir,
}

static REPORTS: LazyLock<Reports> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let reports = Reports { folder };
    for (name, arguments) in [
        ("bench", &["bench", "-d", "1s", "--also", "pipe"][..]),
        (
            "sweep",
            &["sweep", "255..257", "--runs", "30", "--visit", "2ms"],
        ),
        ("capacity", &["capacity", "256,257", "--mode", "raw"]),
    ] {
        let path = reports.path(name).display().to_string();
        let output = run(&[arguments, &["-q", "-o", &path]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    for (name, visits) in [("bench", BENCH_VISITS), ("sweep", SWEEP_VISITS)] {
        let mut value = reports.value(name);
        steady(&mut value, visits);
        let report: Report = serde_json::from_value(value).unwrap();
        let mut bytes = Vec::new();
        report.write(Format::Json, &mut bytes).unwrap();
        fs::write(reports.path(name), bytes).unwrap();
    }
    reports
});

/// Gives every block of a transfer the next of these times, over and over.
fn timed(value: &mut Value, times: [f64; 4]) {
    let blocks = value.pointer_mut("/result/xmodem/blocks").unwrap();
    for (at, block) in blocks.as_array_mut().unwrap().iter_mut().enumerate() {
        block["transfer"] = times[at % times.len()].into();
    }
}

#[test]
fn medians_that_contradict_the_change_are_explained() {
    let output = run(&["xmodem", "--size", "6000", "--json"]);
    let mut value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut saved = |name: &str, times| {
        timed(&mut value, times);
        let path = folder.path().join(name).display().to_string();
        fs::write(&path, value.to_string()).unwrap();
        path
    };
    // A quarter is slow in the one; the usual ones are slower in the other.
    let before = saved("before", [1e5, 1.01e5, 9e5, 0.99e5]);
    let after = saved("after", [1.1e5, 1.11e5, 1.12e5, 1.09e5]);
    let text = |paths: [&str; 2]| {
        let output = run(&["compare", paths[0], paths[1]]);
        String::from_utf8(output.stdout).unwrap().replace('\n', " ")
    };
    let told = text([&before, &after]);
    let why = "the change disagree (link 128 block): the change is the middle of all ratios";
    assert!(told.contains(why), "{told}");
    let told = text([&after, &after]);
    assert!(!told.contains("disagree"), "{told}");
}

/// Gives every visit nearly the same speed, and makes 40 of few.
fn steady(value: &mut Value, visits: &str) {
    let visits = value.pointer_mut(visits).unwrap().as_array_mut().unwrap();
    let first = visits[0].clone();
    visits.resize(visits.len().max(40), first);
    for (at, visit) in visits.iter_mut().enumerate() {
        let visit = measured(visit);
        visit["length"] = Value::from(100_000_000);
        visit["bytes"] = Value::from(5_000_000 + at * 7919 % 1000);
    }
}

fn measured(visit: &mut Value) -> &mut Value {
    if visit.get("measured").is_some() {
        return &mut visit["measured"];
    }
    visit
}

impl Reports {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.json"))
    }

    fn value(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }
}

/// Compares a report with what `change` makes of it.
fn compare_changed(name: &str, flags: &[&str], change: impl FnOnce(&mut Value)) -> Output {
    let mut value = REPORTS.value(name);
    change(&mut value);
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.json");
    fs::write(&changed, value.to_string()).unwrap();
    let (base, changed) = (REPORTS.path(name), changed.display().to_string());
    run(&[&["compare", &base.display().to_string(), &changed], flags].concat())
}

/// Makes every visit move so many times as many bytes.
fn scale(value: &mut Value, visits: &str, factor: f64) {
    for visit in value.pointer_mut(visits).unwrap().as_array_mut().unwrap() {
        let visit = measured(visit);
        let bytes = visit["bytes"].as_f64().unwrap();
        visit["bytes"] = Value::from((bytes * factor) as u64);
    }
}

const BENCH_VISITS: &str = "/result/bench/pty/visits";
const SWEEP_VISITS: &str = "/result/sweep/visits";

#[test]
fn a_report_is_like_itself() {
    for name in ["bench", "sweep", "capacity"] {
        let output = compare_changed(name, &["--fail-on-worse", "5%"], |_| {});
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("same conditions"), "{text}");
        assert!(
            !text.contains("WORSE") && !text.contains("better"),
            "{text}"
        );
    }
}

#[test]
fn what_is_worse_fails_a_gate_and_only_a_gate() {
    for (name, visits) in [("bench", BENCH_VISITS), ("sweep", SWEEP_VISITS)] {
        for (factor, flags, code) in [
            (0.2, &[][..], 0),
            (0.2, &["--fail-on-worse", "5%"][..], 3),
            (0.2, &["--fail-on-worse", "5%", "--gate", "write"], 0),
            (5.0, &["--fail-on-worse", "5%"], 0),
        ] {
            let output = compare_changed(name, flags, |value| scale(value, visits, factor));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let context = format!("{name} {factor} {flags:?}: {text}{}", stderr(&output));
            assert_eq!(output.status.code(), Some(code), "{context}");
            let word = if factor < 1.0 { "WORSE" } else { "better" };
            assert!(text.contains(word), "{context}");
        }
    }
}

#[test]
fn bytes_that_come_wrong_fail_every_gate() {
    let damage = |value: &mut Value| {
        *value.pointer_mut("/result/bench/pty/verdict").unwrap() = Value::from("damaged");
    };
    let output = compare_changed("bench", &["--fail-on-worse", "50%"], damage);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
}

#[test]
fn what_differed_is_said() {
    let output = compare_changed("sweep", &["--format", "markdown"], |value| {
        value["host"]["kernel"]["release"] = Value::from("9.9.9-test");
        value["host"]["cpu"]["governor"] = Value::from("powersave");
        value["result"]["sweep"]["settings"]["pairs"] = Value::from(7);
    });
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for word in ["9.9.9-test", "powersave", "| pairs | 1 | 7 |"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn a_capacity_that_changed_is_said() {
    let output = compare_changed("capacity", &["--json"], |value| {
        let case = &mut value["result"]["capacity"]["cases"][0];
        case["measured"]["filled"]["accepted"] = Value::from(99);
    });
    assert!(output.status.success(), "{}", stderr(&output));
    let comparison: Comparison = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(comparison.changes.len(), 1);
    assert!(comparison.changes[0].after.starts_with("99 bytes"));
}

#[test]
fn several_reports_are_each_compared_with_the_first() {
    let bench = REPORTS.path("bench").display().to_string();
    let output = run(&["compare", &bench, &bench, &bench, "--json"]);
    let comparison: Comparison = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(comparison.others.len(), 2);
    let others: std::collections::BTreeSet<_> =
        comparison.entries.iter().map(|e| e.other).collect();
    assert_eq!(others.into_iter().collect::<Vec<_>>(), [0, 1]);
    assert!(
        comparison
            .entries
            .iter()
            .any(|entry| entry.channel == "pipe")
    );
}

#[test]
fn a_file_that_is_no_report_is_refused_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    let text = fs::read_to_string(REPORTS.path("bench")).unwrap();
    let cut = &text[..text.len() / 2];
    let future = text.replacen("\"schema_version\": 1", "\"schema_version\": 9", 1);
    let wrong = text.replacen("\"integrity\": {", "\"integrity\": 5, \"was\": {", 1);
    for (content, want) in [
        ("", "empty"),
        ("not a report", "no JSON object"),
        (cut, "cut off at line"),
        (&future, "schema version 9"),
        (&wrong, "damaged at line"),
    ] {
        fs::write(&bad, content).unwrap();
        let paths = [REPORTS.path("bench"), bad.clone()].map(|path| path.display().to_string());
        let output = run(&["compare", &paths[0], &paths[1]]);
        assert_eq!(output.status.code(), Some(1));
        let error = stderr(&output);
        assert!(
            error.contains(want) && error.contains("bad.json"),
            "{want}: {error}"
        );
    }
    let missing = folder.path().join("missing.json").display().to_string();
    let output = run(&["compare", &missing, &missing]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("ENOENT"), "{}", stderr(&output));
    assert_eq!(run(&["compare", &missing]).status.code(), Some(2));
}

#[test]
fn reports_with_nothing_in_common_are_refused() {
    let paths = ["bench", "capacity"].map(|name| REPORTS.path(name).display().to_string());
    let output = run(&["compare", &paths[0], &paths[1]]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("nothing to compare"),
        "{}",
        stderr(&output)
    );
}

/// Random damage: to bytes, to numbers, to structure.
fn mutate(text: &[u8], rng: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len() as u64) as usize;
        let to = (at + rng.below(40) as usize).min(bytes.len());
        match rng.below(6) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.truncate(at.max(1)),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let copy = bytes[at..to].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            _ => {
                // The next number becomes an extreme one.
                let extremes = [
                    "0",
                    "-1",
                    "18446744073709551615",
                    "1e308",
                    "0.5",
                    "null",
                    "[]",
                    "\"x\"",
                ];
                let digit = |byte: &u8| byte.is_ascii_digit();
                if let Some(start) = bytes[at..].iter().position(digit).map(|offset| at + offset) {
                    let length = bytes[start..]
                        .iter()
                        .position(|b| !b.is_ascii_digit())
                        .unwrap_or(0);
                    let extreme = extremes[rng.below(extremes.len() as u64) as usize];
                    drop(bytes.splice(start..start + length, extreme.bytes()));
                }
            }
        }
    }
    bytes
}

#[test]
fn damage_never_panics() {
    const TRIALS: usize = 400;
    let mut rng = SplitMix64::new(20261130);
    let mut survived = 0;
    for name in ["bench", "sweep", "capacity"] {
        let text = fs::read(REPORTS.path(name)).unwrap();
        let whole = Report::parse(&text).unwrap();
        for _ in 0..TRIALS {
            let bytes = mutate(&text, &mut rng);
            match Report::parse(&bytes) {
                Err(error) => assert!(!error.to_string().is_empty()),
                Ok(report) => {
                    survived += 1;
                    write_all(&report);
                    write_all(&Comparison::of(("a", &whole), &[("b", &report)], 0.05));
                    write_all(&Comparison::of(("a", &report), &[("b", &whole)], 0.05));
                }
            }
        }
    }
    assert!(
        survived > 50,
        "the damage was too coarse to test anything: {survived}"
    );
}

fn write_all(document: &dyn Document) {
    for format in [Format::Text, Format::Json, Format::Csv, Format::Markdown] {
        document.write(format, &mut std::io::sink()).unwrap();
    }
    // Only a sweep has one.
    let _ = document.write(Format::Svg(Theme::default()), &mut std::io::sink());
}

fn with_data(folder: &Path, arguments: &[&str]) -> Output {
    ptyscope(arguments)
        .env("XDG_DATA_HOME", folder)
        .output()
        .unwrap()
}

#[test]
fn a_baseline_is_kept_by_name_and_compared_with() {
    let folder = tempfile::tempdir().unwrap();
    let missing = with_data(folder.path(), &["bench", "--against", "six"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        stderr(&missing).contains("there are: none"),
        "{}",
        stderr(&missing)
    );

    let saved = with_data(folder.path(), &["bench", "-d", "2s", "-q", "--save", "six"]);
    assert!(saved.status.success(), "{}", stderr(&saved));
    let path = folder.path().join("ptyscope/baselines/six.json");
    assert!(Report::read(&path).is_ok());

    let flags = ["bench", "-d", "2s", "--against", "six"];
    let compared = with_data(folder.path(), &flags);
    assert!(compared.status.success(), "{}", stderr(&compared));
    let text = String::from_utf8(compared.stdout).unwrap();
    assert!(text.contains("this run against six"), "{text}");
    // Data stays alone on standard output.
    let json = with_data(folder.path(), &[&flags[..], &["--json"]].concat());
    assert!(Report::parse(&json.stdout).is_ok());
    assert!(stderr(&json).contains("this run against six"));

    let mut value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    scale(&mut value, BENCH_VISITS, 1e12);
    fs::write(&path, value.to_string()).unwrap();
    // A run in which a busy machine stood still says "undecided", rightly.
    let gated = [&flags[..], &["--fail-on-worse", "5%"]].concat();
    let codes: Vec<_> = (0..5)
        .map(|_| with_data(folder.path(), &gated).status.code())
        .take_while(|code| *code != Some(3))
        .collect();
    assert!(codes.len() < 5, "{codes:?}");
    assert!(codes.iter().all(|code| *code == Some(0)), "{codes:?}");
}

#[test]
fn names_of_baselines_cannot_leave_their_folder() {
    for name in ["", "..", "../x", "a/b", ".hidden", "a b", "a\nb"] {
        let output = run(&["bench", "--save", name]);
        assert_eq!(output.status.code(), Some(2), "{name:?}");
    }
}
