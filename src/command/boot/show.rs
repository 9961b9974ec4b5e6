//! Showing what came back from one guest as the command itself would have.

use std::io::{self, Write};

use anyhow::Context;

use crate::boot::{Answer, Booted, Fate, Kernel};
use crate::check::{find, format};
use crate::cli::{Command, ThemeName};
use crate::report::{Format, Outcome, Report, Theme, XmodemReport};

use super::super::output::say;
use super::super::sinks::Sinks;

/// Where the report is to go.
pub struct Shown {
    sinks: Option<Sinks>,
}

impl Shown {
    /// Opens what the command's own options name.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn open(command: &Command) -> anyhow::Result<Self> {
        let sinks = match command {
            Command::Check(args) => {
                // The lines of the checks are written as if they ran here.
                let live = args.format() == Format::Text;
                Some(Sinks::at(args.format(), &args.files, args.quiet || live)?)
            }
            Command::Bench(args) => Some(Sinks::open(&args.output)?),
            Command::Capacity(args) => Some(Sinks::open(&args.output)?),
            Command::Sweep(args) => {
                let theme = match args.theme {
                    None => Theme::Viewer,
                    Some(ThemeName::Light) => Theme::Light,
                    Some(ThemeName::Dark) => Theme::Dark,
                };
                Some(Sinks::with_pictures(&args.output, theme)?)
            }
            _ => None,
        };
        Ok(Self { sinks })
    }

    /// Shows what came of a boot; the exit code.
    ///
    /// # Errors
    /// When the report cannot be read or written.
    pub fn show(self, kernel: &Kernel, booted: Booted, command: &Command) -> anyhow::Result<u8> {
        let code = booted.fate.exit_code();
        if let Some(text) = booted.fate.explain() {
            say(format!("{}: {text}", kernel.name()));
        }
        if booted.fate.is_of_the_kernel() && !booted.console.is_empty() {
            say("the last lines of its console:");
            let mut err = io::stderr().lock();
            for line in &booted.console {
                let _ = writeln!(err, "  {line}");
            }
        }
        let Fate::Ran(answer) = booted.fate else {
            return Ok(code);
        };
        let _ = io::stderr().write_all(&answer.stderr);
        if answer.stdout.is_empty() {
            return Ok(code);
        }
        match self.sinks {
            Some(sinks) => {
                let report = report(&answer)?;
                if let (Command::Check(args), Outcome::Check(checkup)) = (command, &report.result)
                    && args.format() == Format::Text
                    && !args.quiet
                {
                    print(&check_text(&report, checkup))?;
                }
                sinks.write(&report)?;
            }
            None => print(&xmodem(&answer, command)?)?,
        }
        Ok(code)
    }
}

/// The report that the command made in the guest.
///
/// # Errors
/// When it made none.
pub fn report(answer: &Answer) -> anyhow::Result<Report> {
    let mut report = Report::parse(&answer.stdout).context("the report from the guest")?;
    report.command = super::super::command_line();
    Ok(report)
}

fn check_text(report: &Report, checkup: &crate::check::checkup::Checkup) -> String {
    let mut text = format::header(&report.host) + "\n";
    for finding in checkup.findings() {
        if let Some(check) = find(&finding.id) {
            text.push_str(&format::line(check, finding));
            text.push('\n');
        }
    }
    text + &format::summary(checkup)
}

fn xmodem(answer: &Answer, command: &Command) -> anyhow::Result<String> {
    if matches!(command, Command::Xmodem(args) if args.json) {
        return Ok(String::from_utf8_lossy(&answer.stdout).into_owned());
    }
    let report: XmodemReport =
        serde_json::from_slice(&answer.stdout).context("the report from the guest")?;
    Ok(report.text())
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
