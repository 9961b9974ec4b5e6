//! A terminal emulator for one program: a pty of the test's own, and a vt100
//! screen that a thread fills with what comes out of it.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::Winsize;
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{Termios, tcgetattr};
use nix::unistd::{Pid, read, tcgetpgrp, write};
use ptyscope::pty::{Mode, Pair, set_window_size};

use super::wait::wait_for;

/// The usual size, in rows and columns.
pub const SIZE: (u16, u16) = (24, 80);

/// A program on a terminal. Dropping it kills the program.
pub struct Terminal {
    child: Child,
    /// None once it was closed.
    master: Option<Arc<OwnedFd>>,
    slave: OwnedFd,
    before: Termios,
    output: Arc<Mutex<Output>>,
    closing: Arc<AtomicBool>,
    pump: Option<JoinHandle<()>>,
}

/// What the program has written.
pub struct Output {
    pub bytes: Vec<u8>,
    pub parser: vt100::Parser,
}

impl Terminal {
    /// Runs ptyscope with `arguments`, split at spaces.
    pub fn run(arguments: &str) -> Self {
        Self::start(arguments, |command| command)
    }

    /// As [`Terminal::run`], after `adapt` had its way with the command. It is
    /// the leader of a session whose controlling terminal this is.
    pub fn start(arguments: &str, adapt: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        Self::start_program(env!("CARGO_BIN_EXE_ptyscope"), |command| {
            adapt(command.args(arguments.split_whitespace()))
        })
    }

    /// The same of any program.
    pub fn start_program(program: &str, adapt: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        // Close-on-exec from the start: a program of another test that held
        // this master would keep the terminal alive.
        let (master, slave) = Pair::open(Mode::COOKED).unwrap().into_fds();
        set_window_size(&master, size_of(SIZE)).unwrap();
        let before = tcgetattr(&slave).unwrap();
        let end = || Stdio::from(slave.try_clone().unwrap());
        let mut command = Command::new(program);
        command
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .env("TERM", "xterm-256color")
            .env("RUST_BACKTRACE", "0")
            .env_remove("NO_COLOR");
        let tty = slave.as_raw_fd();
        // SAFETY: setsid and ioctl are async-signal-safe, and the descriptor is
        // open until after the fork.
        unsafe {
            command.pre_exec(move || {
                Errno::result(libc::setsid())?;
                Errno::result(libc::ioctl(tty, libc::TIOCSCTTY, 0))?;
                Ok(())
            });
        }
        let child = adapt(&mut command).spawn().unwrap();
        let (rows, columns) = SIZE;
        let output = Arc::new(Mutex::new(Output {
            bytes: Vec::new(),
            parser: vt100::Parser::new(rows, columns, 0),
        }));
        let master = Arc::new(master);
        let closing = Arc::new(AtomicBool::new(false));
        let pump = {
            let (master, output, closing) = (master.clone(), output.clone(), closing.clone());
            std::thread::spawn(move || pump(&master, &output, &closing))
        };
        Self {
            child,
            master: Some(master),
            slave,
            before,
            output,
            closing,
            pump: Some(pump),
        }
    }

    /// What has been written so far.
    pub fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text on the screen.
    pub fn text(&self) -> String {
        self.output().parser.screen().contents()
    }

    /// Types `keys`, as the bytes that a terminal sends.
    pub fn type_keys(&self, keys: &str) {
        let master = self.master.as_ref().expect("the terminal is open");
        let mut bytes = keys.as_bytes();
        while !bytes.is_empty() {
            let n = write(master.as_fd(), bytes).unwrap();
            bytes = &bytes[n..];
        }
    }

    /// Gives the terminal another size, in rows and columns.
    pub fn resize(&self, (rows, columns): (u16, u16)) {
        let master = self.master.as_ref().expect("the terminal is open");
        // The emulator first: the next frame is meant for the new size.
        let mut output = self.output();
        output.parser.screen_mut().set_size(rows, columns);
        set_window_size(master.as_fd(), size_of((rows, columns))).unwrap();
    }

    /// Waits until the screen shows `text`.
    pub fn wait_for_text(&self, text: &str) {
        self.wait_until(&format!("{text:?} on the screen"), |screen| {
            screen.contains(text)
        });
    }

    /// Waits until `done` likes what is on the screen, and gives that.
    pub fn wait_until(&self, what: &str, done: impl Fn(&str) -> bool) -> String {
        let look = || Some(self.text()).filter(|text| done(text));
        wait_for(what, look, || self.describe())
    }

