use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    let lock = |fault: Fault| fault.on(Role::Master);
    vec![
        fails("open.ptmx", "isatty", [value("isatty", 0)]),
        fails(
            "open.ptmx",
            "(136, 2)",
            [bits("fstat", "rdev", 0x8800, 0x0500)],
        ),
        fails("open.ptmx", "EIO", [errno("open", EIO)]),
        ends("open.ptmx", Class::Env, "ENODEV", [errno("open", ENODEV)]),
        ends("open.ptmx", Class::Env, "EACCES", [errno("open", EACCES)]),
        fails(
            "open.locked",
            "EAGAIN",
            [errno("open", EAGAIN).on(Role::Slave)],
        ),
        fails("open.locked", "TIOCGPTLCK: 1", [value("TIOCGPTLCK", 0)]),
        ends(
            "open.locked",
            Class::Known,
            "3.8",
            [errno("TIOCGPTLCK", ENOTTY), claims("2.6.38")],
        ),
        fails("open.locked", "should not", [errno("TIOCGPTLCK", ENOTTY)]),
        fails("open.unlock", "TIOCGPTLCK: 0", [value("TIOCGPTLCK", 1)]),
        // The unlocking is forgotten.
        fails(
            "open.unlock",
            "EIO",
            [lock(Fault::new("TIOCSPTLCK", Effect::Return(0)))],
        ),
        // The second locking is forgotten.
        fails(
            "open.relock",
            "locked slave",
            [Fault::new("TIOCSPTLCK", Effect::Return(0)).at(1, 1)],
        ),
        fails(
            "open.relock",
            "works",
            [Fault::new("write", Effect::Return(6)).at(1, 1)],
        ),
        fails(
            "open.gptpeer",
            "locked",
            [Fault::new("TIOCGPTPEER", Effect::Errno(EBUSY as i32))],
        ),
        fails("open.gptpeer", "O_CLOEXEC", [value("F_GETFD", 0)]),
        fails("open.gptpeer", "minor", [bits("fstat", "rdev", 0x77, 0)]),
        ends(
            "open.gptpeer",
            Class::Known,
            "4.13",
            [errno("TIOCGPTPEER", ENOTTY), claims("4.8.0")],
        ),
        fails("open.gptpeer", "should not", [errno("TIOCGPTPEER", ENOTTY)]),
        fails("open.reopen-proc", "the same", [value("TIOCGPTN", 7)]),
        fails(
            "open.reopen-proc",
            "slave's link",
            [bits("fstat", "rdev", 0x77, 0).at(0, 1)],
        ),
        fails(
            "open.slave-ioctls",
            "TIOCPKT",
            [Fault::new("TIOCPKT", Effect::Return(0))],
        ),
        ends(
            "open.slave-ioctls",
            Class::Known,
            "EINVAL",
            [errno("TIOCGPTN", EINVAL).on(Role::Slave), claims("2.6.38")],
        ),
        fails(
            "open.misc",
            "lseek",
            [Fault::new("lseek", Effect::Return(0))],
        ),
        fails("open.misc", "pread", [errno("pread", EINVAL)]),
        fails("open.misc", "mmap", [errno("mmap", EACCES)]),
        fails(
            "open.misc",
            "ftruncate",
            [Fault::new("ftruncate", Effect::Return(0))],
        ),
        fails("open.misc", "unknown ioctl", [errno("UNKNOWN", EINVAL)]),
        fails("open.misc", "nowhere", [errno("TCGETS", EINVAL)]),
    ]
}

#[test]
fn group_open_is_seen_to_fail() {
    prove(&rows());
}
