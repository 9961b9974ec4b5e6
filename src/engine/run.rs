//! The workload as one object: settings in, samples out.

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
    /// A mode that somebody else has set. What was compared meanwhile says
    /// nothing: the line discipline acted otherwise than was reckoned with.
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
        self.see_foreign_mode();
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
            integrity: self.integrity(),
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
        if let Some(notice) = self.adopt_foreign_mode()? {
            return Ok(Some(notice));
        }
        let found = self.integrity();
        if !found.is_sound() && !self.alarmed {
            self.alarmed = true;
            return Ok(Some(Notice::Alarm(format!("bytes came wrong: {found}"))));
        }
        Ok(None)
    }

    /// Somebody else may set the slave's termios (stty -F).
    fn see_foreign_mode(&mut self) {
        let mode = self.rig.pairs().first().and_then(|ends| ends.mode());
        // After a hangup there is none; the workers tell of that.
        let mode = mode.and_then(Result::ok);
        self.foreign_mode = mode.filter(|mode| *mode != self.settings.mode);
    }

    /// Begins anew under the mode that somebody else has set.
    fn adopt_foreign_mode(&mut self) -> Result<Option<Notice>, Error> {
        let Some(mode) = self.foreign_mode else {
            return Ok(None);
        };
        let text = format!(
            "termios changed from outside: {} to {mode}",
            self.settings.mode
        );
        let settings = Settings {
            mode,
            payload: None,
            ..(*self.settings).clone()
        };
        if let Err(why) = settings.check() {
            return Err(Error::Worker(format!("{text}; {why}")));
        }
        let next = Rig::set_up(&settings, &self.options)?;
        self.begin_anew(next, settings);
        Ok(Some(Notice::Changed(text)))
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

    /// What the comparison of bytes found since the start.
    pub fn integrity(&self) -> Integrity {
        let mut found = self.past;
        if self.foreign_mode.is_some() {
            return found;
        }
        for member in self.rig.crew().members() {
            found.add(&member.slot().status.integrity());
        }
        found
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

    /// Ends the rig's workers and adds what they found to the past. Bytes that
    /// never came are lost even where no later byte showed the gap.
    fn settle(&mut self) {
        self.see_foreign_mode();
        if self.foreign_mode.is_some() {
            return;
        }
        let missing: u64 = self.rig.finish().into_iter().map(|(_, n)| n).sum();
        let mut found = Integrity::default();
        for member in self.rig.crew().members() {
            found.add(&member.slot().status.integrity());
        }
        let seen = found.lost.saturating_sub(found.doubled);
        found.lost += missing.saturating_sub(seen);
        self.past.add(&found);
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
