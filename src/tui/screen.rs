//! The live screen's loop: one thread owns the terminal and the state.

use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crossterm::event::{Event as Key, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use nix::errno::Errno;
use ratatui::buffer::Buffer;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

use crate::check::Check;
use crate::host::suspend;
use crate::record::Journal;
use crate::sample::{Ending, Request, Source};

use super::action::{Action, action_of};
use super::checker::Checker;
use super::export;
use super::input::{self, Input};
use super::notes::Notes;
use super::picture;
use super::replay;
use super::state::{App, News, View, Weight};
use super::terminal::{self, Terminal};
use super::tour;
use super::update::{Effect, Typed, feed, feed_checks, type_in, update};
use super::view;

/// How long the source may take to account for every byte when asked to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// How the screen ended.
#[derive(Debug)]
pub struct Outcome {
    /// The state at the end.
    pub app: App,
    /// How the source ended, if it told.
    pub ending: Option<Ending>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// What panicked meanwhile in other threads.
    pub panics: Vec<String>,
}

/// Shows the source's samples until the user, a signal or the source ends it;
/// without a source, the recording that `app` plays. Keys, captions and views
/// go into the journal. For the tests it `panics` at the first sample.
///
/// # Errors
/// When there is no terminal for keys, or the kernel refuses something. A
/// terminal that goes away is no error but a SIGHUP.
pub fn run(
    app: App,
    source: Option<Source>,
    journal: Option<Journal>,
    fps: u16,
    panics: bool,
) -> io::Result<Outcome> {
    let keyboard = input::keyboard()?;
    terminal::guard_panics(std::thread::current().id());
    let (sender, inputs) = mpsc::channel();
    // Before the terminal is taken: a signal must find somebody who gives it
    // back.
    input::watch_signals(sender.clone())?;
    let (requests, events) = match source {
        Some(source) => (source.requests, Some(source.events)),
        None => (mpsc::channel().0, None),
    };
    let mut screen = Screen {
        app,
        terminal: Terminal::take()?,
        requests,
        notes: Notes::of(journal),
        played: Instant::now(),
        inputs,
        sender: sender.clone(),
        checker: None,
        frame: Duration::from_secs(1) / u32::from(fps.max(1)),
        dirty: true,
        urgent: true,
        over: None,
        weighed: (Instant::now(), 0, 0),
        panics,
    };
    input::watch_keys(keyboard, sender.clone())?;
    if let Some(events) = events {
        input::watch_source(events, sender)?;
    }
    // The source may hold what must not outlive us: a link's names.
    let shown = panic::catch_unwind(AssertUnwindSafe(|| screen.run()));
    let shown = shown.unwrap_or_else(|panic| {
        screen.settle();
        panic::resume_unwind(panic)
    });
    if let Err(error) = shown {
        // What a hung-up terminal answers (hung_up_tty_write in tty_io.c).
        if error.raw_os_error() != Some(Errno::EIO as i32) {
            return Err(error);
        }
        screen.over = Some(Over::Signal(SIGHUP));
    }
    Ok(screen.end())
}

/// Why the loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Asked,
    Signal(i32),
    SourceEnded,
}

struct Screen {
    app: App,
    terminal: Terminal,
    requests: Sender<Request>,
    notes: Notes,
    /// Up to when a recording was played.
    played: Instant,
    inputs: Receiver<Input>,
    sender: Sender<Input>,
    /// The run of checks, while one goes on.
    checker: Option<Checker>,
    frame: Duration,
    /// Whether the state has changed since it was drawn, and whether by a key.
    dirty: bool,
    urgent: bool,
    over: Option<Over>,
    /// When the own weight was last taken, bytes written and CPU used by then.
    weighed: (Instant, u64, u64),
    panics: bool,
}

impl Screen {
    fn run(&mut self) -> io::Result<()> {
        let mut next = Instant::now();
        while self.over.is_none() {
            let now = Instant::now();
            if self.dirty && (self.urgent || now >= next) {
                self.draw()?;
                next = now + self.frame;
            }
            let wait = if self.dirty {
                next.saturating_duration_since(Instant::now())
            } else if replay::is_playing(&self.app) {
                self.frame
            } else {
                Duration::from_secs(1)
            };
            match self.inputs.recv_timeout(wait) {
                Ok(input) => self.take(input)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.over = Some(Over::SourceEnded),
            }
            // What came meanwhile is one frame's news.
            while let Ok(input) = self.inputs.try_recv() {
                self.take(input)?;
            }
            let elapsed = std::mem::replace(&mut self.played, Instant::now()).elapsed();
            self.dirty |= replay::advance(&mut self.app, elapsed);
            self.notes.look(&self.app);
        }
        Ok(())
    }

