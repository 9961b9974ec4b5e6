use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    vec![
        fails(
            "tio.default",
            "iflag",
            [bits("tcgetattr", "iflag", 0o40000, 0)],
        ),
        fails(
            "tio.default",
            "lflag",
            [bits("tcgetattr", "lflag", 0, 0o10)],
        ),
        fails("tio.default", "VINTR", [bits("tcgetattr", "cc", 8, 0)]),
        fails(
            "tio.master",
            "read on the Slave",
            [bits("tcgetattr", "oflag", 0o1, 0).at(1, 1)],
        ),
        fails(
            "tio.master",
            "read on the Master",
            [Fault::new("tcsetattr", Effect::Return(0)).at(1, 1)],
        ),
        // The setting is not made, so what was asked for last is read back.
        fails(
            "tio.cs8",
            "speed",
            [Fault::new("TCSETS2", Effect::Return(0)).at(2, 1)],
        ),
        fails("tio.cs8", "TCSETS2", [errno("TCSETS2", EINVAL)]),
        // A kernel that keeps what it is asked for.
        fails(
            "tio.cs8",
            "CS8",
            [Fault::new("TCGETS2", Effect::Return(0)).at(1, 1)],
        ),
        fails(
            "tio.cs8",
            "alive",
            [Fault::new("write", Effect::Return(6)).on(Role::Slave)],
        ),
        fails(
            "tio.persist",
            "termios",
            [bits("tcgetattr", "lflag", 0o10, 0).at(2, 1)],
        ),
        fails(
            "tio.persist",
            "window size",
            [Fault::new("TIOCSWINSZ", Effect::Return(0))],
        ),
        fails(
            "tio.modem",
            "TIOCMGET",
            [Fault::new("TIOCMGET", Effect::Return(0))],
        ),
        fails("tio.modem", "TIOCGICOUNT", [errno("TIOCGICOUNT", EIO)]),
        fails("tio.modem", "TCSBRK", [errno("TCSBRK", ENOTTY)]),
        fails("tio.modem", "should not", [errno("TIOCMBIS", EINVAL)]),
        ends(
            "tio.modem",
            Class::Known,
            "EINVAL of TIOCMGET",
            [errno("TIOCMGET", EINVAL), claims("5.5.11")],
        ),
    ]
}

#[test]
fn group_tio_is_seen_to_fail() {
    prove(&rows());
}
