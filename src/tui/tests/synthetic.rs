//! A source without a pty: samples that follow from a script and a seed.

use std::sync::Arc;

use crate::analysis::SplitMix64;
use crate::pty::{End, Flag};
use crate::sample::{
    Blocked, Call, Calls, Cpu, Event, Flow, Histogram, HostUse, Integrity, Kind, Notice, Request,
    Sample, Side, Switches, ThreadUse, Totals,
};
use crate::workload::{Direction, Pace, Payload, Settings};

/// Length of an interval.
pub const INTERVAL_NS: u64 = 100_000_000;
/// Bytes in flight while both ends go on.
const USUAL: i64 = 1_280;

/// What a test turns to make something happen.
#[derive(Debug, Clone)]
pub struct Script {
    /// A call above 256 bytes takes so many times as long.
    pub step: f64,
    /// Bytes in flight once nobody reads.
    pub full: i64,
    /// How far a call time is off at random, as a fraction.
    pub wobble: f64,
    /// Whether kmalloc calls can be counted.
    pub kmallocs: bool,
    /// Whether the reader's queue can be asked for.
    pub fionread: bool,
    /// Bytes thrown away in each interval.
    pub dropped: u64,
    /// CPU time taken by other guests in each interval.
    pub steal_ns: u64,
    /// Why the next request is turned down.
    pub refuse: Option<String>,
}

/// The source: its clock moves only when a sample is taken.
#[derive(Debug)]
pub struct Synthetic {
    /// What happens.
    pub script: Script,
    /// What the comparison of bytes has found.
    pub integrity: Integrity,
    settings: Arc<Settings>,
    rng: SplitMix64,
    now_ns: u64,
    epoch: u32,
    straddles: bool,
    paused: bool,
    blocked_ns: u64,
    totals: [Totals; 2],
}

impl Synthetic {
    /// A source under `settings` whose every sample follows from `seed`.
    pub fn new(settings: Settings, seed: u64) -> Self {
        Self {
            script: Script {
                step: 1.2,
                full: 20_480,
                wobble: 0.03,
                kmallocs: true,
                fionread: true,
                dropped: 0,
                steal_ns: 0,
                refuse: None,
            },
            integrity: Integrity::default(),
            settings: Arc::new(settings),
            rng: SplitMix64::new(seed),
            now_ns: 0,
            epoch: 1,
            straddles: false,
            paused: false,
            blocked_ns: 0,
            totals: [Totals::default(); 2],
        }
    }

    /// Does as the engine does with a request; gives what it would say.
    pub fn answer(&mut self, request: Request) -> Option<Event> {
        match request {
            Request::Set(settings) => {
                if let Some(why) = self.script.refuse.take() {
                    return Some(Event::Notice(Notice::Refused(why)));
                }
                if settings != *self.settings {
                    if !self.settings.turns_live_into(&settings) {
                        self.totals = [Totals::default(); 2];
                    }
                    self.settings = Arc::new(settings);
                    self.turn_epoch();
                }
            }
            Request::Pause(paused) => {
                self.paused = paused;
                self.turn_epoch();
            }
            Request::Stop | Request::SetLine(_) => {}
        }
        None
    }

    /// Settings that change from outside.
    pub fn change(&mut self, settings: Settings) {
        self.settings = Arc::new(settings);
        self.turn_epoch();
    }

    fn turn_epoch(&mut self) {
        self.epoch += 1;
        self.straddles = true;
    }

    /// Lets an interval pass.
    pub fn sample(&mut self) -> Sample {
        let start_ns = self.now_ns;
        self.now_ns += INTERVAL_NS;
        let settings = Arc::clone(&self.settings);
        let call_ns = self.call_ns();
        let flows: Vec<Flow> = settings
            .direction
            .writers()
            .iter()
            .map(|&from| self.flow(from, call_ns))
            .collect();
        let echo = settings.direction == Direction::Echo;
        let read: u64 = flows.iter().map(|flow| flow.reader.calls.bytes).sum();
        let written: u64 = flows.iter().map(|flow| flow.writer.calls.bytes).sum();
        let writes: u64 = flows.iter().map(|flow| flow.writer.calls.count()).sum();
        if settings.verify && settings.effective_payload().is_verifiable() {
            self.integrity.verified += read;
        }
        let per_write = if settings.chunk > 256 { 2 } else { 0 };
        Sample {
            link: None,
            start_ns,
            end_ns: self.now_ns,
            epoch: self.epoch,
            settled: !std::mem::take(&mut self.straddles),
            paused: self.paused,
            round_trips: echo.then(|| times(writes / 2, call_ns * 4.0)),
            bytes_by_pair: self.by_pair(read),
            echoed_bytes: if settings.echo_comes_back() {
                written
            } else {
                0
            },
            integrity: self.integrity,
            host: HostUse {
                kworker_ns: Some(INTERVAL_NS * 31 / 100),
                own_ns: 430_000,
                steal_ns: Some(self.script.steal_ns),
                kmallocs: self.script.kmallocs.then_some(writes * per_write),
            },
            flows,
            settings,
        }
    }

    /// How long a call takes: what it costs, what a byte costs, and some luck.
    fn call_ns(&mut self) -> f64 {
        let chunk = self.settings.chunk;
        let step = if chunk > 256 { self.script.step } else { 1.0 };
        let luck = self.rng.below(2_001) as f64 / 1_000.0 - 1.0;
        (900.0 + chunk as f64 * 2.0) * step * (1.0 + luck * self.script.wobble)
    }

