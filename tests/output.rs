//! What the program writes to standard output and standard error, whatever
//! words it was given and wherever they lead.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Clears the screen in two ways, rings, turns the direction of writing.
const HOSTILE: &str = "x\u{1b}[2J\u{9b}31m\u{7}\u{202e}y";

/// The same, as people are to read it.
const TOLD: &str = r"x\u{1b}[2J\u{9b}31m\u{7}\u{202e}y";

fn ptyscope<S: AsRef<OsStr>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptyscope"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    ptyscope(arguments).output().unwrap()
}

/// What was written, which a terminal may show as it is.
#[track_caller]
fn harmless(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let obeyed = |c: char| c.is_control() && !"\n\t".contains(c) || c == '\u{202e}';
    assert!(!text.contains(obeyed), "{text:?}");
    text
}

/// A small report whose label, kernel and warning are not to be trusted.
fn foreign(folder: &Path, name: &str) -> PathBuf {
    let output = run(&["bench", "--bytes", "64K", "--json"]);
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["label"] = HOSTILE.into();
    report["host"]["kernel"]["release"] = format!("{name}{HOSTILE}").into();
    let path = folder.join(format!("{name}{HOSTILE}.json"));
    fs::write(&path, report.to_string()).unwrap();
    path
}

#[test]
fn a_report_commands_no_terminal() {
    for format in ["text", "markdown", "csv", "json"] {
        let output = run(&[
            "bench", "--bytes", "64K", "--label", HOSTILE, "--format", format,
        ]);
        assert!(output.status.success());
        let text = harmless(&output.stdout);
        let told = match format {
            "text" => TOLD.to_owned(),
            "markdown" => TOLD.replace('\\', r"\\").replace('[', r"\["),
            _ => r"x\u001b[2J\u009b31m\u0007\u202ey".to_owned(),
        };
        assert!(text.contains(&told), "{text}");
        if format == "json" {
            let report: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(report["label"], HOSTILE);
        }
    }
}

#[test]
fn a_comparison_commands_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["a", "b"].map(|name| foreign(folder.path(), name));
    for format in ["text", "markdown", "csv", "json"] {
        let words = [OsStr::new("compare"), a.as_os_str(), b.as_os_str()];
        let output = run(&[&words[..], &["--format", format].map(OsStr::new)].concat());
        let text = harmless(&output.stdout);
        assert!(output.status.success(), "{text}");
        match format {
            "text" => assert!(text.contains(&format!("b{TOLD}.json ({TOLD})")), "{text}"),
            "json" => {
                let compared: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(compared["base"]["label"], HOSTILE);
            }
            _ => {}
        }
    }
}

#[test]
fn a_complaint_commands_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join(HOSTILE);
    fs::write(&broken, "no report").unwrap();
    let missing = OsStr::new(HOSTILE);
    let inside = broken.join("report.json");
    let of = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let with = |words: &[&str], last: &OsStr| [of(words), vec![last.to_owned()]].concat();
    for words in [
        with(&["replay"], broken.as_os_str()),
        with(&["replay"], missing),
        [
            with(&["compare"], broken.as_os_str()),
            vec![broken.clone().into()],
        ]
        .concat(),
        with(&["bench", "--bytes", "1K", "-o"], inside.as_os_str()),
        with(&["check", "--only"], missing),
        with(&["bench", "--preset"], missing),
        with(&["--tour"], broken.as_os_str()),
    ] {
        let output = run(&words);
        assert!(!output.status.success(), "{words:?}");
        let text = harmless(&output.stderr);
        // clap leaves sequences out, and then it is not all there.
        let whole = text.contains(TOLD) || words.contains(&"--preset".into());
        assert!(whole, "{words:?}: {text}");
    }
    let name = [b"x\xff", "\u{1b}".as_bytes()].concat();
    let output = run(&[OsStr::new("replay"), OsStr::from_bytes(&name)]);
    let said = harmless(&output.stderr);
    assert!(said.contains(r"\u{1b}: cannot be read: ENOENT"), "{said}");
}

/// Recordings of a run and of a link, whose headers are not to be trusted.
#[test]
fn a_recording_commands_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, words) in [("run", &["--plain"][..]), ("link", &["link", "--plain"])] {
        let path = folder.path().join(kind).display().to_string();
        let ends = ["--record", &path, "-d", "300ms"];
        assert!(run(&[words, &ends].concat()).status.success());
        let text = fs::read_to_string(&path).unwrap();
        let (header, rest) = text.split_once('\n').unwrap();
        let mut header: Value = serde_json::from_str(header).unwrap();
        header["host"]["kernel"]["release"] = HOSTILE.into();
        let mut file = File::create(&path).unwrap();
        write!(file, "{header}\n{rest}").unwrap();
        let output = run(&["replay", &path, "--plain"]);
        let text = harmless(&output.stdout);
        // Control characters are left out where a recording is read.
        assert!(text.contains(r"31m \u{202e}y"), "{text}");
        for format in ["text", "json"] {
            let output = run(&["replay", &path, "--format", format]);
            harmless(&output.stdout);
            assert!(output.status.success(), "{}", harmless(&output.stderr));
        }
    }
}

