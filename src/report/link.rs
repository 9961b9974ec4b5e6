//! What a null modem saw, as a report states it: a line of JSON, or text.

use serde::{Deserialize, Serialize};

use crate::sample::{
    Calls, Client, EventCounts, EventKind, FaultCounts, FlowEnd, Histogram, LinkEvent, LinkView,
    NameLoss, Silence, Stall, StallCounts, Sum,
};
use crate::workload::{Line, units};

use super::{Bytes, Nanoseconds, Quantiles, SCHEMA_VERSION};

/// One interval of a null modem, or all of its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// [`SCHEMA_VERSION`] of the program that made it.
    pub schema_version: u32,
    /// `interval`, or `summary`.
    pub kind: LinkReportKind,
    /// How long it lasted.
    pub time: Nanoseconds,
    /// The line that was imitated at its end.
    pub line: Line,
    /// The relay's calls, all links together, by the end that sends: A, B.
    pub calls: Vec<RelayCalls>,
    /// Each link.
    pub links: Vec<LinkEntry>,
}

/// What a [`LinkReport`] covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkReportKind {
    /// The time since the last report.
    Interval,
    /// All of the time.
    Summary,
}

/// The relay's system calls for one direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelayCalls {
    /// The end that sends.
    pub from: FlowEnd,
    /// read(2) from the sending pty.
    pub reads: CallEntry,
    /// write(2) into the receiving one.
    pub writes: CallEntry,
}

/// Calls of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallEntry {
    /// Calls that returned with bytes.
    pub calls: u64,
    /// Bytes that they moved.
    pub bytes: Bytes,
    /// Calls that moved fewer bytes than asked, but some.
    pub short: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Wall time of a call.
    pub call_time: Option<Quantiles>,
    /// Bytes that half of the calls moved at most, and the most that one did.
    pub size: Option<SizeEntry>,
}

/// Sizes of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeEntry {
    /// The median.
    pub p50: Bytes,
    /// The largest.
    pub max: Bytes,
}

/// One link of a [`LinkReport`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkEntry {
    /// A, then B.
    pub ends: Vec<LinkEndEntry>,
    /// From A to B, then from B to A.
    pub ways: Vec<WayEntry>,
    /// Silences that were long enough, and what had happened before.
    pub stalls: StallCounts,
    /// The last of them.
    pub last_stalls: Vec<Stall>,
    /// The silence at the end, if it was long enough.
    pub silence: Option<Silence>,
    /// The last events.
    pub events: Vec<LinkEvent>,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkEndEntry {
    /// What clients open, if it was given a name.
    pub name: Option<String>,
    /// What had become of that name at the end, where it was the link's no more.
    pub name_lost: Option<NameLoss>,
    /// The slave behind it.
    pub slave: String,
    /// Whether anybody had it open at the end.
    pub attached: bool,
    /// Who had, where that was looked up.
    pub clients: Option<Vec<Client>>,
    /// Who had when somebody was seen there last.
    pub last_clients: Vec<Client>,
    /// The termios flags at the end.
    pub mode: Option<crate::pty::Mode>,
    /// The client's speed at the end.
    pub baud: Option<u32>,
    /// How often its client did what.
    pub events: EventCounts,
}

/// One direction of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WayEntry {
    /// Bytes passed on.
    pub passed: Bytes,
    /// From readable to written, counted for each byte.
    pub in_relay: Option<Quantiles>,
    /// From the last byte passed on to the first byte back.
    pub turnaround: Option<Quantiles>,
    /// Bytes held at the end, and the most held.
    pub queued: Bytes,
    /// The most held at once.
    pub most_queued: Bytes,
    /// Bytes not carried as they came.
    pub faults: FaultCounts,
}

impl LinkReport {
    /// The report of what was summed; None where that was no null modem.
    pub fn of(kind: LinkReportKind, sum: &Sum) -> Option<Self> {
        let link = sum.link.as_ref()?;
        Some(Self {
            schema_version: SCHEMA_VERSION,
            kind,
            time: Nanoseconds::seconds(sum.seconds),
            line: (*link.line).clone(),
            calls: sum
                .flows
                .iter()
                .map(|flow| RelayCalls {
                    from: flow.from,
                    reads: CallEntry::of(&flow.reads),
                    writes: CallEntry::of(&flow.writes),
                })
                .collect(),
            links: link.links.iter().map(LinkEntry::of).collect(),
        })
    }

    /// The report for people, a paragraph for each link.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{} on a line {}\n",
            units::time(self.time.0),
            described(&self.line)
        );
        for link in &self.links {
            link.text(&mut text, self.time);
        }
        if let [a, b] = &self.calls[..] {
            for (way, calls) in [("A to B", a), ("B to A", b)] {
                if calls.reads.calls > 0 {
                    text.push_str(&format!(
                        "  {way}  read {}; write {}\n",
                        calls.reads.text(),
                        calls.writes.text()
                    ));
                }
            }
        }
        text
    }
}

fn described(line: &Line) -> String {
    match line.to_string().as_str() {
        "plain" => "that adds nothing".to_owned(),
        text => format!("with {text}"),
    }
}

impl CallEntry {
    fn of(calls: &Calls) -> Self {
        let size = || {
            Some(SizeEntry {
                p50: Bytes(calls.size.quantile(0.5)?),
                max: Bytes(calls.size.max()?),
            })
        };
        Self {
            calls: calls.count(),
            bytes: Bytes(calls.bytes),
            short: calls.short,
            errors: calls.errors,
            call_time: Quantiles::of(&calls.time),
            size: size(),
        }
    }

