//! What a pty may be called, and what is none.

use ptyscope::pty::Mode;

use super::looked::{Pty, command, report_of, run};

#[test]
fn every_form_of_a_name_means_the_same() {
    let pty = Pty::new(Mode::RAW);
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("modem");
    std::os::unix::fs::symlink(pty.path(), &link).unwrap();
    let link = link.to_str().unwrap();
    for name in [&pty.index, &pty.path(), &format!("pts/{}", pty.index), link] {
        let seen = report_of(command(&[name, "--json"]));
        assert_eq!(seen["ptys"][0]["path"], pty.path(), "{name}");
    }
    let names = [&pty.index, &pty.path(), link, "--json"];
    let seen = report_of(command(&names));
    assert_eq!(seen["ptys"].as_array().unwrap().len(), 1, "one pty, once");
}

#[test]
fn what_is_no_pty_is_refused_by_name() {
    for (name, why) in [
        ("/dev/null", "no slave of a pty"),
        ("/dev/pts/ptmx", "makes a new pty at every open"),
        ("/dev/ptmx", "makes a new pty at every open"),
        ("99999", "ENOENT"),
        ("4294967296", "ENOENT"),
        ("/nowhere/at/all", "ENOENT"),
        ("/", "no slave of a pty"),
        ("a\u{1b}[2J", "ENOENT"),
    ] {
        let output = run(&[name]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {told}");
        assert!(output.stdout.is_empty(), "{name}");
        assert!(told.contains(why), "{name}: {told}");
        assert!(!told.contains('\u{1b}'), "{told:?}");
    }
}

#[test]
fn those_that_are_ptys_are_shown_beside_those_that_are_none() {
    let pty = Pty::new(Mode::RAW);
    let output = run(&["/dev/null", &pty.index]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/null"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with(&format!("{}: ", pty.path())), "{text}");
}

#[test]
fn processes_without_ptys_and_those_that_are_none() {
    // No process has a number as high as that (PID_MAX_LIMIT).
    let output = run(&["--pid", "4194999"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("there is no such process"), "{told}");
    for wrong in ["0", "-1", "x"] {
        let output = run(&["--pid", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}
