//! `ptyscope bench` as its users run it: output, files, exit codes.

#[path = "support/wait.rs"]
mod wait;

use std::fs;
use std::process::{Command, Output, Stdio};

use ptyscope::pty::Flag;
use ptyscope::report::{Outcome, Report};
use ptyscope::sample::{Call, Verdict};
use ptyscope::workload::Direction;

use wait::wait_for;

fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.arg("bench").args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    bench(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn report(output: &Output) -> Report {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn result(report: &Report) -> &ptyscope::report::Bench {
    match &report.result {
        Outcome::Bench(bench) => bench,
        other => panic!("{other:?}"),
    }
}

#[test]
fn begins_as_the_benchmark_of_2012_did() {
    let output = run(&["253", "--bytes", "1MB"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("chunk = 253. loop = 3952."));
    for name in ["real", "user", "sys"] {
        let line = lines.next().unwrap();
        assert!(
            line.starts_with(&format!("{name}\t0m")) && line.ends_with('s'),
            "{line}"
        );
    }
    assert!(!text.contains('\x1b'));
}

#[test]
fn every_byte_of_the_limit_is_written_read_and_compared() {
    for arguments in [
        &["256", "--bytes", "300KB", "--json"][..],
        &["1000", "--bytes", "300KB", "--json", "--direction", "both"],
        &[
            "257",
            "--bytes",
            "300KB",
            "--json",
            "--peers",
            "processes",
            "--pairs",
            "2",
        ],
        &["64", "--bytes", "20KB", "--json", "--direction", "echo"],
        &["4K", "--bytes", "300KB", "--json", "--preset", "terminal"],
        &[
            "4K",
            "--bytes",
            "300KB",
            "--json",
            "--direction",
            "m2s",
            "--mode",
            "ICANON",
        ],
    ] {
        let report = report(&run(arguments));
        let bench = result(&report);
        assert_eq!(report.cut_short, None);
        assert_eq!(bench.pty.verdict, Verdict::Sound, "{arguments:?}");
        let limit = bench.limit.unwrap().0;
        let writers = bench.settings.direction.writers().len() as u64;
        let pairs = u64::from(bench.settings.pairs);
        let asked = limit * writers * pairs;
        assert_eq!(
            bench.pty.written(),
            asked + bench.prefilled.0,
            "{arguments:?}"
        );
        let echo = bench.settings.direction == Direction::Echo;
        assert_eq!(bench.prefilled.0 == 0, echo, "{arguments:?}");
        for flow in &bench.pty.flows {
            let totals = flow.totals;
            let arrived = totals.read + totals.dropped;
            let held = totals.written + totals.added - arrived;
            assert_eq!(totals.in_flight, held as i64);
            // A canonical reader does not get a line before its end.
            let line = if bench.settings.mode.has(Flag::Icanon) {
                80
            } else {
                1
            };
            assert!(held < line, "{arguments:?}: {totals:?}");
        }
        let read: u64 = bench.pty.flows.iter().map(|flow| flow.totals.read).sum();
        assert_eq!(bench.pty.integrity.verified, read, "{arguments:?}");
    }
}

#[test]
fn a_pty_that_is_not_filled_before_is_measured_alike() {
    let report = report(&run(&["--bytes", "64K", "--no-prefill", "--json"]));
    let bench = result(&report);
    assert_eq!((bench.prefilled.0, bench.pty.written()), (0, 65536));
    assert_eq!(bench.loops, 256);
}

#[test]
fn what_was_there_before_is_no_throughput() {
    for arguments in [
        &["256", "--bytes", "1"][..],
        &["1000", "--bytes", "3000", "--pairs", "2"],
        &["100", "--bytes", "300", "--direction", "both"],
        &["80", "--bytes", "800", "--mode", "cooked"],
    ] {
        let report = report(&run(&[arguments, &["--json"]].concat()));
        let bench = result(&report);
        let pty = &bench.pty;
        let flows = pty.flows.iter();
        let read: u64 = flows.clone().map(|flow| flow.reader.bytes.0).sum();
        let added: u64 = flows.map(|flow| flow.totals.added).sum();
        let limit = bench.limit.unwrap().0 * pty.bytes_by_pair.len() as u64;
        let limit = limit * pty.flows.len() as u64;
        assert!(bench.prefilled.0 > limit, "{arguments:?}");
        // A CR for each of at most so many lines, of one character or more.
        let most = limit + added.min(limit);
        assert!(
            (limit..=most).contains(&pty.bytes.0),
            "{arguments:?}: {} of {limit}",
            pty.bytes.0
        );
        assert!(read > pty.bytes.0, "{arguments:?}: {read}");
        let visits: u64 = pty.visits.iter().map(|visit| visit.bytes.0).sum();
        assert_eq!(visits, pty.bytes.0, "{arguments:?}");
        let rate = pty.bytes.0 as f64 / pty.time.as_seconds();
        assert!((pty.throughput.0 / rate - 1.0).abs() < 1e-9);
    }
    let text = run(&["256", "--bytes", "1"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains(": 1 B in "), "{text}");
    assert!(text.contains("was filled with before"), "{text}");
}

#[test]
fn a_call_that_has_not_returned_is_told() {
    let arguments = ["--preset", "stuck", "-d", "700ms"];
    let report = report(&run(&[&arguments[..], &["--json"]].concat()));
    let pty = &result(&report).pty;
    let writer = &pty.flows[0].writer;
    let blocked = writer.blocked.unwrap();
    assert_eq!(blocked.call, Call::Write);
    assert!(
        blocked.time.0 >= 50e6 && blocked.time.0 <= pty.time.0,
        "{pty:?}"
    );
    // The pty was full from the start.
    assert_eq!((writer.calls, writer.call_time), (0, None));

    let unfilled = [&arguments[..], &["--no-prefill"]].concat();
    let json = [&unfilled[..], &["--json"]].concat();
    let output = run(&json);
    let report: Report = serde_json::from_slice(&output.stdout).unwrap();
    let writer = &result(&report).pty.flows[0].writer;
    let (times, blocked) = (writer.call_time.unwrap(), writer.blocked.unwrap());
    assert!(writer.calls > 0);
    assert!(times.max.0 >= blocked.time.0 && times.p999.0 < times.max.0);
    assert!(times.max_is_least || times.max.0 > blocked.time.0);

    for arguments in [&arguments[..], &unfilled] {
        let output = run(arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let row = text.lines().find(|line| line.starts_with("write (slave)"));
        assert!(row.unwrap().contains(">= "), "{text}");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = "the writer (slave) was blocked in write(2) for";
        assert!(text.contains(words), "{text}");
        assert!(text.contains("not in the percentiles"), "{text}");
    }
    let csv = run(&[&arguments[..], &["--format", "csv"]].concat());
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(csv.contains("writer.blocked.call = \"write\""), "{csv}");
}

#[test]
fn yardsticks_do_the_same_work() {
    for (direction, names) in [
        ("slave-to-master", "pipe,socketpair"),
        ("master-to-slave", "pipe,socketpair"),
        ("echo", "socketpair"),
    ] {
        let arguments = ["100", "--bytes", "50KB", "--direction", direction, "--json"];
        let report = report(&run(&[&arguments[..], &["--also", names]].concat()));
        let bench = result(&report);
        let channels: Vec<_> = bench
            .yardsticks
            .iter()
            .map(|y| y.channel.to_string())
            .collect();
        assert_eq!(channels.join(","), names);
        for yardstick in &bench.yardsticks {
            let run = &yardstick.run;
            assert_eq!(run.verdict, Verdict::Sound);
            assert_eq!(run.written(), bench.pty.written() - bench.prefilled.0);
            assert_eq!(run.integrity.verified, run.written());
        }
    }
}

#[test]
fn the_visits_are_what_the_sums_are_of() {
    let report = report(&run(&["--duration", "350ms", "--json"]));
    let bench = result(&report);
    let bytes: u64 = bench.pty.visits.iter().map(|visit| visit.bytes.0).sum();
    assert_eq!(bench.pty.bytes.0, bytes);
    let reads: u64 = bench.pty.visits.iter().map(|visit| visit.reads).sum();
    assert_eq!(bench.pty.flows[0].reader.calls, reads);
    let sizes = bench.pty.flows[0].reader.sizes.iter();
    assert_eq!(sizes.map(|&(_, _, count)| count).sum::<u64>(), reads);
}

#[test]
fn several_files_at_once_and_nothing_left_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("a.json"), "old").unwrap();
    let (json, csv, md) = (path("a.json"), path("b.csv"), path("c.md"));
    let output = run(&["--bytes", "64K", "-q", "-o", &json, "-o", &csv, "-o", &md]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    let read = |path: &str| fs::read_to_string(path).unwrap();
    let report: Report = serde_json::from_str(&read(&json)).unwrap();
    assert_eq!(report.command[1], "bench");
    assert!(
        read(&csv)
            .lines()
            .any(|line| line.starts_with("# host.kernel.release = "))
    );
    assert!(read(&md).starts_with("```text\nchunk = 256. loop = 256.\n"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn csv_has_every_fact_and_visit_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (json, csv) = (path("a.json"), path("a.csv"));
    let output = run(&["-d", "250ms", "-q", "-o", &json, "-o", &csv]);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut value: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let visits = value
        .pointer_mut("/result/bench/pty/visits")
        .unwrap()
        .take();
    let csv = fs::read_to_string(csv).unwrap();
    let (facts, table): (Vec<&str>, Vec<&str>) =
        csv.lines().partition(|line| line.starts_with('#'));
    assert_eq!(table.len(), 1 + visits.as_array().unwrap().len());
    for line in facts {
        let (path, fact) = line.trim_start_matches("# ").split_once(" = ").unwrap();
        let pointer = format!("/{}", path.replace(['.', '['], "/").replace(']', ""));
        let fact: serde_json::Value = serde_json::from_str(fact).unwrap();
        assert_eq!(value.pointer(&pointer), Some(&fact), "{line}");
        *value.pointer_mut(&pointer).unwrap() = serde_json::Value::Null;
    }
    assert_eq!(what_is_left(&value), Vec::<String>::new());
}

fn what_is_left(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Null => vec![],
        serde_json::Value::Object(fields) => fields.values().flat_map(what_is_left).collect(),
        serde_json::Value::Array(items) => items.iter().flat_map(what_is_left).collect(),
        leaf => vec![leaf.to_string()],
    }
}

#[test]
fn bad_usage_is_two() {
    for arguments in [
        &["0"][..],
        &["256", "--chunk", "257"],
        &["--bytes", "0"],
        &["--json", "--format", "csv"],
        &["--format", "xml"],
        &["--direction", "echo", "--mode", "cooked"],
        &["--direction", "both", "--also", "pipe"],
        &["--also", "pty"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty());
    }
}

#[test]
fn an_argument_that_is_no_text_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let word = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    for arguments in [&[word][..], &["bench".as_ref(), word]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
        let output = command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
}

#[test]
fn a_bad_path_fails_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        folder.path().join("no/such/folder.json"),
        folder.path().to_owned(),
    ] {
        // It would run for an hour.
        let output = run(&["-d", "1h", "-o", &path.display().to_string()]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(&path.display().to_string()));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_full_device_is_a_failure_that_says_so() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = bench(&["--bytes", "64K"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("ENOSPC"), "{}", stderr(&output));
    let output = run(&["--bytes", "64K", "-o", "/dev/full"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/dev/full"), "{}", stderr(&output));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = bench(&["--bytes", "64K"]).stdout(writer).output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", stderr(&output));
}

#[test]
fn a_signal_ends_it_early_with_a_report() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let output = path.display().to_string();
    let mut child = bench(&["-d", "1h", "-q", "-o", &output]).spawn().unwrap();
    let begun = || fs::read_dir(folder.path()).unwrap().count() > 0 && listens(child.id());
    // The draft of the report is there, and SIGINT is caught.
    wait_for("it to listen", || begun().then_some(()), String::new);
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
    let report: Report = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(report.cut_short.is_some());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Whether the process catches SIGINT and has started its workers.
fn listens(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().to_owned())
    };
    let caught = field("SigCgt:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    let threads = field("Threads:").and_then(|count| count.parse::<u32>().ok());
    caught.is_some_and(|mask| mask & 2 != 0) && threads.is_some_and(|count| count >= 3)
}
