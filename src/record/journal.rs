//! What keeps a recording while a run goes on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::host::{Usage, errno_text};
use crate::sample::{Ending, Event, Notice, Request, Sample};

use super::differ::Difference;
use super::entry::{Ended, Entry, Look, What, Written};
use super::file::Opened;
use super::header::Header;
use super::ranks::thinned;

/// Samples from one complete one to the next, at most.
const FULL_EVERY: u32 = 200;
/// Nanoseconds of the source's time after which what was added is readable.
const FLUSH_NS: u64 = 3_000_000_000;

/// A recording could not be begun, or was not completed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// There is one already.
    #[error(
        "{0} is there already, and no recording is overwritten: remove it, or give another name"
    )]
    Exists(PathBuf),
    /// The file could not be made.
    #[error("cannot record to {0}: {1}")]
    Open(PathBuf, String),
    /// The file took no more.
    #[error("the recording {0} has stopped: {1}; what came before can be replayed")]
    Stopped(PathBuf, String),
    /// The file took nothing that could be replayed.
    #[error("the recording {0} has stopped: {1}; nothing of it can be replayed")]
    Nothing(PathBuf, String),
}

/// Records a run; its clones record the same.
///
/// Where the file takes no more, the recording stops and the run goes on.
#[derive(Debug, Clone)]
pub struct Journal(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    path: PathBuf,
    /// None once the recording has stopped or is complete.
    file: Option<Opened>,
    stopped: Option<String>,
    /// Whether the file has the header and a sample.
    is_playable: bool,
    before: Option<Sample>,
    /// When `before` came.
    came: Instant,
    /// Samples since the last complete one.
    since_full: u32,
    flushed_ns: u64,
    last_ns: u64,
}

