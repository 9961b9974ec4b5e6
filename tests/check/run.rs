//! The command itself: classes, exit codes, forms, and poor surroundings.

use std::process::{Command, Output, Stdio};

use ptyscope::check::checkup::Checkup;
use ptyscope::check::entry::ARGUMENT;
use ptyscope::check::runner::exit_code;
use ptyscope::check::{Tier, format};
use ptyscope::report::{Outcome, Report};

use super::wait::wait_for;
use super::*;

pub fn ptyscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.arg("check").stdin(Stdio::null());
    command
}

/// What a report in JSON found.
pub fn checkup(json: &[u8]) -> Result<Checkup, String> {
    let report: Report = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    match report.result {
        Outcome::Check(checkup) => Ok(checkup),
        other => Err(format!("{other:?}")),
    }
}

fn output(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

#[test]
fn a_check_that_never_ends_is_told_and_the_run_goes_on() {
    let mut checks: Vec<_> = ["canon.eof", "sti"].into_iter().filter_map(find).collect();
    checks.sort_by_key(|check| check.id);
    let stuck = vec![Fault::new("tcgetattr", Effect::Hang)];
    let mut seen = Vec::new();
    let findings = runner::run(
        &checks,
        &settings(Duration::from_millis(50), stuck),
        |event| {
            if let runner::Event::Finished(check, _) = event {
                seen.push(check.id);
            }
        },
    );
    assert_eq!(seen.len(), 2);
    assert_eq!(findings[0].id, "canon.eof");
    for finding in &findings {
        let outcome = &finding.outcome;
        assert_eq!(outcome.class, Class::Hang, "{finding:?}");
        let got = outcome.got.as_deref().unwrap_or_default();
        assert!(
            got.contains("in state S") && got.contains("killed"),
            "{got}"
        );
    }
    assert_eq!(exit_code(&findings, false), 1);
}

#[test]
fn a_check_whose_process_dies_fails() {
    let outcome = run(
        "canon.eof",
        Duration::from_secs(5),
        vec![Fault::new("tcgetattr", Effect::Die)],
    )
    .outcome;
    assert_eq!(outcome.class, Class::Fail);
    assert!(outcome.got.unwrap().contains("signal"));
}

#[test]
fn a_program_that_is_not_there_skips_all() {
    let settings = Settings {
        program: PathBuf::from("/nonexistent/ptyscope"),
        ..settings(Duration::from_secs(1), Vec::new())
    };
    let checks: Vec<_> = find("sti").into_iter().collect();
    let findings = runner::run(&checks, &settings, |_| {});
    assert_eq!(findings[0].outcome.class, Class::Skip);
    assert_eq!(exit_code(&findings, false), 4);
}

#[test]
fn repeats_are_counted_and_the_worst_is_told() {
    let settings = Settings {
        repeat: 3,
        ..settings(Duration::from_secs(5), Vec::new())
    };
    let checks: Vec<_> = find("canon.eof").into_iter().collect();
    let finding = runner::run(&checks, &settings, |_| {}).pop().unwrap();
    assert_eq!((finding.runs, finding.alike), (3, 3));
    assert_eq!(finding.outcome.class, Class::Pass);
}

#[test]
fn speed_fails_only_when_it_was_asked_for() {
    let gates = Gates {
        max_p99_ns: Some(1),
        min_rate: Some(u64::MAX),
    };
    let settings = Settings {
        gates,
        ..settings(Duration::from_secs(5), Vec::new())
    };
    let checks: Vec<_> = ["lat.rtt", "thr.step"]
        .into_iter()
        .filter_map(find)
        .collect();
    for finding in runner::run(&checks, &settings, |_| {}) {
        assert_eq!(finding.outcome.class, Class::Fail);
        assert!(finding.outcome.expected.unwrap().contains("asked for"));
    }
}

#[test]
fn a_risky_check_waits_for_leave() {
    let check = find("canon.extproc").unwrap();
    let era = check.risky.unwrap();
    // The running kernel decides, so only the era itself can be seen here.
    assert!(era.covers("4.8.0".parse().unwrap()) && !era.covers("4.15.0".parse().unwrap()));
}

#[test]
fn exit_codes_and_usage() {
    for (arguments, code) in [
        (vec!["--only", "canon.eof"], 0),
        (vec!["--only", "nosuch.*"], 2),
        (vec!["--explain", "nosuch"], 2),
        (vec!["--deadline", "0"], 2),
        (vec!["--deadline", "1h"], 2),
        (vec!["--jobs", "0"], 2),
        (vec!["--only", "canon.eof", "--skip", "canon.*"], 4),
        (vec!["--list"], 0),
        (
            vec!["--only", "canon.eof", "-o", "/nonexistent/dir/file"],
            1,
        ),
    ] {
        let (got, _, stderr) = output(ptyscope().args(&arguments));
        assert_eq!(got, code, "{arguments:?}: {stderr}");
    }
}

#[test]
fn list_and_explain_speak_of_every_check() {
    let (_, list, _) = output(ptyscope().arg("--list"));
    let (_, text, _) = output(ptyscope().args(["--explain", "*"]));
    for check in all() {
        assert!(
            list.lines()
                .any(|line| line.split_whitespace().next() == Some(check.id)),
            "{}",
            check.id
        );
        assert!(
            text.contains(&format!("{}: {}", check.id, check.title)),
            "{}",
            check.id
        );
        assert!(
            !check.sources.is_empty() && !check.means.is_empty(),
            "{}",
            check.id
        );
        assert!(
            !check.does.is_empty() && !check.expects.is_empty(),
            "{}",
            check.id
        );
    }
    let first = all().filter(|check| check.tier == Tier::First).count();
    assert_eq!((first, all().count()), (61, 95));
}

#[test]
fn ids_are_unique() {
    let mut ids: Vec<_> = all().map(|check| check.id).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn the_table_in_the_documentation_is_the_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/checks.md");
    if std::env::var_os("PTYSCOPE_WRITE_TABLE").is_some() {
        std::fs::write(path, format::table()).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        written == format::table(),
        "assets/checks.md is out of step: PTYSCOPE_WRITE_TABLE=1 cargo test --test check table"
    );
}

#[test]
fn json_reads_back_and_counts() {
    let (code, json, stderr) = output(ptyscope().args(["--only", "canon.*", "--format", "json"]));
    assert_eq!(code, 0, "{stderr}");
    let report = checkup(json.as_bytes()).unwrap();
    assert_eq!(
        report.checks.len(),
        all().filter(|check| check.id.starts_with("canon.")).count()
    );
    assert_eq!(report.counts.pass + report.counts.skip, report.checks.len());
    let first = &report.checks[0];
    assert_eq!(
        (first.finding.id.as_str(), first.title.is_empty()),
        ("canon.partial", false)
    );
    assert!(!first.sources.is_empty());
}

/// A report with an outcome of each class.
fn mixed(strict_env: bool) -> Checkup {
    let classes = [
        ("open.ptmx", Class::Pass),
        ("open.locked", Class::Fail),
        ("canon.4095", Class::Skip),
        ("canon.eof", Class::Skip),
        ("flow.xoff-full", Class::Known),
        ("close.drain", Class::Hang),
        ("env.mounts", Class::Env),
    ];
    let findings = classes.map(|(id, class)| {
        let check = find(id).unwrap();
        Finding {
            id: id.to_owned(),
            group: check.group,
            tier: check.tier,
            outcome: ptyscope::check::Outcome {
                class,
                expected: Some("one # two".to_owned()),
                got: Some("three\nfour".to_owned()),
                known: None,
            },
            runs: 1,
            alike: 1,
            ms: 1,
        }
    });
    let settings = settings(Duration::from_secs(5), Vec::new());
    let terms = ptyscope::check::checkup::Terms::of(&settings, strict_env, 7);
    Checkup::new(terms, findings.into())
}

#[test]
fn ktap_of_every_class() {
    let ktap = format::ktap(&mixed(false));
    let wanted = "\
KTAP version 1
1..5
  KTAP version 1
  # Subtest: open
  1..2
  # open.ptmx: expected: one no. two
  # open.ptmx: got: three four
  ok 1 open.ptmx
  # open.locked: expected: one no. two
  # open.locked: got: three four
  not ok 2 open.locked
not ok 1 open
  KTAP version 1
  # Subtest: name
  1..1
  # env.mounts: expected: one no. two
  # env.mounts: got: three four
  ok 1 env.mounts # SKIP environment: three four
ok 2 name # SKIP nothing of it could be checked
  KTAP version 1
  # Subtest: canon
  1..2
  # canon.4095: expected: one no. two
  # canon.4095: got: three four
  ok 1 canon.4095 # SKIP three four
  # canon.eof: expected: one no. two
  # canon.eof: got: three four
  ok 2 canon.eof # SKIP three four
ok 3 canon # SKIP nothing of it could be checked
  KTAP version 1
  # Subtest: flow
  1..1
  # flow.xoff-full: expected: one no. two
  # flow.xoff-full: got: three four
  ok 1 flow.xoff-full # XFAIL documented behaviour of this kernel
ok 4 flow
  KTAP version 1
  # Subtest: close
  1..1
  # close.drain: expected: one no. two
  # close.drain: got: three four
  not ok 1 close.drain # TIMEOUT
not ok 5 close
";
    assert_eq!(ktap, wanted);
    assert!(format::ktap(&mixed(true)).contains("\n  not ok 1 env.mounts\nnot ok 2 name\n"));
}

#[test]
fn the_summary_tells_what_a_failure_means() {
    let text = format::summary(&mixed(false));
    for wanted in [
        "FAIL open.locked: a slave cannot be opened before it is unlocked\n  expected  one # two\n",
        "  means     Another process can take the slave",
        "HANG close.drain",
        "KNOWN flow.xoff-full",
        "7 checks in 0.0 s: 1 pass, 1 fail, 1 known, 1 env, 2 skip, 1 hang",
    ] {
        assert!(text.contains(wanted), "{wanted:?} is not in\n{text}");
    }
}

#[test]
fn files_are_written_as_their_names_say_and_quiet_is_quiet() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (json, markdown, tap) = (path("a.json"), path("a.md"), path("a.tap"));
    let arguments = ["--only", "canon.eof", "--format", "ktap", "-q"];
    let mut command = ptyscope();
    command
        .args(arguments)
        .args(["-o", &json, "-o", &markdown, "-o", &tap]);
    assert_eq!(output(&mut command), (0, String::new(), String::new()));
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(checkup(read(&json).as_bytes()).unwrap().checks.len(), 1);
    assert!(read(&markdown).contains("| canon.eof | pass | 1 of 1 |"));
    assert!(read(&tap).starts_with("KTAP version 1\n1..1\n"));
}

