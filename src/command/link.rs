//! `link`: a null modem, reported.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::Context;
use nix::unistd::{Gid, Group};
use serde_json::json;
use signal_hook::iterator::Signals;

use crate::cli::{Fault, LinkArgs, LiveArgs, ScreenArgs};
use crate::engine::INTERVAL;
use crate::host::ENDING;
use crate::link::xmodem::{self, BlockSize, Check, Protocol};
use crate::link::{self, Access, Error, Format, NullModem, Setup, Target};
use crate::record::Journal;
use crate::report::{LinkReport, LinkReportKind, SCHEMA_VERSION};
use crate::sample::{Event, Request, Source, Sum};
use crate::tui::{self, App, Effect, Stage, Tour};
use crate::words::{told, told_in_json};

use super::output::{print, print_exactly, say};
use super::stop::Stop;
use super::{Usage, live, plain, record};

/// Links two ptys until a signal or the time says so.
pub fn run(args: &LinkArgs) -> anyhow::Result<ExitCode> {
    let output = Output::new(args);
    let is_live = !(args.screen.plain || args.json || args.interval.is_some() || output.is_taken)
        && tui::obstacle().is_none();
    let setup = setup(args, is_live)?;
    // Before there are names that a signal could leave behind.
    let mut signals = Signals::new(ENDING).context("cannot handle signals")?;
    let tour = args.screen.tour.as_deref().map(live::tour).transpose()?;
    if let Some(tour) = tour.as_ref().filter(|tour| tour.stage != Stage::Link) {
        return Err(Usage(format!("tour {} is none of a link", tour.name)).into());
    }
    let journal = record::begin_link(&args.record, &setup.line)?;
    let modem = NullModem::start(setup).map_err(usage)?;
    if is_live {
        let early = || signals.pending().next();
        return show(&args.screen, args.duration, tour, modem, journal, early);
    }
    output.caption(args.screen.caption.as_deref())?;
    output.ready(&modem)?;
    // A tour is to be followed: its numbers come each second at least.
    let each = args
        .interval
        .or(tour.as_ref().map(|_| Duration::from_secs(1)));
    let is_followed = tour.is_some() || journal.is_some();
    let sampled = if is_followed { Some(INTERVAL) } else { each };
    if let Some(journal) = &journal {
        journal.caption(args.screen.caption.as_deref());
    }
    let script = plain::Script::new(None, tour).recorded(journal.as_ref());
    let (source, _running) = link::stream(modem, sampled, args.duration)?;
    let source = record::tee(source, journal.as_ref())?;
    end_on_signal(signals, source.requests.clone())?;
    let code = report(&source, &output, script, each)?;
    Ok(record::exit_code(code, journal.as_ref()))
}

/// The live screen with the null modem as its source. What it saw is left on
/// the main screen. `early` gives the signal that came before the screen was
/// there to be ended by it.
fn show(
    screen: &ScreenArgs,
    duration: Option<Duration>,
    tour: Option<Arc<Tour>>,
    modem: NullModem,
    journal: Option<Journal>,
    early: impl FnOnce() -> Option<i32>,
) -> anyhow::Result<ExitCode> {
    let line = modem.line().clone();
    let panics = screen.fault == Some(Fault::ScreenPanic);
    let mut app = App::of_link(live::facts(), line, live::theme(screen), screen.ascii);
    app.stage.caption = screen.caption.clone();
    if journal.is_some() {
        app.stage.recording = tui::Recording::On;
    }
    if let Some(signal) = early() {
        return Ok(live::exit_code_of(signal));
    }
    let (source, _running) = link::stream(modem, Some(INTERVAL), duration)?;
    let source = record::tee(source, journal.as_ref())?;
    for effect in tour.map_or_else(Vec::new, |tour| tui::start_tour(&mut app, tour)) {
        if let Effect::Ask(request) = effect {
            // A source that is gone says so by itself.
            let _ = source.requests.send(request);
        }
    }
    let outcome = tui::run(app, Some(source), journal.clone(), screen.fps, panics)
        .context("the live screen")?;
    for panic in &outcome.panics {
        say(panic);
    }
    if let Some(report) = LinkReport::of(LinkReportKind::Summary, outcome.app.link_sum()) {
        // A terminal that is gone need not be told how it ended.
        let _ = print(&report.text());
    }
    let code = live::exit_code(&outcome);
    Ok(record::tell_exit_code(code, journal.as_ref()))
}

