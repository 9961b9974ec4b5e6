use super::judge;
use crate::inspect::{
    Answer, Call, Finding, Flags, Held, Holder, Kind, MasterState, Named, PtyFacts, Session,
    SlaveState, Unseen, Way,
};
use crate::pty::Mode;

fn holder(pid: u32, session: i32, fd: i32) -> Holder {
    Holder {
        pid,
        comm: "program".to_owned(),
        state: 'S',
        session,
        group: session,
        descriptors: vec![Held {
            fd,
            flags: Some(Flags {
                reads: true,
                writes: true,
                nonblocking: false,
                close_on_exec: Some(false),
            }),
            as_own_terminal: false,
        }],
        calls: Vec::new(),
        doing: "sleeps in poll".to_owned(),
        calls_seen: true,
        has_written: Some(false),
    }
}

fn in_call(way: Way, is_stuck: bool) -> Vec<Call> {
    vec![Call {
        tid: 1,
        name: "write".to_owned(),
        way,
        fd: 1,
        wchan: None,
        is_stuck: Some(is_stuck),
        asleep_ms: Some(12_345),
    }]
}

fn slave(mode: Mode) -> SlaveState {
    SlaveState {
        mode,
        unusual: Vec::new(),
        size: [24, 80],
        line_discipline: 0,
        queued: Some(0),
        is_readable: false,
        is_writable: true,
        is_hung_up: false,
        is_exclusive: Some(false),
    }
}

fn master(queued: u64) -> MasterState {
    MasterState {
        queued: Some(queued),
        is_readable: queued > 0,
        is_writable: true,
        is_hung_up: false,
        is_packet_mode: Some(false),
        is_locked: Some(false),
        session: Some(10),
        foreground: Some(10),
    }
}

/// A shell (10) on a terminal emulator (5).
fn well() -> PtyFacts {
    PtyFacts {
        path: "/dev/pts/7".to_owned(),
        index: 7,
        exists: true,
        slave_holders: vec![holder(10, 10, 0)],
        master_holders: vec![holder(5, 5, 9)],
        session: Some(Session {
            id: 10,
            leader: Some(Named {
                pid: 10,
                comm: "sh".to_owned(),
            }),
            foreground: Some(10),
            members: vec![Named {
                pid: 10,
                comm: "sh".to_owned(),
            }],
        }),
        slave: Answer::Copied(slave(Mode::COOKED)),
        master: Answer::Copied(master(0)),
        has_moved: Some(false),
        was_closed_meanwhile: false,
        findings: Vec::new(),
    }
}

fn findings(pty: &PtyFacts) -> Vec<Finding> {
    judge(pty, &Unseen::default())
}

fn kinds(pty: &PtyFacts) -> Vec<Kind> {
    findings(pty).iter().map(|finding| finding.kind).collect()
}

#[test]
fn a_terminal_at_rest_has_nothing() {
    assert_eq!(kinds(&well()), [Kind::Nothing]);
    let mut unasked = well();
    unasked.master = Answer::NotAsked("EPERM".to_owned());
    let told = findings(&unasked);
    assert_eq!(told[0].kind, Kind::Nothing);
    assert!(
        told[0].text.contains("the master could not be asked"),
        "{told:?}"
    );
}

#[test]
fn a_writer_that_moves_is_not_blocked() {
    let mut pty = well();
    pty.slave_holders[0].calls = in_call(Way::Write, false);
    pty.master = Answer::Copied(master(4095));
    assert_eq!(kinds(&pty), [Kind::Nothing]);
    pty.slave_holders[0].calls = in_call(Way::Write, true);
    assert_eq!(kinds(&pty), [Kind::MasterNotRead]);
    let evidence = findings(&pty)[0].evidence.join("\n");
    assert!(evidence.contains("for 12.3 s"), "{evidence}");
    assert!(
        evidence.contains("pid 5 (program) holds the master"),
        "{evidence}"
    );
}

#[test]
fn a_full_slave_that_moved_between_the_looks_is_no_finding() {
    let mut pty = well();
    let full = SlaveState {
        is_writable: false,
        ..slave(Mode::COOKED)
    };
    pty.slave = Answer::Copied(full);
    pty.has_moved = Some(true);
    assert_eq!(kinds(&pty), [Kind::Nothing]);
    pty.has_moved = Some(false);
    assert_eq!(kinds(&pty), [Kind::Stopped]);
    pty.slave_holders[0].has_written = Some(true);
    assert_eq!(kinds(&pty), [Kind::Nothing]);
}

