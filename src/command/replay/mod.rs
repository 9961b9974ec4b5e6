//! `replay`: a recorded run, again.

mod report;
mod tour;

use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;

use crate::cli::{FormatName, ReplayArgs};
use crate::record::{self, Recording, SourceKind, Tail, What};
use crate::report::{Document, LinkReport, LinkReportKind};
use crate::sample::{Sum, Verdict};
use crate::tui;
use crate::words::{told, told_in_json};

use super::output::{of_stdout, print_exactly, say, stdout, unless_closed};
use super::plain::{Script, Teller};
use super::snapshot::Snapshot;
use super::{Usage, live, plain};
use tour::Guided;

/// Replays the recording.
pub fn run(args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let screen = &args.screen;
    if screen.caption.is_some() {
        let why = "a recording has its own captions: no --caption";
        return Err(Usage(why.to_owned()).into());
    }
    let tour = tour::asked(args)?;
    let snapshot = Snapshot::open(&args.snapshot)?;
    let file = args.file.display();
    let recording = record::read(&args.file).with_context(|| file.to_string())?;
    if let Some(complaint) = recording.tail.complaint() {
        say(format_args!("{file}: {complaint}"));
    }
    let guided = tour.map(|tour| Guided::on(&recording, tour, &args.file));
    let guided = guided.transpose()?;
    let code = match recording.tail {
        Tail::Damaged { .. } => ExitCode::FAILURE,
        Tail::Complete | Tail::Cut => ExitCode::SUCCESS,
    };
    let at_ns = args
        .at
        .map(|at| at.as_nanos().min(u128::from(u64::MAX)) as u64);
    if let Some(format) = args.format {
        let sound = write_report(&recording, format, at_ns)?;
        return Ok(if sound { code } else { ExitCode::FAILURE });
    }
    if snapshot.is_none() && (screen.plain || tui::obstacle().is_some()) {
        let said = match &guided {
            Some(guided) => guided.lines(&recording)?,
            None => lines(&recording, at_ns)?,
        };
        return Ok(if code == ExitCode::SUCCESS {
            said
        } else {
            code
        });
    }
    let recording = Arc::new(recording);
    let mut app = tui::start_replay(recording, live::theme(screen), screen.ascii);
    // As a live run's picture, that of a recording is of its end.
    let drawn_at = snapshot.as_ref().map(|_| u64::MAX);
    if let Some(at_ns) = at_ns.or(drawn_at) {
        tui::seek(&mut app, at_ns);
    }
    if let Some(guided) = guided {
        guided.start(&mut app);
    }
    if let Some(player) = &mut app.replay {
        player.speed = args.speed;
    }
    if let Some(snapshot) = snapshot {
        snapshot.write(&mut app)?;
        return Ok(code);
    }
    let outcome = tui::run(app, None, None, screen.fps, false).context("the screen")?;
    for panic in &outcome.panics {
        say(panic);
    }
    Ok(match outcome.signal {
        Some(signal) => ExitCode::from(128u8.saturating_add(signal as u8)),
        None if !outcome.panics.is_empty() => ExitCode::FAILURE,
        None => code,
    })
}

/// Writes the report; `false` when bytes came wrong in the recorded run.
fn write_report(
    recording: &Recording,
    format: FormatName,
    at_ns: Option<u64>,
) -> anyhow::Result<bool> {
    if recording.header.source == SourceKind::Link {
        let mut sum = Sum::default();
        recording.samples().for_each(|sample| sum.add(sample));
        let report = LinkReport::of(LinkReportKind::Summary, &sum).context("an empty recording")?;
        let text = match format {
            FormatName::Text => told(&report.text()),
            FormatName::Json => told_in_json(&serde_json::to_string(&report)?).into_owned() + "\n",
            FormatName::Csv | FormatName::Markdown => {
                let why = "a link's report is text or json";
                return Err(Usage(why.to_owned()).into());
            }
        };
        unless_closed(print_exactly(&text))?;
        return Ok(true);
    }
    let (report, verdict) =
        report::of(recording, at_ns).context("no sample of the recording counts in a statistic")?;
    unless_closed(of_stdout(stdout().and_then(|out| {
        let mut out = BufWriter::new(out);
        report.write(format.format(), &mut out)?;
        out.flush()
    })))?;
    Ok(verdict != Verdict::Damaged)
}

/// The lines of the plain live run, without waiting.
fn lines(recording: &Recording, at_ns: Option<u64>) -> anyhow::Result<ExitCode> {
    let mut lines = told_to(recording)?;
    let mut code = ExitCode::SUCCESS;
    let from = at_ns.unwrap_or(0);
    for entry in recording.entries.iter().filter(|e| e.at_ns >= from) {
        match &entry.what {
            What::Sample(sample) => {
                // Without a script nothing is asked for.
                let _ = lines.take(sample)?;
            }
            What::Caption(Some(caption)) => lines.tell(&plain::caption_line(caption))?,
            What::Key { key, does } => lines.tell(&format!("key {key}: {does}"))?,
            What::Notice(notice) => say(notice.text()),
            What::Ended(ended) => code = plain::conclude(&ended.ending),
            _ => {}
        }
    }
    Ok(code)
}

/// Who tells the recording, once of what it is has been told.
fn told_to(recording: &Recording) -> anyhow::Result<Teller> {
    let header = &recording.header;
    let release = header.host.kernel.release.as_deref().unwrap_or("?");
    let model = header.host.cpu.model.as_deref().unwrap_or("?");
    let lines = Teller::of(Script::new(None, None));
    lines.tell(&format!(
        "recording: {}, Linux {release}, {model}",
        header.started
    ))?;
    Ok(lines)
}
