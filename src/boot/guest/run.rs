//! Running the command in the guest.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::line::Line;
use crate::boot::channel::{End, MOST, Message};
use crate::boot::order::Order;
use crate::boot::{HEARTBEAT, INIT};
use crate::host::{errno_text, monotonic_ns};

/// How long what was written last may take to come out of the pipes; what the
/// command left running may hold them for ever.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Runs the command of the order and tells what it writes and how it ends.
pub fn run(order: &Order, line: &Line) {
    let began = monotonic_ns();
    let spawned = Command::new(INIT)
        .arg0(INIT)
        .args(&order.words)
        .env("PATH", "/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            let why = errno_text(&error);
            line.tell(&Message::Refused(format!("cannot start {INIT}: {why}")));
            return;
        }
    };
    let (done, all_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        if let Some(stdout) = child.stdout.take() {
            let done = done.clone();
            scope.spawn(move || forward(stdout, line, Message::Output, done));
        }
        if let Some(stderr) = child.stderr.take() {
            let done = done.clone();
            scope.spawn(move || forward(stderr, line, Message::Complaint, done));
        }
        drop(done);
        scope.spawn(|| {
            loop {
                std::thread::sleep(HEARTBEAT);
                line.tell(&Message::Alive);
            }
        });
        let status = wait_for(child.id());
        let took_ns = monotonic_ns() - began;
        // Ends with an error once both threads have let go of it.
        let _ = all_done.recv_timeout(LAST_WORDS);
        line.tell(&Message::Ended(End {
            code: status.code().and_then(|code| u8::try_from(code).ok()),
            signal: status.signal(),
            took_ns,
        }));
        line.drain();
        super::power_off()
    })
}

/// Sends on what comes, until its end; `_done` is let go of then.
fn forward(
    mut from: impl Read,
    line: &Line,
    message: fn(Vec<u8>) -> Message,
    _done: mpsc::Sender<()>,
) {
    let mut buffer = vec![0; MOST];
    while let Ok(n) = from.read(&mut buffer) {
        let part = buffer.get(..n).unwrap_or_default();
        if part.is_empty() {
            return;
        }
        line.tell(&message(part.to_vec()));
    }
}

/// Waits for the end of that child, and takes in whatever else has died: init
/// inherits the orphans.
fn wait_for(child: u32) -> ExitStatus {
    loop {
        match waitpid(None::<Pid>, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid.as_raw() as u32 == child => {
                return ExitStatus::from_raw(code << 8);
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid.as_raw() as u32 == child => {
                return ExitStatus::from_raw(signal as i32);
            }
            Ok(_) | Err(Errno::EINTR) => {}
            // It cannot be that init has no child; if it is so, that one is gone.
            Err(_) => return ExitStatus::from_raw(libc::SIGKILL),
        }
    }
}
