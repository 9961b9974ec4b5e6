//! Two clients on the two ends of a null modem.

#[path = "support/skip.rs"]
mod skip;
#[path = "support/wait.rs"]
mod wait;

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};
use ptyscope::link::{NullModem, Setup};
use ptyscope::pty::{Flag, Mode};
use ptyscope::sample::{Cause, EventKind, FlowEnd, LinkEvent, LinkView, Sample};
use ptyscope::workload::Line;

use skip::skip;
use wait::wait_for;

fn setup() -> Setup {
    Setup {
        links: 1,
        stall: Duration::from_millis(100),
        ..Setup::default()
    }
}

fn start(line: Line) -> NullModem {
    NullModem::start(Setup { line, ..setup() }).unwrap()
}

fn open(path: &Path) -> File {
    let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(flags);
    options.open(path).unwrap()
}

fn clients(modem: &NullModem) -> [File; 2] {
    modem.paths()[0].map(open)
}

/// Polls until `done` gives something; panics with `what` past the deadline.
fn until<T>(what: &str, done: impl FnMut() -> Option<T>) -> T {
    wait_for(what, done, String::new)
}

/// Reads what is there.
fn read_now(mut file: &File) -> Vec<u8> {
    let mut buffer = [0; 8192];
    match file.read(&mut buffer) {
        Ok(n) => buffer[..n].to_vec(),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Vec::new(),
        Err(error) => panic!("{error}"),
    }
}

fn read_exactly(file: &File, length: usize) -> Vec<u8> {
    let mut got = Vec::new();
    until("bytes", || {
        got.extend(read_now(file));
        (got.len() >= length).then_some(())
    });
    got
}

fn has_input(file: &File) -> bool {
    let mut entries = [PollFd::new(file.as_fd(), PollFlags::POLLIN)];
    poll(&mut entries, PollTimeout::ZERO).unwrap() > 0
}

