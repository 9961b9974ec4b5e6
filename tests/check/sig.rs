use nix::errno::Errno::*;
use nix::sys::signal::Signal;

use super::*;

pub fn rows() -> Vec<Row> {
    let lost = errno("signal", EAGAIN);
    let wrong = value("signal", Signal::SIGTERM as i64);
    let doubled = Fault::new("signal", Effect::Again);
    let (zero, one) = (text(STI, "0\n"), text(STI, "1\n"));
    vec![
        fails("sig.chars", "signal", [lost.clone()]),
        fails("sig.chars", "SIGTERM", [wrong.clone()]),
        fails(
            "sig.chars",
            "signal without ISIG",
            [value("signal", Signal::SIGINT as i64).at(3, 1)],
        ),
        fails(
            "sig.chars",
            "the line after it",
            [read(Effect::Double).on(Role::Slave)],
        ),
        fails(
            "sig.chars",
            "is echoed",
            [read(Effect::Bytes(b"x\r\n".to_vec())).on(Role::Master)],
        ),
        fails(
            "sig.chars",
            "^C without ISIG",
            [read(Effect::Drop).on(Role::Slave).at(3, 0)],
        ),
        fails("sig.tiocsig", "signal", [lost.clone()]),
        fails(
            "sig.tiocsig",
            "TIOCSIG 1",
            [Fault::new("TIOCSIG", Effect::Return(0)).at(1, 1)],
        ),
        fails(
            "sig.tiocsig",
            "TIOCSIG 0",
            [Fault::new("TIOCSIG", Effect::Return(0)).at(2, 1)],
        ),
        fails("sig.tiocsig", "unknown", [errno("TIOCSIG", ENOTTY)]),
        ends(
            "sig.tiocsig",
            Class::Known,
            "accepts any",
            [
                Fault::new("TIOCSIG", Effect::Return(0)).at(1, 2),
                claims("3.13.11"),
            ],
        ),
        fails("sig.winch", "signal", [lost.clone()]),
        fails("sig.winch", "after the one", [doubled.clone()]),
        // The third signal, which must not come, does.
        fails(
            "sig.winch",
            "for an equal size",
            [value("signal", Signal::SIGWINCH as i64).at(4, 1)],
        ),
        fails(
            "sig.winch",
            "size at the slave",
            [Fault::new("TIOCGWINSZ", Effect::Return(0)).at(1, 1)],
        ),
        fails(
            "sig.winch",
            "size of a new pty",
            [Fault::new("TIOCGWINSZ", Effect::Return(0))],
        ),
        fails("hup.leader", "signal", [lost.clone()]),
        fails("hup.leader", "after the one SIGHUP", [doubled.clone()]),
        fails(
            "hup.leader",
            "POLLHUP",
            [bits("poll", "revents", 0x10, 0).on(Role::Master)],
        ),
        fails(
            "hup.leader",
            "still here",
            [Fault::new("write", Effect::Return(10)).on(Role::Slave)],
        ),
        // Somebody else holds the slave: no hangup ever comes.
        fails(
            "hup.leader",
            "once the job is gone",
            [Fault::new("close", Effect::Return(0)).on(Role::Slave)],
        ),
        fails(
            "sti",
            "not the controlling",
            [zero.clone(), errno("TIOCSTI", EPERM)],
        ),
        fails(
            "sti",
            "not the controlling",
            [zero, Fault::new("TIOCSTI", Effect::Return(0))],
        ),
        fails(
            "sti",
            "on the controlling terminal",
            [one.clone(), errno("TIOCSTI", EPERM)],
        ),
        fails(
            "sti",
            "data within",
            [
                one,
                errno("TIOCSTI", EPERM).at(0, 1),
                Fault::new("TIOCSTI", Effect::Return(0)).at(0, 1),
            ],
        ),
    ]
}

#[test]
fn group_sig_is_seen_to_fail() {
    prove(&rows());
}

const STI: &str = "/proc/sys/dev/tty/legacy_tiocsti";

pub fn session_rows() -> Vec<Row> {
    let tty = |effect| Fault::new("open", effect).on(Role::Tty);
    let forgotten = |call: &str| Fault::new(call, Effect::Return(0));
    vec![
        fails(
            "ses.acquire",
            "/dev/tty by a leader:",
            [errno("open", ENXIO).on(Role::Tty)],
        ),
        fails("ses.acquire", "O_NOCTTY", [tty(Effect::Errno(EIO as i32))]),
        ends(
            "ses.acquire",
            Class::Env,
            "does not exist",
            [tty(Effect::Errno(ENOENT as i32))],
        ),
        fails(
            "ses.devtty",
            "without a terminal",
            [tty(Effect::Errno(EIO as i32))],
        ),
        fails("ses.devtty", "ENXIO", [errno("open", ENXIO).on(Role::Tty)]),
        fails(
            "ses.devtty",
            "via /dev/tty",
            [Fault::new("write", Effect::Return(12)).on(Role::Tty)],
        ),
        fails("ses.steal", "TIOCSCTTY 0", [forgotten("TIOCSCTTY")]),
        // Root's theft is told and not done.
        fails(
            "ses.steal",
            "that lost it",
            [forgotten("TIOCSCTTY").at(1, 1)],
        ),
        fails("ses.pgrp", "TIOCGPGRP", [value("TIOCGPGRP", 1)]),
        fails(
            "ses.pgrp",
            "without a controlling",
            [forgotten("TIOCSPGRP")],
        ),
        fails("ses.pgrp", "with -1", [forgotten("TIOCSPGRP").at(1, 1)]),
        fails(
            "ses.pgrp",
            "dead group",
            [errno("TIOCSPGRP", EPERM).at(2, 1)],
        ),
        fails(
            "ses.pgrp",
            "another session",
            [errno("TIOCSPGRP", ESRCH).at(3, 1)],
        ),
        fails("ses.notty", "signal", [forgotten("TIOCNOTTY")]),
        fails("ses.notty", "SIGCONT", [errno("signal", EAGAIN).at(1, 1)]),
        fails(
            "ses.notty",
            "/dev/tty by the leader",
            [tty(Effect::Errno(EIO as i32))],
        ),
        fails(
            "job.bg",
            "a background read is stopped",
            [errno("read", EAGAIN)],
        ),
        fails(
            "job.bg",
            "background write without TOSTOP",
            [errno("write", EIO)],
        ),
        fails(
            "job.bg",
            "background tcsetattr is stopped",
            [errno("tcgetattr", EIO).at(1, 1)],
        ),
        // TOSTOP is not set.
        fails(
            "job.bg",
            "write with TOSTOP is stopped",
            [bits("tcsetattr", "lflag", 0, 0o400)],
        ),
        // The terminal is not acquired: nobody is in the background.
        fails("job.bg", "stopped", [forgotten("TIOCSCTTY")]),
    ]
}

#[test]
fn sessions_and_jobs_are_seen_to_fail() {
    prove(&session_rows());
}
