//! The live run as text, a line a second: for a pipe, a log, a screen reader.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::Context;

use crate::sample::{Calls, Ending, Event, Request, Sample, Source, Sum, Verdict};
use crate::tui::{Stage, Tour};
use crate::workload::units;

use super::output::say;
use super::stop::Stop;

/// Writes a line a second until the source ends or a signal says so, and
/// before them what the script says.
pub fn run(source: &Source, mut script: Script, stop: &Stop) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    if let Some(caption) = &script.caption {
        writeln!(out, "{}", caption_line(caption)).context("cannot write to stdout")?;
    }
    let mut sum = Sum::default();
    let mut epoch = 0;
    loop {
        match source.events.recv_timeout(Duration::from_millis(50)) {
            Ok(Event::Sample(sample)) => {
                if let Some((words, request)) = script.advance(sample.end_ns) {
                    writeln!(out, "{words}").context("cannot write to stdout")?;
                    if let Some(request) = request {
                        // A source that is gone says so by itself.
                        let _ = source.requests.send(request);
                    }
                }
                if sample.epoch != epoch {
                    epoch = sample.epoch;
                    sum = Sum::default();
                    writeln!(out, "{}", settings_line(&sample))
                        .context("cannot write to stdout")?;
                }
                sum.add(&sample);
                if sum.seconds >= 0.95 {
                    writeln!(out, "{}", line(&sum, &sample)).context("cannot write to stdout")?;
                    out.flush().context("cannot write to stdout")?;
                    sum = Sum::default();
                }
            }
            Ok(Event::Notice(notice)) => say(notice.text()),
            Ok(Event::Ended(ending)) => return Ok(conclude(&ending)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the sampling thread died"),
        }
        if stop.is_asked() {
            // The source answers with Ended; when it is gone already, so it does.
            let _ = source.requests.send(Request::Stop);
        }
    }
}

/// What is said and set meanwhile.
#[derive(Debug)]
pub struct Script {
    caption: Option<String>,
    tour: Option<Arc<Tour>>,
    /// The step that comes next, and when, in nanoseconds since the source
    /// started.
    next: usize,
    due: u64,
}

impl Script {
    /// Says `caption` once, and plays the tour.
    pub fn new(caption: Option<&str>, tour: Option<Arc<Tour>>) -> Self {
        Self {
            caption: caption.map(str::to_owned),
            tour,
            next: 0,
            due: 0,
        }
    }

    /// What the tour says and asks for, when it is time.
    fn advance(&mut self, now: u64) -> Option<(String, Option<Request>)> {
        let tour = self.tour.as_ref().filter(|_| now >= self.due)?;
        let Some(step) = tour.steps.get(self.next) else {
            self.tour = None;
            return Some(("tour: over".to_owned(), None));
        };
        self.next += 1;
        self.due = now.saturating_add(step.wait.as_nanos() as u64);
        let words = format!(
            "tour: {} {} of {}; {}",
            tour.name,
            self.next,
            tour.steps.len(),
            caption_line(&step.caption)
        );
        let request = match tour.stage {
            Stage::Workload => Request::Set(step.settings.clone()),
            Stage::Link => Request::SetLine(step.line.clone()),
        };
        // The source runs under what the first step sets.
        Some((words, (self.next > 1).then_some(request)))
    }
}

/// Says how a source ended, and what that makes of the exit code.
pub fn conclude(ending: &Ending) -> ExitCode {
    if let Some(failure) = &ending.failure {
        say(failure);
    }
    if ending.verdict == Verdict::Damaged {
        say(format_args!(
            "bytes were lost, doubled or changed: {}",
            ending.integrity
        ));
    }
    if ending.failure.is_some() || ending.verdict == Verdict::Damaged {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// A caption in a line of its own; line breaks and other controls become blanks.
pub fn caption_line(caption: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let words = caption.split(blank).filter(|word| !word.is_empty());
    format!("caption: {}", words.collect::<Vec<_>>().join(" "))
}

fn settings_line(sample: &Sample) -> String {
    let entries = sample.settings.entries();
    let words = entries
        .iter()
        .map(|(name, value)| format!("{name} {value}"));
    format!("settings: {}", words.collect::<Vec<_>>().join(", "))
}

fn line(sum: &Sum, last: &Sample) -> String {
    let mut text = format!(
        "at {:.1} s: throughput {}",
        last.end_ns as f64 / 1e9,
        units::rate(sum.throughput())
    );
    for flow in &sum.flows {
        text.push_str(&format!(
            "; from the {}: write {}, read {}",
            flow.from,
            calls(&flow.writes),
            calls(&flow.reads)
        ));
    }
    for flow in &last.flows {
        text.push_str(&format!(
            "; in flight {}",
            units::size(flow.totals.in_flight.max(0) as f64)
        ));
        for side in [&flow.writer, &flow.reader] {
            if let Some(blocked) = side.blocked {
                let time = units::time(blocked.for_ns as f64);
                text.push_str(&format!("; {} blocked for {time}", blocked.call));
            }
        }
    }
    if let Some(p50) = sum
        .round_trips
        .as_ref()
        .and_then(|trips| trips.quantile(0.5))
    {
        text.push_str(&format!("; round trip p50 {}", units::time(p50 as f64)));
    }
    if last.paused {
        text.push_str("; held");
    }
    text
}

fn calls(calls: &Calls) -> String {
    let time = |q| {
        calls
            .time
            .quantile(q)
            .map_or("-".to_owned(), |ns| units::time(ns as f64))
    };
    format!("p50 {} p99 {}", time(0.5), time(0.99))
}