#[test]
fn one_that_runs_may_be_writing_where_bytes_wait() {
    let mut pty = well();
    let full = SlaveState {
        is_writable: false,
        ..slave(Mode::RAW)
    };
    pty.slave = Answer::Copied(full);
    pty.slave_holders[0].state = 'R';
    assert_eq!(kinds(&pty), [Kind::Stopped]);
    pty.master = Answer::Copied(master(4095));
    assert_eq!(kinds(&pty), [Kind::Nothing]);
    pty.slave_holders[0].state = 'S';
    assert_eq!(kinds(&pty), [Kind::MasterNotRead]);
}

#[test]
fn what_the_master_does_not_say_is_not_guessed() {
    let mut pty = well();
    pty.slave_holders[0].calls = in_call(Way::Write, true);
    pty.master = Answer::NotAsked("EPERM".to_owned());
    assert_eq!(kinds(&pty), [Kind::OutputBlocked]);
    assert!(findings(&pty)[0].text.contains("cannot be seen"));
}

#[test]
fn a_stop_and_a_full_input_are_no_mutual_block() {
    let mut pty = well();
    pty.slave_holders[0].calls = in_call(Way::Write, true);
    pty.master_holders[0].calls = in_call(Way::Write, true);
    assert_eq!(kinds(&pty), [Kind::Stopped, Kind::SlaveNotRead]);
    pty.master = Answer::Copied(master(4095));
    assert_eq!(kinds(&pty), [Kind::MutualBlock]);
}

#[test]
fn who_has_no_part_in_the_session_is_named() {
    let mut pty = well();
    pty.slave_holders.push(holder(77, 77, 5));
    assert_eq!(kinds(&pty), [Kind::HeldOutside]);
    let told = &findings(&pty)[0];
    assert!(told.text.contains("pid 77 ") && !told.text.contains("pid 10 "));
    // The session is over: its own processes are such as well.
    pty.session = None;
    let told = &findings(&pty)[0];
    assert!(told.text.contains("pid 77 ") && told.text.contains("pid 10 "));
    // A child on a pty that is nobody's terminal is as it should be.
    pty.slave_holders = vec![holder(6, 5, 0)];
    assert_eq!(kinds(&pty), [Kind::Nothing]);
    // One that has it as a descriptor that it does not know of is not.
    pty.slave_holders = vec![holder(6, 5, 5)];
    assert_eq!(kinds(&pty), [Kind::HeldOutside]);
    // Whose session it is, only the master says for sure.
    pty.master = Answer::NotAsked("EPERM".to_owned());
    assert_eq!(kinds(&pty), [Kind::Nothing]);
}

#[test]
fn an_unheld_slave_was_never_opened_or_was_closed_or_is_not_known() {
    let mut pty = well();
    pty.slave_holders.clear();
    pty.slave = Answer::NotAsked("nobody".to_owned());
    assert_eq!(kinds(&pty), [Kind::SlaveNeverOpened]);
    let unseen = Unseen {
        processes: 1,
        ..Unseen::default()
    };
    assert_eq!(judge(&pty, &unseen)[0].kind, Kind::SlaveHolderUnseen);
    let closed = MasterState {
        is_hung_up: true,
        ..master(5)
    };
    pty.master = Answer::Copied(closed);
    let told = &judge(&pty, &unseen)[0];
    assert_eq!(told.kind, Kind::SlaveClosed);
    assert!(told.text.contains("5 bytes"), "{told:?}");
}

#[test]
fn a_foreground_group_without_processes_is_told() {
    let mut pty = well();
    pty.session.as_mut().unwrap().members.clear();
    assert_eq!(kinds(&pty), [Kind::ForegroundGone]);
    // Where not even the leader is seen, the members may be hidden too.
    pty.session.as_mut().unwrap().leader = None;
    assert_eq!(kinds(&pty), [Kind::Nothing]);
}

#[test]
fn another_line_discipline_is_not_called_stopped() {
    let mut pty = well();
    let ppp = SlaveState {
        line_discipline: 3,
        is_writable: false,
        ..slave(Mode::RAW)
    };
    pty.slave = Answer::Copied(ppp);
    assert_eq!(kinds(&pty), [Kind::OtherDiscipline]);
}
