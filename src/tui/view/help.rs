//! All keys, and how each number is got.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use crate::words::counted;
use crate::workload::Preset;

use super::super::action::{Action, Binding};
use super::super::state::App;
use super::super::theme::{Ink, Theme};
use super::fit::{put, put_line};
use super::text::{Pieces, fill, wrapped};

/// How the numbers are got, a paragraph each.
const NUMBERS: &[(&str, &str)] = &[
    (
        "throughput",
        "bytes that read(2) gave, per second of CLOCK_MONOTONIC.",
    ),
    (
        "call time",
        "wall time of one write(2) or read(2): one clock reading a call, so the little work between calls (below 0.1 us) is in it; above 4 KiB a second reading takes it out. Quantiles are bucket bounds, at most 1.6 % too high.",
    ),
    (
        "round trip",
        "of direction echo: from before the master's write to after the read that completes the answer.",
    ),
    (
        "bytes a call",
        "asked of each write, and the mean that writes took and reads gave.",
    ),
    (
        "gaps",
        "a sample in which a setting changed is drawn as a gap and enters no statistic.",
    ),
    (
        "difference",
        "Hodges-Lehmann shift of the logarithms of batch means, with the rank-sum test's 95 % interval. The two stretches were not interleaved: drift of the machine is in it. The visits of v are interleaved, with a point against itself as the control.",
    ),
    (
        "curve",
        "medians and quartiles of a tenth of a second each, the latest 256 of a chunk, as long as no other setting changes. The axis is logarithmic, but near neighbours are moved apart. Dotted lines: boundaries, each with the last chunk before it.",
    ),
    (
        "distribution",
        "all calls since the last change. A read of 4095 bytes found the reader's queue full.",
    ),
    (
        "in flight",
        "bytes written less bytes read, corrected for what the line discipline adds or drops. A write that has not returned counts only once it has.",
    ),
    (
        "expected",
        "the capacity of a fresh pty by a model of tty_buffer.c for this kernel's era.",
    ),
    (
        "FIONREAD",
        "what the reader's line discipline holds, at most 4095; what waits in flip buffers is not in it.",
    ),
    (
        "blocked",
        "the call that an end sits in when the sample is taken, once it has lasted a while.",
    ),
    (
        "spread",
        "bytes of the fastest pty over those of the slowest, of several.",
    ),
    (
        "user, sys, wait",
        "getrusage(RUSAGE_THREAD) of each end's thread; wait is wall time less both. The split between user and system time is sampled by the kernel's tick. Switches: voluntary ones, and those forced by the scheduler.",
    ),
    (
        "kworkers",
        "CPU time of the kernel's unbound workers, which run flush_to_ldisc; other work of theirs is in it.",
    ),
    (
        "kmalloc",
        "tracepoint kmem:kmalloc of the writer's thread; all its calls, whatever for.",
    ),
    (
        "verified",
        "each byte is compared with what was sent at its place; lost, doubled and changed bytes are told apart.",
    ),
    (
        "own weight",
        "bytes a second written to this terminal, CPU time of the screen and the sampling, and what one reading of the clock costs.",
    ),
];

/// The same of a link.
const LINK_NUMBERS: &[(&str, &str)] = &[
    (
        "in the relay",
        "from the return of the poll(2) that found bytes readable at one master to the return of the write(2) that put them into the other, counted for each byte.",
    ),
    (
        "answered after",
        "from the last byte passed on one way to the first byte that comes back: the client's own time, and one pty crossing each way.",
    ),
    (
        "FLUSHREAD, STOP, ...",
        "what packet mode (TIOCPKT) tells of each client; several at once are told as one. Bytes thrown away at a flush: none of them had been read. Bytes unanswered: they were passed on, and whether the client had read them is not known.",
    ),
    (
        "stall",
        "nothing moved either way for as long as --stall says, and then something did. Its cause is what had happened just before, or held for most of it.",
    ),
    (
        "attached",
        "the master's POLLHUP; the programs by /proc/PID/fd, once a second, those of other users only for root.",
    ),
    (
        "held",
        "bytes that the relay has taken and not passed on; what waits in the ptys is not in it.",
    ),
];

fn numbers(app: &App) -> &'static [(&'static str, &'static str)] {
    match app.line {
        Some(_) => LINK_NUMBERS,
        None => NUMBERS,
    }
}

