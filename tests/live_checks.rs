//! The checks of the live screen: the real program on a real terminal.

mod support {
    #[allow(dead_code, reason = "other tests need more of it")]
    pub mod terminal;
    pub mod wait;
}

use std::fs;

use support::terminal::Terminal;
use support::wait::wait_for;

/// A live screen that shows numbers, of a workload that leaves the machine to
/// the others.
fn live() -> Terminal {
    let terminal = Terminal::run("--writer-pace 300kB/s");
    terminal.wait_for_data();
    terminal
}

fn quit(mut terminal: Terminal) {
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(0), "{}", terminal.text());
}

/// Children of `parent` that carry out a check, other than those that only
/// wait to be reaped: a zombie's command line is empty.
fn checks_of(parent: i32) -> Vec<i32> {
    let is_check = |pid: &i32| -> Option<bool> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let of: i32 = stat
            .rsplit_once(')')?
            .1
            .split_whitespace()
            .nth(1)?
            .parse()
            .ok()?;
        let command = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        Some(of == parent && command.contains("\0__check\0"))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| is_check(pid) == Some(true)).collect()
}

/// Whether a process still carries out a check, whoever its parent is now.
fn is_there(pid: i32) -> bool {
    let command = fs::read_to_string(format!("/proc/{pid}/cmdline"));
    command.is_ok_and(|command| command.contains("\0__check\0"))
}

#[test]
fn checks_tick_by_and_explain_themselves() {
    let terminal = live();
    terminal.type_keys("\x1b[15~");
    terminal.wait_for_text("k checks this kernel's ptys");
    terminal.type_keys("k");
    terminal.wait_for_text(" s; Enter explains");
    let ended = terminal.wait_until("the workload", |screen| !screen.contains(" HELD "));
    let mut words = ended.lines().nth(3).unwrap_or_default().split(' ');
    let (ended, of) = (words.next(), words.nth(1));
    assert!(ended.is_some() && ended == of, "{}", terminal.text());

    terminal.type_keys("\x1b[A\r");
    terminal.wait_for_text("Esc closes");
    terminal.wait_for_text("expects");
    terminal.type_keys("\x1b");
    terminal.wait_for_text(" pass");
    quit(terminal);
}

#[test]
fn quitting_ends_the_checks_that_run() {
    let mut terminal = live();
    terminal.type_keys("k");
    let pid = terminal.pid().as_raw();
    let running = || Some(checks_of(pid)).filter(|checks| !checks.is_empty());
    let checks = wait_for("checks that run", running, || terminal.text());
    terminal.type_keys("q");
    assert_eq!(terminal.end().code(), Some(0), "{}", terminal.text());
    let left: Vec<_> = checks.into_iter().filter(|&pid| is_there(pid)).collect();
    assert_eq!(left, [0; 0]);
}
