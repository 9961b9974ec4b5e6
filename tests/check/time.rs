use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    // A kernel whose hops wait for ticks of 10 ms.
    let tick = || value("tick", 10_000_000);
    let takes = |ns| value("elapsed", ns);
    vec![
        fails("lat.rtt", "f23eb2b2b285", [tick(), takes(20_000_000)]),
        fails(
            "lat.rtt",
            "from 2.6.31 before 2.6.39",
            [tick(), takes(20_500_000), claims("2.6.38.2")],
        ),
        ends(
            "lat.rtt",
            Class::Pass,
            "median 50000.00 us",
            [tick(), takes(50_000_000)],
        ),
        fails(
            "lat.rtt",
            "comes back",
            [read(Effect::Flip).on(Role::Master).at(700, 1)],
        ),
        fails("lat.link", "4 ticks", [tick(), takes(40_200_000)]),
        fails(
            "lat.link",
            "data within",
            [read(Effect::Flip).on(Role::Slave).at(70, 0)],
        ),
        fails(
            "thr.step",
            "data within",
            [read(Effect::Drop).on(Role::Master).at(100, 1)],
        ),
        fails("thr.read", "bytes of one read", [read(Effect::DropLast)]),
        fails(
            "thr.read",
            "15ea8ae8e03f",
            [read(Effect::Bytes(vec![b'r'; 64])), claims("5.12.0")],
        ),
        // Times that never move, and times that move with every access.
        fails(
            "time.mtime",
            "sets the time",
            [Fault::new("stat", Effect::Add(-60))],
        ),
        fails(
            "time.mtime",
            "stays",
            [Fault::new("stat", Effect::Add(1)).at(3, 0)],
        ),
        fails(
            "stress.race",
            "may give",
            [errno("write", EBADF).at(300, 1)],
        ),
        fails(
            "stress.race",
            "kernel's log",
            [read(Effect::Bytes(
                b"4,1,2,-;WARNING: CPU: 0 PID: 1 at drivers/tty".to_vec(),
            ))
            .on(Role::Other)
            .at(0, 1)],
        ),
    ]
}

#[test]
fn group_time_is_seen_to_fail() {
    prove(&rows());
}
