use super::*;

pub fn rows() -> Vec<Row> {
    let master = |effect| read(effect).on(Role::Master);
    let forgotten = |call: &str| Fault::new(call, Effect::Return(0));
    vec![
        // Packet mode is not entered: no header.
        fails("pkt.data", "a read of 1", [forgotten("TIOCPKT")]),
        fails("pkt.data", "FIONREAD 601", [value("FIONREAD", 301)]),
        fails("pkt.data", "the packet", [master(Effect::Drop).at(1, 1)]),
        // The byte behind the header is lost with it.
        fails("pkt.data", "FIONREAD", [value("FIONREAD", 299).at(2, 0)]),
        fails("pkt.ctl", "FLUSHREAD", [forgotten("TCFLSH")]),
        fails(
            "pkt.ctl",
            "FLUSHWRITE",
            [master(Effect::Bytes(vec![3])).at(1, 1)],
        ),
        fails("pkt.ctl", "STOP", [forgotten("TCXONC")]),
        fails("pkt.ctl", "START", [forgotten("TCXONC").at(1, 1)]),
        fails("pkt.ctl", "NOSTOP", [forgotten("tcsetattr").at(1, 0)]),
        fails("pkt.ctl", "DOSTOP", [forgotten("tcsetattr").at(2, 0)]),
        fails("pkt.ctl", "IOCTL", [forgotten("tcsetattr").at(3, 0)]),
        fails("pkt.ctl", "POLLPRI", [bits("poll", "revents", 1, 2)]),
        fails("pkt.ctl", "FLUSHREAD", [forgotten("TIOCPKT")]),
        fails("pkt.coalesce", "START", [master(Effect::Bytes(vec![4]))]),
        fails("pkt.coalesce", "EAGAIN", [master(Effect::Bytes(vec![8]))]),
        fails("pkt.intr", "the flush", [master(Effect::Bytes(vec![1]))]),
        fails("pkt.intr", "the echo", [master(Effect::Flip).at(1, 1)]),
    ]
}

#[test]
fn group_pkt_is_seen_to_fail() {
    prove(&rows());
}
