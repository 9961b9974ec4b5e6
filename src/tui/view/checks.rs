//! The checks: how far they are, a line for each, and the explanation of one.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use crate::check::runner::Finding;
use crate::check::{Check, Class, find, format};
use crate::words::counted;

use super::super::state::{App, Checks, Phase};
use super::super::theme::{Ink, Theme};
use super::fit::put_line;
use super::text::{Pieces, fill, wrapped};

/// Columns of the names in an explanation.
const NAMES: usize = 10;

/// Draws the list, or the explanation while it is open.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let checks = &app.checks;
    let [progress, counts, body] = split(area);
    progress_line(checks).draw(app, progress, buffer);
    match checks.open {
        Some(scroll) => {
            let lines = explanation(checks, app.theme, area.width);
            let end = explanation_end(app, area);
            let more = counted(end.saturating_sub(scroll), "line");
            Pieces::default()
                .add(
                    format!("Esc closes, arrows and PgUp PgDn scroll: {more} below"),
                    Ink::Label,
                )
                .draw(app, counts, buffer);
            for (row, line) in body.rows().zip(lines.iter().skip(scroll.min(end).into())) {
                put_line(app, line, row, buffer);
            }
        }
        None => {
            counts_line(checks).draw(app, counts, buffer);
            list(app, body, buffer);
        }
    }
}

/// How far the explanation can be scrolled in the area of the view.
pub fn explanation_end(app: &App, area: Rect) -> u16 {
    let [.., body] = split(area);
    let lines = explanation(&app.checks, Theme::Mono, area.width).len();
    u16::try_from(lines.saturating_sub(body.height.into())).unwrap_or(u16::MAX)
}

fn split(area: Rect) -> [Rect; 3] {
    Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(0),
    ])
    .areas(area)
}

fn progress_line(checks: &Checks) -> Pieces {
    let ended = checks.findings.len();
    let line = Pieces::default();
    match checks.phase {
        Phase::Idle => line
            .add("k", Ink::Strong)
            .add(" checks this kernel's ptys", Ink::Text)
            .add("; the workload is held meanwhile", Ink::Label),
        Phase::Running => line
            .add(format!("{ended} of {}", checks.planned), Ink::Strong)
            .add("; the workload is held, k stops  ", Ink::Label)
            .add(checks.under_way.join(", "), Ink::Text),
        Phase::Halting => line
            .add(format!("{ended} of {}", checks.planned), Ink::Strong)
            .add("  stopping the checks", Ink::Warning),
        Phase::Over(after) => {
            let line = line
                .add(format!("{ended} of {}", checks.planned), Ink::Strong)
                .add(format!(" in {:.1} s", after.as_secs_f64()), Ink::Text);
            if ended < checks.planned {
                line.add(", then stopped", Ink::Warning)
            } else {
                line
            }
            .add("; Enter explains, k checks again", Ink::Label)
        }
    }
}

fn counts_line(checks: &Checks) -> Pieces {
    let counts = checks.counts();
    let present = Class::ALL.into_iter().filter(|&c| counts.get(c) > 0);
    present.fold(Pieces::default(), |line, class| {
        let text = format!("{} {}", counts.get(class), class.name());
        line.add(text, ink(class)).add("  ", Ink::Text)
    })
}

fn ink(class: Class) -> Ink {
    match class {
        Class::Pass => Ink::Flow,
        Class::Fail | Class::Hang => Ink::Alarm,
        Class::Known => Ink::Reader,
        Class::Env => Ink::Warning,
        Class::Skip => Ink::Label,
    }
}

/// The findings around the selected one.
fn list(app: &App, area: Rect, buffer: &mut Buffer) {
    let checks = &app.checks;
    let (at, height) = (checks.at(), usize::from(area.height));
    let last = checks.findings.len().saturating_sub(height);
    let from = at.saturating_sub(height / 2).min(last);
    let shown = checks.findings.iter().enumerate().skip(from);
    for (row, (number, finding)) in area.rows().zip(shown) {
        if number == at {
            fill(row, app.theme.style(Ink::Bar), buffer);
        }
        line(finding, number == at).draw(app, row, buffer);
    }
}

/// One check and how it ended.
fn line(finding: &Finding, is_selected: bool) -> Pieces {
    let class = finding.outcome.class;
    let mut text = find(&finding.id).map_or(String::new(), |check| check.title.to_owned());
    if let Some(got) = &finding.outcome.got {
        text = format!("{text}: {got}");
    }
    Pieces::default()
        .add(if is_selected { ">" } else { " " }, Ink::Strong)
        .add(format!("{:<5}", word(class)), ink(class))
        .add(format!(" {:<18} ", finding.id), Ink::Strong)
        .add(text, Ink::Text)
}

/// The class in a word; what is bad stands out without colours too.
fn word(class: Class) -> String {
    match class {
        Class::Fail | Class::Hang => class.name().to_uppercase(),
        _ => class.name().to_owned(),
    }
}

/// How the selected check ended, and all that it says of itself.
fn explanation(checks: &Checks, theme: Theme, width: u16) -> Vec<Line<'static>> {
    let Some((finding, check)) = checks.selected() else {
        return Vec::new();
    };
    let mut lines = vec![ended(finding).line(theme)];
    for (name, text) in rows(finding, check) {
        let room = usize::from(width).saturating_sub(NAMES);
        for (number, part) in wrapped(&text, room).into_iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            let line = Pieces::default()
                .add(format!("{name:<NAMES$}"), Ink::Label)
                .add(part, Ink::Text);
            lines.push(line.line(theme));
        }
    }
    lines
}

fn ended(finding: &Finding) -> Pieces {
    let class = finding.outcome.class;
    Pieces::default()
        .add(word(class), ink(class))
        .add(format!(" {}", finding.id), Ink::Strong)
        .add(format!("  in {} ms", finding.ms), Ink::Label)
}

/// Names and texts: what came of the check, then what it is.
fn rows(finding: &Finding, check: &Check) -> Vec<(&'static str, String)> {
    let outcome = &finding.outcome;
    let told = [
        ("expected", &outcome.expected),
        ("got", &outcome.got),
        ("known", &outcome.known),
    ];
    let told = told
        .into_iter()
        .filter_map(|(name, text)| Some((name, text.clone()?)));
    let mut rows: Vec<_> = told.collect();
    rows.push(("checks", check.title.to_owned()));
    rows.extend(format::rows(check));
    rows
}
