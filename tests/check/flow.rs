use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    let forgotten = |call: &str| Fault::new(call, Effect::Return(0));
    let no_ixon = || bits("tcsetattr", "iflag", 0, 0o2000);
    let stuck = |skip| errno("write", EAGAIN).on(Role::Slave).at(skip, 0);
    vec![
        fails("flow.xoff", "a stopped slave", [no_ixon()]),
        fails(
            "flow.xoff",
            "POLLOUT",
            [bits("poll", "revents", 4, 0).on(Role::Slave)],
        ),
        fails("flow.xoff", "restarted output", [stuck(0)]),
        fails(
            "flow.xoff",
            "the output",
            [read(Effect::Double).on(Role::Master)],
        ),
        fails("flow.xoff-full", "should not", [no_ixon()]),
        ends(
            "flow.xoff-full",
            Class::Known,
            "6.0",
            [no_ixon(), claims("5.5.11")],
        ),
        fails(
            "flow.ixon-off",
            "a write after IXON",
            [forgotten("tcsetattr").at(1, 1)],
        ),
        ends(
            "flow.ixon-off",
            Class::Known,
            "stays stopped",
            [forgotten("tcsetattr").at(1, 1), claims("2.6.38.2")],
        ),
        fails(
            "flow.ixany",
            "without IXANY",
            [bits("tcsetattr", "iflag", 0o4000, 0)],
        ),
        fails(
            "flow.ixany",
            "restarted output",
            [bits("tcsetattr", "iflag", 0, 0o4000)],
        ),
        // ISIG is not set, so ^C is a byte like any other.
        fails(
            "flow.ixany",
            "restarted output",
            [bits("tcsetattr", "lflag", 0, 1)],
        ),
        fails("flow.tcflow", "write after TCOOFF", [forgotten("TCXONC")]),
        fails(
            "flow.tcflow",
            "master's write",
            [forgotten("TCXONC").on(Role::Master)],
        ),
        fails(
            "flow.tcflow",
            "TCOOFF and ^Q",
            [Fault::new("write", Effect::Return(1))
                .on(Role::Slave)
                .at(1, 1)],
        ),
        fails(
            "flow.tcflow",
            "TCIOFF",
            [read(Effect::Flip).on(Role::Master).at(1, 0)],
        ),
        fails("flush.in", "after the flush", [forgotten("TCFLSH")]),
        fails(
            "flush.in",
            "after the flush",
            [read(Effect::Bytes(b"i later".to_vec())).on(Role::Slave)],
        ),
        fails("flush.out", "should not", [forgotten("TCFLSH")]),
        ends(
            "flush.out",
            Class::Known,
            "flushes nothing",
            [forgotten("TCFLSH"), claims("3.13.11")],
        ),
    ]
}

#[test]
fn group_flow_is_seen_to_fail() {
    prove(&rows());
}
