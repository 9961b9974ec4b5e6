use nix::errno::Errno::*;

use super::*;

const MOUNT: &str =
    "26 24 0:24 / /dev/pts rw,nosuid - devpts devpts rw,gid=5,mode=620,ptmxmode=000\n";

pub fn rows() -> Vec<Row> {
    vec![
        fails(
            "name.stat",
            "inode",
            [
                bits("stat", "ino", 0x100, 0),
                bits("fstat", "ino", 0x100, 0),
            ],
        ),
        fails(
            "name.stat",
            "file type",
            [bits("stat", "mode", 0o100000, 0)],
        ),
        fails("name.stat", "device", [bits("stat", "rdev", 0x50, 0)]),
        ends("name.stat", Class::Env, "uid=", [bits("stat", "uid", 7, 0)]),
        ends(
            "name.stat",
            Class::Env,
            "mode=",
            [bits("stat", "mode", 0o004, 0)],
        ),
        ends("name.stat", Class::Env, "ENOENT", [errno("stat", ENOENT)]),
        fails(
            "name.fdinfo",
            "tty-index",
            [text("fdinfo", "tty-index:\t4095\n")],
        ),
        fails("name.fdinfo", "should not", [text("fdinfo", "pos:\t0\n")]),
        ends(
            "name.fdinfo",
            Class::Known,
            "4.17",
            [text("fdinfo", "pos:\t0\n"), claims("4.8.0")],
        ),
        // Somebody else holds the master.
        fails(
            "name.gone",
            "ENOENT",
            [Fault::new("close", Effect::Return(0)).on(Role::Master)],
        ),
        fails("name.gone", "(deleted)", [text("readlink", "/dev/pts/0")]),
        fails(
            "name.gone",
            "open of the name",
            [errno("open", EAGAIN).on(Role::Slave)],
        ),
        // The number is that of the slave still open.
        fails(
            "name.index",
            "while the slave is open",
            [value("TIOCGPTN", 3)],
        ),
        // Each further number is a new one.
        fails(
            "name.index",
            "again",
            [Fault::new("close", Effect::Return(0)).on(Role::Slave)],
        ),
        ends(
            "env.ptmxmode",
            Class::Env,
            "others cannot open",
            [bits("stat", "mode", 0, 0o006)],
        ),
        ends(
            "env.ptmxmode",
            Class::Env,
            "instead of (5, 2)",
            [bits("stat", "rdev", 1, 0)],
        ),
        ends(
            "env.ptmxmode",
            Class::Env,
            "ENOENT",
            [errno("stat", ENOENT)],
        ),
        fails("env.instance", "number 0", [value("TIOCGPTN", 3)]),
        fails(
            "env.instance",
            "unknown mount option",
            [Fault::new("mount", Effect::Return(0)).at(1, 1)],
        ),
        ends(
            "env.instance",
            Class::Known,
            "one devpts",
            [value("TIOCGPTN", 3), claims("4.2.0")],
        ),
        fails("env.nomount", "ENODEV", [errno("open", ENOENT)]),
    ]
}

#[test]
fn group_name_is_seen_to_fail() {
    prove(&rows());
    // This machine's own mounts may be at fault, so none is the reference.
    for (lines, class, tells) in [
        (MOUNT.to_owned(), Class::Pass, ""),
        (String::new(), Class::Env, "no devpts"),
        (MOUNT.repeat(2), Class::Env, "2 times"),
        (MOUNT.replace("gid=5,", ""), Class::Env, "gid="),
        (
            format!("{MOUNT}27 26 0:9 / /dev/pts rw - tmpfs none rw\n"),
            Class::Env,
            "covers",
        ),
    ] {
        let outcome = run(
            "env.mounts",
            Duration::from_secs(5),
            vec![text("/proc/self/mountinfo", &lines)],
        )
        .outcome;
        assert_eq!(outcome.class, class, "{lines}");
        assert!(outcome.got.unwrap_or_default().contains(tells), "{lines}");
    }
}
