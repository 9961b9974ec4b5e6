use nix::errno::Errno::*;
use nix::sys::signal::Signal;

use super::*;

pub fn rows() -> Vec<Row> {
    let master = |effect| read(effect).on(Role::Master);
    let slave = |effect| read(effect).on(Role::Slave);
    // Another process holds that end open.
    let held = |role| Fault::new("close", Effect::Return(0)).on(role);
    vec![
        fails(
            "close.drain",
            "what was printed",
            [master(Effect::DropLast).at(40, 1)],
        ),
        // The end overtakes the data, as on 3.12 to 4.5.
        fails(
            "close.drain",
            "0f40fbbcc34e",
            [errno("read", EIO).on(Role::Master).at(60, 2)],
        ),
        fails("close.drain", "data or the end", [held(Role::Slave)]),
        ends(
            "close.drain",
            Class::Fail,
            "before 4.6",
            [
                errno("read", EIO).on(Role::Master).at(60, 2),
                claims("4.2.0"),
            ],
        ),
        fails(
            "close.eio",
            "poll with data",
            [bits("poll", "revents", 0, 0x10)],
        ),
        fails("close.eio", "poll with data", [held(Role::Slave)]),
        fails("close.eio", "after 9", [master(Effect::Drop)]),
        fails(
            "close.eio",
            "read after the data: EIO",
            [master(Effect::Bytes(Vec::new())).at(1, 0)],
        ),
        fails("close.eio", "select", [value("select", 0)]),
        fails(
            "close.eio",
            "after the reopen",
            [errno("read", EIO).on(Role::Master).at(3, 1)],
        ),
        fails(
            "close.two",
            "one slave is open",
            [bits("poll", "revents", 0x10, 0)],
        ),
        fails("close.two", "no slave is open", [held(Role::Slave)]),
        fails("close.master", "read of the slave", [held(Role::Master)]),
        fails(
            "close.master",
            "write",
            [Fault::new("write", Effect::Return(1)).on(Role::Slave)],
        ),
        fails(
            "close.master",
            "the hung-up slave",
            [bits("poll", "revents", 0, 8)],
        ),
        fails(
            "close.master",
            "tcgetattr",
            [errno("tcgetattr", ENOTTY).at(1, 1)],
        ),
        fails(
            "close.master",
            "TIOCSPGRP",
            [Fault::new("TIOCSPGRP", Effect::Return(0))],
        ),
        fails("close.sighup", "signal", [held(Role::Master)]),
        fails(
            "close.sighup",
            "SIGCONT",
            [errno("signal", EAGAIN).at(1, 1)],
        ),
        fails(
            "close.sighup",
            "after the two",
            [value("signal", Signal::SIGHUP as i64).at(2, 1)],
        ),
        fails(
            "close.sighup",
            "/dev/tty",
            [errno("open", EIO).on(Role::Tty)],
        ),
        fails(
            "close.noslave",
            "10 bytes",
            [Fault::new("write", Effect::Return(10)).on(Role::Master)],
        ),
        fails(
            "close.noslave",
            "write",
            [errno("write", EIO).on(Role::Master)],
        ),
        fails("close.noslave", "first different", [slave(Effect::Flip)]),
        fails(
            "vhangup",
            "by a user",
            [Fault::new("TIOCVHANGUP", Effect::Return(0))],
        ),
    ]
}

#[test]
fn group_close_is_seen_to_fail() {
    prove(&rows());
    if nix::unistd::geteuid().is_root() {
        prove(&[
            fails("vhangup", "by root", [errno("TIOCVHANGUP", EPERM)]),
            fails(
                "vhangup",
                "write to it",
                [Fault::new("write", Effect::Return(1)).on(Role::Slave)],
            ),
            fails(
                "vhangup",
                "revoked slave",
                [read(Effect::Bytes(b"x".to_vec())).on(Role::Slave)],
            ),
            fails("vhangup", "works", [read(Effect::Flip).on(Role::Master)]),
        ]);
    } else {
        skip("root's half of vhangup", "root");
    }
}
