//! Tours: a script of settings, waits and captions, played on a live source or
//! on a recording.
//!
//! A tour is a TOML text; assets/tours.md describes it. Each step is kept with
//! all that is in force in it, so that a tour can be resumed at any.

mod parts;
mod play;
mod stated;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::workload::{Line, Settings};

use super::state::{Number, View};

pub use parts::{Lack, Part, parts};
pub use play::{Phase, Playing, advance, choices, choose, go_on, start, take_over, toggle};
pub use stated::Setting;
pub use text::{TourError, parse};

/// The tours that come along, by name.
const BUILT_IN: [(&str, &str); 5] = [
    ("seed1", include_str!("../../../assets/tours/seed1.toml")),
    ("seed2", include_str!("../../../assets/tours/seed2.toml")),
    (
        "backpressure",
        include_str!("../../../assets/tours/backpressure.toml"),
    ),
    ("cooked", include_str!("../../../assets/tours/cooked.toml")),
    ("paste", include_str!("../../../assets/tours/paste.toml")),
];

/// Longest text of a tour, in bytes.
const MAX_BYTES: u64 = 256 << 10;

/// What a tour is played on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A pty that is driven.
    #[default]
    Workload,
    /// A null modem.
    Link,
}

/// A script of steps; there is one at least.
#[derive(Debug, Clone, PartialEq)]
pub struct Tour {
    /// What it is called.
    pub name: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What it is played on.
    pub stage: Stage,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// What is in force in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The settings of a workload.
    pub settings: Settings,
    /// The line of a link.
    pub line: Line,
    /// Which of them a step has named up to here; the others may be anything in
    /// a recording.
    pub stated: Vec<Setting>,
    /// The view, once a step has named one.
    pub view: Option<View>,
    /// The big view's number, likewise.
    pub number: Option<Number>,
    /// What is said.
    pub caption: String,
    /// How long it lasts.
    pub wait: Duration,
}

impl Tour {
    /// The built-in tour of that name, or the one in that file.
    ///
    /// # Errors
    /// When there is neither, or the text makes no tour.
    pub fn named(name: &str) -> Result<Self, TourError> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return parse(name, name, text.as_bytes());
        }
        let refuse = |reason: String| TourError {
            file: name.to_owned(),
            line: None,
            reason,
        };
        let path = Path::new(name);
        if !path.exists() {
            let names = BUILT_IN.map(|(name, _)| name).join(", ");
            return Err(refuse(format!(
                "no such tour or file; built in are {names}"
            )));
        }
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| refuse(crate::host::errno_text(&error)))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        parse(name, &stem, &bytes)
    }

    /// The built-in tours for such a source.
    pub fn built_in(stage: Stage) -> Vec<Arc<Self>> {
        let parsed = BUILT_IN.map(|(name, text)| parse(name, name, text.as_bytes()));
        let tours = parsed.into_iter().filter_map(Result::ok);
        tours
            .filter(|tour| tour.stage == stage)
            .map(Arc::new)
            .collect()
    }
}
