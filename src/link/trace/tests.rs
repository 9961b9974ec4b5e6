use std::fs;
use std::path::Path;

use super::*;

fn target(format: Format, path: &Path) -> Target {
    Target {
        format,
        path: path.to_owned(),
        limit: None,
        rotate: false,
    }
}

fn start(targets: &[Target]) -> Trace {
    Trace::start(
        targets,
        ["/tmp/a".to_owned(), "/tmp/b".to_owned()],
        Nudge::default(),
    )
    .unwrap()
}

#[test]
fn text_shows_time_direction_bytes_and_events() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    let trace = start(&[target(Format::Text, &path)]);
    let tap = trace.tap();
    let began = monotonic_ns();
    tap.bytes(began, 0, b"hello, serial world\r\n");
    tap.event(began + 1_500_000, 1, EventKind::FlushRead);
    tap.bytes(began + 2_000_000, 1, &[0, 6]);
    assert_eq!(trace.finish(), Vec::<String>::new());
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("# A is /tmp/a, B is /tmp/b; seconds since "));
    assert!(
        lines[1].contains(" A>B    21  68 65 6c 6c 6f 2c 20"),
        "{text}"
    );
    assert!(lines[1].ends_with("  hello, serial wo"), "{text}");
    assert!(lines[2].ends_with("  rld.."), "{text}");
    assert!(lines[3].ends_with(" B          FLUSHREAD"), "{text}");
    assert!(lines[4].contains(" B>A     2  00 06 "), "{text}");
    assert_eq!(lines.len(), 5);
}

#[test]
fn pcap_has_the_registered_header() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace.pcap");
    let trace = start(&[target(Format::Pcap, &path)]);
    trace.tap().bytes(monotonic_ns(), 1, b"abc");
    trace.finish();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 24 + 16 + 12 + 3);
    assert_eq!(bytes[20..24], 250u32.to_ne_bytes());
    assert_eq!(bytes[32..36], 15u32.to_ne_bytes());
    assert_eq!(bytes[40 + 8], DATA_RX);
    assert_eq!(&bytes[52..], b"abc");
}

const DATA_RX: u8 = 2;

#[test]
fn a_limit_ends_a_trace_or_turns_its_file_over() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    let write = |rotate| {
        let limited = Target {
            limit: Some(100_000),
            rotate,
            ..target(Format::Text, &path)
        };
        let trace = start(&[limited]);
        for _ in 0..20 {
            trace.tap().bytes(monotonic_ns(), 0, &[b'x'; 4000]);
        }
        trace.finish()
    };
    let news = write(false);
    assert_eq!(news.len(), 1);
    assert!(news[0].contains("limit of 100 kB"), "{news:?}");
    assert!(fs::metadata(&path).unwrap().len() <= 100_000);

    assert_eq!(write(true), Vec::<String>::new());
    for path in [path.clone(), directory.path().join("trace.1")] {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.starts_with("# A is") && text.len() <= 100_000);
    }
}

#[test]
fn a_full_disk_ends_the_trace_and_says_so() {
    // /dev/full answers ENOSPC (full(4)), already to the head of the file.
    let error = Trace::start(
        &[target(Format::Text, Path::new("/dev/full"))],
        Default::default(),
        Nudge::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("No space left"), "{error}");
}

#[test]
fn a_file_that_cannot_be_made_is_told_at_once() {
    let path = Path::new("/no/such/directory/trace");
    let error = Trace::start(
        &[target(Format::Text, path)],
        Default::default(),
        Nudge::default(),
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("/no/such/directory/trace"),
        "{error}"
    );
}

#[test]
fn a_reader_that_goes_ends_the_trace_and_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("fifo");
    nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    // Opened for both, so that it does not wait for a writer.
    let mut options = fs::OpenOptions::new();
    let reader = options.read(true).write(true).open(&path).unwrap();
    let nudge = Nudge::default();
    let (told, news) = std::sync::mpsc::channel();
    nudge.set(move || told.send(()).unwrap());
    let labels = Default::default();
    let trace = Trace::start(&[target(Format::Text, &path)], labels, nudge).unwrap();
    drop(reader);
    trace.tap().bytes(monotonic_ns(), 0, b"x");
    news.recv_timeout(Duration::from_secs(20)).unwrap();
    let text = trace.news().join("");
    assert!(
        text.contains("has stopped") && text.contains("the line goes on"),
        "{text}"
    );
    // Nothing more is kept, and nothing hangs.
    trace.tap().bytes(monotonic_ns(), 0, b"y");
    assert_eq!(trace.finish(), Vec::<String>::new());
}

/// What a trace with little room makes of `tapped`.
fn trace_with(room: Room, tapped: impl FnOnce(&Tap)) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trace");
    let targets = [target(Format::Text, &path)];
    let trace = Trace::start_with(room, &targets, Default::default(), Nudge::default());
    let trace = trace.unwrap();
    tapped(&trace.tap());
    assert_eq!(trace.finish(), Vec::<String>::new());
    fs::read_to_string(&path).unwrap()
}

#[test]
fn what_is_left_out_before_the_end_is_said() {
    let room = Room {
        bytes: 100,
        records: 10,
    };
    let text = trace_with(room, |tap| {
        tap.bytes(monotonic_ns(), 0, b"fits");
        tap.bytes(monotonic_ns(), 0, &[b'x'; 101]);
    });
    assert!(text.contains("A>B     4  66 69 74 73"), "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.contains("101 bytes not written down"), "{text}");
}

#[test]
fn events_and_small_messages_have_their_limit_too() {
    let room = Room {
        bytes: 100,
        records: 0,
    };
    let text = trace_with(room, |tap| {
        for _ in 0..1000 {
            tap.event(monotonic_ns(), 1, EventKind::Ioctl);
            tap.bytes(monotonic_ns(), 1, b"x");
        }
    });
    let said = |noun: &str| -> u64 {
        let mut words = text.split_whitespace().collect::<Vec<_>>();
        words.reverse();
        let pairs = words.windows(2).filter(|pair| pair[0].starts_with(noun));
        pairs.filter_map(|pair| pair[1].parse::<u64>().ok()).sum()
    };
    assert_eq!((said("byte"), said("event")), (1000, 1000), "{text}");
    assert!(!text.contains("IOCTL") && !text.contains("B>A"), "{text}");
}
