//! The live screen: the real program on a real terminal.

mod support {
    pub mod skip;
    pub mod terminal;
    pub mod wait;
}

use std::ffi::OsStr;
use std::fs::File;
use std::process::Command;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use ptyscope::host::ProcessStat;

use support::skip::skip;
use support::terminal::{SIZE, Terminal};
use support::wait::wait_for;

/// A workload that leaves the machine to the others.
const EASY: &str = "--writer-pace 300kB/s";

/// A live screen that shows numbers.
fn live(arguments: &str) -> Terminal {
    let terminal = Terminal::run(&format!("{EASY} {arguments}"));
    terminal.wait_for_data();
    terminal
}

/// Asks it to quit, and checks that all is well and as before.
fn quit(mut terminal: Terminal) -> Terminal {
    terminal.type_keys("q");
    let status = terminal.end();
    assert_eq!(status.code(), Some(0), "{}", terminal.text());
    terminal
}

#[test]
fn shows_numbers_and_leaves_a_summary() {
    let terminal = live("");
    let screen = terminal.text();
    assert!(
        screen.contains("ptyscope") && screen.contains("chunk 256"),
        "{screen}"
    );
    assert!(terminal.output().parser.screen().alternate_screen());
    let terminal = quit(terminal);
    let left = terminal.text();
    assert!(
        left.contains("at the end: direction slave-to-master"),
        "{left}"
    );
    assert!(left.contains("0 lost, 0 doubled, 0 changed"), "{left}");
}

#[test]
fn ends_by_itself_after_its_duration() {
    let mut terminal = Terminal::run(&format!("{EASY} --duration 300ms"));
    assert_eq!(terminal.end().code(), Some(0));
    assert!(
        terminal.text().contains("at the end"),
        "{}",
        terminal.text()
    );
}

