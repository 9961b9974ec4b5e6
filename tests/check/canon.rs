use nix::errno::Errno::*;

use super::*;

pub fn rows() -> Vec<Row> {
    let slave = |effect| read(effect).on(Role::Slave);
    let junk = |text: &str| Effect::Bytes(text.as_bytes().to_vec());
    // Canonical mode is asked for and not entered.
    let never_canonical = bits("tcsetattr", "lflag", 0, 2);
    vec![
        fails("canon.partial", "FIONREAD", [value("FIONREAD", 3)]),
        fails("canon.partial", "EAGAIN", [slave(junk("abc")).at(0, 1)]),
        fails(
            "canon.partial",
            "POLLIN",
            [bits("poll", "revents", 1, 0).on(Role::Slave)],
        ),
        fails("canon.partial", "the line", [slave(Effect::Drop)]),
        fails("canon.lines", "FIONREAD 12", [value("FIONREAD", 4)]),
        fails("canon.lines", "the first line", [never_canonical.clone()]),
        fails("canon.lines", "a read of 2", [slave(Effect::Drop).at(1, 1)]),
        fails(
            "canon.4095",
            "the line",
            [slave(Effect::Bytes(vec![b'a'; 905]))],
        ),
        ends(
            "canon.4095",
            Class::Fail,
            "fb5ef9e7da39",
            [slave(Effect::Bytes(vec![b'a'; 905])), claims("3.13.11")],
        ),
        fails("canon.4095", "FIONREAD", [value("FIONREAD", 4096)]),
        fails(
            "canon.4095",
            "the next line",
            [slave(Effect::Flip).at(1, 1)],
        ),
        // Without canonical mode the queue fills.
        fails(
            "canon.endless",
            "room for a write",
            [never_canonical.clone()],
        ),
        fails("canon.endless", "length", [slave(Effect::DropLast)]),
        fails(
            "canon.endless",
            "a writable master",
            [bits("poll", "revents", 0, 4).on(Role::Master)],
        ),
        fails("canon.eof", "before ^D", [never_canonical.clone()]),
        fails("canon.eof", "EAGAIN", [slave(junk("")).at(1, 1)]),
        fails(
            "canon.eof",
            "POLLIN",
            [bits("poll", "revents", 0, 1).on(Role::Slave)],
        ),
        fails(
            "canon.eof",
            "the end of file",
            [slave(junk("\x04")).at(2, 2)],
        ),
        fails("canon.eof-exact", "should not", [slave(junk("")).at(1, 1)]),
        ends(
            "canon.eof-exact",
            Class::Fail,
            "65a8b287023d",
            [slave(junk("")).at(1, 1), claims("5.17.3")],
        ),
        fails("canon.eof-exact", "the line", [slave(Effect::DropLast)]),
        fails("canon.erase", "ERASE", [never_canonical.clone()]),
        fails(
            "canon.erase",
            "UTF-8",
            [bits("tcsetattr", "iflag", 0, 0o40000)],
        ),
        fails("canon.erase", "LNEXT", [slave(Effect::Drop).at(3, 0)]),
        fails(
            "canon.veol",
            "up to VEOL",
            [Fault::new("tcsetattr", Effect::Return(0))],
        ),
        fails(
            "canon.iflags",
            "ICRNL",
            [bits("tcsetattr", "iflag", 0, 0o400)],
        ),
        fails(
            "canon.iflags",
            "INLCR",
            [bits("tcsetattr", "iflag", 0, 0o100)],
        ),
        fails(
            "canon.iflags",
            "IGNCR",
            [bits("tcsetattr", "iflag", 0, 0o200)],
        ),
        fails(
            "canon.iflags",
            "ISTRIP",
            [bits("tcsetattr", "iflag", 0, 0o40)],
        ),
        fails(
            "canon.iflags",
            "PARMRK",
            [bits("tcsetattr", "iflag", 0, 0o10)],
        ),
        // The change of mode is forgotten.
        fails(
            "canon.to-raw",
            "FIONREAD",
            [Fault::new("tcsetattr", Effect::Return(0))],
        ),
        fails("canon.to-raw", "half line", [slave(Effect::Drop)]),
        fails(
            "raw.to-canon",
            "POLLIN",
            [bits("poll", "revents", 0, 1).on(Role::Slave)],
        ),
        ends(
            "raw.to-canon",
            Class::Known,
            "EAGAIN",
            [errno("read", EAGAIN).on(Role::Slave), claims("2.6.38.2")],
        ),
        fails("raw.to-canon", "both lines", [slave(Effect::Flip).at(0, 1)]),
        fails("canon.extproc", "FIONREAD", [value("FIONREAD", 0)]),
        fails("canon.extproc", "a line of", [slave(Effect::Flip)]),
    ]
}

#[test]
fn group_canon_is_seen_to_fail() {
    prove(&rows());
}
