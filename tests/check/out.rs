use super::*;

pub fn rows() -> Vec<Row> {
    let master = |effect| read(effect).on(Role::Master);
    let without = |field: &str, flag| bits("tcsetattr", field, 0, flag);
    vec![
        fails("out.opost", "ONLCR", [without("oflag", 0o4)]),
        fails("out.opost", "OCRNL", [without("oflag", 0o10)]),
        fails("out.opost", "ONOCR", [without("oflag", 0o20)]),
        fails("out.opost", "ONLRET", [without("oflag", 0o40)]),
        fails("out.opost", "TAB3", [without("oflag", 0o14000)]),
        fails(
            "out.opost",
            "no OPOST",
            [bits("tcsetattr", "oflag", 1, 0).at(5, 1)],
        ),
        fails("echo.simple", "the echo", [master(Effect::Double).at(0, 1)]),
        fails("echo.simple", "the echo", [master(Effect::Drop).at(0, 1)]),
        fails(
            "echo.ctl",
            "ECHOCTL",
            [read(Effect::Flip).on(Role::Master).at(0, 1)],
        ),
        fails(
            "echo.ctl",
            "no ECHOCTL",
            [bits("tcsetattr", "lflag", 0o1000, 0).at(1, 1)],
        ),
        fails("echo.ctl", "ECHOE", [without("lflag", 0o20).at(2, 1)]),
        fails("echo.ctl", "ECHONL", [without("lflag", 0o100).at(3, 1)]),
        fails(
            "echo.order",
            "the program's output",
            [Fault::new("write", Effect::Drop)
                .on(Role::Slave)
                .at(5000, 1)],
        ),
        fails(
            "echo.order",
            "the echo",
            [Fault::new("write", Effect::Bytes(b"Q".to_vec()))
                .on(Role::Master)
                .at(5000, 1)],
        ),
        fails(
            "echo.order",
            "the program's output",
            [Fault::new("write", Effect::Bytes(b"7".to_vec()))
                .on(Role::Slave)
                .at(5000, 1)],
        ),
        // Echo is off, so none comes.
        fails(
            "echo.full",
            "the echo and the mark",
            [without("lflag", 0o10)],
        ),
        // Turning echo off is forgotten.
        fails(
            "echo.off-race",
            "secret",
            [Fault::new("tcsetattr", Effect::Return(0))],
        ),
    ]
}

#[test]
fn group_out_is_seen_to_fail() {
    prove(&rows());
}
