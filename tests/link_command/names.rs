//! Names, flags, and how it ends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::running::{Link, PTYSCOPE, open, ptyscope, wait};

#[test]
fn every_signal_that_ends_it_takes_the_names_away() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let (text, code) = Link::start(&[]).end(signal);
        assert_eq!(code, Some(0), "{signal}");
        assert!(text.contains("A to B"), "{text}");
    }
}

#[test]
fn a_killed_one_leaves_stale_names_that_the_next_takes() {
    let link = Link::start(&[]);
    let names = [link.path("a"), link.path("b")];
    let mut link = link;
    link.child.kill().unwrap();
    link.child.wait().unwrap();
    assert!(names.iter().all(|name| name.is_symlink()));
    let second = Command::new(PTYSCOPE)
        .arg("link")
        .args(&names)
        .args(["--duration", "10ms"])
        .output()
        .unwrap();
    // Unless the number has been given out again meanwhile, which is told.
    let stderr = String::from_utf8_lossy(&second.stderr);
    assert!(
        second.status.success() || stderr.contains("a pty in use"),
        "{stderr}"
    );
}

#[test]
fn names_that_cannot_be_had_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    fs::write(at("file"), "precious").unwrap();
    let long = at(&"x".repeat(300));
    for (a, b, word) in [
        (at("file"), at("b"), "regular file"),
        (at("none/a"), at("b"), "directory must exist"),
        (long, at("b"), "ENAMETOOLONG"),
        (at("a"), at("a"), "both names"),
        ("/dev/null".to_owned(), at("b"), "device"),
    ] {
        let output = ptyscope(&["link", "--force", "--duration", "10ms", &a, &b]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(word), "{stderr}");
    }
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "precious");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn many_links_have_numbered_names() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let mut child = Command::new(PTYSCOPE)
        .args(["link", &at("a"), &at("b"), "--pairs", "3"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"));
    for number in 0..3 {
        let mut a = open(Path::new(&at(&format!("a-{number}"))));
        let path = at(&format!("b-{number}"));
        assert!(fs::metadata(&path).unwrap().file_type().is_char_device());
        a.write_all(&[number]).unwrap();
        let mut got = [0xFF];
        open(Path::new(&path)).read_exact(&mut got).unwrap();
        assert_eq!(got, [number]);
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    wait(&mut child, "the end");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn bad_flags_are_told_and_are_usage_errors() {
    for (flags, word) in [
        (&["link", "--baud", "0"][..], "50 to"),
        (&["link", "--baud", "fast"], "a speed"),
        (&["link", "--frame", "9N1"], "a frame"),
        (&["link", "--drop", "1.5"], "0 to 1"),
        (&["link", "--flip=-1"], "0 to 1"),
        (&["link", "--latency", "2m"], "out of range"),
        (&["link", "--mode", "9"], "octal"),
        (&["link", "--group", "no such group"], "no group"),
        (&["link", "--busy-poll", "1s"], "out of range"),
        (&["link", "--pairs", "65"], "64"),
        (&["link", "one-name"], "2 values"),
        (&["link", "--pairs", "2", "--dump", "x"], "one link only"),
        (&["xmodem", "--size", "0"], "1 to"),
        (&["xmodem", "--on", "/tmp/a"], "comma"),
        (
            &["xmodem", "--on", "/a,/b", "--baud", "9600"],
            "cannot be used with",
        ),
    ] {
        let output = ptyscope(flags);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {stderr}");
        assert!(stderr.contains(word), "{flags:?}: {stderr}");
    }
}

/// What a running link says on standard error of its name `a` after `act`.
fn said_of_a(act: impl FnOnce(&Link)) -> (String, Link) {
    // One that says nothing ends, and with it the wait for its words.
    let mut link = Link::start(&["--duration", "1m"]);
    let stderr = link.child.stderr.take().unwrap();
    act(&link);
    let said = BufReader::new(stderr).lines().next().unwrap().unwrap();
    let name = link.path("a").display().to_string();
    assert!(said.contains(&format!("the name {name} ")), "{said}");
    (said, link)
}

#[test]
fn a_name_that_another_link_takes_by_force_is_missed_and_left_to_it() {
    let mut other = None;
    let (said, mut first) = said_of_a(|first| {
        let child = Command::new(PTYSCOPE)
            .args(["link", "--force"])
            .args([first.path("a"), first.path("c")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        other = Some(child);
    });
    let taken = fs::read_link(first.path("a")).unwrap();
    let words = format!("was taken over: it leads to {}", taken.display());
    assert!(said.contains(&words), "{said}");
    let (a, b) = (first.path("a"), first.path("b"));
    let (text, _) = first.stop(Signal::SIGTERM);
    assert!(
        text.contains(&format!("A's name {} {words}", a.display())),
        "{text}"
    );
    // It takes away what is its own only.
    assert_eq!(fs::read_link(&a).unwrap(), taken);
    assert!(!b.is_symlink());
    let mut other = other.unwrap();
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_name_that_is_removed_moved_or_replaced_is_missed() {
    type Act = fn(&Link);
    let acts: [(Act, &str); 4] = [
        (
            |link| fs::remove_file(link.path("a")).unwrap(),
            "was removed",
        ),
        (
            |link| fs::rename(link.path("a"), link.path("z")).unwrap(),
            "was removed",
        ),
        (
            |link| {
                std::os::unix::fs::symlink("/dev/null", link.path("n")).unwrap();
                fs::rename(link.path("n"), link.path("a")).unwrap();
            },
            "it leads to /dev/null",
        ),
        (
            |link| {
                fs::write(link.path("f"), "precious").unwrap();
                fs::rename(link.path("f"), link.path("a")).unwrap();
            },
            "what is no symlink",
        ),
    ];
    for (act, words) in acts {
        let (said, mut link) = said_of_a(act);
        assert!(said.contains(words), "{said}");
        let before = fs::read_dir(link.directory.path()).unwrap().count();
        let (text, _) = link.stop(Signal::SIGTERM);
        assert!(text.contains(words), "{text}");
        // Only the other name was its own still.
        assert_eq!(
            fs::read_dir(link.directory.path()).unwrap().count(),
            before - 1
        );
    }
}