#[test]
fn ctrl_c_quits() {
    let mut terminal = live("--peers processes");
    terminal.type_keys("\x03");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn a_typed_number_becomes_the_chunk() {
    let terminal = live("");
    terminal.type_keys("c");
    terminal.wait_for_text("chunk (bytes, 4K, 1kB):");
    terminal.type_keys("2M\r");
    terminal.wait_for_text("out of range");
    // Backspace takes the unit back.
    terminal.type_keys("\x7f\x7f1000\r");
    terminal.wait_for_text("chunk 1000");
    terminal.type_keys("g");
    terminal.wait_for_text("pairs (1 to 64):");
    terminal.type_keys("3\r");
    terminal.wait_for_text("pairs 3");
    quit(terminal);
}

#[test]
fn views_and_help_come_and_go() {
    let terminal = live("");
    for (keys, view) in [
        ("\x1bOQ", "curve"),
        ("\x1bOR", "distribution"),
        ("\x1bOS", "kernel"),
        ("\x1bOP", "time"),
        ("\t", "curve"),
        ("\x1b[Z", "time"),
    ] {
        terminal.type_keys(keys);
        terminal.wait_for_text(&format!("[{view}]"));
    }
    terminal.type_keys("?");
    terminal.wait_for_text("ptyscope  help");
    let first = terminal.text();
    terminal.type_keys("\x1b[6~");
    terminal.wait_until("another part of the help", |screen| screen != first);
    // The End key: what each number means stands there.
    terminal.type_keys("\x1b[F");
    terminal.wait_for_text("each byte is compared with what was sent");
    terminal.type_keys("h");
    terminal.wait_for_data();
    quit(terminal);
}

#[test]
fn freezing_stops_the_picture_and_pausing_the_bytes() {
    let terminal = live("");
    terminal.type_keys("f");
    terminal.wait_for_text(" FROZEN ");
    terminal.type_keys("f");
    terminal.wait_until("the thaw", |screen| !screen.contains(" FROZEN "));
    terminal.wait_for_data();

    terminal.type_keys("z");
    terminal.wait_for_text(" HELD ");
    let is_idle = |screen: &str| numbers(screen).trim_start().starts_with("0 B/s");
    terminal.wait_until("no throughput", is_idle);
    terminal.type_keys("z");
    terminal.wait_until("throughput again", |screen| {
        !screen.contains(" HELD ") && !is_idle(screen)
    });
    quit(terminal);
}

/// The line with the numbers of the last half second.
fn numbers(screen: &str) -> &str {
    screen.lines().nth(2).unwrap_or_default()
}

#[test]
fn what_is_frozen_stays_while_the_workload_goes_on() {
    let terminal = live("");
    terminal.type_keys("f");
    let frozen = terminal.wait_until("the freeze", |screen| screen.contains(" FROZEN "));
    // The workload under the frozen picture can still be turned: the setting
    // changes at once, the numbers do not.
    terminal.type_keys("x");
    let turned = terminal.wait_until("the new chunk", |screen| screen.contains("chunk 257"));
    assert_eq!(numbers(&turned), numbers(&frozen));
    terminal.type_keys("f");
    terminal.wait_until("newer numbers", |screen| {
        !screen.contains(" FROZEN ") && numbers(screen) != numbers(&frozen)
    });
    quit(terminal);
}

#[test]
fn no_key_kills_it() {
    let directory = tempfile::tempdir().unwrap();
    let terminal = Terminal::start(EASY, |command| command.current_dir(directory.path()));
    terminal.wait_for_data();
    // Every character that a keyboard has but q, which quits; a prompt that
    // one opens is answered.
    for key in (' '..='~').filter(|&key| key != 'q') {
        let answer = match key {
            'c' | 'g' => "2\r",
            'e' => "\r",
            // Closed again, or the help would take the next keys.
            '?' => "?",
            'h' => "h",
            _ => "",
        };
        terminal.type_keys(&format!("{key}{answer}"));
    }
    for code in [
        "\x1b[A",
        "\x1b[B",
        "\x1b[C",
        "\x1b[D",
        "\x1b[5~",
        "\x1b[6~",
        "\x1b[H",
        "\x1b[F",
        "\t",
        "\x1b[Z",
        "\x1bOP",
        "\x1bOQ",
        "\x1bOR",
        "\x1bOS",
        "\x1b[15~",
        "\x1b[2~",
        "\x1b[3~",
        "\r",
        "\x7f",
        "\x0c",
        "\u{e9}",
        "\x1b[200~x\x1b[201~",
    ] {
        terminal.type_keys(code);
    }
    // After all of them it still does as it is told.
    terminal.type_keys("1c777\r");
    terminal.wait_for_text("chunk 777");
    let saved = std::fs::read_dir(directory.path()).unwrap().count();
    assert!(saved > 0, "the keys that save a file left none");
    quit(terminal);
}

#[test]
fn any_size_of_the_terminal_will_do() {
    let terminal = live("");
    for size in [
        (8, 40),
        (7, 39),
        (1, 80),
        (24, 1),
        (60, 200),
        (2, 3),
        (10, 40),
    ] {
        terminal.resize(size);
        let (rows, columns) = size;
        let too_small = rows < 8 || columns < 40;
        let word = if too_small { "too small" } else { "ptyscope" };
        let seen = &word[..word.len().min(usize::from(columns))];
        terminal.wait_until(&format!("{seen:?} on {size:?}"), |screen| {
            screen.trim_start().starts_with(seen)
        });
    }
    terminal.resize((1, 1));
    terminal.wait_until("a letter on a screen of 1x1", |screen| screen == "t");
    for key in ["?", "\t", "\t", "\t", "\t", "?"] {
        terminal.type_keys(key);
    }
    terminal.resize(SIZE);
    terminal.wait_for_data();
    quit(terminal);
}

#[test]
fn a_key_that_comes_with_a_resize_is_not_lost() {
    let terminal = live("");
    for turn in 0..20 {
        let (rows, columns) = SIZE;
        terminal.resize((rows + turn % 2, columns));
        terminal.type_keys("x");
        terminal.wait_for_text(["chunk 257", "chunk 256"][usize::from(turn % 2)]);
    }
    quit(terminal);
}

#[test]
fn signals_end_it_with_their_number() {
    for signal in [
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGALRM,
        Signal::SIGIO,
    ] {
        let mut terminal = live("--peers processes");
        terminal.signal(signal);
        let status = terminal.end();
        assert_eq!(status.code(), Some(128 + signal as i32), "{signal}");
    }
}

#[test]
fn a_signal_ends_the_wait_for_the_last_bytes() {
    let mut terminal = live("--peers processes");
    let own = terminal.pid();
    let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
    let children = children.unwrap_or_default();
    let Ok(peer) = children.trim().parse() else {
        skip(
            &format!("the reader is none of {own}'s children ({children:?})"),
            "a kernel with CONFIG_PROC_CHILDREN",
        );
        return;
    };
    // One that reads no more is waited for.
    kill(Pid::from_raw(peer), Signal::SIGSTOP).unwrap();
    terminal.type_keys("q");
    wait_for(
        "the screen to be given back",
        || (!terminal.output().parser.screen().alternate_screen()).then_some(()),
        || terminal.text(),
    );
    terminal.signal(Signal::SIGINT);
    let status = terminal.end();
    assert_eq!(status.code(), Some(130), "{}", terminal.text());
}

#[test]
fn peers_start_also_when_the_program_was_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("ptyscope");
    // By another process: a file that one of ours had open to write could not
    // be executed.
    let copied = Command::new("cp")
        .args([OsStr::new(env!("CARGO_BIN_EXE_ptyscope")), program.as_ref()])
        .status();
    assert!(copied.unwrap().success());
    let terminal = Terminal::start_program(program.to_str().unwrap(), |command| {
        command.args(EASY.split_whitespace())
    });
    terminal.wait_for_data();
    std::fs::remove_file(&program).unwrap();
    terminal.type_keys("w");
    let session = terminal.pid().as_raw();
    wait_for(
        "a peer of the program's name",
        || {
            let pids = std::fs::read_dir("/proc").unwrap().flatten();
            let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            pids.any(|pid| {
                let stat = ProcessStat::of(pid);
                pid as i32 != session
                    && stat.is_some_and(|stat| stat.session == session && stat.comm == "ptyscope")
            })
            .then_some(())
        },
        || terminal.text(),
    );
    let terminal = quit(terminal);
    let left = terminal.text();
    assert!(left.contains("peers processes"), "{left}");
}

