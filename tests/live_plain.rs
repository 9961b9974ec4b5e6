//! Without a screen: what a pipe, a log and a shell script get of the real
//! program, and what it says when it cannot start.

mod support {
    pub mod skip;
    pub mod wait;
}

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{Pid, Uid};

use support::skip::skip;
use support::wait::wait_for;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ptyscope");
/// A workload that leaves the machine to the others.
const EASY: &str = "--writer-pace 300kB/s";

/// ptyscope with `arguments`, split at spaces, in a process group of its own.
fn ptyscope(arguments: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments.split_whitespace())
        .process_group(0)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn output_of(arguments: &str) -> Output {
    ptyscope(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Waits for the end of a child that ought to come by itself.
fn end_of(mut child: Child) -> Output {
    let pid = Pid::from_raw(child.id() as i32);
    let status = wait_for(
        "the program's end",
        || child.try_wait().unwrap(),
        || format!("it goes on; killed: {:?}", kill(pid, Signal::SIGKILL)),
    );
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut stdout).unwrap();
    }
    if let Some(mut pipe) = child.stderr.take() {
        pipe.read_to_end(&mut stderr).unwrap();
    }
    Output {
        status,
        stdout,
        stderr,
    }
}

#[test]
fn a_pipe_gets_lines_and_stderr_a_word() {
    let output = output_of(&format!("{EASY} --duration 2500ms"));
    assert_eq!(output.status.code(), Some(0));
    let (lines, word) = (text(&output.stdout), text(&output.stderr));
    assert!(!lines.contains('\x1b') && !word.contains('\x1b'));
    assert!(lines.ends_with('\n'), "{lines:?}");
    let lines: Vec<_> = lines.lines().collect();
    assert!(lines[0].starts_with("settings: direction slave-to-master, chunk 256"));
    assert!(lines.len() > 1, "{lines:?}");
    for line in &lines[1..] {
        assert!(
            line.starts_with("at ") && line.contains("throughput"),
            "{line}"
        );
        assert!(
            line.contains("slave to master; write median") && line.contains("in flight"),
            "{line}"
        );
    }
    assert!(word.contains("standard output is no terminal"), "{word}");
    assert!(word.contains("ptyscope bench"), "{word}");
    assert_eq!(word.lines().count(), 1, "{word}");
}

#[test]
fn plain_asked_for_needs_no_word() {
    let output = output_of("--plain --bytes 100k");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = ptyscope(&format!("{EASY} --plain")).spawn().unwrap();
    let mut first = String::new();
    let stdout = child.stdout.take().unwrap();
    BufReader::new(stdout).read_line(&mut first).unwrap();
    assert!(first.starts_with("settings: "), "{first}");
    let output = end_of(child);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_full_disk_is_a_failure_with_its_name() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let child = ptyscope(&format!("{EASY} --plain")).stdout(full).spawn();
    let output = end_of(child.unwrap());
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("ENOSPC"),
        "{:?}",
        text(&output.stderr)
    );
}

#[test]
fn a_full_or_closed_stderr_changes_nothing() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = ptyscope(&format!("{EASY} --duration 300ms"))
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn signals_end_a_plain_run_soundly() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        for peers in ["threads", "processes"] {
            let arguments = format!("{EASY} --plain --peers {peers}");
            let mut child = ptyscope(&arguments).spawn().unwrap();
            // Its first line says that it listens.
            let mut lines = BufReader::new(child.stdout.take().unwrap());
            lines.read_line(&mut String::new()).unwrap();
            let pid = Pid::from_raw(child.id() as i32);
            // As the terminal's ^C and timeout(1) do: to the whole group.
            killpg(pid, signal).unwrap();
            let output = end_of(child);
            assert_eq!(output.status.code(), Some(0), "{signal} {peers}");
            assert_eq!(text(&output.stderr), "", "{signal} {peers}");
        }
    }
}