    /// Waits until the live screen shows numbers.
    pub fn wait_for_data(&self) {
        self.wait_until("throughput on the screen", |screen| {
            screen.contains("  writes ")
        });
    }

    /// Sends a signal to the program alone.
    pub fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    /// The program's number, and its session's.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// The process group in the foreground (tcgetpgrp(3)).
    #[allow(dead_code, reason = "only some tests need it")]
    pub fn foreground(&self) -> Pid {
        tcgetpgrp(self.master.as_ref().expect("the terminal is open")).unwrap()
    }

    /// The state letter of the program (proc_pid_stat(5)).
    pub fn state(&self) -> Option<char> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).ok()?;
        stat.rsplit_once(')')?.1.trim_start().chars().next()
    }

    /// Takes the terminal away, as when its window is closed.
    pub fn close(&mut self) {
        self.closing.store(true, Ordering::SeqCst);
        if let Some(pump) = self.pump.take() {
            pump.join().unwrap();
        }
        self.master = None;
    }

    /// Waits for the end of the program and reads its last words; checks that
    /// it left the terminal as it was and nothing behind. Gives its status.
    pub fn end(&mut self) -> ExitStatus {
        let status = self.wait_for_end();
        self.await_last_words();
        self.assert_given_back();
        status
    }

    /// Waits until all that was written is on the screen: until a NUL, which
    /// no terminal shows, has come through behind it.
    fn await_last_words(&self) {
        write(&self.slave, b"\0").unwrap();
        wait_for(
            "the program's last words",
            || self.output().bytes.ends_with(b"\0").then_some(()),
            || self.describe(),
        );
    }

    /// Waits for the end of the program, and that of all it started.
    pub fn wait_for_end(&mut self) -> ExitStatus {
        let session = self.pid();
        let child = &mut self.child;
        let output = Arc::clone(&self.output);
        let shown = || {
            let output = output.lock().unwrap_or_else(PoisonError::into_inner);
            output.parser.screen().contents()
        };
        let status = wait_for("the program's end", || child.try_wait().unwrap(), shown);
        wait_for(
            "the end of its processes",
            || members_of(session).is_empty().then_some(()),
            || format!("{:?}", members_of(session)),
        );
        status
    }

    /// Checks that the terminal is as the program found it.
    pub fn assert_given_back(&self) {
        // Its last words may still be under way.
        wait_for(
            "the terminal to be as before",
            || {
                let output = self.output();
                let screen = output.parser.screen();
                let is_ours = screen.alternate_screen() || screen.hide_cursor();
                (!is_ours && tcgetattr(&self.slave).unwrap() == self.before).then_some(())
            },
            || self.describe(),
        );
    }

    fn describe(&self) -> String {
        let output = self.output();
        let screen = output.parser.screen();
        format!(
            "state {:?}, alternate screen {}, cursor hidden {}, {} bytes so far\n{}",
            self.state(),
            screen.alternate_screen(),
            screen.hide_cursor(),
            output.bytes.len(),
            screen.contents()
        )
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.close();
    }
}

fn size_of((rows, columns): (u16, u16)) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

fn pump(master: &OwnedFd, output: &Mutex<Output>, closing: &AtomicBool) {
    let mut buffer = [0; 4096];
    while !closing.load(Ordering::SeqCst) {
        let mut fds = [PollFd::new(master.as_fd(), PollFlags::POLLIN)];
        if poll(&mut fds, PollTimeout::from(20u16)).unwrap_or(0) == 0 {
            continue;
        }
        match read(master, &mut buffer) {
            Ok(n) if n > 0 => {
                let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
                output.bytes.extend_from_slice(&buffer[..n]);
                output.parser.process(&buffer[..n]);
            }
            Err(Errno::EINTR) => {}
            _ => return,
        }
    }
}

/// The processes of a session, other than those that only wait to be reaped.
fn members_of(session: Pid) -> Vec<String> {
    let in_session = |stat: &String| -> Option<bool> {
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let is_alive = fields.next()? != "Z";
        Some(is_alive && fields.nth(2)?.parse() == Ok(session.as_raw()))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = entries.map(|entry| fs::read_to_string(entry.path().join("stat")));
    stats
        .filter_map(io::Result::ok)
        .filter(|stat| in_session(stat) == Some(true))
        .collect()
}