/// A null modem of its own with XMODEM running across, and a tour of it.
pub fn tour(args: &LiveArgs, tour: Arc<Tour>) -> anyhow::Result<ExitCode> {
    if args.length.bytes.is_some() {
        let reason = format!("--bytes: tour {} is of a link, which has none", tour.name);
        return Err(Usage(reason).into());
    }
    let line = tour.steps.first().map(|step| step.line.clone());
    let line = line.unwrap_or_default();
    if args.snapshot.snapshot.is_some() {
        let why = "--snapshot of a link: record it, and replay that with --snapshot";
        return Err(Usage(why.to_owned()).into());
    }
    let journal = record::begin_link(&args.record, &line)?;
    let modem = NullModem::start(Setup {
        line,
        links: 1,
        stall: Duration::from_millis(100),
        look_up_clients: true,
        ..Setup::default()
    })
    .map_err(usage)?;
    let ends = modem.slaves().first().map(|ends| ends.map(Path::to_owned));
    if let Some(ends) = ends {
        keep_busy(ends)?;
    }
    let duration = args.length.duration;
    if args.screen.plain || tui::obstacle().is_some() {
        let stop = Stop::listen()?;
        let (source, _running) = link::stream(modem, Some(INTERVAL), duration)?;
        let source = record::tee(source, journal.as_ref())?;
        let script = plain::Script::new(args.screen.caption.as_deref(), Some(tour));
        let code = plain::run(&source, script.recorded(journal.as_ref()), &stop)?;
        return Ok(record::exit_code(code, journal.as_ref()));
    }
    show(&args.screen, duration, Some(tour), modem, journal, || None)
}

/// Transfers a file between the ends, over and over, until they are gone.
fn keep_busy(ends: [PathBuf; 2]) -> anyhow::Result<()> {
    let protocol = Protocol {
        block: BlockSize::Short,
        check: Check::Crc,
        retries: 10,
        timeout: Duration::from_secs(10),
    };
    std::thread::Builder::new()
        .name("xmodem".to_owned())
        // Ends that cannot be opened are seen on the screen: nobody attached.
        .spawn(move || drop(xmodem::keep_busy(&ends, protocol)))
        .context("cannot start the transfer's thread")?;
    Ok(())
}

/// What makes no sense on the command line is told as such.
fn usage(error: Error) -> anyhow::Error {
    match error {
        Error::Line(_) | Error::Contradiction(_) => Usage(error.to_string()).into(),
        error => error.into(),
    }
}

fn setup(args: &LinkArgs, is_live: bool) -> anyhow::Result<Setup> {
    let target = |format, path: &Option<std::path::PathBuf>| {
        path.as_ref().map(|path| Target {
            format,
            path: path.clone(),
            limit: args.dump_limit,
            rotate: args.dump_rotate,
        })
    };
    let traces = [
        target(Format::Text, &args.dump),
        target(Format::Pcap, &args.pcap),
    ];
    let mut line = args.line.line();
    line.drop_unattached = args.drop_unattached;
    Ok(Setup {
        names: <[_; 2]>::try_from(args.names.clone()).ok(),
        force: args.force,
        links: args.pairs,
        access: Access {
            mode: args.mode,
            group: args.group.as_deref().map(group).transpose()?,
        },
        line,
        stall: args.stall,
        busy_poll: args.busy_poll,
        traces: traces.into_iter().flatten().collect(),
        look_up_clients: is_live || args.interval.is_some(),
    })
}

fn group(name: &str) -> anyhow::Result<Gid> {
    if let Ok(number) = name.parse() {
        return Ok(Gid::from_raw(number));
    }
    let group = Group::from_name(name).with_context(|| format!("cannot look up group {name}"))?;
    group
        .map(|group| group.gid)
        .ok_or_else(|| Usage(format!("there is no group {name}")).into())
}

