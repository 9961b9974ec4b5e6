//! Who keeps a pty open.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use ptyscope::pty::{Mode, packet_mode};

use super::looked::{
    Program, Pty, command, finding, holder, look, open, report_of, run, sleeper, wait_for_finding,
};

#[test]
fn a_descriptor_that_leaked_into_a_daemon() {
    let mut pty = Pty::new(Mode::COOKED);
    let opened = open(&pty.path());
    let slave = opened.as_raw_fd();
    let mut daemon = Command::new("sleep");
    daemon
        .arg("1000")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    // SAFETY: setsid and dup2 are async-signal-safe; the descriptor is open
    // until after the fork, and nothing of the child's is at 25.
    unsafe {
        daemon.pre_exec(move || {
            Errno::result(libc::setsid())?;
            Errno::result(libc::dup2(slave, 25))?;
            Ok(())
        });
    }
    let daemon = Program(daemon.spawn().unwrap());
    drop((opened, pty.slave.take()));
    let seen = look(&pty.index);
    let told = finding(&seen, "held-outside").unwrap().to_string();
    let who = format!("pid {} (sleep)", daemon.pid());
    for part in [
        who.as_str(),
        "no end of file",
        "descriptor 25, without FD_CLOEXEC",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let held = &holder(&seen, "slave_holders", daemon.pid())["descriptors"];
    assert_eq!(held.as_array().unwrap().len(), 1, "{held}");
    assert_eq!(held[0]["flags"]["close_on_exec"], false);
}

#[test]
fn a_session_with_a_stranger() {
    let mut pty = Pty::new(Mode::COOKED);
    let slave = pty.slave().as_raw_fd();
    let mut leader = sleeper(pty.slave());
    // SAFETY: setsid, ioctl and tcsetpgrp are async-signal-safe, and the
    // descriptor is open until after the fork.
    unsafe {
        leader.pre_exec(move || {
            Errno::result(libc::setsid())?;
            Errno::result(libc::ioctl(slave, libc::TIOCSCTTY, 0))?;
            Ok(())
        });
    }
    let leader = Program(leader.spawn().unwrap());
    let stranger = Program(sleeper(pty.slave()).spawn().unwrap());
    pty.slave = None;
    let seen = look(&pty.index);
    let session = &seen["session"];
    assert_eq!(session["id"], leader.pid());
    assert_eq!(session["leader"]["comm"], "sleep");
    assert_eq!(session["foreground"], leader.pid());
    assert_eq!(session["members"][0]["pid"], leader.pid());
    let told = finding(&seen, "held-outside").unwrap().to_string();
    assert!(told.contains(&format!("pid {} ", stranger.pid())), "{told}");
    assert!(!told.contains(&format!("pid {} ", leader.pid())), "{told}");
}

/// What TIOCGPTPEER opened with O_CLOEXEC shows it in fdinfo also after the
/// flag was cleared: whether programs inherit it is not told then.
#[test]
fn close_on_exec_is_not_told_where_fdinfo_may_be_wrong() {
    let pty = Pty::new(Mode::COOKED);
    let opened = open(&pty.path());
    let seen = look(&pty.index);
    let held = &holder(&seen, "slave_holders", u64::from(std::process::id()))["descriptors"];
    let told = |fd: i32| {
        let mut all = held.as_array().unwrap().iter();
        let found = all.find(|held| held["fd"] == fd).unwrap();
        found["flags"]["close_on_exec"].clone()
    };
    assert_eq!(told(pty.slave().as_raw_fd()), serde_json::Value::Null);
    assert_eq!(told(opened.as_raw_fd()), true);
}

#[test]
fn one_process_with_both_ends() {
    let pty = Pty::new(Mode::RAW);
    let seen = look(&pty.index);
    let told = finding(&seen, "held-by-reader").unwrap().to_string();
    assert!(
        told.contains(&format!("pid {} ", std::process::id())),
        "{told}"
    );
}

#[test]
fn a_slave_whose_master_is_closed() {
    let Pty {
        master,
        slave,
        index,
    } = Pty::new(Mode::RAW);
    drop(master);
    let seen = look(&index);
    assert_eq!(seen["exists"], false);
    let told = finding(&seen, "hung-up").unwrap().to_string();
    assert!(
        told.contains(&format!("pid {} ", std::process::id())),
        "{told}"
    );
    drop(slave);
    let gone = run(&[index.as_str()]);
    // Another test may have taken the number meanwhile.
    let errors = String::from_utf8_lossy(&gone.stderr);
    assert!(
        gone.status.success() || errors.contains("ENOENT"),
        "{errors}"
    );
}

#[test]
fn packet_mode_is_seen_and_its_news_are_left() {
    let pty = Pty::new(Mode::RAW);
    packet_mode(&pty.master, true).unwrap();
    nix::sys::termios::tcflush(pty.slave(), nix::sys::termios::FlushArg::TCIFLUSH).unwrap();
    let seen = look(&pty.index);
    assert_eq!(seen["master"]["copied"]["is_packet_mode"], true);
    let mut byte = [0xff; 8];
    assert_eq!(nix::unistd::read(&pty.master, &mut byte), Ok(1));
    assert_eq!(byte[0], 1, "TIOCPKT_FLUSHREAD");
}

#[test]
fn a_locked_slave_is_not_opened() {
    // SAFETY: posix_openpt takes flags and gives a descriptor that is ours.
    let master = unsafe {
        let fd = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        OwnedFd::from_raw_fd(Errno::result(fd).unwrap())
    };
    let index = ptyscope::pty::index(&master).unwrap().to_string();
    let seen = look(&index);
    assert!(finding(&seen, "locked").is_some(), "{seen:#}");
    assert_eq!(seen["master"]["copied"]["is_locked"], true);
    assert!(seen["slave"]["not-asked"].is_string(), "{seen:#}");
}

#[test]
fn all_of_them_and_those_of_a_process() {
    let mut pty = Pty::new(Mode::COOKED);
    let program = Program(sleeper(pty.slave()).spawn().unwrap());
    pty.slave = None;
    let has_it = |inspection: &serde_json::Value| {
        let mut ptys = inspection["ptys"].as_array().unwrap().iter();
        ptys.any(|found| found["path"] == pty.path().as_str())
    };
    let survey = report_of(command(&["--json"]));
    assert_eq!(survey["is_survey"], true);
    assert!(has_it(&survey), "{survey:#}");
    let own = report_of(command(&["--json", "--pid", &program.pid().to_string()]));
    assert!(has_it(&own), "{own:#}");
    assert_eq!(own["ptys"].as_array().unwrap().len(), 1);
    // By its master as well.
    let ours = report_of(command(&[
        "--json",
        "--pid",
        &std::process::id().to_string(),
    ]));
    assert!(has_it(&ours), "{ours:#}");
    let text = run(&[]);
    let text = String::from_utf8(text.stdout).unwrap();
    let line = format!("pts/{} ", pty.index);
    assert!(text.lines().any(|found| found.starts_with(&line)), "{text}");
}

#[test]
fn names_of_programs_command_no_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a\u{1b}[31mb");
    std::os::unix::fs::symlink("/bin/sleep", &path).unwrap();
    let pty = Pty::new(Mode::COOKED);
    let mut program = Command::new(&path);
    program
        .arg("1000")
        .arg0("sleep")
        .stdin(pty.slave().try_clone().unwrap());
    let program = Program(program.spawn().unwrap());
    wait_for_finding(&pty.index, "held-by-reader", |seen| {
        holder(seen, "slave_holders", program.pid())["comm"] == "a\u{1b}[31mb"
    });
    for arguments in [&[pty.index.as_str()][..], &[&pty.index, "--json"], &[]] {
        let output = run(arguments);
        assert!(output.status.success());
        assert!(!output.stdout.contains(&0x1b), "{arguments:?}");
        assert!(!output.stdout.is_empty());
    }
}
