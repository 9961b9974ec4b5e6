//! Under what conditions a report came about.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::host::{ClockCost, ClockSource, HostFacts, cpu_khz, load_average, stolen};

use super::quantity::{Kilohertz, Nanoseconds};
use super::{Outcome, Report, SCHEMA_VERSION, Timestamp, Warning, warning};

/// What the machine was doing beside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// When the command started.
    pub started: Timestamp,
    /// How long it took.
    pub lasted: Nanoseconds,
    /// Load average over 1, 5 and 15 minutes when it started.
    pub load_at_start: Option<[f64; 3]>,
    /// The same at its end; the workload itself is in it.
    pub load_at_end: Option<[f64; 3]>,
    /// What times the calls.
    #[serde(default)]
    pub clock: ClockSource,
    /// The cost of reading that clock once.
    pub clock_cost: Nanoseconds,
    /// The frequency of CPU 0 when it started.
    pub frequency_at_start: Option<Kilohertz>,
    /// The same at its end.
    pub frequency_at_end: Option<Kilohertz>,
    /// CPU time that the hypervisor took away meanwhile, all CPUs.
    pub stolen: Option<Nanoseconds>,
}

/// The program that made a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Program {
    /// The one that runs.
    pub fn this() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// What it was told to do, for the last line of a page.
    pub(super) fn told(&self, command: &[String]) -> String {
        format!("{} {}: {}", self.name, self.version, command.join(" "))
    }
}

/// Begins a report before the work and completes it after.
#[derive(Debug)]
pub struct Recorder {
    command: Vec<String>,
    label: Option<String>,
    host: HostFacts,
    began: Instant,
    stolen_before: Option<Nanoseconds>,
    at_start: Conditions,
}

impl Recorder {
    /// Looks at the machine; takes a few milliseconds.
    pub fn begin(command: Vec<String>, label: Option<String>) -> Self {
        let began = Instant::now();
        let clock = ClockCost::calibrate();
        Self {
            command,
            label,
            host: HostFacts::collect(),
            began,
            stolen_before: stolen().map(Nanoseconds::from),
            at_start: Conditions {
                started: Timestamp::now(),
                lasted: Nanoseconds(0.0),
                load_at_start: load_average(),
                load_at_end: None,
                clock: clock.source,
                clock_cost: Nanoseconds(clock.ns),
                frequency_at_start: cpu_khz(0).map(Kilohertz),
                frequency_at_end: None,
                stolen: None,
            },
        }
    }

    /// The machine, as it was found.
    pub fn host(&self) -> &HostFacts {
        &self.host
    }

    /// Looks at the machine again and makes the report. `cut_short` says why
    /// the work ended before its time.
    pub fn finish(
        self,
        result: Outcome,
        cut_short: Option<String>,
        mut warnings: Vec<Warning>,
    ) -> Report {
        let taken = |before: Nanoseconds| {
            let now = stolen().map(Nanoseconds::from)?;
            Some(Nanoseconds((now.0 - before.0).max(0.0)))
        };
        let conditions = Conditions {
            lasted: self.began.elapsed().into(),
            load_at_end: load_average(),
            frequency_at_end: cpu_khz(0).map(Kilohertz),
            stolen: self.stolen_before.and_then(taken),
            ..self.at_start
        };
        warnings.extend(warning::of_conditions(&conditions, &self.host));
        Report {
            schema_version: SCHEMA_VERSION,
            program: Program::this(),
            command: self.command,
            label: self.label,
            guest: None,
            host: self.host,
            conditions,
            cut_short,
            warnings,
            result,
        }
    }
}
