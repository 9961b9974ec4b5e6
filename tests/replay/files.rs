//! Without a screen: reports, lines, snapshots, and what goes wrong.

use std::fs;
use std::io::Read;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use ptyscope::record;
use serde_json::Value;

use super::wait::wait_for;
use super::{EASY, command, ok, ptyscope, text};

#[test]
fn the_report_of_a_recording_is_that_of_its_run() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = ok(
        at,
        &format!("bench {EASY} -d 700ms --json --record a.rec.gz"),
    );
    let replay = ok(at, "replay a.rec.gz --format json");
    let [run, replay]: [Value; 2] = [run, replay].map(|text| serde_json::from_str(&text).unwrap());
    assert_eq!(run["host"], replay["host"]);
    assert_eq!(run["command"], replay["command"]);
    let [run, replay] = [run, replay].map(|report| report["result"]["bench"].clone());
    for key in ["settings", "loops", "prefilled"] {
        assert_eq!(run[key], replay[key], "{key}");
    }
    let [mut run, mut replay] = [run, replay].map(|bench| bench["pty"].clone());
    assert!(run["bytes"].as_u64() > Some(10_000), "{run}");
    // Of sums over many samples the quantiles lie near, the rest is the same.
    for side in ["writer", "reader"] {
        for report in [&mut run, &mut replay] {
            report["flows"][0][side]["call_time"].take();
        }
    }
    assert_eq!(run, replay);
    for format in ["text", "csv", "markdown"] {
        let report = ok(at, &format!("replay a.rec.gz --format {format}"));
        assert!(report.contains("256"), "{report}");
    }
}

#[test]
fn a_run_ends_as_it_stood_before_what_was_left_was_read() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let lines = ok(at, "--preset stuck --plain -d 1s --record a.rec");
    let recorded = record::read(&at.join("a.rec")).unwrap();
    let last = recorded.samples().next_back().unwrap();
    let of_last = last.flows[0].totals;
    assert!(last.counts(), "{last:?}");
    assert!(of_last.in_flight > 0 && of_last.read == 0, "{of_last:?}");
    if let Some(line) = lines.lines().find(|line| line.starts_with("at ")) {
        assert!(!line.contains("in flight 0 B"), "{line}");
    }
    // What was left belongs to the account of all bytes.
    let report: Value = serde_json::from_str(&ok(at, "replay a.rec --format json")).unwrap();
    let pty = &report["result"]["bench"]["pty"];
    let totals = &pty["flows"][0]["totals"];
    assert_eq!(totals["in_flight"], 0, "{totals}");
    assert_eq!(totals["read"], totals["written"], "{totals}");
    assert_eq!(pty["integrity"]["verified"], totals["read"], "{pty}");
    assert_eq!(pty["bytes"], 0, "{pty}");
    ok(at, "--preset stuck -d 1s --snapshot a.txt --view kernel");
    let screen = fs::read_to_string(at.join("a.txt")).unwrap();
    let mut in_flight = screen.lines().filter(|line| line.starts_with("in flight"));
    let in_flight = in_flight.next().unwrap();
    assert!(!in_flight.contains(" 0 B"), "{screen}");
}

#[test]
fn lines_come_without_waiting() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = ok(
        at,
        &format!("--plain {EASY} -d 2500ms --caption Look --record a.rec"),
    );
    let replay = ok(at, "replay a.rec");
    let (title, lines) = replay.split_once('\n').unwrap();
    assert!(title.starts_with("recording: 2"), "{title}");
    // Quantiles of a second's samples lie near those of the run.
    let exact = |lines: &str| -> Vec<String> {
        let exact = lines
            .lines()
            .map(|line| line.split("; write median").next());
        exact.map(|line| line.unwrap().to_owned()).collect()
    };
    assert_eq!(exact(&run), exact(lines));
    assert!(run.lines().count() > 3, "{run}");
    assert!(lines.contains("caption: Look"), "{lines}");
    let later = ok(at, "replay a.rec --at 1500ms");
    assert!(!later.contains("at 1.0 s"), "{later}");
}

