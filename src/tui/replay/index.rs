//! The state of the statistics at moments all over a recording, so that no seek
//! has to begin at the start.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::record::{Recording, What};

use super::super::state::{Data, History, Mark, Point};

/// Samples between two checkpoints at least, and checkpoints at most.
const SPACING: usize = 256;
const CHECKPOINTS: usize = 256;
/// Entries that the thread takes in before it lets others have a look.
const TURN: usize = 64;

/// Checkpoints of a recording; a thread goes ahead, and who needs one that is
/// not there yet makes it.
#[derive(Debug, Clone)]
pub struct Index(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    recording: Arc<Recording>,
    spacing: usize,
    /// The statistics before entry `next`, without the points and marks.
    data: Data,
    next: usize,
    /// All that the time plots would ever show.
    points: Vec<Point>,
    marks: Vec<Mark>,
    checkpoints: Vec<Checkpoint>,
    /// Samples since the last checkpoint.
    since: usize,
}

#[derive(Debug)]
struct Checkpoint {
    data: Data,
    next: usize,
    points: usize,
    marks: usize,
}

impl Index {
    /// Of `recording`. Where no thread can be had all is done when it is
    /// needed.
    pub fn of(recording: Arc<Recording>) -> Self {
        let samples = recording.samples().count();
        let state = State {
            spacing: (samples / CHECKPOINTS).max(SPACING),
            recording,
            data: Data::default(),
            next: 0,
            points: Vec::with_capacity(samples),
            marks: Vec::new(),
            checkpoints: Vec::new(),
            since: 0,
        };
        let index = Self(Arc::new(Mutex::new(state)));
        let weak = Arc::downgrade(&index.0);
        let ahead = thread::Builder::new().name("index".to_owned());
        // It ends with the recording, or when nobody plays it any more.
        let _ = ahead.spawn(move || {
            while let Some(state) = weak.upgrade() {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                let upto = state.next + TURN;
                if !state.go_on(upto) {
                    return;
                }
                drop(state);
                thread::yield_now();
            }
        });
        index
    }

    /// The statistics after the first `upto` entries.
    pub fn data(&self, upto: usize) -> Data {
        let mut state = self.state();
        state.go_on(upto);
        state.data(upto)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes in the entries before `upto`; `false` once there are no more.
    fn go_on(&mut self, upto: usize) -> bool {
        let recording = Arc::clone(&self.recording);
        while self.next < upto {
            let Some(entry) = recording.entries.get(self.next) else {
                return false;
            };
            self.next += 1;
            take(&mut self.data, &entry.what);
            if !matches!(entry.what, What::Sample(_)) {
                continue;
            }
            self.points.extend(self.data.history.latest().cloned());
            let mark = self.data.history.latest_mark();
            if mark != self.marks.last() {
                self.marks.extend(mark.cloned());
            }
            self.since += 1;
            if self.since >= self.spacing {
                self.since = 0;
                self.keep();
            }
        }
        true
    }

    fn keep(&mut self) {
        let history = std::mem::take(&mut self.data.history);
        self.checkpoints.push(Checkpoint {
            data: self.data.clone(),
            next: self.next,
            points: self.points.len(),
            marks: self.marks.len(),
        });
        self.data.history = history;
    }

    /// From the last checkpoint before `upto`, which has been passed.
    fn data(&self, upto: usize) -> Data {
        let passed = self.checkpoints.partition_point(|at| at.next <= upto);
        let from = passed
            .checked_sub(1)
            .and_then(|at| self.checkpoints.get(at));
        let (mut data, next) = match from {
            Some(from) => {
                let mut data = from.data.clone();
                let points = self.points.get(..from.points).unwrap_or_default();
                let marks = self.marks.get(..from.marks).unwrap_or_default();
                data.history = History::of(points, marks);
                (data, from.next)
            }
            None => (Data::default(), 0),
        };
        let entries = self.recording.entries.get(next..upto).unwrap_or_default();
        entries
            .iter()
            .for_each(|entry| take(&mut data, &entry.what));
        data
    }
}

/// What an entry does to the statistics.
fn take(data: &mut Data, what: &What) {
    match what {
        What::Sample(sample) => data.push(Arc::clone(sample)),
        What::Notice(notice) => data.notice(notice.clone()),
        _ => {}
    }
}
