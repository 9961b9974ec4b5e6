use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    let held = |role| Fault::new("close", Effect::Return(0)).on(role);
    let limits = |name: &str| format!("/proc/sys/kernel/pty/{name}");
    vec![
        // A pty that is full too soon, and one that never is.
        fails(
            "lim.capacity",
            "geometry",
            [errno("write", EAGAIN).at(300, 0)],
        ),
        fails(
            "lim.capacity",
            "FIONREAD",
            [Fault::new("write", Effect::Return(64))],
        ),
        // The figures of another era.
        fails("lim.capacity", "fill it at 69632", [claims("3.13.11")]),
        ends("lim.capacity", Class::Skip, "not known", [claims("2.6.30")]),
        fails("lim.max", "ENOSPC", [errno("open", EMFILE).at(4, 1)]),
        fails("lim.max", "pty 3 of 3", [errno("open", ENOSPC).at(3, 1)]),
        // What is closed is not given back.
        fails("lim.max", "after one was closed", [held(Role::Master)]),
        fails("lim.emfile", "EMFILE", [errno("open", EIO).at(50, 1)]),
        ends(
            "lim.emfile",
            Class::Env,
            "ENOSPC",
            [errno("open", ENOSPC).at(50, 1)],
        ),
        fails("lim.emfile", "kernel.pty.nr back", [held(Role::Master)]),
        fails(
            "lim.churn",
            "kernel.pty.nr back",
            [
                text(&limits("nr"), "0\n").at(0, 1),
                text(&limits("nr"), "9000\n"),
            ],
        ),
        fails("lim.churn", "EIO", [errno("open", EIO).at(100, 1)]),
        fails(
            "excl",
            "a user's open",
            [Fault::new("TIOCEXCL", Effect::Return(0))],
        ),
        fails("excl", "TIOCGEXCL", [value("TIOCGEXCL", 0)]),
        fails(
            "excl",
            "a user's open",
            [Fault::new("TIOCNXCL", Effect::Return(0))],
        ),
        ends(
            "excl",
            Class::Known,
            "3.8",
            [errno("TIOCGEXCL", ENOTTY), claims("2.6.38")],
        ),
        fails("sysctl", "nr higher by 8", [text(&limits("nr"), "7\n")]),
        fails("sysctl", "is a number", [text(&limits("max"), "many\n")]),
        ends(
            "sysctl",
            Class::Skip,
            "does not exist",
            [errno(&limits("max"), ENOENT)],
        ),
    ]
}

#[test]
fn group_lim_is_seen_to_fail() {
    prove(&rows());
    if nix::unistd::geteuid().is_root() {
        prove(&[fails("excl", "root's open", [errno("open by root", EBUSY)])]);
    } else {
        skip("root's half of excl", "root");
    }
}