    /// The screen as it is to be.
    fn picture(&self) -> io::Result<Buffer> {
        let area = self.terminal.size()?;
        let mut buffer = Buffer::empty(area);
        view::draw(&self.app, area, &mut buffer);
        Ok(buffer)
    }

    fn draw(&mut self) -> io::Result<()> {
        let buffer = self.picture()?;
        self.terminal.draw(buffer)?;
        self.dirty = false;
        self.urgent = false;
        Ok(())
    }

    fn take(&mut self, input: Input) -> io::Result<()> {
        match input {
            Input::Key(Key::Key(key)) if key.kind != KeyEventKind::Release => {
                self.changed_by_user();
                let effects = self.key(key);
                self.carry_out(effects)?;
            }
            Input::Key(Key::Resize(..)) => self.changed_by_user(),
            Input::Key(_) => {}
            Input::Source(event) => {
                assert!(!self.panics, "a panic of the screen was asked for");
                self.dirty |= self.app.frozen.is_none();
                let effects = feed(&mut self.app, event);
                if self.app.ended.is_some() {
                    self.over = Some(Over::SourceEnded);
                }
                self.weigh();
                self.carry_out(effects)?;
            }
            Input::Check(news) => self.take_check(news)?,
            Input::SourceGone => self.over = Some(Over::SourceEnded),
            Input::Signal(SIGCONT) => self.changed_by_user(),
            Input::Signal(SIGTSTP) => self.suspend()?,
            Input::Signal(signal) => self.over = Some(Over::Signal(signal)),
            Input::TerminalGone => self.over = Some(Over::Signal(SIGHUP)),
        }
        Ok(())
    }

    fn take_check(&mut self, news: News) -> io::Result<()> {
        self.dirty = true;
        if matches!(news, News::Over(_)) {
            self.checker = None;
        }
        let effects = feed_checks(&mut self.app, news);
        self.carry_out(effects)
    }

    fn start_checks(&mut self, checks: Vec<&'static Check>) -> io::Result<()> {
        match Checker::start(checks, self.sender.clone()) {
            Ok(checker) => self.checker = Some(checker),
            Err(error) => {
                let why = crate::host::errno_text(&error);
                self.app.complain(format!("cannot run checks: {why}"));
                self.take_check(News::Over(Duration::ZERO))?;
            }
        }
        Ok(())
    }

    fn changed_by_user(&mut self) {
        self.dirty = true;
        self.urgent = true;
    }

    fn key(&mut self, key: KeyEvent) -> Vec<Effect> {
        if self.app.stage.choosing {
            return tour::choose(&mut self.app, key.code.as_char());
        }
        let action = action_of(self.app.groups(), &key);
        if action != Some(Action::Tour) {
            tour::take_over(&mut self.app);
        }
        if self.app.replay.is_some() {
            if self.scroll(key.code) {
                return Vec::new();
            }
            return replay::key(&mut self.app, &key);
        }
        if self.app.prompt.is_some() && !key.modifiers.contains(KeyModifiers::CONTROL) {
            let typed = match key.code {
                KeyCode::Char(c) => Typed::Char(c),
                KeyCode::Enter => Typed::Enter,
                KeyCode::Esc => Typed::Escape,
                KeyCode::Backspace => Typed::Backspace,
                _ => return Vec::new(),
            };
            return type_in(&mut self.app, typed);
        }
        if self.scroll(key.code) {
            return Vec::new();
        }
        action.map_or_else(Vec::new, |action| {
            self.notes.key(&self.app, action);
            update(&mut self.app, action)
        })
    }

