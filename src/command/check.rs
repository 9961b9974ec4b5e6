//! `ptyscope check`: selects, runs, tells.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;

use crate::check::entry::Gates;
use crate::check::report::{Report, Terms};
use crate::check::runner::{self, Event, Settings};
use crate::check::select::Selection;
use crate::check::{Check, format};
use crate::cli::{CheckArgs, CheckFormat};
use crate::host::HostFacts;

/// Runs the checks, or describes them.
///
/// # Errors
/// A name that no check has, or an output that cannot be written.
pub fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let mut selection = Selection {
        all: args.all || args.list,
        only: args.only.clone(),
        skip: args.skip.clone(),
    };
    if let Some(pattern) = &args.explain {
        selection.only = vec![pattern.clone()];
    }
    let checks = match selection.checks() {
        Ok(checks) => checks,
        Err(unknown) => {
            eprintln!("ptyscope: {unknown}");
            return Ok(ExitCode::from(2));
        }
    };
    let mut out = open(args)?;
    if args.explain.is_some() {
        let texts: Vec<_> = checks.iter().map(|check| format::explain(check)).collect();
        out.write_all(texts.join("\n").as_bytes())?;
    } else if args.list {
        out.write_all(format::list(checks).as_bytes())?;
    } else {
        return carry_out(args, &checks, &mut out);
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn open(args: &CheckArgs) -> anyhow::Result<Box<dyn Write>> {
    Ok(match &args.output {
        Some(path) => Box::new(
            std::fs::File::create(path)
                .with_context(|| format!("cannot write {}", path.display()))?,
        ),
        None => Box::new(io::stdout().lock()),
    })
}

fn settings(args: &CheckArgs) -> Settings {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    Settings {
        program: runner::this_program(),
        deadline: args.deadline,
        jobs: args.jobs.map_or(cpus, usize::from),
        repeat: args.repeat,
        seed: args.seed,
        risky: args.risky,
        gates: Gates {
            max_p99_ns: args
                .max_p99
                .map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
            min_rate: args.min_rate,
        },
        faults: Vec::new(),
    }
}

fn carry_out(args: &CheckArgs, checks: &[&Check], out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let text = args.format == CheckFormat::Text;
    let settings = settings(args);
    let host = HostFacts::collect();
    if text {
        writeln!(out, "{}", format::header(&host))?;
    }
    let mut progress = Progress::new(checks.len());
    let mut written: io::Result<()> = Ok(());
    let start = Instant::now();
    let findings = runner::run(checks, &settings, |event| match event {
        Event::Started(check) => progress.started(check),
        Event::Finished(check, finding) => {
            progress.finished();
            if text && written.is_ok() {
                written =
                    writeln!(out, "{}", format::line(check, finding)).and_then(|()| out.flush());
            }
        }
    });
    progress.clear();
    written?;
    let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let code = runner::exit_code(&findings, args.strict_env);
    write_report(
        args,
        Report::new(host, Terms::of(&settings, ms), findings),
        out,
    )?;
    Ok(ExitCode::from(code))
}

fn write_report(args: &CheckArgs, report: Report, out: &mut dyn Write) -> anyhow::Result<()> {
    match args.format {
        CheckFormat::Text => out.write_all(format::summary(&report).as_bytes())?,
        CheckFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)?;
        }
        CheckFormat::Ktap => out.write_all(format::ktap(&report, args.strict_env).as_bytes())?,
    }
    out.flush()?;
    Ok(())
}

/// One line on standard error that is written over and over, where that is a
/// terminal.
struct Progress {
    shown: bool,
    done: usize,
    all: usize,
}

impl Progress {
    fn new(all: usize) -> Self {
        Self {
            shown: io::stderr().is_terminal(),
            done: 0,
            all,
        }
    }

    fn started(&self, check: &Check) {
        if self.shown {
            eprint!("\r\x1b[K[{}/{}] {}", self.done, self.all, check.id);
        }
    }

    fn finished(&mut self) {
        self.done += 1;
        self.clear();
    }

    fn clear(&self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}
