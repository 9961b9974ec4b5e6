//! `ptyscope xmodem`.

use std::fs;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::sys::termios::tcgetattr;
use nix::unistd::Pid;
use ptyscope::pty::{End, Mode, Pair};
use serde_json::Value;

use super::running::{Link, PTYSCOPE, ptyscope, wait};
use super::wait::wait_for;

#[test]
fn xmodem_reports_the_transfer_and_its_floor() {
    let output = ptyscope(&["xmodem", "--size", "20000", "--json"]);
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let report = &report["result"]["xmodem"];
    for run in ["transfer", "floor", "bare"] {
        assert_eq!(report[run]["blocks"], 157, "{run}");
        assert_eq!(report[run]["retries"], 0, "{run}");
        assert!(report["blocks"][156][run].is_number(), "{run}");
    }
    assert_eq!(report["blocks"].as_array().unwrap().len(), 157);
    assert_eq!(report["transfer"]["is_sound"], true);
    let link = Link::start(&[]);
    let on = format!("{},{}", link.path("a").display(), link.path("b").display());
    let output = ptyscope(&["xmodem", "--size", "20000", "--block", "1k", "--on", &on]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("The file came as it was"), "{text}");
}

#[test]
fn an_xmodem_that_is_interrupted_reports_what_it_saw() {
    // At this speed the file takes hours.
    let mut child = Command::new(PTYSCOPE)
        .args(["xmodem", "--size", "1M", "--baud", "1200", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // One pty for the floor, then two for the line.
    wait_for(
        "the line",
        || (masters(child.id()) >= 2).then_some(()),
        || format!("{} masters", masters(child.id())),
    );
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let report: Value = serde_json::from_reader(child.stdout.take().unwrap()).unwrap();
    assert_eq!(wait(&mut child, "xmodem to end").code(), Some(1));
    assert_eq!(report["cut_short"], "interrupted by a signal");
    let result = &report["result"]["xmodem"];
    assert_eq!(result["transfer"]["error"], "interrupted");
    assert_eq!(result["transfer"]["is_sound"], Value::Null);
    assert_eq!(result["floor"]["blocks"], 8192);
}

#[test]
fn terminals_are_given_back_whatever_ends_the_transfer() {
    // Linked to nothing: nobody answers.
    let pairs = [(); 2].map(|()| Pair::open(Mode::COOKED).unwrap());
    let slaves = pairs.each_ref().map(Pair::slave_path);
    let found = || pairs.each_ref().map(|pair| tcgetattr(pair.fd(End::Slave)));
    let before = found();
    let on = format!("{},{}", slaves[0].display(), slaves[1].display());
    for signal in [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
    ] {
        let mut child = Command::new(PTYSCOPE)
            .args(["xmodem", "--size", "256", "--timeout", "10m", "--on", &on])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let is_raw = |pair: &Pair| Mode::of(pair.fd(End::Slave)).unwrap() == Mode::RAW;
        let are_raw = || pairs.iter().all(is_raw).then_some(());
        wait_for("raw terminals", are_raw, String::new);
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        assert_eq!(wait(&mut child, "xmodem to end").code(), Some(1));
        assert_eq!(found(), before, "{signal}");
    }
}

#[test]
fn terminals_that_can_be_no_line_are_refused_at_once_by_name() {
    let link = Link::start(&[]);
    let path = |name: &str| link.path(name).display().to_string();
    let slave = fs::read_link(link.path("a")).unwrap();
    let slave = slave.display().to_string();
    for (a, b, code, words) in [
        (path("a"), path("a"), 2, "are one terminal"),
        (path("a"), slave, 2, "are one terminal"),
        (path("a"), "/dev/ptmx".to_owned(), 2, "makes a new pty"),
        (
            path("a"),
            "/dev/null".to_owned(),
            1,
            "/dev/null: ENOTTY (Not a typewriter); it is no terminal",
        ),
        (path("a"), path("none"), 1, "none: ENOENT"),
    ] {
        let output = ptyscope(&["xmodem", "--on", &format!("{a},{b}")]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(stderr.contains(words) && stderr.contains(&b), "{stderr}");
        assert!(output.stdout.is_empty());
    }
}

/// How many masters of ptys a process has open.
fn masters(pid: u32) -> usize {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return 0;
    };
    let targets = entries
        .flatten()
        .filter_map(|fd| fs::read_link(fd.path()).ok());
    targets.filter(|target| target.ends_with("ptmx")).count()
}
