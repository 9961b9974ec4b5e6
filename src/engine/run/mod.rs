//! The workload as one object: settings in, samples out.

mod bytes;

use std::sync::Arc;
use std::sync::atomic::Ordering::Acquire;
use std::time::Duration;

use crate::pty::{self, Mode};
use crate::sample::{Closing, Ending, Integrity, Notice, Sample, Verdict};
use crate::workload::{Contradiction, Settings};

use super::meters::Meters;
use super::observe::Observer;
use super::orders::Command;
use super::rig::{Options, Rig};
use super::status::State;
use crate::host::CallClock;

/// Why a workload cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The settings make no workload.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
    /// The kernel refused something.
    #[error(transparent)]
    Pty(#[from] pty::Error),
    /// A worker ended by itself.
    #[error("{0}")]
    Worker(String),
}

/// Drives ptys under settings that can be changed while it runs.
///
/// It is driven by one thread: [`Engine::sample`] at the end of each interval,
/// [`Engine::set`] and [`Engine::pause`] between them. Dropping it ends all
/// workers at once and closes the ptys.
pub struct Engine {
    settings: Arc<Settings>,
    options: Options,
    rig: Rig,
    observer: Observer,
    meters: Meters,
    started_ns: u64,
    epoch: u32,
    paused: bool,
    /// What was found by workers that have ended since the start.
    past: Integrity,
    alarmed: bool,
    /// A mode that somebody else has set, on any of the ptys.
    /// What this rig compared says nothing: the line discipline acted
    /// otherwise than was reckoned with.
    foreign_mode: Option<Mode>,
}

