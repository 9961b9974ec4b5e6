//! What it tells: reports and traces, and that it is silent otherwise.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use super::running::{Link, PTYSCOPE, have, ptyscope, wait};
use super::skip::skip;
use super::wait::{DEADLINE, wait_for};

#[test]
fn intervals_are_lines_of_json_and_the_last_is_the_summary() {
    let link = Link::start(&["--json", "--interval", "20ms", "--duration", "200ms"]);
    let mut a = link.open("a");
    a.write_all(b"hello").unwrap();
    link.open("b").read_exact(&mut [0; 5]).unwrap();
    let mut link = link;
    let status = wait(&mut link.child, "the duration");
    assert!(status.success());
    let mut text = String::new();
    link.stdout.read_to_string(&mut text).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, intervals) = lines.split_last().unwrap();
    assert_eq!(summary["kind"], "summary");
    assert!(intervals.len() > 1);
    assert!(intervals.iter().all(|line| line["kind"] == "interval"));
    let passed = |line: &Value| line["links"][0]["ways"][0]["passed"].as_u64().unwrap();
    assert_eq!(passed(summary), 5);
    assert_eq!(intervals.iter().map(passed).sum::<u64>(), 5);
    // This test is the only client, if it was there yet at the first look.
    let clients = intervals[0]["links"][0]["ends"][0]["clients"].as_array();
    let own = u64::from(std::process::id());
    assert!(clients.unwrap().iter().all(|client| client["pid"] == own));
}

#[test]
fn a_client_that_is_gone_is_told_as_the_last_one() {
    let mut link = Link::start(&["--json", "--interval", "20ms"]);
    let mut client = Command::new("sleep")
        .arg("600")
        .stdin(link.open("a"))
        .spawn()
        .unwrap();
    let pid = u64::from(client.id());
    let mut next = || {
        let mut line = String::new();
        assert!(link.stdout.read_line(&mut line).unwrap() > 0);
        serde_json::from_str::<Value>(&line).unwrap()["links"][0]["ends"][0].clone()
    };
    let has = |list: &Value| {
        let mut clients = list.as_array().unwrap().iter();
        clients.any(|client| client["pid"] == pid && client["program"] == "sleep")
    };
    let until = Instant::now() + DEADLINE;
    loop {
        let end = next();
        if has(&end["clients"]) {
            assert_eq!(end["attached"], true);
            break;
        }
        assert!(Instant::now() < until, "{end}");
    }
    client.kill().unwrap();
    client.wait().unwrap();
    loop {
        let end = next();
        if end["attached"] == false {
            assert_eq!(end["clients"], Value::Array(Vec::new()));
            break;
        }
        assert!(Instant::now() < until, "{end}");
    }
    let summary = link.summary();
    let end = &summary["links"][0]["ends"][0];
    assert_eq!(end["attached"], false);
    assert_eq!(end["clients"], Value::Array(Vec::new()));
    assert!(has(&end["last_clients"]), "{end}");
}

/// A line of JSON is text; a name need not be.
#[test]
fn names_that_are_no_text_are_told_in_json() {
    let directory = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"tty\xffS0");
    for flags in [&["--json"][..], &["--record", "run"]] {
        let output = Command::new(PTYSCOPE)
            .args(["link", "--duration", "50ms"])
            .args(flags)
            .args([name, OsStr::new("b")])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        assert_eq!(stderr, "");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("tty\u{fffd}S0"), "{text}");
    }
    let replayed = ptyscope(&["replay", directory.path().join("run").to_str().unwrap()]);
    assert!(replayed.status.success());
}

/// A silence of so long tells that what came before is over.
const SETTLED: Duration = Duration::from_millis(300);
/// How long nobody may wake up then, however seldom.
const IDLE: Duration = Duration::from_millis(2500);
/// How often something else may come between.
const TRIES: u32 = 4;