/// ptyscope as the foreground job of a shell, which says how the job stopped
/// twice, each time waits for Enter and lets it go on, and says how it ended.
fn job() -> Terminal {
    let program = env!("CARGO_BIN_EXE_ptyscope");
    let script = format!(
        "set -m; {program} {EASY}; echo first $?; read word; \
         fg >/dev/null; echo second $?; read word; fg >/dev/null; echo end $?"
    );
    let terminal = Terminal::start_program("/bin/sh", |shell| shell.args(["-c", &script]));
    terminal.wait_for_data();
    terminal
}

#[test]
fn ctrl_z_stops_it_as_a_shell_expects_until_it_is_continued() {
    let mut terminal = job();
    for stop in ["first", "second"] {
        if stop == "first" {
            terminal.type_keys("\x1a");
        } else {
            // From outside it comes as a signal.
            killpg(terminal.foreground(), Signal::SIGTSTP).unwrap();
        }
        terminal.wait_for_text(&format!("{stop} {}", 128 + Signal::SIGTSTP as i32));
        terminal.assert_given_back();
        terminal.type_keys("\r");
        terminal.wait_for_data();
        assert!(terminal.output().parser.screen().alternate_screen());
    }
    terminal.type_keys("q");
    terminal.wait_for_text("end 0");
    assert_eq!(terminal.end().code(), Some(0));
}

#[test]
fn where_nobody_could_continue_it_ctrl_z_does_not_stop_it() {
    // The leader of a session of its own, as in a terminal's window without a
    // shell.
    let terminal = live("");
    terminal.type_keys("\x1a");
    wait_for(
        "the terminal to be given back and taken again",
        || {
            let output = terminal.output();
            let entered = output.bytes.windows(8).filter(|at| *at == b"\x1b[?1049h");
            (entered.count() == 2).then_some(())
        },
        || terminal.text(),
    );
    terminal.wait_for_data();
    quit(terminal);
}

#[test]
fn dies_with_its_terminal() {
    for arguments in ["", "--preset stuck", "--peers processes"] {
        let mut terminal = live(arguments);
        terminal.close();
        let status = terminal.wait_for_end();
        assert_eq!(
            status.code(),
            Some(128 + Signal::SIGHUP as i32),
            "{arguments}"
        );
    }
}

#[test]
fn a_panic_of_the_screen_gives_the_terminal_back() {
    for peers in ["threads", "processes"] {
        let mut terminal = Terminal::run(&format!("--fault screen-panic --peers {peers}"));
        let status = terminal.end();
        assert_eq!(status.code(), Some(101));
        terminal.wait_for_text("a panic of the screen was asked for");
    }
}

#[test]
fn a_panic_of_a_worker_ends_in_an_error() {
    for (peers, word) in [
        ("threads", "a panic of the reader was asked for"),
        ("processes", "the reader at the master died"),
    ] {
        // Slow enough for the screen to be there before.
        let mut terminal = Terminal::run(&format!(
            "--fault worker-panic --peers {peers} --writer-pace 2MB/s"
        ));
        let status = terminal.end();
        assert_eq!(status.code(), Some(1), "{}", terminal.text());
        terminal.wait_for_text(word);
        terminal.wait_for_text("the reader at the master died");
    }
}