#[test]
fn a_killed_program_leaves_no_peer() {
    let mut child = ptyscope(&format!("{EASY} --plain --peers processes"))
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut String::new()).unwrap();
    let pid = child.id();
    let children = || {
        let path = format!("/proc/{pid}/task/{pid}/children");
        let pids = std::fs::read_to_string(path).unwrap_or_default();
        let pids = pids.split_whitespace().map(|pid| pid.parse().unwrap());
        pids.collect::<Vec<i32>>()
    };
    let peers = children();
    kill(Pid::from_raw(pid as i32), Signal::SIGKILL).unwrap();
    child.wait().unwrap();
    if peers.is_empty() {
        skip(
            "/proc/PID/task/TID/children names no child",
            "a kernel with CONFIG_PROC_CHILDREN",
        );
    }
    let is_gone = |pid: &i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
    };
    wait_for(
        "the peers' end",
        || peers.iter().all(is_gone).then_some(()),
        || format!("{peers:?}"),
    );
}

#[test]
fn bad_input_is_refused_with_what_would_be_right() {
    for (arguments, words) in [
        ("--chunk 0", "1 to 1048576"),
        ("--chunk -1", "-1"),
        ("--chunk 2M", "1 to 1048576"),
        ("--chunk 99999999999999999999", "range"),
        ("--chunk abc", "a size"),
        ("--chunk 4Q", "a size"),
        ("--chunk", "value is required"),
        ("--read-size 0", "1 to 1048576"),
        ("--bytes 0", "range"),
        ("--bytes -5", "-5"),
        ("--duration 0", "a time above 0"),
        ("--duration 5", "250ms or 5s"),
        ("--duration -1s", "-1s"),
        ("--duration 99999999999h", "range"),
        ("--reader-pace fast", "a pace"),
        ("--writer-pace 0/s", "at least 1 byte a second"),
        ("--writer-pace 10parsecs/s", "a rate"),
        ("--mode half-cooked", "half-cooked"),
        ("--payload lines:0", "1 to 65536"),
        ("--payload zeros", "lines:LENGTH"),
        ("--preset seed3", "seed1, seed2, terminal, paste, stuck"),
        ("--direction up", "slave-to-master"),
        ("--peers fibers", "threads, processes"),
        ("--pairs 0", "1..=64"),
        ("--pairs 65", "1..=64"),
        ("--fps 0", "1..=60"),
        ("--writer-cpu x", "invalid digit"),
        ("--no-such-flag", "--no-such-flag"),
        ("nonsense", "nonsense"),
        // Flags that contradict each other.
        (
            "--direction master-to-slave --mode cooked --payload sequence",
            "use lines",
        ),
        (
            "--direction both --mode ECHO --payload lines",
            "turn ECHO off",
        ),
        (
            "--direction echo --mode ECHO --payload lines",
            "turn ECHO off",
        ),
        (
            "--direction echo --reader-pace stopped",
            "no answer would come",
        ),
        (
            "--direction echo --mode ICANON --chunk 5000",
            "at most 4096",
        ),
    ] {
        let output = end_of(ptyscope(arguments).spawn().unwrap());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
        assert_eq!(text(&output.stdout), "", "{arguments}");
    }
}

#[test]
fn a_cpu_that_is_not_there_is_a_failure() {
    for cpu in [1000, 1_000_000] {
        for side in ["writer", "reader"] {
            let output = output_of(&format!("--plain -d 1s --{side}-cpu {cpu}"));
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(
                said.contains("EINVAL") && said.contains("no such CPU"),
                "{said}"
            );
        }
    }
}

#[test]
fn with_too_few_descriptors_it_says_how_to_get_more() {
    // What this test was started with may hold descriptors of its own, and the
    // loader needs one.
    let least = (4..).find(|&limit| with_descriptors("--version", limit).status.success());
    for peers in ["threads", "processes"] {
        // Every limit up to the first that is enough.
        let mut limit = least.unwrap();
        loop {
            let arguments = format!("--plain --bytes 1k --pairs 8 --peers {peers}");
            let output = with_descriptors(&arguments, limit);
            if output.status.success() {
                break;
            }
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "limit {limit}: {said}");
            assert!(said.contains("EMFILE"), "limit {limit}: {said}");
            assert!(said.contains("ulimit -n"), "limit {limit}: {said}");
            limit += 1;
        }
        assert!(limit > 8, "8 ptys need more than {limit} descriptors");
    }
}

