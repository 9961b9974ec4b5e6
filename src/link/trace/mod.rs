//! What went over the line, into files, without the line waiting for a disk.
//!
//! The relay leaves each message in memory and goes on; a thread of its own
//! writes them down. A disk that is too slow costs gaps in the trace, a full
//! one ends the trace, and either is said.

mod pcap;
mod sink;
mod text;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use super::nudge::Nudge;
use crate::host::monotonic_ns;
use crate::sample::EventKind;
use sink::Sink;

/// What waits for the disk before more is left out.
const MOST_PENDING: Room = Room {
    bytes: 32 << 20,
    records: 1 << 20,
};
/// Messages are gathered for so long before they are written.
const GATHER: Duration = Duration::from_millis(20);

/// Which form a trace has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Hexadecimal and text, to be read.
    Text,
    /// pcap with link type 250, `LINKTYPE_RTAC_SERIAL`, for Wireshark: A's
    /// bytes are `DATA_TX_START`, B's `DATA_RX_START`.
    Pcap,
}

/// Where a trace goes, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which form it has.
    pub format: Format,
    /// The file, which is overwritten; `-` is standard output.
    pub path: PathBuf,
    /// Bytes at which it ends; None: never.
    pub limit: Option<u64>,
    /// At the limit, go on in a new file and keep the full one as `FILE.1`.
    pub rotate: bool,
}

/// What a record tells.
#[derive(Debug, Clone, Copy)]
enum What {
    /// So many bytes of the pending ones.
    Bytes(usize),
    Event(EventKind),
    Gap(Gap),
}

/// What was left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Gap {
    bytes: u64,
    events: u64,
}

/// How much may be pending: also a record without bytes, or with few, has a
/// size.
#[derive(Debug, Clone, Copy)]
struct Room {
    bytes: usize,
    records: usize,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    at_ns: u64,
    /// From A, or to A.
    from_a: bool,
    what: What,
}

#[derive(Debug, Default)]
struct Pending {
    records: Vec<Record>,
    bytes: Vec<u8>,
    left_out: Gap,
    closed: bool,
    /// No sink is left, so nothing is kept any more.
    deaf: bool,
    news: Vec<String>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.left_out == Gap::default()
    }

    fn has_room(&self, room: Room, bytes: usize) -> bool {
        self.records.len() < room.records && self.bytes.len() + bytes <= room.bytes
    }

    fn push(&mut self, at_ns: u64, end: usize, what: What) {
        self.note_gap(at_ns);
        self.records.push(Record {
            at_ns,
            from_a: end == 0,
            what,
        });
    }

    /// Says what was left out before what comes next.
    fn note_gap(&mut self, at_ns: u64) {
        let left_out = std::mem::take(&mut self.left_out);
        if left_out != Gap::default() {
            self.records.push(Record {
                at_ns,
                from_a: true,
                what: What::Gap(left_out),
            });
        }
    }
}

#[derive(Debug)]
struct Shared {
    pending: Mutex<Pending>,
    filled: Condvar,
    room: Room,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The relay's end of a trace.
#[derive(Debug, Clone)]
pub struct Tap(Arc<Shared>);

impl Tap {
    /// Bytes were passed on from A (`end` 0) or B (1).
    pub fn bytes(&self, at_ns: u64, end: usize, data: &[u8]) {
        let mut pending = self.0.lock();
        if pending.deaf {
            return;
        }
        let idle = pending.is_empty();
        if pending.has_room(self.0.room, data.len()) {
            pending.bytes.extend_from_slice(data);
            let what = What::Bytes(data.len());
            pending.push(at_ns, end, what);
        } else {
            pending.left_out.bytes += data.len() as u64;
        }
        self.wake(idle);
    }

    /// The client at `end` did something.
    pub fn event(&self, at_ns: u64, end: usize, kind: EventKind) {
        let mut pending = self.0.lock();
        if pending.deaf {
            return;
        }
        let idle = pending.is_empty();
        if pending.has_room(self.0.room, 0) {
            pending.push(at_ns, end, What::Event(kind));
        } else {
            pending.left_out.events += 1;
        }
        self.wake(idle);
    }

