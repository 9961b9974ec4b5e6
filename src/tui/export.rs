//! What is on the screen, as a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

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

/// What `app` shows as JSON.
///
/// # Errors
/// Never, as long as all of it can be JSON.
pub fn json(app: &App) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(&screen(app, app.shown()))?;
    text.push('\n');
    Ok(text)
}

/// Writes `text` to a new file in the current directory and gives its name,
/// which says when; a file that is there already is left alone.
///
/// # Errors
/// When the file cannot be written; then nothing of it is left.
pub fn save_new(text: &str, extension: &str) -> io::Result<PathBuf> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    for number in 0..1000 {
        let path = PathBuf::from(format!("ptyscope-{now}-{number}.{extension}"));
        match File::create_new(&path) {
            Ok(mut file) => {
                let written = file.write_all(text.as_bytes());
                if written.is_err() {
                    let _ = fs::remove_file(&path);
                }
                return written.map(|()| path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
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
