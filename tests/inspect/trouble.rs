//! Ptys where something does not move.

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, read, write};
use ptyscope::pty::Mode;

use super::looked::{
    Program, Pty, finding, holder, is_stuck, look, sleeper, wait_for_finding, writer,
};

#[test]
fn a_writer_whose_output_nobody_reads() {
    let mut pty = Pty::new(Mode::RAW);
    let yes = writer(pty.slave());
    pty.slave = None;
    let (seen, told) = wait_for_finding(&pty.index, "master-not-read", |pty| {
        is_stuck(pty, "slave_holders", yes.pid())
    });
    let call = &holder(&seen, "slave_holders", yes.pid())["calls"][0];
    assert_eq!((&call["name"], &call["fd"]), (&"write".into(), &1.into()));
    assert!(told.contains(&format!("pid {} (yes)", yes.pid())), "{told}");
    let own = format!("pid {} ", std::process::id());
    assert!(told.contains(&own), "the holder of the master: {told}");
    let waiting = seen["master"]["copied"]["queued"].as_u64().unwrap();
    assert!((1..=4095).contains(&waiting), "{waiting}");
    assert!(finding(&seen, "stopped").is_none(), "{seen:#}");
}

#[test]
fn output_that_was_stopped_by_a_key() {
    let pty = Pty::new(Mode::COOKED);
    write(&pty.master, b"\x13").unwrap();
    // Nobody writes, and yet it shows.
    let (_, told) = wait_for_finding(&pty.index, "stopped", |_| true);
    assert!(told.contains("^S") && told.contains("IXON is on"), "{told}");
    let yes = writer(pty.slave());
    wait_for_finding(&pty.index, "stopped", |pty| {
        is_stuck(pty, "slave_holders", yes.pid())
    });
    write(&pty.master, b"\x11").unwrap();
    // Now it is full, and no longer stopped.
    let (seen, _) = wait_for_finding(&pty.index, "master-not-read", |_| true);
    assert!(finding(&seen, "stopped").is_none(), "{seen:#}");
}

#[test]
fn output_that_was_stopped_by_a_program_where_keys_mean_nothing() {
    let pty = Pty::new(Mode::RAW);
    nix::sys::termios::tcflow(pty.slave(), nix::sys::termios::FlowArg::TCOOFF).unwrap();
    let (_, told) = wait_for_finding(&pty.index, "stopped", |_| true);
    assert!(told.contains("IXON is off"), "{told}");
}

#[test]
fn two_writers_that_wait_for_each_other() {
    let mut pty = Pty::new(Mode::RAW);
    let inside = writer(pty.slave());
    let outside = writer(&pty.master);
    pty.slave = None;
    let (_, told) = wait_for_finding(&pty.index, "mutual-block", |pty| {
        is_stuck(pty, "slave_holders", inside.pid())
            && is_stuck(pty, "master_holders", outside.pid())
    });
    for pid in [inside.pid(), outside.pid()] {
        assert!(told.contains(&format!("pid {pid} (yes)")), "{told}");
    }
}

#[test]
fn a_writer_whose_input_nobody_reads() {
    let pty = Pty::new(Mode::RAW);
    let paste = writer(&pty.master);
    let (seen, told) = wait_for_finding(&pty.index, "slave-not-read", |pty| {
        is_stuck(pty, "master_holders", paste.pid())
    });
    assert!(
        told.contains(&format!("pid {} (yes)", paste.pid())),
        "{told}"
    );
    assert_eq!(seen["slave"]["copied"]["queued"], 4095);
    assert_eq!(seen["slave"]["copied"]["mode"], "raw");
}

#[test]
fn an_end_of_file_that_nobody_has_read_yet() {
    let pty = Pty::new(Mode::COOKED);
    write(&pty.master, b"\x04").unwrap();
    wait_for_finding(&pty.index, "end-of-file", |_| true);
    // It is still there.
    assert_eq!(read(pty.slave(), &mut [0; 8]), Ok(0));
}

#[test]
fn a_reader_that_waits_for_a_line() {
    let pty = Pty::new(Mode::COOKED);
    let mut cat = std::process::Command::new("cat");
    let cat = cat.stdin(pty.slave().try_clone().unwrap());
    let cat = Program(cat.stdout(std::process::Stdio::null()).spawn().unwrap());
    write(&pty.master, b"no end").unwrap();
    let (seen, told) = wait_for_finding(&pty.index, "waits-for-line", |pty| {
        holder(pty, "slave_holders", cat.pid())["calls"][0]["way"] == "read"
    });
    assert_eq!(seen["slave"]["copied"]["queued"], 0);
    assert!(told.contains("cannot be seen"), "{told}");
}

#[test]
fn a_program_that_was_stopped() {
    let pty = Pty::new(Mode::COOKED);
    let program = Program(sleeper(pty.slave()).spawn().unwrap());
    kill(Pid::from_raw(program.pid() as i32), Signal::SIGSTOP).unwrap();
    let (_, told) = wait_for_finding(&pty.index, "process-stopped", |_| true);
    assert!(
        told.contains(&format!("pid {} (sleep)", program.pid())),
        "{told}"
    );
}

#[test]
fn a_pty_that_is_well() {
    let mut pty = Pty::new(Mode::COOKED);
    let program = Program(sleeper(pty.slave()).spawn().unwrap());
    pty.slave = None;
    let seen = look(&pty.index);
    let own = u64::from(std::process::id());
    holder(&seen, "slave_holders", program.pid());
    holder(&seen, "master_holders", own);
    assert!(finding(&seen, "nothing").is_some(), "{seen:#}");
    assert_eq!(
        seen["has_moved"],
        serde_json::Value::Null,
        "one look is enough"
    );
}
