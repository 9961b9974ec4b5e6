//! All keys, and how each number is got.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::super::action::GROUPS;
use super::super::state::App;
use super::super::theme::{Ink, Theme};
use super::text::{Pieces, fill};

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
        "gaps",
        "a sample in which a setting changed is drawn as a gap and enters no statistic.",
    ),
    (
        "difference",
        "Hodges-Lehmann shift of the logarithms of batch means, with the rank-sum test's 95 % interval. The two stretches were not interleaved: drift of the machine is in it. The visits of v are interleaved, with a point against itself as the control.",
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
        "user, system, waiting",
        "getrusage(RUSAGE_THREAD) of each end's thread; waiting is wall time less both. The split between user and system is sampled by the kernel's tick.",
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
];

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
    buffer.set_stringn(
        title.x,
        title.y,
        " ptyscope  help",
        usize::from(title.width),
        style,
    );
    let lines = lines(app.theme, area.width);
    let from = usize::from(scroll).min(lines.len().saturating_sub(1));
    for (row, line) in body.rows().zip(&lines[from..]) {
        buffer.set_line(row.x, row.y, line, row.width);
    }
    let more = lines.len().saturating_sub(from + usize::from(body.height));
    let text = format!(" arrows and PgUp PgDn scroll, ? closes   {more} lines below");
    buffer.set_stringn(foot.x, foot.y, text, usize::from(foot.width), style);
}

/// How many lines the help has at a width: as far as it can be scrolled.
pub fn line_count(width: u16) -> u16 {
    lines(Theme::Mono, width).len() as u16
}

fn lines(theme: Theme, width: u16) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (heading, bindings) in GROUPS {
        lines.push(Pieces::default().add(*heading, Ink::Strong).line(theme));
        for binding in *bindings {
            let line = Pieces::default()
                .add(format!("  {:<10} ", binding.shown), Ink::Writer)
                .add(binding.help, Ink::Text);
            lines.push(line.line(theme));
        }
    }
    lines.push(Line::default());
    lines.push(
        Pieces::default()
            .add("how the numbers are got", Ink::Strong)
            .line(theme),
    );
    for (name, text) in NUMBERS {
        lines.push(
            Pieces::default()
                .add(format!("  {name}"), Ink::Writer)
                .line(theme),
        );
        for line in wrapped(text, usize::from(width).saturating_sub(5)) {
            lines.push(
                Pieces::default()
                    .add(format!("    {line}"), Ink::Text)
                    .line(theme),
            );
        }
    }
    lines
}

/// `text` in lines of at most `width` columns, broken at spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().filter(|line| {
            line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width
        });
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