/// Writes from A what there is room for until the pty of B takes nothing more
/// from the relay, nor A's own from us.
fn fill(modem: &mut NullModem, mut a: &File) -> usize {
    let mut written = 0;
    until("a full line", || {
        loop {
            match a.write(&[b'x'; 256]) {
                Ok(n) => written += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        let is_blocked = link(&modem.sample()).ways[0].blocked_ns.is_some();
        is_blocked.then_some(written)
    })
}

fn link(sample: &Sample) -> &LinkView {
    &sample.link.as_ref().unwrap().links[0]
}

/// Samples until one satisfies `done`.
fn sample_until(modem: &mut NullModem, what: &str, done: impl Fn(&LinkView) -> bool) -> Sample {
    until(what, || {
        let sample = modem.sample();
        done(link(&sample)).then_some(sample)
    })
}

#[test]
fn bytes_cross_both_ways_and_are_counted() {
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    let message: Vec<u8> = (0..=255).collect();
    (&a).write_all(&message).unwrap();
    assert_eq!(read_exactly(&b, 256), message);
    (&b).write_all(b"back").unwrap();
    assert_eq!(read_exactly(&a, 4), b"back");

    let sample = modem.sample();
    let [there, back] = &sample.flows[..] else {
        panic!("two flows")
    };
    assert_eq!((there.from, back.from), (FlowEnd::A, FlowEnd::B));
    assert_eq!((there.totals.written, there.totals.read), (256, 256));
    assert_eq!((back.reader.calls.bytes, back.writer.calls.bytes), (4, 4));
    let ways = &link(&sample).ways;
    assert_eq!(ways[0].in_relay.as_ref().unwrap().count(), 256);
    assert_eq!(ways[0].turnaround.as_ref().unwrap().count(), 1);
    assert!(ways[1].turnaround.is_none());
    // What was taken away is not told again.
    assert_eq!(modem.sample().bytes_read(), 0);
    assert_eq!(modem.sample().flows[0].totals.written, 256);
}

#[test]
fn names_lead_to_the_slaves_and_go_with_the_modem() {
    let directory = tempfile::tempdir().unwrap();
    let names = ["ttyS0", "ttyS1"].map(|name| directory.path().join(name));
    let named = || Setup {
        names: Some(names.clone()),
        ..setup()
    };
    let modem = NullModem::start(named()).unwrap();
    let slaves = modem.slaves()[0].map(Path::to_owned);
    assert_eq!(fs::read_link(&names[0]).unwrap(), slaves[0]);
    assert_eq!(fs::read_link(&names[1]).unwrap(), slaves[1]);
    let error = NullModem::start(named()).err().unwrap().to_string();
    assert!(error.contains("a pty in use"), "{error}");
    drop(modem);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);

    let twice = Setup {
        names: Some([names[0].clone(), names[0].clone()]),
        ..setup()
    };
    let error = NullModem::start(twice).err().unwrap().to_string();
    assert!(error.contains("both names"), "{error}");

    // When the second name cannot be had the first goes again.
    fs::write(&names[1], "precious").unwrap();
    assert!(NullModem::start(named()).is_err());
    assert!(!names[0].is_symlink());
    assert_eq!(fs::read_to_string(&names[1]).unwrap(), "precious");
}

#[test]
fn clients_come_and_go() {
    let mut modem = start(Line::default());
    let [_, b_path] = modem.paths()[0].map(Path::to_owned);
    for round in 0..3u8 {
        let [a, b] = clients(&modem);
        (&a).write_all(&[round; 10]).unwrap();
        assert_eq!(read_exactly(&b, 10), [round; 10]);
        let attached = |link: &LinkView| link.ends.iter().all(|end| end.attached);
        sample_until(&mut modem, "two clients", attached);
        // The last words of a client arrive although it is gone.
        (&a).write_all(b"bye").unwrap();
        drop(a);
        assert_eq!(read_exactly(&b, 3), b"bye");
        drop(b);
        sample_until(&mut modem, "an empty link", |link| {
            link.ends.iter().all(|end| !end.attached)
        });
    }
    // A client that is gone before anybody looks.
    let [a, _] = modem.paths()[0].map(Path::to_owned);
    open(&a).write_all(b"hit and run").unwrap();
    assert_eq!(read_exactly(&open(&b_path), 11), b"hit and run");
}

#[test]
fn bytes_for_nobody_are_kept_up_to_the_capacity_then_held_back() {
    let mut modem = start(Line::default());
    let [a_path, b_path] = modem.paths()[0].map(Path::to_owned);
    let a = open(&a_path);
    let written = fill(&mut modem, &a);
    let sample = sample_until(&mut modem, "a silence with a cause", |link| {
        link.silence.is_some_and(|silence| silence.cause.is_some())
    });
    let silence = link(&sample).silence.unwrap();
    assert_eq!(silence.cause, Some(Cause::NobodyAttached(FlowEnd::B)));
    assert!(link(&sample).ways[0].blocked_ns.is_some());

    let b = open(&b_path);
    assert_eq!(read_exactly(&b, written).len(), written);
    (&b).write_all(b"!").unwrap();
    assert_eq!(read_exactly(&a, 1), b"!");
    assert!(link(&modem.sample()).ways[0].blocked_ns.is_none());
}

#[test]
fn a_reader_that_sleeps_is_told_from_one_that_is_gone() {
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    let written = fill(&mut modem, &a);
    sample_until(&mut modem, "a reader that sleeps", |link| {
        let cause = link.silence.and_then(|silence| silence.cause);
        cause == Some(Cause::NobodyReads(FlowEnd::B))
    });
    assert_eq!(read_exactly(&b, written).len(), written);
}

#[test]
fn a_wire_drops_what_nobody_listens_to() {
    let mut modem = start(Line {
        drop_unattached: true,
        ..Line::default()
    });
    let [a_path, b_path] = modem.paths()[0].map(Path::to_owned);
    let a = open(&a_path);
    (&a).write_all(&[7; 100]).unwrap();
    sample_until(&mut modem, "dropped bytes", |link| {
        link.ways[0].faults.unattached == 100
    });
    let b = open(&b_path);
    sample_until(&mut modem, "a client", |link| link.ends[1].attached);
    (&a).write_all(b"heard").unwrap();
    assert_eq!(read_exactly(&b, 5), b"heard");
    let totals = modem.sample().flows[0].totals;
    assert_eq!((totals.written, totals.read, totals.dropped), (105, 5, 100));
}

#[test]
fn a_flush_that_throws_bytes_away_is_told_from_a_harmless_one() {
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    // Answered: nothing can be in flight.
    (&a).write_all(b"block").unwrap();
    read_exactly(&b, 5);
    (&b).write_all(b"\x06").unwrap();
    tcflush(b.as_fd(), FlushArg::TCIFLUSH).unwrap();
    read_exactly(&a, 1);
    let sample = sample_until(&mut modem, "a flush", |link| {
        link.ends[1].events.get(EventKind::FlushRead) == 1
    });
    let flush = *link(&sample).log.last().unwrap();
    assert_eq!((flush.kind, flush.unanswered), (EventKind::FlushRead, 0));

    // Once it has flushed its reads are looked at.
    (&a).write_all(b"block").unwrap();
    read_exactly(&b, 5);
    (&b).write_all(b"\x06").unwrap();
    read_exactly(&a, 1);
    // It is known once the relay, after it had passed the block on, has looked
    // at B again before the flush; a busy machine may not let it at once.
    until("a flush of which it is known", || {
        (&a).write_all(b"block").unwrap();
        until("the block", || has_input(&b).then_some(()));
        let flush = flush_input(&mut modem, &b);
        assert!([None, Some(5)].contains(&flush.discarded), "{flush:?}");
        flush.discarded
    });
    let cause = Some(Cause::DiscardedInput(FlowEnd::B));
    sample_until(&mut modem, "a silence", |link| {
        link.silence.is_some_and(|silence| silence.cause == cause)
    });
    assert_eq!(read_now(&b), b"");
    (&a).write_all(b"again").unwrap();
    assert_eq!(read_exactly(&b, 5), b"again");
    let sample = sample_until(&mut modem, "the end of the stall", |link| {
        link.stalls.iter().any(|stall| stall.cause == cause)
    });
    assert_eq!(link(&sample).stalls.len(), 1);
}

/// Flushes a client's input; gives the event that tells of it.
fn flush_input(modem: &mut NullModem, client: &File) -> LinkEvent {
    modem.sample();
    tcflush(client.as_fd(), FlushArg::TCIFLUSH).unwrap();
    until("the flush", || {
        let sample = modem.sample();
        let mut log = link(&sample).log.iter();
        log.find(|event| event.kind == EventKind::FlushRead)
            .copied()
    })
}

#[test]
fn a_flush_after_everything_was_read_is_never_said_to_have_lost_bytes() {
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    for _ in 0..20 {
        (&a).write_all(b"block").unwrap();
        assert_eq!(read_exactly(&b, 5), b"block");
        let flush = flush_input(&mut modem, &b);
        assert!(flush.unanswered >= 5);
        assert_eq!(flush.discarded, None);
    }
    let cause = Cause::FlushedInput(FlowEnd::B);
    let sample = sample_until(&mut modem, "a silence", |link| {
        link.silence
            .is_some_and(|silence| silence.cause == Some(cause))
    });
    let text = cause.text(|_| link(&sample).ends[1].label());
    assert!(text.ends_with("whether bytes were lost is not known"));
}

#[test]
fn who_opens_a_line_that_was_read_empty_can_lose_nothing() {
    let mut modem = start(Line::default());
    let b_path = modem.paths()[0][1].to_owned();
    let [a, b] = clients(&modem);
    (&a).write_all(b"the last block").unwrap();
    assert_eq!(read_exactly(&b, 14), b"the last block");
    drop(b);
    sample_until(&mut modem, "a close", |link| !link.ends[1].attached);
    // As a terminal program does that starts after a transfer.
    let b = open(&b_path);
    let flush = flush_input(&mut modem, &b);
    assert_eq!((flush.unanswered, flush.discarded), (0, None));
    let sample = sample_until(&mut modem, "a silence", |link| link.silence.is_some());
    assert_eq!(link(&sample).silence.unwrap().cause, None);

    // What nobody has read may be lost by the next who flushes.
    (&a).write_all(b"left").unwrap();
    until("the bytes", || has_input(&b).then_some(()));
    drop(b);
    sample_until(&mut modem, "a close", |link| !link.ends[1].attached);
    assert_eq!(flush_input(&mut modem, &open(&b_path)).unanswered, 4);
}

#[test]
fn a_stopped_client_and_a_cooked_one_are_named() {
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    (&a).write_all(b"x").unwrap();
    read_exactly(&b, 1);
    Mode::RAW.with(Flag::Ixon).apply(&b).unwrap();
    // B's own line discipline acts on the ^S that A sends.
    (&a).write_all(b"\x13").unwrap();
    let sample = sample_until(&mut modem, "a stop", |link| {
        let cause = link.silence.and_then(|silence| silence.cause);
        cause == Some(Cause::Stopped(FlowEnd::B))
    });
    assert!(link(&sample).ends[1].stopped);
    (&a).write_all(b"\x11").unwrap();
    sample_until(&mut modem, "a start", |link| !link.ends[1].stopped);
    Mode::COOKED.apply(&a).unwrap();
    Mode::RAW.apply(&b).unwrap();
    sample_until(&mut modem, "a cooked client", |link| {
        let cause = link.silence.and_then(|silence| silence.cause);
        cause == Some(Cause::NotRaw(FlowEnd::A))
    });
}

#[test]
fn the_line_can_be_changed_while_it_carries_bytes() {
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    (&a).write_all(b"one").unwrap();
    read_exactly(&b, 3);
    let deaf = Line {
        drop: "1".parse().unwrap(),
        ..Line::default()
    };
    modem.set_line(deaf).unwrap();
    let changed = until("a new epoch", || {
        let sample = modem.sample();
        (sample.epoch == 1).then_some(sample)
    });
    assert!(changed.bytes_read() == 0 || !changed.settled);
    (&a).write_all(b"two").unwrap();
    sample_until(&mut modem, "lost bytes", |link| {
        link.ways[0].faults.dropped == 3
    });
    modem.set_line(Line::default()).unwrap();
    until("the next epoch", || {
        (modem.sample().epoch == 2).then_some(())
    });
    (&a).write_all(b"three").unwrap();
    assert_eq!(read_exactly(&b, 5), b"three");
    let zero = Line {
        latency: Duration::from_secs(61),
        ..Line::default()
    };
    assert!(modem.set_line(zero).is_err());
}

/// The silence begins when the last byte arrives, long after the harm was done.
#[test]
fn harm_done_on_a_slow_line_explains_the_silence_after_it() {
    let mut modem = start(Line {
        baud: "9600".parse().ok(),
        flip: "0.5".parse().unwrap(),
        ..Line::default()
    });
    let [a, b] = clients(&modem);
    (&a).write_all(&[7; 300]).unwrap();
    assert_eq!(read_exactly(&b, 300).len(), 300);
    let sample = sample_until(&mut modem, "a silence", |link| link.silence.is_some());
    let cause = link(&sample).silence.unwrap().cause;
    assert_eq!(cause, Some(Cause::Faults(FlowEnd::B)));
}

#[test]
fn a_slow_line_with_all_its_delays_keeps_order() {
    let modem = start(Line {
        baud: "1000000".parse().ok(),
        latency: Duration::from_millis(1),
        jitter: Duration::from_millis(3),
        settle: Duration::from_micros(200),
        ..Line::default()
    });
    let [a, b] = clients(&modem);
    let sent: Vec<u8> = (0..10_000u32).map(|n| (n % 251) as u8).collect();
    let (mut left, mut got) = (&sent[..], Vec::new());
    until("all bytes", || {
        match (&a).write(&left[..left.len().min(700)]) {
            Ok(n) => left = &left[n..],
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        got.extend(read_now(&b));
        (got.len() >= sent.len()).then_some(())
    });
    assert_eq!(got, sent);
}

#[test]
fn a_hung_up_slave_can_be_opened_again() {
    if !nix::unistd::geteuid().is_root() {
        skip("only root may hang a terminal up (TIOCVHANGUP)", "root");
        return;
    }
    let mut modem = start(Line::default());
    let [a, b] = clients(&modem);
    // SAFETY: TIOCVHANGUP takes no argument.
    let hung_up = unsafe { libc::ioctl(std::os::fd::AsRawFd::as_raw_fd(&b), TIOCVHANGUP) };
    assert_eq!(hung_up, 0);
    assert_eq!((&b).read(&mut [0; 8]).unwrap(), 0);
    drop(b);
    let b = open(modem.paths()[0][1]);
    // The hangup has set the termios back (tty_ldisc_hangup), which is shown.
    let cooked = |link: &LinkView| link.ends[1].mode == Some(Mode::COOKED);
    sample_until(&mut modem, "a cooked client", cooked);
    Mode::RAW.apply(&b).unwrap();
    (&a).write_all(b"are you there").unwrap();
    assert_eq!(read_exactly(&b, 13), b"are you there");
    (&b).write_all(b"yes").unwrap();
    assert_eq!(read_exactly(&a, 3), b"yes");
}

/// Hangs up the terminal itself (asm-generic/ioctls.h; libc has no name for it).
const TIOCVHANGUP: libc::Ioctl = 0x5437;

#[test]
fn a_gigabyte_arrives_whole_at_a_reader_that_pauses() {
    const BYTES: usize = 1 << 30;
    if std::env::var_os("PTYSCOPE_LONG_TESTS").is_none() {
        eprintln!("skipped: PTYSCOPE_LONG_TESTS=1 runs it, in a minute or so");
        return;
    }
    let modem = start(Line::default());
    let [a, b] = modem.paths()[0].map(|path| {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NOCTTY);
        options.open(path).unwrap()
    });
    // A period that no size the kernel moves is a multiple of.
    let pattern: Vec<u8> = (0..65_521u32).map(|n| (n * 7 + n / 251) as u8).collect();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut left = BYTES;
            while left > 0 {
                let length = left.min(pattern.len());
                (&a).write_all(&pattern[..length]).unwrap();
                left -= length;
            }
        });
        let (mut at, mut state) = (0, 1u64);
        let mut buffer = vec![0; 8192];
        while at < BYTES {
            let n = (&b).read(&mut buffer).unwrap();
            for (k, byte) in buffer[..n].iter().enumerate() {
                let expected = pattern[(at + k) % pattern.len()];
                assert_eq!(*byte, expected, "at {}", at + k);
            }
            at += n;
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if state >> 54 == 0 {
                std::thread::sleep(Duration::from_micros(state >> 40 & 0x7FF));
            }
        }
        assert_eq!(at, BYTES);
    });
}