/// Draws the help from line `scroll` on.
pub fn draw(app: &App, scroll: u16, area: Rect, buffer: &mut Buffer) {
    let [title, body, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(area);
    for bar in [title, foot] {
        fill(bar, app.theme.style(Ink::Bar), buffer);
    }
    let style = app.theme.style(Ink::Bar);
    let mut bar = |bar: Rect, text: &str| {
        put(app, (bar.x, bar.y), text, bar.width.into(), style, buffer);
    };
    bar(title, " ptyscope  help");
    let columns = columns(body);
    let last = help_end(app, area);
    let from = usize::from(scroll.min(last));
    let more = counted(usize::from(last) - from, "line");
    bar(
        foot,
        &format!(" ? closes, arrows and PgUp PgDn scroll: {more} below"),
    );
    for (column, lines) in columns.iter().zip(columned(app, app.theme, &columns)) {
        for (row, line) in column.rows().zip(lines.iter().skip(from)) {
            put_line(app, line, row, buffer);
        }
    }
}

/// From which width on keys and numbers stand beside each other.
const WIDE: u16 = 120;

fn columns(body: Rect) -> Vec<Rect> {
    if body.width < WIDE {
        return vec![body];
    }
    let [left, right] = Layout::horizontal([Constraint::Fill(1); 2])
        .spacing(2)
        .areas(body);
    vec![left, right]
}

/// The lines of each column.
fn columned(app: &App, theme: Theme, columns: &[Rect]) -> Vec<Vec<Line<'static>>> {
    match columns {
        [left, right] => vec![
            key_lines(app, theme, left.width),
            number_lines(app, theme, right.width),
        ],
        _ => {
            let width = columns.first().map_or(0, |column| column.width);
            let mut lines = key_lines(app, theme, width);
            lines.push(Line::default());
            lines.extend(number_lines(app, theme, width));
            vec![lines]
        }
    }
}

/// How far the help can be scrolled on a screen.
pub fn help_end(app: &App, area: Rect) -> u16 {
    let lines = columned(app, Theme::Mono, &columns(area));
    let most = lines.iter().map(Vec::len).max().unwrap_or(0);
    (most as u16).saturating_sub(area.height.saturating_sub(2))
}

fn key_lines(app: &App, theme: Theme, width: u16) -> Vec<Line<'static>> {
    const KEYS: usize = 10;
    let mut lines = Vec::new();
    for (heading, bindings) in app.groups() {
        if !heading.is_empty() {
            lines.push(Pieces::default().add(*heading, Ink::Strong).line(theme));
        }
        for binding in *bindings {
            let room = usize::from(width).saturating_sub(KEYS + 3);
            for (number, text) in wrapped(&what(binding), room).into_iter().enumerate() {
                let keys = if number == 0 { binding.shown } else { "" };
                let line = Pieces::default()
                    .add(format!("  {keys:<KEYS$} "), Ink::Writer)
                    .add(text, Ink::Text);
                lines.push(line.line(theme));
            }
        }
    }
    lines
}

fn what(binding: &Binding) -> String {
    let preset = match binding.action {
        Action::Preset(number) => Preset::ALL.get(number),
        _ => None,
    };
    preset.map_or_else(
        || binding.help.to_owned(),
        |preset| format!("{}: {}", binding.help, preset.summary),
    )
}

fn number_lines(app: &App, theme: Theme, width: u16) -> Vec<Line<'static>> {
    let heading = "how the numbers are got";
    let mut lines = vec![Pieces::default().add(heading, Ink::Strong).line(theme)];
    for (name, text) in numbers(app) {
        let name = Pieces::default().add(format!("  {name}"), Ink::Writer);
        lines.push(name.line(theme));
        for text in wrapped(text, usize::from(width).saturating_sub(4)) {
            let text = Pieces::default().add(format!("    {text}"), Ink::Text);
            lines.push(text.line(theme));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::super::bindings::GROUPS;
    use super::*;

    #[test]
    fn the_presets_keys_name_them() {
        for (_, bindings) in GROUPS {
            for binding in *bindings {
                if let Action::Preset(number) = binding.action {
                    let name = Preset::ALL[number].name;
                    assert_eq!(binding.help, format!("preset {name}"));
                }
            }
        }
    }
}