#[test]
fn a_complaint_says_of_what_and_why() {
    for (words, said) in [
        ("compare - -", "cannot read standard input: "),
        ("compare / /", "cannot read /: EISDIR ("),
        ("link /nodir/a /nodir/b", "/nodir/a: ENOENT ("),
        ("link --pcap /nodir/a", "/nodir/a: ENOENT ("),
        (
            "bench --writer-cpu 99999",
            "a worker on CPU 99999: EINVAL (",
        ),
        ("bench -o /nodir/a", "/nodir/a: ENOENT ("),
        ("bench --record /nodir/a", "/nodir/a: ENOENT ("),
        ("boot /nodir/a -- check", "ptyscope: /nodir/a: ENOENT ("),
        ("--tour / --plain", "/: EISDIR ("),
    ] {
        let output = run(&words.split(' ').collect::<Vec<_>>());
        let text = harmless(&output.stderr);
        assert!(!output.status.success(), "{words}: {text}");
        assert!(text.contains(said), "{words}: {text}");
        assert!(!text.contains("os error"), "{words}: {text}");
    }
}

#[test]
fn a_value_that_cannot_be_is_told_with_its_option() {
    for (words, option, said) in [
        (
            "bench -d 0s",
            "--duration",
            "0s is out of range: a time above 0",
        ),
        (
            "link --stall 0s",
            "--stall",
            "0s is out of range: a time above 0",
        ),
        (
            "link -i 0",
            "--interval",
            "0 is out of range: a time above 0",
        ),
        (
            "xmodem --timeout 0s",
            "--timeout",
            "0s is out of range: 1 ns to 60.0 min",
        ),
        (
            "link --latency 61s",
            "--latency",
            "61s is out of range: 0 to 1.0 min",
        ),
        (
            "xmodem --settle 2m",
            "--settle",
            "2m is out of range: 0 to 1.0 min",
        ),
        (
            "check --deadline 1ms",
            "--deadline",
            "1ms is out of range: 10.0 ms to 10.0 min",
        ),
        (
            "bench -n 0",
            "--bytes",
            "0 is out of range: at least 1 byte",
        ),
        (
            "boot x --memory 1 -- check",
            "--memory",
            "1 is out of range: 1 MiB to 4 TiB",
        ),
    ] {
        let output = run(&words.split(' ').collect::<Vec<_>>());
        let text = harmless(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {text}");
        assert!(
            text.contains(option) && text.contains(said),
            "{words}: {text}"
        );
    }
}

#[test]
fn one_is_one() {
    let output = run(&["check", "--only", "open.ptmx"]);
    let text = harmless(&output.stdout);
    assert!(text.contains("\n1 check in "), "{text}");
}

/// Every way in which the program writes to standard output.
const WAYS: &[&str] = &[
    "--help",
    "--version",
    "bench --help",
    "boot x -- bench --help",
    "check --list",
    "check --explain open.ptmx",
    "check --only open.ptmx",
    "check --only open.ptmx --format ktap",
    "bench --bytes 4K",
    "bench --bytes 4K --json",
    "capacity 256 --format csv",
    "--plain --caption words -d 100ms",
    "link --plain -d 100ms",
    "link --json -d 100ms",
    "link --dump - -d 100ms",
    "link --pcap - -d 100ms",
    "-d 100ms --snapshot -",
    "replay assets/demo.rec.gz --plain",
    "replay assets/demo.rec.gz --format text",
    "replay assets/demo.rec.gz --snapshot -",
];

fn into(way: &str, out: impl Into<Stdio>) -> Output {
    let words: Vec<_> = way.split(' ').collect();
    let mut command = ptyscope(&words);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.stdout(out).output().unwrap()
}

#[test]
fn output_that_is_lost_is_a_failure_with_its_name() {
    for way in WAYS {
        // full(4) answers ENOSPC; a descriptor open for reading alone, EBADF.
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let unwritable = File::open("/dev/null").unwrap();
        for (out, why) in [(full, "ENOSPC ("), (unwritable, "EBADF (")] {
            let output = into(way, out);
            let said = harmless(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{way}: {said}");
            assert!(said.contains("to standard output"), "{way}: {said}");
            assert!(said.contains(why), "{way}: {said}");
        }
    }
}

#[test]
fn a_reader_that_is_gone_is_none() {
    // A trace that nobody takes from the start is a mistake.
    let is_trace = |way: &&&str| way.contains("--dump") || way.contains("--pcap");
    for way in WAYS.iter().filter(|way| !is_trace(way)) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = into(way, writer);
        let said = harmless(&output.stderr);
        assert!(output.status.success(), "{way}: {said}");
        assert!(!said.contains("EPIPE"), "{way}: {said}");
    }
}