/// Runs ptyscope under a soft limit of open files.
fn with_descriptors(arguments: &str, limit: u64) -> Output {
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let mut command = ptyscope(arguments);
    // SAFETY: setrlimit is async-signal-safe.
    unsafe {
        command.pre_exec(move || Ok(setrlimit(Resource::RLIMIT_NOFILE, limit, most)?));
    }
    command.output().unwrap()
}

/// Runs ptyscope where `prepare`, a shell script, has changed what is mounted;
/// None when that is not possible here.
fn among_other_mounts(prepare: &str, arguments: &str) -> Option<Output> {
    const NEEDED: &str = "run as root with unshare(1), mount(8) and setpriv(1) of util-linux";
    if !Uid::effective().is_root() {
        skip("only root may change mounts", NEEDED);
        return None;
    }
    let script = format!("set -e; mount --make-rprivate /; {prepare} exec \"$@\"");
    let as_nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    let user = if prepare.contains("ptmxmode=000") {
        as_nobody
    } else {
        ""
    };
    let run = |program: &str, arguments: &str| {
        Command::new("unshare")
            .args(["--mount", "sh", "-c", &script, "sh"])
            .args(user.split_whitespace())
            .arg(program)
            .args(arguments.split_whitespace())
            .env("RUST_BACKTRACE", "0")
            .output()
    };
    // The same with a program that does nothing shows whether it can be done.
    match run("true", "") {
        Ok(output) if output.status.success() => run(PROGRAM, arguments).ok(),
        Ok(output) => {
            skip(
                &format!("mounting failed: {}", text(&output.stderr)),
                NEEDED,
            );
            None
        }
        Err(error) => {
            skip(&format!("unshare: {error}"), NEEDED);
            None
        }
    }
}