/// Asks the source to end when a signal comes, so that the names go.
fn end_on_signal(mut signals: Signals, requests: Sender<Request>) -> anyhow::Result<()> {
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            for _ in signals.forever() {
                // A source that is gone has ended.
                if requests.send(Request::Stop).is_err() {
                    return;
                }
            }
        })
        .context("cannot start the signals' thread")?;
    Ok(())
}

/// Where the reports go: standard output, unless a trace goes there.
struct Output {
    json: bool,
    /// A trace has standard output; standard error is left.
    is_taken: bool,
}

impl Output {
    fn new(args: &LinkArgs) -> Self {
        let is_stdout = |path: &std::path::PathBuf| path.as_os_str() == "-";
        let traces = [&args.dump, &args.pcap];
        Self {
            json: args.json,
            is_taken: traces.into_iter().flatten().any(is_stdout),
        }
    }

    fn line(&self, text: &str) -> anyhow::Result<()> {
        let text = if self.json {
            told_in_json(text) + "\n"
        } else {
            (told(text) + "\n").into()
        };
        if self.is_taken {
            let written = io::stderr().write_all(text.as_bytes());
            return written.context("cannot write to standard error");
        }
        print_exactly(&text)
    }

    fn caption(&self, caption: Option<&str>) -> anyhow::Result<()> {
        match caption {
            Some(caption) if !self.json => self.line(&plain::caption_line(caption)),
            _ => Ok(()),
        }
    }

    fn ready(&self, modem: &NullModem) -> anyhow::Result<()> {
        for (paths, slaves) in modem.paths().into_iter().zip(modem.slaves()) {
            let [paths, slaves] =
                [paths, slaves].map(|ends| ends.map(|path| path.display().to_string()));
            if self.json {
                let ready = json!({
                    "schema_version": SCHEMA_VERSION,
                    "kind": "ready",
                    "a": paths[0], "b": paths[1],
                    "slave_a": slaves[0], "slave_b": slaves[1],
                });
                self.line(&ready.to_string())?;
                continue;
            }
            for (end, (path, slave)) in ["A", "B"].iter().zip(paths.into_iter().zip(slaves)) {
                self.line(&format!("{end} {path} -> {slave}"))?;
            }
        }
        if !self.json {
            self.line("ready")?;
        }
        Ok(())
    }

    /// Tells what cannot wait for a report: to people on standard error, and in
    /// a line of its own to who reads the lines of JSON.
    fn notice(&self, text: &str) -> anyhow::Result<()> {
        say(text);
        if !self.json {
            return Ok(());
        }
        let notice = json!({
            "schema_version": SCHEMA_VERSION,
            "kind": "notice",
            "text": text,
        });
        self.line(&notice.to_string())
    }

    fn report(&self, kind: LinkReportKind, sum: &Sum) -> anyhow::Result<()> {
        let Some(report) = LinkReport::of(kind, sum) else {
            return Ok(());
        };
        if self.json {
            return self.line(&serde_json::to_string(&report)?);
        }
        self.line(report.text().trim_end())
    }
}

/// Reports until the source has ended; `each` so often, and all together.
fn report(
    source: &Source,
    output: &Output,
    mut script: plain::Script,
    each: Option<Duration>,
) -> anyhow::Result<ExitCode> {
    let mut sum = Sum::default();
    let mut interval = Sum::default();
    for event in &source.events {
        match event {
            Event::Sample(sample) => {
                if let Some((words, request)) = script.advance(sample.end_ns) {
                    output.line(&words)?;
                    // A source that is gone says so by itself.
                    request.map(|request| source.requests.send(request));
                }
                sum.add(&sample);
                interval.add(&sample);
                // A sample may come a little early.
                if each.is_some_and(|each| interval.seconds >= 0.95 * each.as_secs_f64()) {
                    output.report(LinkReportKind::Interval, &interval)?;
                    interval = Sum::default();
                }
            }
            Event::Notice(notice) => output.notice(notice.text())?,
            Event::Ended(ending) => {
                output.report(LinkReportKind::Summary, &sum)?;
                return Ok(plain::conclude(&ending));
            }
        }
    }
    anyhow::bail!("the sampling thread died")
}