#[test]
fn quits_while_the_writer_is_blocked() {
    let terminal = live("--preset stuck");
    terminal.wait_for_text("write blocked for");
    quit(terminal);
}

#[test]
fn takes_keys_from_the_controlling_terminal_when_stdin_is_none() {
    let terminal = Terminal::start(EASY, |command| command.stdin(null()));
    terminal.wait_for_data();
    terminal.type_keys("x");
    terminal.wait_for_text("chunk 257");
    quit(terminal);
}

#[test]
fn says_so_where_no_keys_can_come_from() {
    let mut terminal = Terminal::start(EASY, |command| {
        // SAFETY: setsid is async-signal-safe. The fork that must come before
        // it has left the session's leader behind.
        unsafe {
            std::os::unix::process::CommandExt::pre_exec(command.stdin(null()), || {
                match libc::fork() {
                    0 => nix::errno::Errno::result(libc::setsid()).map(drop)?,
                    child => {
                        let mut status = 0;
                        libc::waitpid(child, &mut status, 0);
                        libc::_exit(libc::WEXITSTATUS(status));
                    }
                }
                Ok(())
            })
        }
    });
    assert_eq!(terminal.end().code(), Some(1));
    terminal.wait_for_text("no keys can come");
    assert!(terminal.text().contains("--plain"), "{}", terminal.text());
}

fn null() -> File {
    File::open("/dev/null").unwrap()
}

#[test]
fn a_dumb_terminal_gets_lines() {
    let mut terminal = Terminal::start(&format!("{EASY} -d 1500ms"), |command| {
        command.env("TERM", "dumb")
    });
    assert_eq!(terminal.end().code(), Some(0));
    let output = terminal.output();
    let text = String::from_utf8_lossy(&output.bytes);
    assert!(
        text.contains("dumb") && text.contains("settings: "),
        "{text}"
    );
    assert!(!text.contains('\x1b'), "{text:?}");
}

/// The parameters of all SGR sequences (ECMA-48 8.3.117) in `bytes`.
fn sgr(bytes: &[u8]) -> Vec<u32> {
    let text = String::from_utf8_lossy(bytes);
    let sequences = text.split("\x1b[").skip(1);
    let parameters = sequences.filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
        rest[end..].starts_with('m').then(|| rest[..end].to_owned())
    });
    parameters
        .flat_map(|list| {
            let numbers = list.split(';').map(|n| n.parse().unwrap_or(0));
            numbers.collect::<Vec<_>>()
        })
        .collect()
}

fn has_colour(bytes: &[u8]) -> bool {
    let is_colour = |n: &u32| (30..=49).contains(n) || (90..=107).contains(n);
    sgr(bytes).iter().any(is_colour)
}

/// Shows every view and the help once.
fn leaf_through(terminal: &Terminal) {
    for view in ["curve", "distribution", "kernel"] {
        terminal.type_keys("\t");
        terminal.wait_for_text(&format!("[{view}]"));
    }
    terminal.type_keys("?");
    terminal.wait_for_text("ptyscope  help");
    terminal.type_keys("?\t");
    terminal.wait_for_data();
}

#[test]
fn colours_come_unless_unwanted() {
    let run = |arguments: &str, no_color: Option<&str>| {
        let arguments = format!("{EASY} {arguments}");
        let terminal = Terminal::start(&arguments, |command| match no_color {
            Some(value) => command.env("NO_COLOR", value),
            None => command,
        });
        terminal.wait_for_data();
        leaf_through(&terminal);
        let terminal = quit(terminal);
        has_colour(&terminal.output().bytes)
    };
    assert!(run("", None));
    assert!(run("--theme light", Some("")));
    assert!(!run("", Some("1")));
    assert!(!run("--color never", None));
    assert!(!run("--theme none", None));
    assert!(run("--color always", Some("1")));
}

#[test]
fn ascii_means_ascii() {
    let terminal = Terminal::start(&format!("{EASY} --ascii"), |command| command);
    terminal.resize((60, 200));
    terminal.wait_for_data();
    leaf_through(&terminal);
    terminal.type_keys("xp");
    terminal.wait_for_text("chunk 257");
    let terminal = quit(terminal);
    let output = terminal.output();
    let text = String::from_utf8_lossy(&output.bytes);
    let others: String = text.chars().filter(|c| !c.is_ascii()).collect();
    assert_eq!(others, "");
}
