//! Where the results go: one kernel's as the command itself would show it,
//! several as a matrix.

use std::path::PathBuf;

use crate::check::checkup::Checkup;
use crate::check::{find, format};
use crate::cli::{Command, GroundName, OutputArgs};
use crate::report::{Came, Format, Matrix, MatrixRow, Outcome, Report, Theme, Trouble};

use super::super::output::{pass_on, print, say, unless_closed};
use super::super::sinks::Sinks;
use super::super::{Usage, baseline, bench};
use super::came::Subject;

/// Where the results are to go.
pub struct Shown<'a> {
    command: &'a Command,
    /// What the command's own options name.
    own: Sinks,
    /// The files of `--matrix`.
    files: Option<Sinks>,
    is_matrix: bool,
    /// The baseline that `bench` is compared with.
    base: Option<(&'a str, Report)>,
}

impl<'a> Shown<'a> {
    /// Opens what the options name: the files of `--matrix`, and those of the
    /// command, which get the matrix if there is more than one kernel.
    ///
    /// # Errors
    /// When one cannot be written, or not in that format.
    pub fn open(command: &'a Command, matrix: &[PathBuf], is_matrix: bool) -> anyhow::Result<Self> {
        let own = Own::of(command);
        let tabled = if is_matrix { own.files } else { &[] };
        if (is_matrix && !can_be_matrix(own.format))
            || matrix
                .iter()
                .chain(tabled)
                .filter_map(|path| Format::of(path))
                .any(|format| !can_be_matrix(format))
        {
            let text = "a matrix is written as text, Markdown, JSON or SVG";
            return Err(Usage(text.to_owned()).into());
        }
        let base = match command {
            Command::Bench(args) if !is_matrix => match &args.baseline.against {
                Some(name) => Some((name.as_str(), baseline::load(name)?)),
                None => None,
            },
            _ => None,
        };
        let pictures = (is_matrix || matches!(command, Command::Sweep(_))).then_some(own.theme);
        let is_live = !is_matrix && own.format == Format::Text && own.is_check;
        let quiet = own.quiet || is_live;
        Ok(Self {
            command,
            own: Sinks::all(own.format, own.files, quiet, pictures)?,
            files: (!matrix.is_empty())
                .then(|| Sinks::all(Format::Text, matrix, true, Some(own.theme)))
                .transpose()?,
            is_matrix,
            base,
        })
    }

    /// Shows everything; the exit code.
    ///
    /// # Errors
    /// When something cannot be written.
    pub fn show(self, subjects: Vec<Subject>) -> anyhow::Result<u8> {
        let code = subjects.iter().map(|subject| subject.code).fold(0, worse);
        for subject in &subjects {
            pass_on(&String::from_utf8_lossy(&subject.stderr));
            if let Came::Trouble(trouble) = &subject.came {
                say_trouble(&subject.name, trouble, !self.is_matrix);
            }
        }
        let rows: Vec<_> = subjects
            .into_iter()
            .map(|subject| MatrixRow {
                kernel: subject.name,
                came: subject.came,
            })
            .collect();
        let matrix = Matrix::new(super::super::command_line(), rows);
        if let Some(files) = self.files {
            files.write(&matrix)?;
        }
        if self.is_matrix {
            self.own.write(&matrix)?;
            return Ok(code);
        }
        let row = matrix.rows.into_iter().next();
        match row.map(|row| row.came) {
            Some(Came::Report(report)) => {
                let compared = show_report(self.command, self.own, self.base, &report)?;
                Ok(worse(code, compared))
            }
            Some(Came::Trouble(_)) | None => Ok(code),
        }
    }
}

/// What the options of a command say of its report.
struct Own<'a> {
    files: &'a [PathBuf],
    quiet: bool,
    format: Format,
    theme: Theme,
    is_check: bool,
}

impl<'a> Own<'a> {
    fn of(command: &'a Command) -> Self {
        let common = |output: &'a OutputArgs| Self {
            files: &output.files,
            quiet: output.quiet,
            format: output.format(),
            theme: Theme::Viewer,
            is_check: false,
        };
        match command {
            Command::Check(args) => Self {
                files: &args.files,
                quiet: args.quiet,
                format: args.format(),
                theme: Theme::Viewer,
                is_check: true,
            },
            Command::Bench(args) => common(&args.output),
            Command::Capacity(args) => common(&args.output),
            Command::Sweep(args) => Self {
                theme: match args.theme {
                    None => Theme::Viewer,
                    Some(GroundName::Light) => Theme::Light,
                    Some(GroundName::Dark) => Theme::Dark,
                },
                ..common(&args.output)
            },
            Command::Xmodem(args) => common(&args.output),
            _ => Self {
                files: &[],
                quiet: false,
                format: Format::Text,
                theme: Theme::Viewer,
                is_check: false,
            },
        }
    }
}

fn can_be_matrix(format: Format) -> bool {
    !matches!(format, Format::Csv | Format::Ktap)
}

/// Which of two exit codes stands for both: a failure, then a timeout, then
/// what is larger.
fn worse(a: u8, b: u8) -> u8 {
    let rank = |code| match code {
        0 => 0,
        1 => 3,
        124 => 2,
        _ => 1,
    };
    if (rank(a), a) >= (rank(b), b) { a } else { b }
}

fn say_trouble(name: &str, trouble: &Trouble, with_console: bool) {
    say(format!("{name}: {}", trouble.text));
    if with_console && !trouble.console.is_empty() {
        say("the last lines of its console:");
        for line in &trouble.console {
            pass_on(&format!("  {line}\n"));
        }
    }
}

/// Writes a report as the command itself would, and does with it what the
/// command would do; the exit code of a comparison.
fn show_report(
    command: &Command,
    own: Sinks,
    base: Option<(&str, Report)>,
    report: &Report,
) -> anyhow::Result<u8> {
    if let (Command::Check(args), Outcome::Check(checkup)) = (command, &report.result)
        && args.format() == Format::Text
        && !args.quiet
    {
        unless_closed(print(&check_text(report, checkup)))?;
    }
    let shows_text = own.shows_text();
    own.write(report)?;
    let Command::Bench(args) = command else {
        return Ok(0);
    };
    let code = match &base {
        Some((name, base)) => bench::against(name, base, report, &args.baseline.gate, shows_text)?,
        None => 0,
    };
    if let Some(name) = &args.baseline.save {
        baseline::save(baseline::place(name)?, report)?;
    }
    Ok(code)
}

fn check_text(report: &Report, checkup: &Checkup) -> String {
    let mut text = format::header(&report.host) + "\n";
    for finding in checkup.findings() {
        if let Some(check) = find(&finding.id) {
            text.push_str(&format::line(check, finding));
            text.push('\n');
        }
    }
    text + &format::summary(checkup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_code_stands_for_all() {
        let fold = |codes: &[u8]| codes.iter().copied().fold(0, worse);
        assert_eq!(fold(&[]), 0);
        assert_eq!(fold(&[0, 4, 0]), 4);
        assert_eq!(fold(&[3, 4]), 4);
        assert_eq!(fold(&[124, 3]), 124);
        assert_eq!(fold(&[124, 1, 3]), 1);
    }
}