    fn text(&self) -> String {
        let size = self.size.map_or(String::new(), |size| {
            format!(" of {} B (at most {})", size.p50.0, size.max.0)
        });
        let time = self.call_time.map_or(String::new(), |time| {
            format!(", p50 {}", units::time(time.p50.0))
        });
        format!("{} x{size}{time}", units::count(self.calls as f64))
    }
}

impl LinkEntry {
    fn of(view: &LinkView) -> Self {
        let quantiles = |times: &Option<Histogram>| Quantiles::of(times.as_ref()?);
        let ends = view.ends.iter().map(|end| LinkEndEntry {
            name: end.name.as_ref().map(|path| path.display().to_string()),
            name_lost: end.name_lost.clone(),
            slave: end.slave.display().to_string(),
            attached: end.attached,
            clients: end.clients.clone(),
            last_clients: end.last_clients.clone(),
            mode: end.mode,
            baud: end.baud,
            events: end.events,
        });
        let ways = view.ways.iter().map(|way| WayEntry {
            passed: Bytes(way.passed),
            in_relay: quantiles(&way.in_relay),
            turnaround: quantiles(&way.turnaround),
            queued: Bytes(way.queued),
            most_queued: Bytes(way.most_queued),
            faults: way.faults,
        });
        Self {
            ends: ends.collect(),
            ways: ways.collect(),
            stalls: view.stalled.clone(),
            last_stalls: view.stalls.clone(),
            silence: view.silence,
            events: view.log.clone(),
        }
    }

    /// What a user calls an end.
    fn label(&self, end: FlowEnd) -> String {
        let at = usize::from(end == FlowEnd::B);
        self.ends.get(at).map_or_else(String::new, |end| {
            end.name.as_ref().unwrap_or(&end.slave).clone()
        })
    }

    fn text(&self, text: &mut String, time: Nanoseconds) {
        let label = |end| self.label(end);
        text.push_str(&format!(
            "A {} and B {}\n",
            label(FlowEnd::A),
            label(FlowEnd::B)
        ));
        for (name, way) in ["A to B", "B to A"].iter().zip(&self.ways) {
            text.push_str(&format!("  {name}  {}\n", way.text(time)));
        }
        for (name, end) in ["A", "B"].iter().zip(&self.ends) {
            if let Some(line) = end.text() {
                text.push_str(&format!("  {name}'s client: {line}\n"));
            }
            if let (Some(path), Some(loss)) = (&end.name, &end.name_lost) {
                let loss = loss.text();
                text.push_str(&format!("  {name}'s name {path} {loss}\n"));
            }
        }
        for line in self.stall_lines(time) {
            text.push_str(&format!("  {line}\n"));
        }
    }

    /// What to say of silences: `3 stalls, 18.0 s of 19.7 s, each after ...`.
    pub fn stall_lines(&self, time: Nanoseconds) -> Vec<String> {
        let label = |end| self.label(end);
        let mut lines = Vec::new();
        for stalls in self.stalls.by_cause() {
            let (noun, each) = if stalls.count == 1 {
                ("stall", "")
            } else {
                ("stalls", "each ")
            };
            let why = stalls
                .cause
                .map_or("without a cause that shows here".to_owned(), |cause| {
                    format!("{each}{}", cause.text(label))
                });
            lines.push(format!(
                "{} {noun}, {} of {}, {why}",
                stalls.count,
                units::time(stalls.for_ns as f64),
                units::time(time.0)
            ));
            if let Some(remedy) = stalls.cause.and_then(crate::sample::Cause::remedy) {
                lines.push(format!("  remedy: {remedy}"));
            }
        }
        if let Some(silence) = self.silence {
            let why = silence
                .cause
                .map_or(String::new(), |cause| format!(": {}", cause.text(label)));
            lines.push(format!(
                "silent for the last {}{why}",
                units::time(silence.for_ns as f64)
            ));
        }
        lines
    }
}

impl LinkEndEntry {
    fn text(&self) -> Option<String> {
        let of_client = self.events.iter();
        let of_client = of_client.filter(|(kind, _)| *kind != EventKind::NameLost);
        let mut parts: Vec<String> = of_client
            .map(|(kind, count)| format!("{kind} {count}"))
            .collect();
        let named = |client: &Client| format!("{} ({})", client.program, client.pid);
        if self.attached {
            parts.extend(self.clients.iter().flatten().map(named));
        } else if !self.last_clients.is_empty() {
            let last: Vec<_> = self.last_clients.iter().map(named).collect();
            parts.push(format!("last {}", last.join(", ")));
        }
        if let Some(mode) = self.mode.filter(|&mode| mode != crate::pty::Mode::RAW) {
            parts.push(format!("termios {mode}"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

impl WayEntry {
    fn text(&self, time: Nanoseconds) -> String {
        let mut text = units::size(self.passed.0 as f64);
        if let Some(rate) = self.passed.over(time) {
            text.push_str(&format!(", {}", units::rate(rate.0)));
        }
        for (name, times) in [
            ("in the relay", self.in_relay),
            ("answered after", self.turnaround),
        ] {
            if let Some(times) = times {
                text.push_str(&format!(
                    "; {name} p50 {} p99 {}",
                    units::time(times.p50.0),
                    units::time(times.p99.0)
                ));
            }
        }
        for (count, what) in [
            (self.queued.0, "held"),
            (self.faults.dropped, "dropped"),
            (self.faults.flipped, "with a bit turned"),
            (self.faults.duplicated, "doubled"),
            (self.faults.unattached, "thrown away, nobody attached"),
        ] {
            if count > 0 {
                text.push_str(&format!("; {count} B {what}"));
            }
        }
        text
    }
}
