//! What becomes of a workload that is disturbed from outside, and that nothing
//! of it stays. The tests look at this process as a whole, so they take turns.

mod support {
    pub mod drive;
    pub mod skip;
    pub mod wait;
}

use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode as FileMode;
use nix::unistd::{Pid, read, write};
use ptyscope::engine::{Engine, Error, INTERVAL, Options, start as start_source};
use ptyscope::pty::{Flag, Mode};
use ptyscope::sample::{Event, Notice, Verdict};
use ptyscope::workload::{Direction, Pace, Peers, Settings};

use support::drive::{samples_until, start};
use support::skip::skip;
use support::wait::wait_for;

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What this process holds: ptys, mappings of shared memory, workers, children.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    descriptors: usize,
    mappings: usize,
    workers: Vec<String>,
    children: Vec<i32>,
}

impl Held {
    fn now() -> Self {
        let count = |path| fs::read_dir(path).unwrap().count();
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        // The test runner's own threads come and go; the workers have names.
        let tasks = fs::read_dir("/proc/self/task").unwrap();
        let names =
            tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
        let ours = [
            "writer",
            "reader",
            "drain",
            "initiator",
            "responder",
            "source",
        ];
        Self {
            descriptors: count("/proc/self/fd"),
            mappings: maps.matches("memfd:ptyscope").count(),
            workers: names
                .map(|name| name.trim().to_owned())
                .filter(|name| ours.contains(&name.as_str()))
                .collect(),
            children: children(),
        }
    }
}

/// Processes whose parent is this one.
fn children() -> Vec<i32> {
    let own = std::process::id() as i32;
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| parent_of(*pid) == Some(own)).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

/// Waits until this process holds what it held before.
fn assert_nothing_left(before: &Held) {
    wait_for(
        "all to be given back",
        || (Held::now() == *before).then_some(()),
        || format!("before {before:?}\nnow {:?}", Held::now()),
    );
}

/// The slave of the only pty that this process holds.
fn slave_path() -> PathBuf {
    let links = fs::read_dir("/proc/self/fd").unwrap().flatten();
    let targets = links.filter_map(|link| fs::read_link(link.path()).ok());
    let mut slaves: Vec<_> = targets
        .filter(|path| {
            path.strip_prefix("/dev/pts")
                .is_ok_and(|name| name != "ptmx")
        })
        .filter(|path| !ends_of_the_runner().contains(path))
        .collect();
    slaves.dedup();
    assert_eq!(slaves.len(), 1, "{slaves:?}");
    slaves.remove(0)
}

/// Terminals that the test runner itself stands on.
fn ends_of_the_runner() -> Vec<PathBuf> {
    let links = (0..3).filter_map(|fd| fs::read_link(format!("/proc/self/fd/{fd}")).ok());
    links.collect()
}

fn open_slave(flags: OFlag) -> std::os::fd::OwnedFd {
    open(&slave_path(), flags | OFlag::O_NOCTTY, FileMode::empty()).unwrap()
}

/// Takes samples until the engine has something to say.
fn watch(engine: &mut Engine) -> Result<Notice, Error> {
    wait_for(
        "the engine to notice",
        || {
            engine.wait(std::time::Duration::from_millis(10));
            engine.sample();
            engine.watch().transpose()
        },
        || "nothing noticed".to_owned(),
    )
}

fn run_until_bytes(engine: &mut Engine) {
    samples_until(engine, "bytes", |_| (), |sample| sample.bytes_read() > 0);
}

#[test]
fn nothing_stays_however_a_workload_ends() {
    let _turn = turn();
    let settings = [
        Settings::default(),
        Settings {
            pairs: 4,
            direction: Direction::Both,
            ..Settings::default()
        },
        Settings {
            peers: Peers::Processes,
            direction: Direction::Echo,
            ..Settings::default()
        },
        Settings {
            peers: Peers::Processes,
            reader_pace: Pace::Stopped,
            ..Settings::default()
        },
    ];
    let before = Held::now();
    for settings in &settings {
        let mut engine = start(settings, None);
        engine.sample();
        drop(engine);
        assert_nothing_left(&before);

        let mut engine = start(settings, None);
        engine
            .set(Settings {
                mode: Mode::RAW.with(Flag::Opost),
                ..settings.clone()
            })
            .unwrap();
        engine.stop();
        assert_nothing_left(&before);
    }
    // A sink that goes away ends the source.
    let options = Options::default();
    let source = start_source(Settings::default(), options, INTERVAL, None).unwrap();
    source.events.recv().unwrap();
    drop(source);
    assert_nothing_left(&before);
}

#[test]
fn a_workload_that_cannot_start_leaves_nothing() {
    let _turn = turn();
    let before = Held::now();
    for peers in [Peers::Threads, Peers::Processes] {
        let settings = Settings {
            reader_cpu: Some(1000),
            peers,
            ..Settings::default()
        };
        let options = Options {
            program: Some(PathBuf::from(env!("CARGO_BIN_EXE_ptyscope"))),
            ..Options::default()
        };
        let Err(Error::Pty(why)) = Engine::start(settings, options) else {
            panic!("CPU 1000 was found");
        };
        assert_eq!(why.errno, Errno::EINVAL);
        assert!(why.to_string().contains("no such CPU"), "{why}");
        assert_nothing_left(&before);
    }
    let missing = Options {
        program: Some(PathBuf::from("/nonexistent/ptyscope")),
        ..Options::default()
    };
    let settings = Settings {
        peers: Peers::Processes,
        ..Settings::default()
    };
    let Err(Error::Pty(why)) = Engine::start(settings, missing) else {
        panic!("a program that is not there was started");
    };
    assert_eq!(why.errno, Errno::ENOENT);
    assert!(why.to_string().contains("/nonexistent/ptyscope"), "{why}");
    assert_nothing_left(&before);
}

