//! The null modem as one object: settings in, samples out.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::host::{errno_text, monotonic_ns};
use crate::pty;
use crate::sample::{FlowEnd, HostUse, LinkSample, Notice, Sample};
use crate::workload::units::UnitError;
use crate::workload::{Line, Settings};

use super::cable::{Cable, Parts, flow};
use super::clients::Clients;
use super::ledger::{Interval, Standing};
use super::names;
use super::nudge::Nudge;
use super::port::Access;
use super::reads::Reads;
use super::trace::{Target, Trace};

/// Most links that one process carries.
pub const MAX_LINKS: u32 = 64;

/// Why there is no null modem, or no more.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The line cannot be imitated.
    #[error(transparent)]
    Line(#[from] UnitError),
    /// A name cannot be had.
    #[error(transparent)]
    Name(#[from] names::Error),
    /// The kernel refused something.
    #[error(transparent)]
    Pty(#[from] pty::Error),
    /// A trace cannot be begun.
    #[error("{0}")]
    Trace(String),
    /// A thread could not be started, or died.
    #[error("{0}")]
    Thread(String),
    /// What was asked for makes no null modem.
    #[error("{0}")]
    Contradiction(String),
}

impl Error {
    /// A thread that could not be started.
    pub(super) fn thread(name: &str, error: &io::Error) -> Self {
        let why = errno_text(error);
        Self::Thread(format!(
            "cannot start the thread {name}: {why}; ulimit -u and the cgroup's pids.max bound their number"
        ))
    }
}

/// From how long on a silence is a stall.
const STALL: Duration = Duration::from_millis(500);

/// How long a relay looks for more bytes before it sleeps. A client that
/// answers at once does so within this; each sleep that it spares is a wake-up
/// less in the round trip (`cargo bench --bench link`).
pub const BUSY_POLL: Duration = Duration::from_micros(50);

/// What a null modem is to be.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The names of A and B; None: only the slaves' own paths. With several
    /// links each name gets the link's number, from 0.
    pub names: Option<[PathBuf; 2]>,
    /// Replace symlinks that are not stale ones of ours.
    pub force: bool,
    /// How many links, 1 to [`MAX_LINKS`].
    pub links: u32,
    /// Who may open the slaves.
    pub access: Access,
    /// The line to imitate.
    pub line: Line,
    /// From how long on a silence is a stall.
    pub stall: Duration,
    /// How long after bytes were passed on the relay looks for more without
    /// going to sleep, [`BUSY_POLL`] if nobody says otherwise; 0 for not at all.
    pub busy_poll: Duration,
    /// Traces of a single link.
    pub traces: Vec<Target>,
    /// Whether to look up who is attached.
    pub look_up_clients: bool,
}

/// Two linked ptys, or several such pairs.
pub struct NullModem {
    cables: Vec<Cable>,
    // After the cables: their relays are the ones who fill it.
    trace: Option<Trace>,
    nudge: Nudge,
    line: Arc<Line>,
    started_ns: u64,
    taken_ns: u64,
    look_up_clients: bool,
    clients: Clients,
}

impl NullModem {
    /// Opens the ptys, makes the names and carries bytes from now on.
    ///
    /// # Errors
    /// When the setup contradicts itself, or the kernel or file system refuse.
    pub fn start(setup: Setup) -> Result<Self, Error> {
        setup.check()?;
        let line = Arc::new(setup.line.clone());
        let parts = (0..setup.links)
            .map(|number| {
                let names = setup.names_of(number);
                Parts::open(names.as_ref(), setup.force, setup.access)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let nudge = Nudge::default();
        let trace = match parts.first() {
            Some(parts) if !setup.traces.is_empty() => Some(
                Trace::start(&setup.traces, parts.labels(), nudge.clone())
                    .map_err(|error| Error::Trace(error.to_string()))?,
            ),
            _ => None,
        };
        let reads = Reads::new();
        let cables = parts
            .into_iter()
            .map(|parts| {
                let tap = trace.as_ref().map(Trace::tap);
                Cable::start(parts, Arc::clone(&line), &setup, tap, nudge.clone(), &reads)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let now = monotonic_ns();
        Ok(Self {
            cables,
            trace,
            nudge,
            line,
            started_ns: now,
            taken_ns: now,
            look_up_clients: setup.look_up_clients,
            clients: Clients::default(),
        })
    }

    /// What clients open, A and B of each link.
    pub fn paths(&self) -> Vec<[&Path; 2]> {
        self.cables.iter().map(Cable::paths).collect()
    }

    /// The slaves behind [`NullModem::paths`].
    pub fn slaves(&self) -> Vec<[&Path; 2]> {
        self.cables.iter().map(Cable::slaves).collect()
    }

    /// The line that is imitated.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Imitates `line` from now on, for bytes that come from now on.
    ///
    /// # Errors
    /// When it cannot be imitated; the old line stays.
    pub fn set_line(&mut self, line: Line) -> Result<(), UnitError> {
        line.check()?;
        if line != *self.line {
            self.line = Arc::new(line);
            for cable in &self.cables {
                cable.set_line(Arc::clone(&self.line));
            }
        }
        Ok(())
    }

    /// Ends the interval and says what it saw.
    pub fn sample(&mut self) -> Sample {
        let taken: Vec<_> = self.cables.iter().map(Cable::take).collect();
        self.look_up(&taken);
        let start_ns = self.taken_ns;
        let now = monotonic_ns();
        self.taken_ns = now;
        let views = self.cables.iter().zip(&taken).enumerate();
        let links = views.map(|(number, (cable, taken))| {
            let clients = [0, 1].map(|end| self.clients.of(2 * number + end));
            cable.view(taken, clients, now, self.started_ns)
        });
        Sample {
            start_ns: start_ns.saturating_sub(self.started_ns),
            end_ns: now.saturating_sub(self.started_ns),
            epoch: taken.first().map_or(0, |(_, standing)| standing.epoch),
            settled: !taken.iter().any(|(interval, _)| interval.straddles),
            paused: false,
            settings: Arc::new(Settings::default()),
            round_trips: None,
            bytes_by_pair: taken
                .iter()
                .map(|(interval, _)| interval.ways.iter().map(|way| way.reads.bytes()).sum())
                .collect(),
            echoed_bytes: 0,
            integrity: Default::default(),
            host: HostUse::default(),
            link: Some(LinkSample {
                line: Arc::clone(&self.line),
                links: links.collect(),
            }),
            flows: vec![flow(FlowEnd::A, 0, &taken), flow(FlowEnd::B, 1, &taken)],
        }
    }

    /// Looks up who has each slave open, where somebody asks.
    fn look_up(&mut self, taken: &[(Interval, Standing)]) {
        if self.look_up_clients {
            let slaves: Vec<_> = self.cables.iter().flat_map(Cable::slaves).collect();
            let has_changed = taken.iter().any(|(interval, _)| interval.came_or_went());
            self.clients.look(&slaves, has_changed);
        }
    }

    /// Has `call` called, from a thread of the null modem's own, when
    /// [`NullModem::watch`] has something to tell.
    pub fn on_news(&self, call: impl Fn() + Send + Sync + 'static) {
        self.nudge.set(call);
    }

    /// What the user should know since the last call.
    ///
    /// # Errors
    /// When a relay has ended by itself.
    pub fn watch(&mut self) -> Result<Vec<Notice>, Error> {
        self.cables.iter_mut().try_for_each(Cable::check)?;
        let names = self.cables.iter_mut().flat_map(Cable::news);
        let trace = self.trace.as_ref().map(Trace::news).unwrap_or_default();
        Ok(names.chain(trace).map(Notice::Changed).collect())
    }

    /// Ends the relays and takes the names away. Gives the last interval, and
    /// what there is to tell of the trace.
    pub fn stop(mut self) -> (Sample, Vec<Notice>) {
        for cable in &mut self.cables {
            // What went wrong earlier was told by `watch`.
            let _ = cable.end();
        }
        let sample = self.sample();
        self.cables.clear();
        let news = self.trace.take().map(Trace::finish).unwrap_or_default();
        (sample, news.into_iter().map(Notice::Changed).collect())
    }
}

impl Default for Setup {
    /// One link without names, as `ptyscope link` makes it.
    fn default() -> Self {
        Self {
            names: None,
            force: false,
            links: 1,
            access: Access::default(),
            line: Line::default(),
            stall: STALL,
            busy_poll: BUSY_POLL,
            traces: Vec::new(),
            look_up_clients: false,
        }
    }
}

impl Setup {
    fn check(&self) -> Result<(), Error> {
        self.line.check()?;
        if !(1..=MAX_LINKS).contains(&self.links) {
            let text = format!("{} links: 1 to {MAX_LINKS}", self.links);
            return Err(Error::Contradiction(text));
        }
        if self.links > 1 && !self.traces.is_empty() {
            let text = "a trace of several links: trace one link only".to_owned();
            return Err(Error::Contradiction(text));
        }
        if let Some([a, b]) = &self.names {
            names::check_different(a, b)?;
        }
        Ok(())
    }

    fn names_of(&self, number: u32) -> Option<[PathBuf; 2]> {
        let names = self.names.as_ref()?;
        if self.links == 1 {
            return Some(names.clone());
        }
        Some([0, 1].map(|end| {
            let mut name = names[end].clone().into_os_string();
            name.push(format!("-{number}"));
            name.into()
        }))
    }
}
