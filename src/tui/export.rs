//! What is on the screen, as a file.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::analysis::{Ratio, Summary};
use crate::host::HostFacts;
use crate::sample::Sample;
use crate::workload::Settings;

use super::state::{App, Data};

/// The version of the format of the file.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Screen<'a> {
    ptyscope_screen: u32,
    program: &'static str,
    host: &'a HostFacts,
    clock_ns: f64,
    settings: &'a Settings,
    seconds: f64,
    latest: Option<&'a Sample>,
    compared_with: Option<&'a str>,
    differences: Vec<Difference>,
    throughput_by_chunk: Vec<CurvePoint>,
    marks: Vec<(f64, &'a str)>,
    throughput: Vec<(f64, Option<f64>)>,
    notices: Vec<(f64, &'a str)>,
}

#[derive(Serialize)]
struct Difference {
    metric: &'static str,
    ratio: Option<Ratio>,
}

#[derive(Serialize)]
struct CurvePoint {
    chunk: usize,
    bytes_per_second: Summary,
}

/// Writes what `app` shows as JSON, and gives the file's name. The file is
/// written under another name first, so that it is never half there.
///
/// # Errors
/// When the file cannot be written.
pub fn write(app: &App) -> io::Result<PathBuf> {
    let path = &app.facts.export_to;
    let temporary = path.with_extension("json.part");
    let text = serde_json::to_string_pretty(&screen(app, app.shown()))?;
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&temporary)?;
    let done = file
        .write_all(text.as_bytes())
        .and_then(|()| file.write_all(b"\n"))
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&temporary, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    done.map(|()| path.clone())
}

/// Where exports go when the user has named no file: a name that says when.
pub fn default_path(unix_seconds: u64) -> PathBuf {
    Path::new(&format!("ptyscope-{unix_seconds}.json")).to_owned()
}

fn screen<'a>(app: &'a App, data: &'a Data) -> Screen<'a> {
    Screen {
        ptyscope_screen: VERSION,
        program: concat!("ptyscope ", env!("CARGO_PKG_VERSION")),
        host: &app.facts.host,
        clock_ns: app.facts.clock_ns,
        settings: &app.settings,
        seconds: data.history.now(),
        latest: data.latest.as_deref(),
        compared_with: data.comparison().map(|comparison| comparison.before),
        differences: data
            .differences
            .iter()
            .map(|&(metric, ratio)| Difference {
                metric: metric.name(),
                ratio,
            })
            .collect(),
        throughput_by_chunk: data
            .curve
            .throughput
            .points()
            .map(|(chunk, bytes_per_second)| CurvePoint {
                chunk,
                bytes_per_second,
            })
            .collect(),
        marks: data
            .history
            .marks_since(0.0)
            .map(|m| (m.at, m.label.as_str()))
            .collect(),
        throughput: data
            .history
            .since(0.0)
            .map(|p| (p.at, p.throughput))
            .collect(),
        notices: data
            .notices
            .iter()
            .map(|(at, notice)| (*at, notice.text()))
            .collect(),
    }
}