#[test]
fn a_killed_peer_is_an_error_and_leaves_nothing() {
    let _turn = turn();
    let before = Held::now();
    for direction in [Direction::SlaveToMaster, Direction::Echo] {
        let settings = Settings {
            peers: Peers::Processes,
            direction,
            ..Settings::default()
        };
        let mut engine = start(&settings, None);
        run_until_bytes(&mut engine);
        let peers: Vec<_> = children()
            .into_iter()
            .filter(|pid| !before.children.contains(pid))
            .collect();
        let [peer] = peers[..] else {
            panic!("{peers:?} are the peers");
        };
        kill(Pid::from_raw(peer), Signal::SIGKILL).unwrap();
        match watch(&mut engine) {
            Err(Error::Worker(why)) => assert!(why.contains("died"), "{why}"),
            other => panic!("{other:?}"),
        }
        engine.stop();
        assert_nothing_left(&before);
    }
}

#[test]
fn a_panicking_worker_is_an_error_and_leaves_nothing() {
    let _turn = turn();
    let before = Held::now();
    for peers in [Peers::Threads, Peers::Processes] {
        let settings = Settings {
            peers,
            ..Settings::default()
        };
        let options = Options {
            program: Some(PathBuf::from(env!("CARGO_BIN_EXE_ptyscope"))),
            reader_panics: true,
            ..Options::default()
        };
        let mut engine = Engine::start(settings, options).unwrap();
        match watch(&mut engine) {
            Err(Error::Worker(why)) => {
                assert!(why.contains("reader") && why.contains("died"), "{why}")
            }
            other => panic!("{other:?}"),
        }
        engine.stop();
        assert_nothing_left(&before);
    }
}

#[test]
fn a_byte_from_elsewhere_is_found() {
    let _turn = turn();
    let mut engine = start(&Settings::default(), None);
    run_until_bytes(&mut engine);
    let slave = open_slave(OFlag::O_WRONLY);
    write(&slave, b"?").unwrap();
    match watch(&mut engine) {
        Ok(Notice::Alarm(text)) => assert!(text.contains("doubled"), "{text}"),
        other => panic!("{other:?}"),
    }
    drop(slave);
    let (last, verdict) = engine.stop();
    assert_eq!(verdict, Verdict::Damaged);
    // One byte was put in, and no other touched.
    let found = last.integrity;
    assert_eq!(found.lost, 0, "{found}");
    assert!(
        (1..64).contains(&(found.changed + found.doubled)),
        "{found}"
    );
}

#[test]
fn bytes_that_somebody_else_read_are_found() {
    let _turn = turn();
    let settings = Settings {
        direction: Direction::MasterToSlave,
        ..Settings::default()
    };
    let mut engine = start(&settings, None);
    run_until_bytes(&mut engine);
    let slave = open_slave(OFlag::O_RDONLY);
    let mut stolen = [0; 100];
    let n = read(&slave, &mut stolen).unwrap() as u64;
    assert!(n > 0);
    match watch(&mut engine) {
        Ok(Notice::Alarm(text)) => assert!(text.contains("lost"), "{text}"),
        other => panic!("{other:?}"),
    }
    drop(slave);
    let (last, verdict) = engine.stop();
    assert_eq!(verdict, Verdict::Damaged);
    let found = last.integrity;
    assert_eq!((found.lost, found.doubled, found.changed), (n, 0, 0));
}

#[test]
fn termios_set_from_outside_are_adopted_and_told() {
    let _turn = turn();
    let mut engine = start(&Settings::default(), None);
    run_until_bytes(&mut engine);
    let mode = Mode::RAW.with(Flag::Opost);
    mode.apply(open_slave(OFlag::O_RDWR)).unwrap();
    let text = match watch(&mut engine) {
        Ok(Notice::Changed(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(text.contains("OPOST"), "{text}");
    assert_eq!(engine.settings().mode, mode);
    samples_until(
        &mut engine,
        "bytes in the new mode",
        |_| (),
        |sample| sample.settings.mode == mode && sample.bytes_read() > 0,
    );
    engine.stop();
}

#[test]
fn a_hung_up_slave_ends_the_workload() {
    let _turn = turn();
    let before = Held::now();
    let source = start_source(Settings::default(), Options::default(), INTERVAL, None).unwrap();
    while !matches!(source.events.recv().unwrap(), Event::Sample(sample) if sample.bytes_read() > 0)
    {
    }
    if let Err(errno) = hang_up(&open_slave(OFlag::O_RDWR)) {
        skip(
            &format!("TIOCVHANGUP gave {errno:?}"),
            "run as root (CAP_SYS_ADMIN)",
        );
        return;
    }
    let ending = loop {
        if let Event::Ended(ending) = source.events.recv().unwrap() {
            break ending;
        }
    };
    let why = ending.failure.expect("a hangup is no success");
    assert!(why.contains("EIO") || why.contains("hung up"), "{why}");
    assert_nothing_left(&before);
}

/// TIOCVHANGUP (tty_io.c), as vhangup(2) does to a controlling terminal.
fn hang_up(slave: &impl std::os::fd::AsRawFd) -> Result<(), Errno> {
    const TIOCVHANGUP: libc::Ioctl = 0x5437;
    // SAFETY: TIOCVHANGUP takes no argument and touches no memory of ours.
    Errno::result(unsafe { libc::ioctl(slave.as_raw_fd(), TIOCVHANGUP) }).map(drop)
}
