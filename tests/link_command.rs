//! `ptyscope link` and `ptyscope xmodem` as programs, with real clients.
//!
//! A client that is not installed is skipped with a word, or is a failure
//! where PTYSCOPE_REQUIRE_TOOLS is set.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

const PTYSCOPE: &str = env!("CARGO_BIN_EXE_ptyscope");
const DEADLINE: Duration = Duration::from_secs(60);
/// The file of the 2010 report.
const FILE: usize = 538_368;

/// A running `ptyscope link` with two names in a directory of its own.
struct Link {
    child: Child,
    stdout: BufReader<ChildStdout>,
    directory: TempDir,
}

impl Link {
    fn start(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut child = Command::new(PTYSCOPE)
            .arg("link")
            .args(["a", "b"].map(|name| directory.path().join(name)))
            .args(flags)
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("ready") {
            line.clear();
            let read = stdout.read_line(&mut line).unwrap();
            assert!(read > 0, "ended before it was ready");
        }
        Self {
            child,
            stdout,
            directory,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn open(&self, name: &str) -> File {
        open(&self.path(name))
    }

    /// Ends it by `signal`; gives what it printed after it was ready, and its
    /// exit code.
    fn end(mut self, signal: Signal) -> (String, Option<i32>) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
        let status = wait(&mut self.child, "ptyscope link to end");
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        assert!(!self.path("a").is_symlink() && !self.path("b").is_symlink());
        (text, status.code())
    }

    /// Ends it, and gives its summary.
    fn summary(self) -> Value {
        let (text, code) = self.end(Signal::SIGTERM);
        assert_eq!(code, Some(0), "{text}");
        serde_json::from_str(text.lines().last().unwrap()).unwrap()
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn open(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOCTTY);
    options.open(path).unwrap()
}

fn wait(child: &mut Child, what: &str) -> std::process::ExitStatus {
    let until = Instant::now() + DEADLINE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() >= until {
            let _ = child.kill();
            panic!("waited {DEADLINE:?} for {what}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ptyscope(arguments: &[&str]) -> Output {
    Command::new(PTYSCOPE)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Whether all tools are there; says which is not.
fn have(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| {
        let probe = format!("command -v {tool}");
        let found = Command::new("sh").args(["-c", &probe]).output().unwrap();
        !found.status.success()
    });
    absent(missing.copied())
}

/// `true` for nothing missing.
fn absent(missing: Option<&str>) -> bool {
    if let Some(tool) = missing {
        assert!(
            std::env::var_os("PTYSCOPE_REQUIRE_TOOLS").is_none(),
            "{tool} is not installed, and PTYSCOPE_REQUIRE_TOOLS is set"
        );
        eprintln!("skipped: {tool} is not installed");
    }
    missing.is_none()
}

fn random_file(path: &Path, length: usize) -> Vec<u8> {
    let mut state = 1u64;
    let next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u8
    };
    let bytes: Vec<u8> = std::iter::repeat_with(next).take(length).collect();
    fs::write(path, &bytes).unwrap();
    bytes
}

/// Runs a client at one end: `program arguments` with stdin and stdout there.
fn client(link: &Link, end: &str, program: &str, arguments: &[&str]) -> Child {
    Command::new(program)
        .args(arguments)
        .current_dir(link.directory.path())
        .stdin(link.open(end))
        .stdout(link.open(end))
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A transfer by lrzsz, the file compared byte by byte. The settling pause
/// keeps `rx` from flushing the next block away.
fn lrzsz(send: &str, receive: &str, flags: &[&str], from: &str, to: &str) {
    if !have(&[send, receive]) {
        return;
    }
    let link = Link::start(&["--settle", "300us", "--json"]);
    let file = random_file(&link.path("input.bin"), FILE);
    fs::create_dir(link.path("in")).unwrap();
    let name = if receive == "rx" {
        "in/output.bin"
    } else {
        "in/input.bin"
    };
    let mut sender = client(&link, from, send, &[flags, &["-q", "input.bin"]].concat());
    let mut receiver = Command::new(receive)
        .args(if receive == "rx" {
            &["-q", "output.bin"][..]
        } else {
            &["-q"]
        })
        .current_dir(link.path("in"))
        .stdin(link.open(to))
        .stdout(link.open(to))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(wait(&mut receiver, receive).success());
    if receive == "rx" {
        // rx flushes its output after its last ACK and may throw it away, for
        // which sx then waits a minute: its fault, and the file is there.
        let _ = sender.kill();
    }
    wait(&mut sender, send);
    let got = fs::read(link.path(name)).unwrap();
    assert!(got.starts_with(&file), "{} bytes came", got.len());
    let padding = &got[file.len()..];
    assert!(padding.iter().all(|&byte| byte == 0x1A), "{padding:?}");
    let summary = link.summary();
    let way = usize::from(from == "b");
    let passed = summary["links"][0]["ways"][way]["passed"].as_u64().unwrap();
    assert!(passed > FILE as u64, "{passed}");
}

#[test]
fn xmodem_by_lrzsz_in_short_blocks() {
    lrzsz("sx", "rx", &[], "a", "b");
}

#[test]
fn xmodem_by_lrzsz_in_long_blocks_the_other_way() {
    lrzsz("sx", "rx", &["-k"], "b", "a");
}

#[test]
fn zmodem_by_lrzsz_both_ways() {
    lrzsz("sz", "rz", &[], "a", "b");
    lrzsz("sz", "rz", &[], "b", "a");
}

/// What `python3` says to `script`; None where there is no pyserial.
fn pyserial(link: &Link, script: &str) -> Option<String> {
    let probe = Command::new("python3")
        .args(["-c", "import serial"])
        .output();
    let there = probe.is_ok_and(|probe| probe.status.success());
    if !absent((!there).then_some("pyserial")) {
        return None;
    }
    let output = Command::new("python3")
        .args(["-c", script])
        .args(["a", "b"].map(|name| link.path(name)))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn pyserial_opens_reads_with_a_timeout_and_writes() {
    let link = Link::start(&["--json"]);
    let script = r#"
import errno, serial, sys
a = serial.Serial(sys.argv[1], 115200, timeout=0.2)
b = serial.Serial(sys.argv[2], 9600, timeout=20)
assert a.read(1) == b""
a.write(b"hello over there")
assert b.read(16) == b"hello over there"
b.write(bytes(range(256)))
a.timeout = 20
assert a.read(256) == bytes(range(256))
try:
    a.rts = False
    print("no error")
except OSError as error:
    print(errno.errorcode[error.errno])
"#;
    let Some(said) = pyserial(&link, script) else {
        return;
    };
    // A pty has no modem lines: ENOTTY, EINVAL before Linux 6.1.
    assert!(["ENOTTY", "EINVAL"].contains(&said.trim()), "{said}");
    let summary = link.summary();
    assert_eq!(summary["links"][0]["ends"][0]["baud"], 115_200);
    assert_eq!(summary["links"][0]["ends"][1]["baud"], 9600);
}

#[test]
fn stty_sees_and_sets_a_raw_terminal() {
    if !have(&["stty"]) {
        return;
    }
    let link = Link::start(&["--json"]);
    let stty = |arguments: &[&str]| {
        let output = Command::new("stty")
            .arg("-F")
            .arg(link.path("a"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let flags = stty(&["-a"]);
    for flag in ["-icanon", "-echo ", "-opost", "-ixon"] {
        assert!(flags.contains(flag), "{flags}");
    }
    stty(&["19200"]);
    assert!(stty(&["-a"]).contains("speed 19200"));
    assert_eq!(link.summary()["links"][0]["ends"][0]["baud"], 19_200);
}

/// A terminal program on end a sends what it is fed, and ends.
fn terminal_program(program: &str, arguments: &[&str]) {
    if !have(&[program, "script"]) {
        return;
    }
    let link = Link::start(&[]);
    let command = format!(
        "{program} {} {}",
        arguments.join(" "),
        link.path("a").display()
    );
    // script(1) gives it the terminal that it insists on.
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut screen = child.stdout.take().unwrap();
    let b = link.open("b");
    // What B sends must appear on its screen, and what is typed must reach B.
    let mut seen = Vec::new();
    let mut byte = [0];
    let until = Instant::now() + DEADLINE;
    let mut writer = b.try_clone().unwrap();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = std::sync::Arc::clone(&stop);
    let greeter = std::thread::spawn(move || {
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            writer.write_all(b"#greeting#").unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    while !seen.windows(10).any(|window| window == b"#greeting#") {
        assert!(Instant::now() < until, "nothing appeared");
        assert_eq!(screen.read(&mut byte).unwrap(), 1);
        seen.push(byte[0]);
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    greeter.join().unwrap();
    child.stdin.as_mut().unwrap().write_all(b"typed").unwrap();
    let mut reader = &b;
    let mut typed = [0; 5];
    reader.read_exact(&mut typed).unwrap();
    assert_eq!(&typed, b"typed");
    child.kill().unwrap();
    child.wait().unwrap();
    link.end(Signal::SIGTERM);
}

#[test]
fn picocom_talks_over_it() {
    terminal_program("picocom", &["--noreset", "--nolock", "-q", "-b", "115200"]);
}

#[test]
fn tio_talks_over_it() {
    terminal_program("tio", &["-b", "115200"]);
}

#[test]
fn every_signal_that_ends_it_takes_the_names_away() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let (text, code) = Link::start(&[]).end(signal);
        assert_eq!(code, Some(0), "{signal}");
        assert!(text.contains("A to B"), "{text}");
    }
}

#[test]
fn a_killed_one_leaves_stale_names_that_the_next_takes() {
    let link = Link::start(&[]);
    let names = [link.path("a"), link.path("b")];
    let kept = tempfile::tempdir().unwrap();
    let mut link = link;
    link.child.kill().unwrap();
    link.child.wait().unwrap();
    assert!(names.iter().all(|name| name.is_symlink()));
    drop(kept);
    let second = Command::new(PTYSCOPE)
        .arg("link")
        .args(&names)
        .args(["--duration", "10ms"])
        .output()
        .unwrap();
    // Unless the number has been given out again meanwhile, which is told.
    let stderr = String::from_utf8_lossy(&second.stderr);
    assert!(
        second.status.success() || stderr.contains("a pty in use"),
        "{stderr}"
    );
}

#[test]
fn a_client_killed_in_a_transfer_leaves_the_line_working() {
    let link = Link::start(&["--json"]);
    let mut cat = Command::new("cat")
        .arg("/dev/zero")
        .stdout(link.open("a"))
        .spawn()
        .unwrap();
    let mut b = link.open("b");
    b.read_exact(&mut [0; 10_000]).unwrap();
    cat.kill().unwrap();
    cat.wait().unwrap();
    // What the killed client left may fill the line up to its beginning, so the
    // end of it is written beside the reading.
    let mut a = link.open("a");
    let writer = std::thread::spawn(move || {
        a.write_all(b"END").unwrap();
        a
    });
    let mut last = Vec::new();
    let mut buffer = [0; 4096];
    while !last.ends_with(b"END") {
        let n = b.read(&mut buffer).unwrap();
        last.extend(&buffer[..n]);
        last.drain(..last.len().saturating_sub(3));
    }
    drop((writer.join().unwrap(), b));
    link.summary();
}

#[test]
fn intervals_are_lines_of_json_and_the_last_is_the_summary() {
    let link = Link::start(&["--json", "--interval", "20ms", "--duration", "200ms"]);
    let mut a = link.open("a");
    a.write_all(b"hello").unwrap();
    link.open("b").read_exact(&mut [0; 5]).unwrap();
    let mut link = link;
    let status = wait(&mut link.child, "the duration");
    assert!(status.success());
    let mut text = String::new();
    link.stdout.read_to_string(&mut text).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, intervals) = lines.split_last().unwrap();
    assert_eq!(summary["kind"], "summary");
    assert!(intervals.len() > 1);
    assert!(intervals.iter().all(|line| line["kind"] == "interval"));
    let passed = |line: &Value| line["links"][0]["ways"][0]["passed"].as_u64().unwrap();
    assert_eq!(passed(summary), 5);
    assert_eq!(intervals.iter().map(passed).sum::<u64>(), 5);
    // This test is the only client, if it was there yet at the first look.
    let clients = intervals[0]["links"][0]["ends"][0]["clients"].as_array();
    let own = u64::from(std::process::id());
    assert!(clients.unwrap().iter().all(|client| client["pid"] == own));
}

#[test]
fn bad_flags_are_told_and_are_usage_errors() {
    for (flags, word) in [
        (&["link", "--baud", "0"][..], "50 to"),
        (&["link", "--baud", "fast"], "a speed"),
        (&["link", "--frame", "9N1"], "a frame"),
        (&["link", "--drop", "1.5"], "0 to 1"),
        (&["link", "--flip=-1"], "0 to 1"),
        (&["link", "--latency", "2m"], "out of range"),
        (&["link", "--mode", "9"], "octal"),
        (&["link", "--group", "no such group"], "no group"),
        (&["link", "--pairs", "65"], "64"),
        (&["link", "one-name"], "2 values"),
        (&["link", "--pairs", "2", "--dump", "x"], "one link only"),
        (&["xmodem", "--size", "0"], "1 to"),
        (&["xmodem", "--on", "/tmp/a"], "comma"),
        (
            &["xmodem", "--on", "/a,/b", "--baud", "9600"],
            "cannot be used with",
        ),
    ] {
        let output = ptyscope(flags);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flags:?}: {stderr}");
        assert!(stderr.contains(word), "{flags:?}: {stderr}");
    }
}

#[test]
fn names_that_cannot_be_had_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    fs::write(at("file"), "precious").unwrap();
    let long = at(&"x".repeat(300));
    for (a, b, word) in [
        (at("file"), at("b"), "regular file"),
        (at("none/a"), at("b"), "directory must exist"),
        (long, at("b"), "too long"),
        (at("a"), at("a"), "both names"),
        ("/dev/null".to_owned(), at("b"), "device"),
    ] {
        let output = ptyscope(&["link", "--force", "--duration", "10ms", &a, &b]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(word), "{stderr}");
    }
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "precious");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn many_links_have_numbered_names() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    let mut child = Command::new(PTYSCOPE)
        .args(["link", &at("a"), &at("b"), "--pairs", "3"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"));
    for number in 0..3 {
        let mut a = open(Path::new(&at(&format!("a-{number}"))));
        let path = at(&format!("b-{number}"));
        assert!(fs::metadata(&path).unwrap().file_type().is_char_device());
        a.write_all(&[number]).unwrap();
        let mut got = [0xFF];
        open(Path::new(&path)).read_exact(&mut got).unwrap();
        assert_eq!(got, [number]);
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    wait(&mut child, "the end");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// How often each thread of a process has gone to sleep.
fn switches(pid: u32) -> Vec<(PathBuf, String)> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .map(|task| {
            let task = task.unwrap().path();
            let status = fs::read_to_string(task.join("status")).unwrap();
            let mut lines = status.lines();
            let switches = lines.find(|line| line.starts_with("voluntary_ctxt_switches"));
            (task, switches.unwrap().to_owned())
        })
        .collect()
}

#[test]
fn an_idle_link_wakes_no_thread() {
    let link = Link::start(&[]);
    // Both ends open, one, and none: a closed end must not be polled.
    for open in [&["a", "b"][..], &["a"], &[]] {
        let clients: Vec<_> = open.iter().map(|name| link.open(name)).collect();
        if let [mut a, mut b] = clients.iter().collect::<Vec<_>>()[..] {
            a.write_all(b"x").unwrap();
            b.read_exact(&mut [0]).unwrap();
        }
        let until = Instant::now() + DEADLINE;
        loop {
            let before = switches(link.child.id());
            std::thread::sleep(Duration::from_millis(300));
            if switches(link.child.id()) == before {
                break;
            }
            // What came before may still have been under way.
            assert!(Instant::now() < until, "never idle with {open:?} open");
        }
    }
}

/// What tshark makes of the trace.
#[test]
fn wireshark_reads_the_trace() {
    if !have(&["tshark"]) {
        return;
    }
    let link = Link::start(&["--pcap", "trace.pcap", "--dump", "trace.txt"]);
    let (mut a, mut b) = (link.open("a"), link.open("b"));
    a.write_all(b"there").unwrap();
    b.read_exact(&mut [0; 5]).unwrap();
    b.write_all(b"back").unwrap();
    a.read_exact(&mut [0; 4]).unwrap();
    let trace = tempfile::tempdir().unwrap();
    let pid = Pid::from_raw(link.child.id() as i32);
    let mut link = link;
    kill(pid, Signal::SIGTERM).unwrap();
    wait(&mut link.child, "the end");
    let kept = trace.path().join("trace.pcap");
    fs::copy(link.path("trace.pcap"), &kept).unwrap();
    let output = Command::new("tshark")
        .args([
            "-T",
            "fields",
            "-e",
            "rtacser.eventtype",
            "-e",
            "data.data",
            "-r",
        ])
        .arg(&kept)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let types: Vec<_> = text
        .lines()
        .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(types, ["0x01", "0x02"], "{text}");
    let dump = fs::read_to_string(link.path("trace.txt")).unwrap();
    assert!(dump.contains("A>B     5  74 68 65 72 65"), "{dump}");
}

#[test]
fn a_full_disk_ends_the_trace_and_not_the_line() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("skipped: only root can mount a small tmpfs");
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(disk.path())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: cannot mount a tmpfs here");
        return;
    }
    let trace = disk.path().join("trace");
    let mut link = Link::start(&["--dump", trace.to_str().unwrap()]);
    let (mut a, mut b) = (link.open("a"), link.open("b"));
    let mut stderr = BufReader::new(link.child.stderr.take().unwrap()).lines();
    for _ in 0..100 {
        a.write_all(&[b'x'; 4000]).unwrap();
        b.read_exact(&mut [0; 4000]).unwrap();
    }
    let said = stderr.next().unwrap().unwrap();
    a.write_all(b"on").unwrap();
    b.read_exact(&mut [0; 2]).unwrap();
    drop((a, b));
    link.end(Signal::SIGTERM);
    let umounted = Command::new("umount").arg(disk.path()).status();
    assert!(umounted.is_ok_and(|status| status.success()));
    assert!(said.contains("No space left"), "{said}");
    assert!(said.contains("the line goes on"), "{said}");
}

#[test]
fn xmodem_reports_the_transfer_and_its_floor() {
    let output = ptyscope(&["xmodem", "--size", "20000", "--json"]);
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let report = &report["result"]["xmodem"];
    for run in ["transfer", "floor", "bare"] {
        assert_eq!(report[run]["blocks"], 157, "{run}");
        assert_eq!(report[run]["retries"], 0, "{run}");
        assert!(report["blocks"][156][run].is_number(), "{run}");
    }
    assert_eq!(report["blocks"].as_array().unwrap().len(), 157);
    assert_eq!(report["transfer"]["is_sound"], true);
    let link = Link::start(&[]);
    let on = format!("{},{}", link.path("a").display(), link.path("b").display());
    let output = ptyscope(&["xmodem", "--size", "20000", "--block", "1k", "--on", &on]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("The file came as it was"), "{text}");
}

#[test]
fn an_xmodem_that_is_interrupted_reports_what_it_saw() {
    // At this speed the file takes hours.
    let mut child = Command::new(PTYSCOPE)
        .args(["xmodem", "--size", "1M", "--baud", "1200", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + DEADLINE;
    // One pty for the floor, then two for the line.
    while masters(child.id()) < 2 {
        assert!(Instant::now() < until, "no line was made");
        std::thread::sleep(Duration::from_millis(5));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let report: Value = serde_json::from_reader(child.stdout.take().unwrap()).unwrap();
    assert_eq!(wait(&mut child, "xmodem to end").code(), Some(1));
    assert_eq!(report["cut_short"], "interrupted by a signal");
    let result = &report["result"]["xmodem"];
    assert_eq!(result["transfer"]["error"], "interrupted");
    assert_eq!(result["transfer"]["is_sound"], Value::Null);
    assert_eq!(result["floor"]["blocks"], 8192);
}

/// How many masters of ptys a process has open.
fn masters(pid: u32) -> usize {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return 0;
    };
    let targets = entries
        .flatten()
        .filter_map(|fd| fs::read_link(fd.path()).ok());
    targets.filter(|target| target.ends_with("ptmx")).count()
}