    fn flow(&mut self, from: End, call_ns: f64) -> Flow {
        let settings = Arc::clone(&self.settings);
        let stopped = self.paused || settings.writer_pace == Pace::Stopped;
        let pairs = i64::from(settings.pairs);
        let stuck = settings.reader_pace == Pace::Stopped;
        let totals = &mut self.totals[usize::from(from == End::Slave)];
        let in_flight = if stuck { self.script.full } else { USUAL } * pairs;
        let room = u64::try_from(in_flight - totals.in_flight).unwrap_or(0);
        let chunk = settings.chunk as u64;
        let writes = match (stopped, stuck) {
            (true, _) => 0,
            (false, true) => room / chunk,
            (false, false) => {
                let every = call_ns + pause_ns(settings.writer_pace, chunk);
                let every = every.max(call_ns + pause_ns(settings.reader_pace, chunk));
                (INTERVAL_NS as f64 / every) as u64 * settings.pairs as u64
            }
        };
        let written = writes * chunk;
        let added = match settings.effective_payload() {
            Payload::Lines(length) if from == End::Slave && settings.mode.has(Flag::Opost) => {
                written / u64::from(length.max(1))
            }
            _ => 0,
        };
        let dropped = self.script.dropped.min(written);
        let held = totals.in_flight + (written + added - dropped) as i64;
        let read = if stuck || self.paused {
            0
        } else {
            (held - in_flight).max(0) as u64
        };
        totals.written += written;
        totals.added += added;
        totals.dropped += dropped;
        totals.read += read;
        totals.in_flight = held - read as i64;
        totals.under_way = if stuck { chunk } else { 0 };
        let totals = *totals;
        self.blocked_ns = if stuck && writes == 0 {
            self.blocked_ns + INTERVAL_NS
        } else {
            0
        };
        let size = (settings.effective_read_size() as u64).min(4095);
        // In a ping-pong each end reads in the thread in which it writes.
        let echo = settings.direction == Direction::Echo;
        let thread = used(writes > 0, settings.pairs);
        let blocked = (self.blocked_ns > 0).then_some(Blocked {
            call: Call::Write,
            for_ns: self.blocked_ns,
        });
        Flow {
            from: from.into(),
            writer: Side {
                calls: calls(written, chunk, call_ns),
                thread: Some(thread),
                blocked,
            },
            reader: Side {
                calls: calls(read, size, call_ns * 0.8),
                thread: (!echo).then_some(thread),
                blocked: None,
            },
            totals,
            queued_input: self
                .script
                .fionread
                .then(|| (totals.in_flight.max(0) as u64).min(4095 * u64::from(settings.pairs))),
        }
    }

    fn by_pair(&mut self, read: u64) -> Vec<u64> {
        let pairs = u64::from(self.settings.pairs);
        let mean = read / pairs;
        (0..pairs)
            .map(|_| mean - mean / 20 + self.rng.below(mean / 10 + 1))
            .collect()
    }
}

fn pause_ns(pace: Pace, chunk: u64) -> f64 {
    match pace {
        Pace::None | Pace::Stopped => 0.0,
        Pace::Delay(delay) => delay.as_nanos() as f64,
        Pace::Rate(rate) => chunk as f64 / rate as f64 * 1e9,
    }
}

/// What a thread uses that makes calls all the time, or none.
fn used(busy: bool, pairs: u32) -> ThreadUse {
    if !busy {
        return ThreadUse::default();
    }
    let wall = INTERVAL_NS * u64::from(pairs);
    ThreadUse {
        cpu: Cpu {
            user_ns: wall * 9 / 100,
            system_ns: wall * 64 / 100,
        },
        switches: Switches {
            voluntary: 910,
            involuntary: 12,
        },
    }
}

/// As many calls of `size` as move `bytes`, and one for the rest.
fn calls(bytes: u64, size: u64, call_ns: f64) -> Calls {
    let (whole, rest) = (bytes / size, bytes % size);
    let mut counts = vec![0; Kind::Size.layout().index(size) + 1];
    if whole > 0 {
        counts[Kind::Size.layout().index(size)] = whole;
    }
    if rest > 0 {
        counts[Kind::Size.layout().index(rest)] += 1;
    }
    Calls {
        bytes,
        short: u64::from(rest > 0),
        errors: 0,
        time: times(whole + u64::from(rest > 0), call_ns),
        size: Histogram::between(Kind::Size, &[], &counts),
    }
}

/// `count` times around `middle`, most a little below, some far above.
fn times(count: u64, middle: f64) -> Histogram {
    const SHAPE: [(f64, f64); 7] = [
        (0.8, 0.05),
        (0.9, 0.2),
        (1.1, 0.15),
        (1.3, 0.05),
        (2.2, 0.02),
        (6.0, 0.008),
        (40.0, 0.002),
    ];
    let index = |times: f64| Kind::Time.layout().index((middle * times) as u64);
    let mut counts = vec![0; index(40.0) + 1];
    let mut left = count;
    for (times, share) in SHAPE {
        let some = (count as f64 * share) as u64;
        counts[index(times)] += some;
        left -= some;
    }
    counts[index(1.0)] += left;
    Histogram::between(Kind::Time, &[], &counts)
}