fn assert_advice(prepare: &str, errnos: &[Errno], advice: &str) {
    for arguments in [
        "--plain -d 1s --pairs 2",
        "--plain -d 1s --pairs 2 --peers processes",
    ] {
        let Some(output) = among_other_mounts(prepare, arguments) else {
            return;
        };
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let names = errnos.iter().map(|errno| format!("{errno:?}"));
        assert!(names.into_iter().any(|name| said.contains(&name)), "{said}");
        assert!(said.contains(advice), "{said}");
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn with_all_ptys_in_use_it_says_how_to_get_more() {
    assert_advice(
        "mount -t devpts devpts /dev/pts -o newinstance,max=1,ptmxmode=666;",
        &[Errno::ENOSPC],
        "/proc/sys/kernel/pty/max",
    );
}

#[test]
fn without_devpts_it_says_how_to_mount_it() {
    assert_advice(
        "mount -t tmpfs tmpfs /dev/pts;",
        &[Errno::ENODEV, Errno::ENOENT],
        "mount -t devpts",
    );
    assert_advice(
        "mount -t tmpfs tmpfs /dev;",
        &[Errno::ENOENT],
        "mount -t devpts",
    );
}

#[test]
fn without_permission_it_says_which_mode_is_needed() {
    let reachable = Path::new(PROGRAM).ancestors().skip(1).all(|directory| {
        use std::os::unix::fs::PermissionsExt;
        let mode = directory.metadata().map(|meta| meta.permissions().mode());
        mode.is_ok_and(|mode| mode & 0o001 != 0)
    });
    if !reachable {
        skip(
            &format!("nobody may not reach {PROGRAM}"),
            "set CARGO_TARGET_DIR to a directory that all may enter",
        );
        return;
    }
    assert_advice(
        "mount -t devpts devpts /dev/pts -o newinstance,ptmxmode=000; mount --bind /dev/pts/ptmx /dev/ptmx;",
        &[Errno::EACCES],
        "ptmxmode=666",
    );
}

/// Runs ptyscope with `arguments` on a tour of that text in a file.
fn on_tour(arguments: &str, tour: &[u8]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("own.toml");
    std::fs::write(&path, tour).unwrap();
    ptyscope(arguments)
        .arg("--tour")
        .arg(path)
        .output()
        .unwrap()
}

#[test]
fn a_tour_is_told_with_what_it_sets() {
    let tour = br#"format = 1
title = "short"
[[step]]
set = { chunk = 64, writer-pace = "1ms" }
caption = "Look at\nthe writes."
wait = "1200ms"
[[step]]
set = { chunk = 128 }
caption = "And now?"
wait = "1200ms"
"#;
    let output = on_tour("--plain --duration 4s", tour);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let lines: Vec<_> = lines.lines().collect();
    let place = |beginning: &str| {
        let found = lines.iter().position(|line| line.starts_with(beginning));
        found.unwrap_or_else(|| panic!("{beginning}: {lines:#?}"))
    };
    assert_eq!(lines[0], "tour: own 1 of 2; caption: Look at the writes.");
    assert!(lines[1].starts_with("settings: ") && lines[1].contains("chunk 64"));
    assert!(lines[2].starts_with("at ") && lines[2].contains("write median"));
    let second = place("tour: own 2 of 2; caption: And now?");
    assert!(lines[second + 1].contains("chunk 128"), "{lines:#?}");
    assert!(place("tour: over") > second);
}

#[test]
fn a_link_tours_lines_and_turnarounds_are_told() {
    let tour = br#"format = 1
title = "short"
source = "link"
[[step]]
caption = "plain"
wait = "1200ms"
[[step]]
line = { latency = "2ms" }
caption = "late"
wait = "1200ms"
"#;
    let output = on_tour("--plain --duration 3s", tour);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(
        lines[..2],
        ["tour: own 1 of 2; caption: plain", "line: plain"]
    );
    assert!(told.contains("\nline: latency 2.00 ms\n"), "{told}");
    assert!(lines[2].contains("; A to B; write median"), "{told}");
    assert!(lines[2].contains("; turnaround median"), "{told}");
    // On a link with names of its own it is told as well, beside the reports.
    let child = ptyscope("link --plain --duration 3s --tour seed2").spawn();
    let told = text(&end_of(child.unwrap()).stdout);
    assert!(
        told.contains("\ntour: seed2 1 of 5; caption: Two ptys"),
        "{told}"
    );
    assert!(told.contains(" s on a line that adds nothing\n"), "{told}");
}

#[test]
fn a_bad_tour_is_refused_with_its_place() {
    let head = "format = 1\ntitle = \"t\"\n";
    let deep = format!("{head}x = {}", "[".repeat(200_000));
    let many = format!(
        "{head}{}",
        "[[step]]\ncaption=\"\"\nwait=\"1s\"\n".repeat(1_000_000)
    );
    for (tour, told) in [
        (
            &b"format = 2\ntitle = \"t\"\nmood = 1\n"[..],
            ":1: format 2: this program knows format 1",
        ),
        (b"\x7fELF\x02\x01\x01\0", ":1: "),
        (b"format = 1\n\xff\xfe", ":2: no UTF-8"),
        (b"", "format"),
        (b"format = 1\ntitle = \"t", ":2: "),
        (
            b"format = 1\ntitle = \"t\"\n[[step]]\ncaption = \"c\"\nwait = \"99999999999h\"\n",
            ":5: ",
        ),
        (deep.as_bytes(), ":3: "),
        (many.as_bytes(), "longer than 262144 bytes"),
    ] {
        let output = on_tour("--plain --duration 1s", tour);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(
            stderr.contains("own.toml") && stderr.contains(told),
            "{stderr}"
        );
        assert_eq!(text(&output.stdout), "");
    }
    for (name, told) in [
        ("seed3", "built in are seed1, "),
        ("/", "EISDIR"),
        ("/dev/zero", "longer than"),
    ] {
        let output = output_of(&format!("--plain --tour {name}"));
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(told), "{stderr}");
    }
}

#[test]
fn a_caption_is_a_line_of_text() {
    let output = ptyscope(&format!("{EASY} --plain --duration 300ms"))
        .args(["--caption", "Look at\nthe \u{1b}[1mreads: 読む"])
        .output()
        .unwrap();
    let lines = text(&output.stdout);
    assert_eq!(
        lines.lines().next(),
        Some("caption: Look at the [1mreads: 読む")
    );
}