impl Journal {
    /// Begins a recording.
    ///
    /// # Errors
    /// When there is one of that name already, or it cannot be written.
    pub fn begin(path: &Path, header: &Header) -> Result<Self, JournalError> {
        let shown = path.to_owned();
        let mut file = Opened::create(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Exists(shown.clone()),
            _ => JournalError::Open(shown.clone(), errno_text(&error)),
        })?;
        let mut line = serde_json::to_vec(header)
            .map_err(|error| JournalError::Open(shown, error.to_string()))?;
        line.push(b'\n');
        let written = file.line(&line).and_then(|()| file.flush());
        let mut state = State {
            path: path.to_owned(),
            file: Some(file),
            stopped: None,
            is_playable: false,
            before: None,
            came: Instant::now(),
            since_full: 0,
            flushed_ns: 0,
            last_ns: 0,
        };
        state.judge(written);
        Ok(Self(Arc::new(Mutex::new(state))))
    }

    /// Adds a sample.
    pub fn sample(&self, sample: &Sample) {
        self.state().sample(sample);
    }

    /// Adds what was asked of the source.
    pub fn asked(&self, request: &Request) {
        self.state().add(match request {
            Request::Set(settings) => What::Asked(settings.clone()),
            Request::SetLine(line) => What::AskedLine(line.clone()),
            Request::Pause(hold) => What::AskedHold(*hold),
            Request::Stop => return,
        });
    }

    /// Adds what the source said, other than its samples and its end.
    pub fn notice(&self, notice: &Notice) {
        self.state().add(What::Notice(notice.clone()));
    }

    /// Adds a key that does something.
    pub fn key(&self, key: &str, does: &str) {
        let (key, does) = (key.to_owned(), does.to_owned());
        self.state().add(What::Key { key, does });
    }

    /// Adds what is said from now on.
    pub fn caption(&self, caption: Option<&str>) {
        self.state().add(What::Caption(caption.map(str::to_owned)));
    }

    /// Adds what the screen shows from now on.
    pub fn look(&self, view: &str, number: &str) {
        let (view, number) = (view.to_owned(), number.to_owned());
        self.state().add(What::Look(Look { view, number }));
    }

    /// Adds an event of the source.
    pub fn event(&self, event: &Event) {
        match event {
            Event::Sample(sample) => self.sample(sample),
            Event::Notice(notice) => self.notice(notice),
            Event::Ended(ending) => self.end(ending, 0),
        }
    }

    /// Adds the end of the run, whose ptys were filled with so many bytes
    /// before, and completes the recording.
    pub fn end(&self, ending: &Ending, prefilled: u64) {
        let used = Usage::of_process() + Usage::of_children();
        let mut state = self.state();
        state.add(What::Ended(Ended {
            ending: ending.clone(),
            user_ns: used.user.as_nanos() as u64,
            system_ns: used.system.as_nanos() as u64,
            prefilled,
        }));
        if let Some(file) = state.file.take() {
            let finished = file.finish();
            state.judge(finished);
        }
    }

    /// Why the recording has stopped before the run, if it has.
    ///
    /// # Errors
    /// When it has.
    pub fn outcome(&self) -> Result<(), JournalError> {
        let state = self.state();
        match &state.stopped {
            Some(why) => {
                let (path, why) = (state.path.clone(), why.clone());
                Err(if state.is_playable {
                    JournalError::Stopped(path, why)
                } else {
                    JournalError::Nothing(path, why)
                })
            }
            None => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn sample(&mut self, sample: &Sample) {
        if self.file.is_none() {
            return;
        }
        let sample = thin(sample);
        let difference = self
            .before
            .as_ref()
            .filter(|_| self.since_full < FULL_EVERY)
            .and_then(|before| Difference::between(before, &sample));
        let line = match difference {
            Some(difference) => {
                self.since_full += 1;
                Written::Next(difference)
            }
            None => {
                self.since_full = 0;
                Written::Full(Box::new(sample.clone()))
            }
        };
        self.last_ns = sample.end_ns;
        self.came = Instant::now();
        self.before = Some(sample);
        self.write(&line);
    }

    /// Adds what is no sample, at the source's time.
    fn add(&mut self, what: What) {
        if self.file.is_none() {
            return;
        }
        let since = self.came.elapsed().as_nanos() as u64;
        let now = match &self.before {
            Some(before) => before.end_ns.saturating_add(since),
            None => 0,
        };
        self.last_ns = self.last_ns.max(now);
        let at_ns = self.last_ns;
        // What a person did is readable at once.
        self.flushed_ns = 0;
        self.write(&Written::of(Entry { at_ns, what }));
    }

    fn write(&mut self, line: &Written) {
        let Some(file) = &mut self.file else { return };
        let written = serde_json::to_vec(line)
            .map_err(io::Error::from)
            .and_then(|mut line| {
                line.push(b'\n');
                file.line(&line)?;
                let is_due = self.last_ns.saturating_sub(self.flushed_ns) >= FLUSH_NS;
                if is_due || self.flushed_ns == 0 {
                    self.flushed_ns = self.last_ns;
                    file.flush()?;
                    // Of what cannot be flushed there may be nothing in it.
                    self.is_playable |= self.before.is_some();
                }
                Ok(())
            });
        self.judge(written);
    }

    fn judge(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.stopped = Some(errno_text(&error));
            self.file = None;
        }
    }
}

/// The sample as it is kept.
fn thin(sample: &Sample) -> Sample {
    let mut sample = sample.clone();
    let sides = sample
        .flows
        .iter_mut()
        .flat_map(|flow| [&mut flow.writer, &mut flow.reader]);
    for side in sides {
        side.calls.time = thinned(&side.calls.time);
        side.calls.size = thinned(&side.calls.size);
    }
    let ways = sample.link.iter_mut().flat_map(|link| &mut link.links);
    let times = ways
        .flat_map(|link| &mut link.ways)
        .flat_map(|way| [&mut way.in_relay, &mut way.turnaround]);
    for times in times.chain([&mut sample.round_trips]) {
        *times = times.as_ref().map(thinned);
    }
    sample
}
