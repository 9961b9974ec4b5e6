use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    vec![
        fails(
            "raw.s2m-256",
            "first different",
            [read(Effect::Flip).on(Role::Master)],
        ),
        fails(
            "raw.s2m-256",
            "within",
            [read(Effect::DropLast).on(Role::Master).at(0, 1)],
        ),
        // A terminal that processes after all.
        fails(
            "raw.m2s-256",
            "first different",
            [bits("tcsetattr", "iflag", 0o400, 0)],
        ),
        fails(
            "raw.m2s-256",
            "within",
            [read(Effect::DropLast).on(Role::Slave).at(0, 1)],
        ),
        fails(
            "raw.early",
            "EAGAIN",
            [read(Effect::Bytes(b"early bird".to_vec())).on(Role::Master)],
        ),
        fails(
            "raw.early",
            "POLLHUP",
            [bits("poll", "revents", 0x10, 0).on(Role::Master)],
        ),
        fails("raw.early", "within", [read(Effect::Drop).on(Role::Slave)]),
        fails(
            "raw.flood",
            "first different",
            [read(Effect::Drop).at(500, 1)],
        ),
        fails(
            "raw.flood",
            "first different",
            [read(Effect::Double).at(500, 1)],
        ),
        fails(
            "raw.flood",
            "first different",
            [Fault::new("write", Effect::Drop).at(500, 1)],
        ),
        fails(
            "raw.flood",
            "nothing moved",
            [errno("read", EAGAIN).at(500, 0)],
        ),
        fails(
            "raw.flood",
            "no stall",
            [errno("write", EAGAIN).on(Role::Slave).at(500, 0)],
        ),
        fails(
            "raw.sizes",
            "within",
            [Fault::new("write", Effect::Drop).at(7, 1)],
        ),
        fails(
            "raw.sizes",
            "first different",
            [read(Effect::Flip).at(30, 1)],
        ),
        fails("raw.atomic", "a run of", [read(Effect::Flip)]),
        fails(
            "raw.atomic",
            "240000 bytes",
            [Fault::new("write", Effect::Return(7999))],
        ),
        fails("raw.splice", "should not", [errno("splice", EINVAL)]),
        ends(
            "raw.splice",
            Class::Known,
            "5.10",
            [errno("splice", EINVAL), claims("5.10.0")],
        ),
        fails("raw.splice", "bytes spliced", [value("splice", 64)]),
        fails(
            "raw.splice",
            "spliced to the slave",
            [read(Effect::Flip).on(Role::Master)],
        ),
        fails("raw.fault", "EFAULT", [errno("bad read", EINVAL)]),
        fails("raw.fault", "short count", [value("bad read", 300)]),
        fails("raw.fault", "rest of the stream", [read(Effect::Double)]),
    ]
}

#[test]
fn group_raw_is_seen_to_fail() {
    prove(&rows());
}