#[test]
fn text_is_written_line_by_line_and_then_summed_up() {
    let (code, text, _) = output(ptyscope().args(["--only", "canon.eof"]));
    assert_eq!(code, 0);
    let starts: Vec<_> = text
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(starts, ["kernel", "machine", "ptys", "pass", "1"], "{text}");
}

#[test]
fn a_halt_kills_what_runs_and_starts_no_more() {
    let stuck = vec![Fault::new("tcgetattr", Effect::Hang)];
    let checks: Vec<_> = ["canon.eof", "sti"].into_iter().filter_map(find).collect();
    let settings = Settings {
        jobs: 1,
        ..settings(Duration::from_secs(600), stuck)
    };
    let halt = runner::Halt::default();
    let mut started = 0;
    let findings = runner::run_until(&checks, &settings, &halt, |_| {
        started += 1;
        halt.halt();
    });
    assert_eq!(findings, []);
    assert_eq!(started, 1);
}

#[test]
fn a_check_whose_runner_is_gone_does_nothing() {
    let run = |runner: u32| {
        let order = serde_json::json!({
            "runner": runner, "id": "open.ptmx", "deadline_ms": 1000, "seed": 1
        });
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
        command.args([ARGUMENT, &order.to_string()]);
        command.output().unwrap()
    };
    let here = run(std::process::id());
    assert!(here.status.success() && !here.stdout.is_empty());
    // Process 1 did not start it.
    let orphan = run(1);
    assert!(!orphan.status.success() && orphan.stdout.is_empty());
}

#[test]
fn one_that_is_interrupted_reports_what_it_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mut child = ptyscope()
        .args(["--only", "open.*", "--repeat", "1000000", "-o"])
        .arg(&path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Its checks' processes are there, so it listens to signals.
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let threads = format!("/proc/{}/task", child.id());
    let is_busy = || {
        let threads = std::fs::read_dir(&threads).map_or(0, Iterator::count);
        let here = std::fs::read_to_string(&children).unwrap_or_default();
        (threads > 1 || !here.is_empty()).then_some(())
    };
    wait_for("the first check", is_busy, String::new);
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let report = Report::read(&path).unwrap();
    assert_eq!(report.cut_short.as_deref(), Some("interrupted by a signal"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