impl Engine {
    /// Opens the ptys, starts the workers, and lets them go.
    ///
    /// # Errors
    /// When the settings contradict each other or the kernel refuses a pty, a
    /// thread or a process.
    pub fn start(settings: Settings, options: Options) -> Result<Self, Error> {
        settings.check()?;
        options.channel.check(settings.direction)?;
        let rig = Rig::set_up(&settings, &options)?;
        let observer = Observer::new(&rig, 1);
        let mut meters = Meters::new();
        meters.follow(&rig);
        let mut engine = Self {
            settings: Arc::new(settings),
            options,
            rig,
            observer,
            meters,
            started_ns: CallClock::of_process().now_ns(),
            epoch: 0,
            paused: false,
            past: Integrity::default(),
            alarmed: false,
            foreign_mode: None,
        };
        engine.begin_epoch();
        Ok(engine)
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Goes on under other settings, in a new epoch. Sizes and paces change
    /// under way; for all else the bytes in flight are read first and the
    /// workload begins again on new ptys.
    ///
    /// # Errors
    /// When the new settings make no workload or the kernel refuses what they
    /// need. The old ones stay in force.
    pub fn set(&mut self, settings: Settings) -> Result<(), Error> {
        settings.check()?;
        self.options.channel.check(settings.direction)?;
        if settings == *self.settings {
            return Ok(());
        }
        if !self.settings.turns_live_into(&settings) {
            let next = Rig::set_up(&settings, &self.options)?;
            self.settle();
            self.begin_anew(next, settings);
            return Ok(());
        }
        self.settings = Arc::new(settings);
        self.begin_epoch();
        Ok(())
    }

    /// Holds all workers before their next call, or lets them go on. A new
    /// epoch begins either way.
    pub fn pause(&mut self, paused: bool) {
        self.paused = paused;
        self.begin_epoch();
    }

    fn begin_epoch(&mut self) {
        self.epoch += 1;
        let command = if self.paused {
            Command::Hold
        } else {
            Command::Run
        };
        self.rig
            .order(&self.settings, &self.options, self.epoch, command);
    }

    /// Bytes that the ptys were filled with before the workers started.
    pub fn prefilled(&self) -> u64 {
        let members = self.rig.crew().members().iter();
        members.map(|member| member.assignment.prefilled).sum()
    }

    /// Waits until the interval is over, all limits are reached or a worker
    /// has ended; `true` when nothing more will come.
    pub fn wait(&self, interval: Duration) -> bool {
        let over =
            |rig: &Rig| rig.is_satisfied() || rig.crew().members().iter().any(|m| m.has_ended());
        self.rig.crew().wait_until(interval, |_| {
            self.options.limit.is_some() && over(&self.rig)
        })
    }

    /// Ends the interval and says what it saw.
    pub fn sample(&mut self) -> Sample {
        let interval = self.observer.interval(&self.rig, self.epoch);
        Sample {
            start_ns: interval.start_ns.saturating_sub(self.started_ns),
            end_ns: interval.end_ns.saturating_sub(self.started_ns),
            epoch: self.epoch,
            settled: interval.settled,
            paused: self.paused,
            settings: Arc::clone(&self.settings),
            flows: interval.flows,
            round_trips: interval.round_trips,
            bytes_by_pair: interval.bytes_by_pair,
            echoed_bytes: interval.echoed_bytes,
            integrity: self.look_at_bytes(),
            host: self.meters.read(interval.own_ns),
            link: None,
        }
    }

    /// Whether all workers with a limit have reached it.
    pub fn is_satisfied(&self) -> bool {
        self.options.limit.is_some() && self.rig.is_satisfied()
    }

    /// What has gone wrong or changed since the last call, if anything.
    ///
    /// # Errors
    /// When a worker has ended by itself: a hangup, an error of the kernel, a
    /// panic, or a killed peer process.
    pub fn watch(&mut self) -> Result<Option<Notice>, Error> {
        for member in self.rig.crew().members() {
            let who = || {
                format!(
                    "the {} at the {}",
                    format!("{:?}", member.assignment.role).to_lowercase(),
                    member.assignment.end
                )
            };
            let why = match member.slot().status.state() {
                State::Failed(errno) => {
                    format!("{} stopped: {errno:?} ({})", who(), errno.desc())
                }
                State::HungUp => format!("{} got 0 bytes: the terminal was hung up", who()),
                _ if member.has_died() => format!("{} died", who()),
                _ => continue,
            };
            return Err(Error::Worker(why));
        }
        let found = self.look_at_bytes();
        if let Some(notice) = self.adopt_foreign_mode()? {
            return Ok(Some(notice));
        }
        if !found.is_sound() && !self.alarmed {
            self.alarmed = true;
            return Ok(Some(Notice::Alarm(format!("bytes came wrong: {found}"))));
        }
        Ok(None)
    }

    /// Puts a new rig in the place of the old one, whose workers end at once
    /// where they have not ended yet.
    fn begin_anew(&mut self, next: Rig, settings: Settings) {
        self.rig = next;
        self.observer = Observer::new(&self.rig, self.epoch + 1);
        self.meters.follow(&self.rig);
        self.foreign_mode = None;
        self.settings = Arc::new(settings);
        self.begin_epoch();
    }

    /// Stops the workload: writers first, then readers once they have what was
    /// in flight. Gives the last interval's sample and whether every byte was
    /// accounted for.
    pub fn stop(mut self) -> (Sample, Verdict) {
        self.settle();
        let mut sample = self.sample();
        sample.integrity = self.past;
        // What the readers took at the end was not read at the workload's pace.
        sample.settled = false;
        let verdict = match self.past {
            found if !found.is_sound() => Verdict::Damaged,
            found if found.verified > 0 => Verdict::Sound,
            _ => Verdict::Counted,
        };
        (sample, verdict)
    }

    /// The same, as the end of a source that ends for this reason.
    pub fn end(self, failure: Option<String>) -> Ending {
        let ahead = self.rig.ahead();
        let (last, verdict) = self.stop();
        Ending {
            verdict,
            integrity: last.integrity,
            failure,
            closing: Some(Closing {
                ahead,
                ..Closing::of(&last)
            }),
        }
    }

    /// Whether every worker goes by the settings in force: what it does from now
    /// on counts for them. One that is blocked in a call does not yet.
    pub fn is_settled(&self) -> bool {
        let mut members = self.rig.crew().members().iter();
        members.all(|member| member.slot().status.seen_epoch.load(Acquire) == self.epoch)
    }

    /// When the first call began and the last that moved bytes returned, in
    /// nanoseconds apart.
    pub fn span(&self) -> Option<Duration> {
        let (first, last) = self.rig.span_ns()?;
        Some(Duration::from_nanos(last.saturating_sub(first)))
    }
}
