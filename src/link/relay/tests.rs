use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use super::super::port::Access;
use super::*;
use crate::pty::Mode;

fn open(path: &PathBuf) -> File {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOCTTY);
    options.open(path).unwrap()
}

#[test]
fn who_goes_and_comes_back_before_the_relay_looks_is_there() {
    let ports = [(); 2].map(|()| Port::open(Access::default()).unwrap());
    let slaves = ports.each_ref().map(|port| port.slave().to_owned());
    let shared = Arc::new(Shared::new(Arc::default(), 1_000_000_000).unwrap());
    let mut relay = Relay::new(Parties {
        ports,
        names: [None, None],
        shared: Arc::clone(&shared),
        tap: None,
        nudge: Nudge::default(),
        reads: &Reads::new(),
        busy_poll: Duration::ZERO,
    });
    let mut ledger = shared.ledger();
    let find = |relay: &Relay| {
        let mut entries = relay.entries(monotonic_ns());
        wait::wait(&mut entries, Some(0)).unwrap();
        entries
    };
    let [_a, b] = slaves.each_ref().map(open);
    relay.turn(&find(&relay), &mut ledger).unwrap();
    assert_eq!(relay.closed, [false; 2]);

    // Where it does not open the slave itself to see what was not read.
    Mode::COOKED.apply(&b).unwrap();
    // The wait finds that B has gone and that somebody rang for A; before the
    // relay answers, B is there again.
    drop(b);
    let _another = open(&slaves[0]);
    let found = find(&relay);
    assert!(wait::ready(&found[1]).input && wait::ready(&found[3]).hung_up);
    let _b = open(&slaves[1]);
    relay.turn(&found, &mut ledger).unwrap();
    relay.turn(&find(&relay), &mut ledger).unwrap();
    assert_eq!(relay.closed, [false; 2]);
}
