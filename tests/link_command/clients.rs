//! Real programs at the ends.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::running::{Link, have, wait};
use super::skip::skip;
use super::wait::DEADLINE;

/// The file of the 2010 report.
const FILE: usize = 538_368;

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
    if !there {
        skip("python3 has no pyserial", "pip install pyserial");
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
    // A pty has no modem lines: ENOTTY, EINVAL before Linux 5.13 (1b8b20868a6d).
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
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let greeter = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            writer.write_all(b"#greeting#").unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    while !seen.windows(10).any(|window| window == b"#greeting#") {
        assert!(Instant::now() < until, "nothing appeared");
        assert_eq!(screen.read(&mut byte).unwrap(), 1);
        seen.push(byte[0]);
    }
    stop.store(true, Ordering::Relaxed);
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
