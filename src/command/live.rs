//! Without a command: the live screen, or lines of text where there is none.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;

use crate::cli::{Fault, LiveArgs, ScreenArgs, ThemeName, When};
use crate::engine::{self, INTERVAL, Options};
use crate::host::{ClockCost, HostFacts, KmallocCounter};
use crate::record::Journal;
use crate::sample::{Ending, Source};
use crate::tui::{self, App, Facts, Outcome, Stage, Theme, Tour};
use crate::workload::{Settings, units};

use super::output::{print, say};
use super::snapshot::{self, Snapshot};
use super::stop::Stop;
use super::{Usage, link, plain, record};

/// Runs the workload before the user's eyes.
pub fn run(args: &LiveArgs) -> anyhow::Result<ExitCode> {
    let tour = args.screen.tour.as_deref().map(tour).transpose()?;
    if let Some(tour) = tour.clone().filter(|tour| tour.stage == Stage::Link) {
        return link::tour(args, tour);
    }
    let first = tour.as_ref().and_then(|tour| tour.steps.first());
    let settings = first.map_or_else(|| args.workload.settings(), |step| step.settings.clone());
    settings.check().map_err(Usage::from)?;
    let options = Options {
        program: None,
        limit: args.length.bytes,
        reader_panics: args.screen.fault == Some(Fault::WorkerPanic),
        ..Options::default()
    };
    let is_endless = args.length.duration.is_none() && args.length.bytes.is_none();
    if args.snapshot.snapshot.is_some() && is_endless {
        let why = "--snapshot of a live run needs its length: --duration or --bytes";
        return Err(Usage(why.to_owned()).into());
    }
    let snapshot = Snapshot::open(&args.snapshot)?;
    let journal = record::begin(&args.record, &settings, args.length.bytes)?;
    let source = || {
        let source = engine::start(settings.clone(), options, INTERVAL, args.length.duration)
            .context("cannot start the workload")?;
        record::tee(source, journal.as_ref())
    };
    if let Some(snapshot) = snapshot {
        let app = app(args, settings.clone(), tour, journal.as_ref());
        let code = snapshot::run(snapshot, app, &source()?, &Stop::listen()?)?;
        return Ok(record::exit_code(code, journal.as_ref()));
    }
    let obstacle = tui::obstacle();
    if args.screen.plain || obstacle.is_some() {
        if let Some(obstacle) = obstacle.filter(|_| !args.screen.plain) {
            say(format_args!(
                "no live screen: {obstacle}; a line a second instead; see also ptyscope bench"
            ));
        }
        let stop = Stop::listen()?;
        let script = plain::Script::new(args.screen.caption.as_deref(), tour);
        let script = script.recorded(journal.as_ref());
        let code = plain::run(&source()?, script, &stop)?;
        return Ok(record::exit_code(code, journal.as_ref()));
    }
    let app = app(args, settings.clone(), tour, journal.as_ref());
    show(args, app, source()?, journal)
}

/// The tour that the command line names.
pub(super) fn tour(name: &str) -> anyhow::Result<Arc<Tour>> {
    let tour = Tour::named(name).map_err(|error| Usage(error.to_string()))?;
    Ok(Arc::new(tour))
}

/// The state before the first sample.
fn app(
    args: &LiveArgs,
    settings: Settings,
    tour: Option<Arc<Tour>>,
    journal: Option<&Journal>,
) -> App {
    let mut app = App::new(facts(), settings, theme(&args.screen), args.screen.ascii);
    app.stage.caption = args.screen.caption.clone();
    // The source runs under the first step's settings already.
    drop(tour.map(|tour| tui::start_tour(&mut app, tour)));
    if journal.is_some() {
        app.stage.recording = tui::Recording::On;
    }
    app
}

fn show(
    args: &LiveArgs,
    app: App,
    source: Source,
    journal: Option<Journal>,
) -> anyhow::Result<ExitCode> {
    let panics = args.screen.fault == Some(Fault::ScreenPanic);
    let outcome = tui::run(app, Some(source), journal.clone(), args.screen.fps, panics)
        .context("the live screen")?;
    for panic in &outcome.panics {
        say(panic);
    }
    // A terminal that is gone need not be told how it ended.
    let _ = print(&summary(&outcome));
    Ok(record::tell_exit_code(
        exit_code(&outcome),
        journal.as_ref(),
    ))
}

/// The exit code of what a signal has ended, as a shell gives it.
pub(super) fn exit_code_of(signal: i32) -> ExitCode {
    ExitCode::from(128u8.saturating_add(signal as u8))
}

/// What a screen that has ended makes of the exit code, with what went wrong
/// said.
pub(super) fn exit_code(outcome: &Outcome) -> ExitCode {
    if let Some(signal) = outcome.signal {
        return exit_code_of(signal);
    }
    let gone = Ending {
        verdict: crate::sample::Verdict::Counted,
        integrity: Default::default(),
        failure: Some("the sampling thread died".to_owned()),
        closing: None,
    };
    let code = plain::conclude(outcome.ending.as_ref().unwrap_or(&gone));
    if outcome.panics.is_empty() {
        code
    } else {
        ExitCode::FAILURE
    }
}

pub(super) fn facts() -> Facts {
    Facts {
        host: Arc::new(HostFacts::collect()),
        clock_ns: ClockCost::calibrate().ns,
        no_kmallocs: KmallocCounter::open(0).err().map(|why| why.to_string()),
    }
}

pub(super) fn theme(args: &ScreenArgs) -> Theme {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match (args.color, args.theme) {
        (When::Never, _) => Theme::Mono,
        (When::Auto, _) if no_color => Theme::Mono,
        (_, ThemeName::Dark) => Theme::Dark,
        (_, ThemeName::Light) => Theme::Light,
        (_, ThemeName::Contrast) => Theme::Contrast,
        (_, ThemeName::Sixteen) => Theme::Sixteen,
        (_, ThemeName::None) => Theme::Mono,
    }
}

/// What is left on the main screen: the run in two lines.
fn summary(outcome: &Outcome) -> String {
    let Some(last) = outcome.app.last_sample() else {
        return String::new();
    };
    let ending = outcome.ending.as_ref();
    let closing = ending.and_then(|ending| ending.closing.as_ref());
    let integrity = ending.map_or(last.integrity, |ending| ending.integrity);
    let mut text = format!(
        "{:.1} s; at the end: {}\n",
        last.end_ns as f64 / 1e9,
        last.settings
            .entries()
            .map(|(name, value)| format!("{name} {value}"))
            .join(", ")
    );
    for flow in &last.flows {
        let read_to_the_end = closing.and_then(|closing| closing.totals(flow.from));
        let totals = read_to_the_end.unwrap_or(flow.totals);
        text.push_str(&format!(
            "from the {}: {} written, {} read since the last restart; in all {} verified, {}\n",
            flow.from,
            units::size(totals.written as f64),
            units::size(totals.read as f64),
            units::size(integrity.verified as f64),
            integrity
        ));
    }
    text
}