    fn wake(&self, idle: bool) {
        if idle {
            self.0.filled.notify_one();
        }
    }
}

/// A running trace. Dropping it writes what is pending.
#[derive(Debug)]
pub struct Trace {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

impl Trace {
    /// Opens the files and starts to write. `labels` are what A and B are
    /// called; `nudge` is for news.
    ///
    /// # Errors
    /// When a file cannot be made or begun, with its path.
    pub fn start(targets: &[Target], labels: [String; 2], nudge: Nudge) -> io::Result<Self> {
        Self::start_with(MOST_PENDING, targets, labels, nudge)
    }

    fn start_with(
        room: Room,
        targets: &[Target],
        labels: [String; 2],
        nudge: Nudge,
    ) -> io::Result<Self> {
        let origin = Origin {
            labels,
            wall: SystemTime::now(),
            mono_ns: monotonic_ns(),
        };
        let sinks = targets
            .iter()
            .map(|target| Sink::open(target, &origin))
            .collect::<io::Result<Vec<_>>>()?;
        let shared = Arc::new(Shared {
            pending: Mutex::default(),
            filled: Condvar::new(),
            room,
        });
        let writer = std::thread::Builder::new()
            .name("trace".to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                move || write_down(&shared, sinks, &origin, &nudge)
            })?;
        Ok(Self {
            shared,
            writer: Some(writer),
        })
    }

    /// The relay's end.
    pub fn tap(&self) -> Tap {
        Tap(Arc::clone(&self.shared))
    }

    /// What the user should know since the last call: that a trace has
    /// stopped, and why.
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().news)
    }

    /// Writes what is pending and closes the files. Gives the last news.
    pub fn finish(mut self) -> Vec<String> {
        self.close();
        self.news()
    }

    fn close(&mut self) {
        self.shared.lock().closed = true;
        self.shared.filled.notify_one();
        if let Some(Err(_)) = self.writer.take().map(JoinHandle::join) {
            let news = "the trace's writer died".to_owned();
            self.shared.lock().news.push(news);
        }
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if self.writer.is_some() {
            self.close();
        }
    }
}

/// What times and ends are told relative to.
#[derive(Debug, Clone)]
struct Origin {
    labels: [String; 2],
    wall: SystemTime,
    mono_ns: u64,
}

impl Origin {
    fn wall_at(&self, at_ns: u64) -> Duration {
        let since = self.wall.duration_since(SystemTime::UNIX_EPOCH);
        since.unwrap_or_default() + self.elapsed(at_ns)
    }

    fn elapsed(&self, at_ns: u64) -> Duration {
        Duration::from_nanos(at_ns.saturating_sub(self.mono_ns))
    }
}

fn write_down(shared: &Shared, mut sinks: Vec<Sink>, origin: &Origin, nudge: &Nudge) {
    let (mut records, mut bytes) = (Vec::new(), Vec::new());
    loop {
        let mut pending = shared.lock();
        while pending.is_empty() && !pending.closed {
            pending = shared
                .filled
                .wait(pending)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if !pending.closed {
            // More usually follows, and one write of much is cheaper.
            (pending, _) = shared
                .filled
                .wait_timeout_while(pending, GATHER, |pending| !pending.closed)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if pending.is_empty() && pending.closed {
            return;
        }
        // Nothing may follow it.
        pending.note_gap(monotonic_ns());
        records.clear();
        bytes.clear();
        std::mem::swap(&mut records, &mut pending.records);
        std::mem::swap(&mut bytes, &mut pending.bytes);
        drop(pending);
        let mut news = Vec::new();
        sinks.retain_mut(|sink| match sink.write(&records, &bytes, origin) {
            Ok(()) => true,
            Err(why) => {
                news.push(why);
                false
            }
        });
        let is_news = !news.is_empty();
        let mut pending = shared.lock();
        pending.news.append(&mut news);
        pending.deaf = sinks.is_empty();
        drop(pending);
        if is_news {
            nudge.nudge();
        }
    }
}

#[cfg(test)]
mod tests;
