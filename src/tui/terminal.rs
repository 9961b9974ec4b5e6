//! The terminal that we draw on: taking it over, giving it back, and writing
//! frames to it.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{queue, terminal};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::paint;

/// Whether the terminal is ours now. Whoever finds it so gives it back, once.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// What panicked in other threads while the terminal was ours.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The terminal while it is ours. Dropping it gives it back.
#[derive(Debug)]
pub struct Terminal {
    /// What is on the screen now.
    shown: Buffer,
    written: u64,
}

impl Terminal {
    /// Takes the terminal over: raw mode, the other screen, no cursor.
    ///
    /// # Errors
    /// When there is no terminal to take keys from, or it is gone.
    pub fn take() -> io::Result<Self> {
        let mut terminal = Self {
            shown: Buffer::empty(Rect::ZERO),
            written: 0,
        };
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        terminal.enter()?;
        Ok(terminal)
    }

    fn enter(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        queue!(bytes, EnterAlternateScreen, Hide)?;
        self.send(&bytes)
    }

    /// Gives the terminal back, for a while: see [`Terminal::retake`].
    pub fn give_back(&mut self) {
        restore();
    }

    /// Takes it over again; the next frame is drawn whole.
    pub fn retake(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        TAKEN.store(true, Ordering::SeqCst);
        self.enter()?;
        self.shown = Buffer::empty(Rect::ZERO);
        Ok(())
    }

    /// The size of the screen, in columns and rows.
    pub fn size(&self) -> io::Result<Rect> {
        let (width, height) = terminal::size()?;
        Ok(Rect::new(0, 0, width, height))
    }

    /// Puts `next` on the screen: only what differs, in one write(2), as one
    /// update where the terminal knows that.
    pub fn draw(&mut self, next: Buffer) -> io::Result<()> {
        let mut frame = Vec::new();
        queue!(frame, BeginSynchronizedUpdate)?;
        let empty = frame.len();
        if self.shown.area != next.area {
            queue!(frame, Clear(ClearType::All), MoveTo(0, 0))?;
            self.shown = Buffer::empty(next.area);
        }
        let changes = self.shown.diff(&next);
        if !changes.is_empty() {
            paint(&mut frame, changes);
        }
        self.shown = next;
        if frame.len() > empty {
            queue!(frame, EndSynchronizedUpdate)?;
            self.send(&frame)?;
        }
        Ok(())
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        write_patiently(bytes)
    }

    /// Bytes written to the terminal so far.
    pub fn written(&self) -> u64 {
        self.written
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

/// Writes all, also to a terminal that somebody made non-blocking.
fn write_patiently(mut bytes: &[u8]) -> io::Result<()> {
    let out = io::stdout();
    while !bytes.is_empty() {
        match nix::unistd::write(out.as_fd(), bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(nix::errno::Errno::EINTR) => {}
            Err(nix::errno::Errno::EAGAIN) => {
                let mut fds = [PollFd::new(out.as_fd(), PollFlags::POLLOUT)];
                poll(&mut fds, PollTimeout::from(1000u16))?;
            }
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Gives the terminal back if it is ours. Each step is tried whatever becomes
/// of the others: the terminal may be gone.
fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut bytes = Vec::new();
    let _ = queue!(bytes, EndSynchronizedUpdate, LeaveAlternateScreen, Show);
    let _ = write_patiently(&bytes);
    let _ = disable_raw_mode();
}

/// Makes a panic of `owner`, the thread that owns the terminal, give it back
/// before the message is printed. A panic of any other thread prints nothing
/// over the screen; it is kept for [`take_panics`].
pub fn guard_panics(owner: ThreadId) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == owner {
            restore();
            usual(info);
        } else if TAKEN.load(Ordering::SeqCst) {
            if let Ok(mut panics) = PANICS.lock() {
                panics.push(info.to_string());
            }
        } else {
            usual(info);
        }
    }));
}

/// What has panicked in other threads since the last call.
pub fn take_panics() -> Vec<String> {
    PANICS
        .lock()
        .map(|mut panics| std::mem::take(&mut *panics))
        .unwrap_or_default()
}

/// Why a live screen makes no sense on this standard output, if it does not.
pub fn obstacle() -> Option<&'static str> {
    if !io::stdout().is_terminal() {
        return Some("standard output is no terminal");
    }
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    dumb.then_some("the terminal is of type dumb (TERM)")
}
