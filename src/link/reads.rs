//! Whether a client has read, as inotify(7) tells of a slave's node like of any
//! file's.
//!
//! The queue of events is in nobody's wait, so a read wakes nobody. Reads
//! through another node (/dev/tty), and by splice(2) before Linux 6.4, do not
//! show here: a client's silence counts only once a read of it has shown.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

/// Events without a name (inotify_event is 16 bytes) that one read of nix's 4096
/// bytes gives; fewer are all there are.
const MOST_AT_ONCE: usize = 256;

/// Watches all slaves of a null modem: a user has few inotify instances
/// (fs.inotify.max_user_instances), and each link uses one already.
#[derive(Debug, Clone)]
pub struct Reads(Option<Arc<Mutex<Watches>>>);

#[derive(Debug)]
struct Watches {
    inotify: Inotify,
    seen: HashMap<WatchDescriptor, Seen>,
}

/// What was seen of the reads of one slave.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    /// Since the last [`Reading::forget`].
    lately: bool,
    /// Since [`Reading::begin`].
    ever: bool,
}

impl Reads {
    /// Watches nothing yet; for good where the kernel has no inotify for us.
    pub fn new() -> Self {
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK);
        Self(inotify.ok().map(|inotify| {
            Arc::new(Mutex::new(Watches {
                inotify,
                seen: HashMap::new(),
            }))
        }))
    }

    /// Those of a slave, which is not watched yet.
    pub fn of(&self, slave: &Path) -> Reading {
        Reading {
            watches: self.0.clone(),
            slave: slave.to_owned(),
            watch: None,
        }
    }
}

/// The reads of one slave. To watch them makes each slower, and to look at them
/// takes system calls in each round trip: that is for those whose client flushes.
#[derive(Debug)]
pub struct Reading {
    watches: Option<Arc<Mutex<Watches>>>,
    slave: PathBuf,
    watch: Option<WatchDescriptor>,
}

impl Reading {
    /// Watches from now on.
    pub fn begin(&mut self) {
        if let (Some(watches), None) = (&self.watches, self.watch) {
            let mut watches = lock(watches);
            let watch = watches
                .inotify
                .add_watch(self.slave.as_path(), AddWatchFlags::IN_ACCESS);
            self.watch = watch.ok();
            if let Some(watch) = self.watch {
                watches.seen.insert(watch, Seen::default());
            }
        }
    }

    /// Watches no more: another client may read in a way that does not show.
    pub fn end(&mut self) {
        if let (Some(watches), Some(watch)) = (&self.watches, self.watch.take()) {
            let mut watches = lock(watches);
            watches.seen.remove(&watch);
            // It is gone with its slave at the latest.
            let _ = watches.inotify.rm_watch(watch);
        }
    }

    /// Reads until now are of no interest.
    pub fn forget(&self) {
        self.with(|seen| seen.lately = false);
    }

    /// Whether the client, whose reads do show, has read nothing since the last
    /// [`Reading::forget`]. `false` where that is not known.
    pub fn is_certainly_idle(&self) -> bool {
        self.with(|seen| seen.ever && !seen.lately).unwrap_or(false)
    }

    fn with<T>(&self, act: impl FnOnce(&mut Seen) -> T) -> Option<T> {
        let watch = self.watch?;
        let mut watches = lock(self.watches.as_ref()?);
        watches.look();
        watches.seen.get_mut(&watch).map(act)
    }
}

impl Watches {
    /// Takes in what the kernel has queued.
    fn look(&mut self) {
        loop {
            let events = match self.inotify.read_events() {
                Ok(events) => events,
                Err(Errno::EINTR) => continue,
                // EAGAIN: no more.
                Err(_) => return,
            };
            let is_all = events.len() < MOST_AT_ONCE;
            for event in events {
                if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
                    self.seen.values_mut().for_each(Seen::read);
                } else if let Some(seen) = self.seen.get_mut(&event.wd) {
                    seen.read();
                }
            }
            if is_all {
                return;
            }
        }
    }
}

impl Seen {
    fn read(&mut self) {
        self.lately = true;
        self.ever = true;
    }
}

fn lock(shared: &Mutex<Watches>) -> MutexGuard<'_, Watches> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::link::port::{Access, Port};

    #[test]
    fn a_read_is_seen_and_a_client_that_never_read_is_not_called_idle() {
        let ports = [(); 2].map(|()| Port::open(Access::default()).unwrap());
        let reads = Reads::new();
        let [mut here, mut there] = [0, 1].map(|end| reads.of(ports[end].slave()));
        let mut slave = std::fs::File::open(ports[0].slave()).unwrap();
        let mut read = || {
            ports[0].write(b"a").unwrap();
            slave.read_exact(&mut [0; 1]).unwrap();
        };
        // Unless it is watched nothing shows.
        read();
        here.forget();
        assert!(!here.is_certainly_idle());
        here.begin();
        there.begin();
        assert!(!here.is_certainly_idle());

        read();
        assert!(!here.is_certainly_idle());
        here.forget();
        assert!(here.is_certainly_idle());
        read();
        assert!(!here.is_certainly_idle() && !there.is_certainly_idle());
        here.forget();
        here.end();
        here.begin();
        assert!(!here.is_certainly_idle());
    }
}
