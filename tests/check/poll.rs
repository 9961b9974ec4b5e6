use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    let poll = |set, clear| bits("poll", "revents", set, clear);
    let epoll = |set, clear| bits("epoll_wait", "events", set, clear);
    vec![
        fails(
            "poll.ready",
            "an empty master",
            [poll(1, 0).on(Role::Master)],
        ),
        fails("poll.ready", "an empty slave", [poll(0, 4).on(Role::Slave)]),
        fails("poll.ready", "select", [value("select", 3)]),
        fails("poll.ready", "epoll: a master with data", [epoll(0, 1)]),
        fails(
            "poll.ready",
            "the writer of a full pty",
            [poll(4, 0).on(Role::Slave)],
        ),
        fails(
            "poll.ready",
            "a master without slave",
            [Fault::new("close", Effect::Return(0)).on(Role::Slave)],
        ),
        fails(
            "poll.ready",
            "epoll: a master without slave",
            [epoll(0, 0x10).at(2, 1)],
        ),
        fails(
            "poll.ready",
            "a slave without master",
            [Fault::new("close", Effect::Return(0)).on(Role::Master)],
        ),
        fails("poll.et", "the first arrival", [epoll(0, 1)]),
        fails("poll.et", "no arrival", [epoll(1, 0)]),
        fails("poll.et", "the second arrival", [epoll(0, 1).at(2, 1)]),
        fails(
            "poll.visible",
            "should not",
            [errno("read", EAGAIN).at(1000, 1)],
        ),
        fails(
            "poll.visible",
            "before 4.6",
            [errno("read", EAGAIN).at(1000, 1), claims("4.2.0")],
        ),
        fails(
            "poll.visible",
            "turn 1000",
            [read(Effect::Flip).at(1000, 1)],
        ),
        // The wakeup is lost: the poller sleeps to its end.
        fails(
            "poll.wakeout",
            "a wakeup with POLLOUT",
            [poll(0, 4).on(Role::Slave)],
        ),
        fails(
            "vmin.table",
            "VMIN 0, VTIME 0",
            [read(Effect::Bytes(b"x".to_vec()))],
        ),
        // The timer is not set, so the read returns at once.
        fails(
            "vmin.table",
            "not before VTIME",
            [Fault::new("tcsetattr", Effect::Return(0)).at(2, 1)],
        ),
        fails("vmin.table", "VMIN 5", [read(Effect::Drop).at(0, 1)]),
        fails(
            "vmin.table",
            "3 bytes with VMIN 10",
            [Fault::new("tcsetattr", Effect::Return(0)).at(4, 1)],
        ),
        fails("vmin.table", "10 bytes with VMIN 10", [poll(0, 1)]),
        fails(
            "nb.partial",
            "short count",
            [Fault::new("write", Effect::Return(65536))
                .on(Role::Slave)
                .at(0, 1)],
        ),
        fails(
            "nb.partial",
            "short count",
            [Fault::new("write", Effect::Return(4096))
                .on(Role::Slave)
                .at(0, 1)],
        ),
        fails(
            "nb.partial",
            "the bytes taken are the bytes read",
            [read(Effect::Drop).at(0, 1)],
        ),
        fails(
            "nb.partial",
            "what comes after",
            [read(Effect::Double).at(0, 1)],
        ),
        fails(
            "nb.signal",
            "EINTR",
            [Fault::new("write", Effect::Return(3)).on(Role::Slave)],
        ),
        fails(
            "nb.signal",
            "a short count",
            [Fault::new("write", Effect::Return(100_000)).on(Role::Slave)],
        ),
        fails(
            "nb.signal",
            "EINTR before",
            [errno("write", EINTR).on(Role::Slave)],
        ),
        fails(
            "nb.signal",
            "the bytes taken",
            [read(Effect::Drop).at(0, 1)],
        ),
    ]
}

#[test]
fn group_poll_is_seen_to_fail() {
    prove(&rows());
}
