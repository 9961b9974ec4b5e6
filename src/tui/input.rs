//! Everything that can happen, in one stream: keys, signals, samples.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event as Key};
use crossterm::terminal;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, signal};
use signal_hook::consts::{SIGCONT, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::host::{ENDING, errno_text};
use crate::sample::Event;

use super::state::News;

/// Something that happened.
#[derive(Debug)]
pub enum Input {
    /// A key, or another size of the screen.
    Key(Key),
    /// The source said something.
    Source(Event),
    /// A run of checks said something.
    Check(News),
    /// The source's end of the stream is gone.
    SourceGone,
    /// A signal came.
    Signal(i32),
    /// The terminal is gone.
    TerminalGone,
}

/// How often a change of size is looked for while no key comes.
const PATIENCE: u16 = 100;

/// The terminal that keys come from: standard input, or else the controlling
/// terminal.
///
/// # Errors
/// When there is neither.
pub fn keyboard() -> io::Result<OwnedFd> {
    if io::stdin().is_terminal() {
        return io::stdin().as_fd().try_clone_to_owned();
    }
    File::open("/dev/tty").map(OwnedFd::from).map_err(|error| {
        let why = errno_text(&error);
        let text = format!(
            "no keys can come: standard input is no terminal, and /dev/tty cannot be opened: {why}; see --plain and ptyscope bench"
        );
        io::Error::new(error.kind(), text)
    })
}

/// Sends the keys of `tty` until it is gone or nobody listens.
///
/// # Errors
/// When no thread can be started.
pub fn watch_keys(tty: OwnedFd, inputs: Sender<Input>) -> io::Result<()> {
    thread::Builder::new()
        .name("keys".to_owned())
        .spawn(move || {
            let gone = pump_keys(&tty, &inputs);
            if gone {
                // Nobody listens any more: then it does not matter.
                let _ = inputs.send(Input::TerminalGone);
            }
        })?;
    Ok(())
}

/// Waits on the terminal itself first: crossterm's own poll never returns from
/// one that has gone.
fn pump_keys(tty: &OwnedFd, inputs: &Sender<Input>) -> bool {
    leave_sizes_to_us();
    let mut size = terminal::size().ok();
    loop {
        let mut fds = [PollFd::new(tty.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, PollTimeout::from(PATIENCE)) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(_) => return true,
        }
        let seen = fds[0].revents().unwrap_or(PollFlags::empty());
        if seen.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL) {
            return true;
        }
        let now = terminal::size().ok();
        if let Some((width, height)) = now.filter(|_| now != size)
            && inputs.send(Input::Key(Key::Resize(width, height))).is_err()
        {
            return false;
        }
        size = now;
        while event::poll(Duration::ZERO).unwrap_or(false) {
            let Ok(key) = event::read() else { return true };
            if inputs.send(Input::Key(key)).is_err() {
                return false;
            }
        }
    }
}

/// Where a key comes together with a SIGWINCH, crossterm 0.29 reports the size
/// alone and does not hear of the key again before the next one: epoll tells it
/// only of what is new. So SIGWINCH goes back to being ignored once crossterm
/// has asked for it, and the size is looked at instead.
fn leave_sizes_to_us() {
    let _ = event::poll(Duration::ZERO);
    // SAFETY: the default disposition runs no code of ours.
    let _ = unsafe { signal(Signal::SIGWINCH, SigHandler::SigDfl) };
}

/// Sends what the source says.
pub fn watch_source(events: Receiver<Event>, inputs: Sender<Input>) -> io::Result<()> {
    thread::Builder::new()
        .name("events".to_owned())
        .spawn(move || {
            for event in events {
                if inputs.send(Input::Source(event)).is_err() {
                    return;
                }
            }
            let _ = inputs.send(Input::SourceGone);
        })?;
    Ok(())
}

/// Sends the signals that a screen must know of.
pub fn watch_signals(inputs: Sender<Input>) -> io::Result<()> {
    let mut signals = Signals::new(ENDING.into_iter().chain([SIGTSTP, SIGCONT]))?;
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                if inputs.send(Input::Signal(signal)).is_err() {
                    return;
                }
            }
        })?;
    Ok(())
}