    /// Moves the help, or the explanation of a check; `true` when the key was
    /// for that.
    fn scroll(&mut self, code: KeyCode) -> bool {
        let Ok(area) = self.terminal.size() else {
            return false;
        };
        let (place, last) = if self.app.help.is_some() {
            let last = view::help_end(&self.app, area);
            (&mut self.app.help, last)
        } else if self.app.view == View::Checks {
            let last = view::explanation_end(&self.app, area);
            (&mut self.app.checks.open, last)
        } else {
            return false;
        };
        let Some(from) = place.map(|from| from.min(last)) else {
            return false;
        };
        *place = match code {
            KeyCode::Up => Some(from.saturating_sub(1)),
            KeyCode::Down => Some(from.saturating_add(1).min(last)),
            KeyCode::PageUp => Some(from.saturating_sub(10)),
            KeyCode::PageDown => Some(from.saturating_add(10).min(last)),
            KeyCode::Home => Some(0),
            KeyCode::End => Some(last),
            KeyCode::Esc => None,
            _ => return false,
        };
        true
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        for effect in effects {
            match effect {
                // A source that is gone says so by itself.
                Effect::Ask(request) => drop(self.requests.send(request)),
                Effect::Quit => self.over = Some(Over::Asked),
                Effect::Check(checks) => self.start_checks(checks)?,
                Effect::StopChecks => {
                    if let Some(checker) = &self.checker {
                        checker.halt();
                    }
                }
                Effect::Suspend => self.suspend()?,
                Effect::Export => {
                    let saved = export::json(&self.app)
                        .map_err(io::Error::from)
                        .and_then(|text| export::save_new(&text, "json"));
                    self.tell_saved(saved);
                }
                Effect::Picture => {
                    let buffer = self.picture()?;
                    let text = picture::svg(&buffer, self.app.theme);
                    self.tell_saved(export::save_new(&text, "svg"));
                }
            }
        }
        Ok(())
    }

    fn tell_saved(&mut self, saved: io::Result<PathBuf>) {
        match saved {
            Ok(path) => self.app.say(format!("written to {}", path.display())),
            Err(error) => {
                let why = crate::host::errno_text(&error);
                self.app
                    .complain(format!("cannot write to the current directory: {why}"));
            }
        }
    }

    /// Gives the terminal back and stops until SIGCONT; the workload is held
    /// meanwhile.
    fn suspend(&mut self) -> io::Result<()> {
        self.terminal.give_back();
        let _ = self.requests.send(Request::Pause(true));
        // If that fails we go on, as where nobody could continue us.
        let _ = suspend();
        self.terminal.retake()?;
        let _ = self.requests.send(Request::Pause(self.app.is_held()));
        self.played = Instant::now();
        self.changed_by_user();
        Ok(())
    }

    /// Takes the program's own weight, once a second.
    fn weigh(&mut self) {
        let Some(sample) = &self.app.data.latest else {
            return;
        };
        let (then, written, own_ns) = &mut self.weighed;
        *own_ns += sample.host.own_ns;
        let seconds = then.elapsed().as_secs_f64();
        if seconds >= 1.0 {
            let now = self.terminal.written();
            self.app.weight = Weight {
                bytes_per_second: (now - *written) as f64 / seconds,
                cpu: *own_ns as f64 / 1e9 / seconds,
            };
            self.weighed = (Instant::now(), now, 0);
        }
    }

    /// Ends the source, and lets it account for all bytes; for that, nobody
    /// who asks once more is kept waiting. A hangup is often told twice.
    fn settle(&mut self) {
        if self.app.replay.is_some() {
            return;
        }
        // One that is gone has ended.
        let _ = self.requests.send(Request::Stop);
        let until = Instant::now() + PATIENCE;
        while self.app.ended.is_none() {
            let left = until.saturating_duration_since(Instant::now());
            match self.inputs.recv_timeout(left) {
                Ok(Input::Source(event)) => drop(feed(&mut self.app, event)),
                Ok(Input::SourceGone) | Err(_) => break,
                Ok(Input::Signal(signal)) if matches!(signal, SIGINT | SIGQUIT | SIGTERM) => {
                    self.over = Some(Over::Signal(signal));
                    break;
                }
                Ok(_) => {}
            }
        }
    }

    /// Gives the terminal back and ends the source.
    fn end(mut self) -> Outcome {
        self.terminal.give_back();
        self.checker = None;
        if self.app.ended.is_none() {
            self.settle();
        }
        Outcome {
            ending: self.app.ended.take(),
            signal: match self.over {
                Some(Over::Signal(signal)) => Some(signal),
                _ => None,
            },
            panics: terminal::take_panics(),
            app: self.app,
        }
    }
}