#[test]
fn a_link_is_recorded_too() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let run = ok(at, "link -d 600ms --json --record a.rec.gz");
    let summary = run.lines().last().unwrap();
    let replay = ok(at, "replay a.rec.gz --format json");
    let [run, replay]: [Value; 2] =
        [summary, &replay].map(|text| serde_json::from_str(text).unwrap());
    for key in ["kind", "line", "calls", "links"] {
        assert_eq!(run[key], replay[key], "{key}");
    }
    ok(at, "replay a.rec.gz --snapshot a.txt --size 80x24");
    let screen = fs::read_to_string(at.join("a.txt")).unwrap();
    assert!(screen.contains("[link]"), "{screen}");
    let output = ptyscope(at, "replay a.rec.gz --format csv");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_recording_is_never_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    fs::write(at.join("a.rec"), "mine").unwrap();
    for run in ["--plain", "bench", "link"] {
        let output = ptyscope(at, &format!("{run} -d 100ms --record a.rec"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("a.rec is there already"), "{said}");
    }
    assert_eq!(fs::read(at.join("a.rec")).unwrap(), b"mine");
}

#[test]
fn on_a_full_disk_the_run_goes_on_and_fails_in_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for run in [
        format!("--plain {EASY} -d 1500ms"),
        format!("bench {EASY} -d 300ms"),
        "link -d 300ms".to_owned(),
    ] {
        let output = ptyscope(at, &format!("{run} --record /dev/full"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{run}: {said}");
        let mut lines = said.lines().filter(|line| line.contains("has stopped"));
        let line = lines.next().unwrap();
        assert!(line.contains("ENOSPC"), "{said}");
        assert!(line.contains("nothing of it can be replayed"), "{said}");
        assert_eq!(lines.next(), None, "{said}");
        assert!(!output.stdout.is_empty(), "{run}");
    }
}

#[test]
fn what_came_before_a_recording_stopped_can_be_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (run, name) in [("--plain", "a"), ("bench", "b")] {
        // A FIFO takes as much as its reader does, and then says EPIPE.
        let fifo = at.join(name);
        mkfifo(&fifo, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
        let kept = at.join(format!("{name}.rec"));
        let reader = std::thread::spawn(move || {
            let mut first = vec![0; 8192];
            let mut file = fs::File::open(fifo).unwrap();
            file.read_exact(&mut first).unwrap();
            fs::write(kept, first).unwrap();
        });
        let output = ptyscope(at, &format!("{run} {EASY} -d 4s --record {name}"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{run}: {said}");
        let mut lines = said.lines().filter(|line| line.contains("has stopped"));
        let line = lines.next().unwrap();
        assert!(line.contains("EPIPE"), "{said}");
        assert!(line.contains("what came before can be replayed"), "{said}");
        assert_eq!(lines.next(), None, "{said}");
        reader.join().unwrap();
        assert!(ok(at, &format!("replay {name}.rec")).contains("recording: "));
    }
}

/// Kills a run once some of its recording can be read.
fn killed(at: &Path, name: &str) {
    let arguments = format!("--plain {EASY} --record {name}");
    let mut child = command(at, &arguments).spawn().unwrap();
    let path = at.join(name);
    let pid = Pid::from_raw(child.id() as i32);
    let readable = || record::read(&path).map_or(0, |read| read.samples().count());
    wait_for(
        "samples",
        || (readable() > 12).then_some(()),
        || readable().to_string(),
    );
    kill(pid, Signal::SIGKILL).unwrap();
    child.wait().unwrap();
}

#[test]
fn what_a_killed_run_leaves_can_be_replayed() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for name in ["a.rec", "b.rec.gz"] {
        killed(at, name);
        let output = ptyscope(at, &format!("replay {name} --format json"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("cut off"), "{said}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let cut_short = report["cut_short"].as_str().unwrap();
        assert!(cut_short.contains("cut off"), "{cut_short}");
        let visits = report["result"]["bench"]["pty"]["visits"].as_array();
        assert!(visits.unwrap().len() > 10, "{name}");
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    for (name, bytes, word) in [
        ("empty", &b""[..], "empty"),
        ("script", b"#!/bin/sh\n", "no recording"),
        ("gzip", b"\x1f\x8b\x08\x00\x00", "no recording"),
        ("future", b"{\"ptyscope_recording\":99}\n", "format 99"),
        ("binary", &[0xff; 9000], "no recording"),
    ] {
        fs::write(at.join(name), bytes).unwrap();
        for how in ["", "--format json", "--snapshot x.svg"] {
            let output = ptyscope(at, &format!("replay {name} {how}"));
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains(name) && said.contains(word), "{said}");
        }
    }
    let output = ptyscope(at, "replay absent");
    assert!(text(&output.stderr).contains("ENOENT"));
    assert!(!at.join("x.svg").exists());
}

#[test]
fn a_damaged_recording_is_reported_up_to_there_with_exit_code_1() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    ok(at, &format!("bench {EASY} -d 1500ms -q --record a.rec"));
    let path = at.join("a.rec");
    let lines = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = lines.lines().collect();
    lines[9] = "{\"next\":[[1,2],[]]}";
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    for how in ["--format json", "", "--snapshot a.svg"] {
        let output = ptyscope(at, &format!("replay a.rec {how}"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("damaged at line 10"), "{said}");
    }
    let mut picture = String::new();
    let mut file = fs::File::open(at.join("a.svg")).unwrap();
    file.read_to_string(&mut picture).unwrap();
    assert!(picture.ends_with("</svg>\n"));
}

#[test]
fn the_picture_in_assets_is_that_of_the_recording_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let arguments = "--at 23500ms --size 110x36 --snapshot";
    let recording = assets.join("demo.rec.gz");
    let made = |name: &str| {
        let arguments = format!("replay {} {arguments} {name}", recording.display());
        ok(directory.path(), &arguments);
        fs::read_to_string(directory.path().join(name)).unwrap()
    };
    insta::assert_snapshot!("demo", made("screen.txt"));
    let kept = fs::read_to_string(assets.join("screen.svg")).unwrap();
    let advice = "cargo run -- replay assets/demo.rec.gz";
    assert!(
        made("screen.svg") == kept,
        "assets/screen.svg differs; `{advice} {arguments} assets/screen.svg` makes it anew"
    );
}

#[test]
fn a_snapshot_needs_no_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    ok(
        at,
        &format!("{EASY} -d 700ms --snapshot a.txt --record a.rec"),
    );
    let screen = fs::read_to_string(at.join("a.txt")).unwrap();
    assert_eq!(screen.lines().count(), 40);
    assert!(
        screen.contains("chunk 256") && screen.contains(" REC "),
        "{screen}"
    );
    ok(
        at,
        "replay a.rec --snapshot b.txt --size 80x24 --view kernel --at 1m",
    );
    let screen = fs::read_to_string(at.join("b.txt")).unwrap();
    assert_eq!(screen.lines().count(), 24);
    assert!(screen.contains("[kernel]"), "{screen}");
    // As that of the live run it is of the end.
    let drawn = |when: &str| {
        ok(at, &format!("replay a.rec --snapshot e.txt {when}"));
        fs::read_to_string(at.join("e.txt")).unwrap()
    };
    assert_eq!(drawn(""), drawn("--at 1m"));
    assert_ne!(drawn(""), drawn("--at 0s"));
    let coloured = ok(at, "replay a.rec --snapshot c.ans");
    assert_eq!(coloured, "");
    assert!(fs::read(at.join("c.ans")).unwrap().starts_with(b"\x1b["));
    for (arguments, word) in [
        ("replay a.rec --snapshot d.png", ".svg"),
        ("replay a.rec --snapshot d.svg --view link", "--view"),
        ("--snapshot d.svg", "--duration"),
        ("replay a.rec --tour seed3", "built in are seed1"),
        ("replay a.rec --caption no", "--caption"),
    ] {
        let output = ptyscope(at, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(word), "{said}");
        assert!(!at.join("d.svg").exists());
    }
}