/// How often each thread of a process has gone to sleep.
fn switches(pid: u32) -> Vec<(PathBuf, String)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .map(|task| {
            let task = task.unwrap().path();
            let status = fs::read_to_string(task.join("status")).unwrap();
            let mut lines = status.lines();
            let switches = lines.find(|line| line.starts_with("voluntary_ctxt_switches"));
            (task, switches.unwrap().to_owned())
        })
        .collect()
}

#[test]
fn an_idle_link_wakes_no_thread() {
    let link = Link::start(&[]);
    // Both ends open, one, and none: a closed end must not be polled.
    for open in [&["a", "b"][..], &["a"], &[]] {
        let clients: Vec<_> = open.iter().map(|name| link.open(name)).collect();
        if let [mut a, mut b] = clients.iter().collect::<Vec<_>>()[..] {
            a.write_all(b"x").unwrap();
            b.read_exact(&mut [0]).unwrap();
        }
        let is_idle = |time| {
            let before = switches(link.child.id());
            std::thread::sleep(time);
            switches(link.child.id()) == before
        };
        let is_idle_for_long = |_| {
            let settled = || is_idle(SETTLED).then_some(());
            wait_for("a silence", settled, || format!("with {open:?} open"));
            is_idle(IDLE)
        };
        let is_idle = (0..TRIES).any(is_idle_for_long);
        assert!(is_idle, "never idle with {open:?} open");
    }
}

/// What tshark makes of the trace.
#[test]
fn wireshark_reads_the_trace() {
    if !have(&["tshark"]) {
        return;
    }
    let link = Link::start(&["--pcap", "trace.pcap", "--dump", "trace.txt"]);
    let (mut a, mut b) = (link.open("a"), link.open("b"));
    a.write_all(b"there").unwrap();
    b.read_exact(&mut [0; 5]).unwrap();
    b.write_all(b"back").unwrap();
    a.read_exact(&mut [0; 4]).unwrap();
    let trace = tempfile::tempdir().unwrap();
    let pid = Pid::from_raw(link.child.id() as i32);
    let mut link = link;
    kill(pid, Signal::SIGTERM).unwrap();
    wait(&mut link.child, "the end");
    let kept = trace.path().join("trace.pcap");
    fs::copy(link.path("trace.pcap"), &kept).unwrap();
    let output = Command::new("tshark")
        .args([
            "-T",
            "fields",
            "-e",
            "rtacser.eventtype",
            "-e",
            "data.data",
            "-r",
        ])
        .arg(&kept)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let types: Vec<_> = text
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(types, ["0x01", "0x02"], "{text}");
    let dump = fs::read_to_string(link.path("trace.txt")).unwrap();
    assert!(dump.contains("A>B     5  74 68 65 72 65"), "{dump}");
}

#[test]
fn a_full_disk_ends_the_trace_and_not_the_line() {
    if !nix::unistd::geteuid().is_root() {
        skip("only root can mount a small tmpfs", "run as root");
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(disk.path())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        skip("cannot mount a tmpfs here", "run where mount(2) is allowed");
        return;
    }
    let trace = disk.path().join("trace");
    let mut link = Link::start(&["--dump", trace.to_str().unwrap()]);
    let (mut a, mut b) = (link.open("a"), link.open("b"));
    let mut stderr = BufReader::new(link.child.stderr.take().unwrap()).lines();
    for _ in 0..100 {
        a.write_all(&[b'x'; 4000]).unwrap();
        b.read_exact(&mut [0; 4000]).unwrap();
    }
    let said = stderr.next().unwrap().unwrap();
    a.write_all(b"on").unwrap();
    b.read_exact(&mut [0; 2]).unwrap();
    drop((a, b));
    link.end(Signal::SIGTERM);
    let umounted = Command::new("umount").arg(disk.path()).status();
    assert!(umounted.is_ok_and(|status| status.success()));
    assert!(said.contains("No space left"), "{said}");
    assert!(said.contains("the line goes on"), "{said}");
}
