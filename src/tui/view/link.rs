//! The two ends of a null modem, what lies between, and why nothing moves.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use crate::pty::Mode;
use crate::sample::{
    Cause, EndView, EventKind, FlowEnd, Histogram, LinkEvent, LinkView, StallsOfCause, WayView,
};
use crate::words::counted;
use crate::workload::units;

use super::super::state::App;
use super::super::theme::Ink;
use super::text::{Pieces, time, wrapped};
use super::{bars, distribution};

/// Columns of a name.
const NAME: usize = 8;

/// Draws the first link; the others in a line each below.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let data = app.shown();
    let Some(now) = data.latest.as_ref().and_then(|sample| sample.link.as_ref()) else {
        return;
    };
    let Some(link) = now.links.first() else {
        return;
    };
    let sum = data.epoch.link.as_ref().and_then(|sum| sum.links.first());
    let seconds = data.epoch.seconds;
    let mut lines = Vec::new();
    for (name, end) in ["A", "B"].iter().zip(&link.ends) {
        lines.push(end_line(name, end));
    }
    for (at, name) in ["A to B", "B to A"].iter().enumerate() {
        let sum = sum.map_or(&link.ways[at], |sum| &sum.ways[at]);
        lines.push(way_line(name, &link.ways[at], sum, seconds));
    }
    lines.extend(lost_lines(link, area.width));
    lines.extend(silence_lines(link, area.width));
    // Flushes and stalls are told whatever the line was since: they are what
    // it was changed for.
    let whole = data.link.link.as_ref().and_then(|sum| sum.links.first());
    let total = whole.unwrap_or(link);
    lines.extend(event_lines(total));
    lines.extend(stall_lines(total, area.width));
    let others = now.links.iter().enumerate().skip(1);
    lines.extend(others.map(|(number, link)| other_line(number, link)));
    let height = (lines.len() as u16).min(area.height);
    let [text, rest] =
        Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(area);
    for (row, line) in text.rows().zip(lines) {
        line.draw(app, row, buffer);
    }
    below(app, total, rest, buffer);
}

/// The turnarounds on the left, the last events on the right.
fn below(app: &App, total: &LinkView, area: Rect, buffer: &mut Buffer) {
    if area.height < 3 {
        return;
    }
    let [_, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let [left, _, right] = Layout::horizontal([
        Constraint::Fill(1),
        Constraint::Length(2),
        Constraint::Fill(1),
    ])
    .areas(area);
    let mut turnaround = Histogram::empty(crate::sample::Kind::Time);
    for way in &total.ways {
        if let Some(times) = &way.turnaround {
            turnaround.add(times);
        }
    }
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(left);
    Pieces::default()
        .add("turnaround: last byte to first back", Ink::Flow)
        .draw(app, head, buffer);
    let rows = distribution::time_bars(&turnaround, body.height);
    bars::draw(app, &rows, Ink::Flow, body, buffer);

    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(right);
    Pieces::default()
        .add("last events", Ink::Strong)
        .draw(app, head, buffer);
    for (row, event) in body.rows().zip(total.log.iter().rev()) {
        log_line(event).draw(app, row, buffer);
    }
}

fn named(name: &str) -> Pieces {
    Pieces::default().add(format!("{name:NAME$} "), Ink::Label)
}

fn end_line(name: &str, end: &EndView) -> Pieces {
    let mut line = named(name).add(end.label(), Ink::Strong);
    if end.name.is_some() {
        line = line.add(format!(" {}", end.slave.display()), Ink::Label);
    }
    line = match &end.clients {
        Some(clients) if !clients.is_empty() => {
            let names = clients.iter().map(|c| format!("{} {}", c.program, c.pid));
            let names = names.collect::<Vec<_>>().join(", ");
            line.add(format!("  {names}"), Ink::Text)
        }
        _ if end.attached => line.add("  attached", Ink::Text),
        _ => line.add("  nobody attached", Ink::Warning),
    };
    if let Some(baud) = end.baud {
        line = line.add(format!("  {baud} baud"), Ink::Label);
    }
    if end.stopped {
        line = line.add("  stopped by ^S", Ink::Warning);
    }
    match end.mode {
        Some(mode) if mode != Mode::RAW => {
            line.add(format!("  termios is not raw: {mode}"), Ink::Warning)
        }
        _ => line,
    }
}

fn way_line(name: &str, now: &WayView, sum: &WayView, seconds: f64) -> Pieces {
    let rate = if seconds > 0.0 {
        sum.passed as f64 / seconds
    } else {
        0.0
    };
    let at = |times: &Option<Histogram>, q| {
        time(
            times
                .as_ref()
                .and_then(|times| times.quantile(q))
                .map(|ns| ns as f64),
        )
    };
    let mut line = named(name)
        .add(format!("{:>9}", units::rate(rate)), Ink::Flow)
        .add("  in the relay ", Ink::Label)
        .add(
            format!("{} {}", at(&sum.in_relay, 0.5), at(&sum.in_relay, 0.99)),
            Ink::Text,
        )
        .add("  answered in ", Ink::Label)
        .add(
            format!("{} {}", at(&sum.turnaround, 0.5), at(&sum.turnaround, 0.99)),
            Ink::Text,
        );
    if sum.most_queued > 0 {
        let text = format!("  held {} of at most {}", now.queued, sum.most_queued);
        line = line.add(text, Ink::Text);
    }
    let faults = sum.faults;
    for (count, what) in [
        (faults.dropped, "dropped"),
        (faults.flipped, "flipped"),
        (faults.duplicated, "doubled"),
        (faults.unattached, "for nobody"),
    ] {
        if count > 0 {
            line = line.add(format!("  {count} {what}"), Ink::Warning);
        }
    }
    line
}

/// A named text over as many lines as it takes.
fn paragraph(name: &str, text: &str, ink: Ink, width: u16) -> Vec<Pieces> {
    let room = usize::from(width).saturating_sub(NAME + 1);
    let lines = wrapped(text, room).into_iter().enumerate();
    lines
        .map(|(number, text)| named(if number == 0 { name } else { "" }).add(text, ink))
        .collect()
}

fn lost_lines(link: &LinkView, width: u16) -> Vec<Pieces> {
    let line = |(end, view): (&str, &EndView)| {
        let loss = view.name_lost.as_ref()?;
        let text = format!("{end}'s name {} {}", view.label(), loss.text());
        Some(paragraph("names", &text, Ink::Alarm, width))
    };
    let ends = ["A", "B"].into_iter().zip(&link.ends);
    ends.filter_map(line).flatten().collect()
}

fn silence_lines(link: &LinkView, width: u16) -> Vec<Pieces> {
    let Some(silence) = link.silence else {
        return Vec::new();
    };
    let mut text = format!("nothing moves for {}", units::time(silence.for_ns as f64));
    if let Some(cause) = silence.cause {
        text.push_str(&format!(": {}", because(cause, link)));
    }
    paragraph("now", &text, Ink::Warning, width)
}

fn because(cause: Cause, link: &LinkView) -> String {
    cause.text(|end| link.ends[usize::from(end == FlowEnd::B)].label())
}

fn event_lines(link: &LinkView) -> Option<Pieces> {
    let mut line = named("clients");
    let mut any = false;
    for (name, end) in ["A", "B"].iter().zip(&link.ends) {
        for (kind, count) in end.events.iter() {
            // That is no client's doing, and said where the name is.
            if kind == EventKind::NameLost {
                continue;
            }
            any = true;
            line = line
                .add(format!("{name} {kind} "), Ink::Label)
                .add(format!("{count}  "), Ink::Text);
        }
    }
    any.then_some(line)
}

fn stall_lines(link: &LinkView, width: u16) -> Vec<Pieces> {
    let line = |of: &StallsOfCause| {
        let why = of.cause.map_or("no cause shows here".to_owned(), |cause| {
            because(cause, link)
        });
        let text = format!("{}, {}, {why}", of.count, units::time(of.for_ns as f64));
        let mut lines = paragraph("stalls", &text, Ink::Warning, width);
        let remedy = match of.cause {
            Some(Cause::DiscardedInput(_)) => {
                Some("key p: a pause before each message lets the client finish its flush")
            }
            Some(Cause::FlushedInput(_)) => Some(
                "key p: if bytes were lost, a pause before each message lets the client finish its flush",
            ),
            _ => None,
        };
        if let Some(remedy) = remedy {
            lines.extend(paragraph("", remedy, Ink::Mark, width));
        }
        lines
    };
    link.stalled.by_cause().iter().flat_map(line).collect()
}

fn log_line(event: &LinkEvent) -> Pieces {
    let text = format!(
        "{:>9.3} {} {}",
        event.at_ns as f64 / 1e9,
        event.end,
        event.kind
    );
    let line = Pieces::default().add(text, Ink::Text);
    match (event.discarded, event.unanswered) {
        (Some(bytes), _) => line.add(
            format!("  {} thrown away", counted(bytes, "byte")),
            Ink::Warning,
        ),
        (None, 0) => line,
        (None, bytes) => line.add(
            format!("  {} unanswered", counted(bytes, "byte")),
            Ink::Label,
        ),
    }
}

fn other_line(number: usize, link: &LinkView) -> Pieces {
    let attached = link.ends.iter().filter(|end| end.attached).count();
    let passed: u64 = link.ways.iter().map(|way| way.passed).sum();
    let text = format!(
        "{} and {}  {attached} attached  {}",
        link.ends[0].label(),
        link.ends[1].label(),
        units::size(passed as f64)
    );
    named(&number.to_string()).add(text, Ink::Text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::host::HostFacts;
    use crate::link::{NullModem, Setup};
    use crate::sample::{NameLoss, Silence, Stall};
    use crate::tui::{Facts, Theme};
    use crate::workload::Line;

    /// The screen of a link whose receiver has flushed a block away.
    fn screen(width: u16, height: u16) -> String {
        let setup = Setup {
            links: 2,
            stall: Duration::from_secs(1),
            ..Setup::default()
        };
        let mut sample = NullModem::start(setup).unwrap().sample();
        let cause = Some(Cause::DiscardedInput(FlowEnd::B));
        if let Some(link) = sample.link.as_mut().map(|link| &mut link.links[0]) {
            link.ends[0].name = Some("/tmp/ttyS0".into());
            link.ends[1].name = Some("/tmp/ttyS1".into());
            link.ends[1].name_lost = Some(NameLoss::Taken("/dev/pts/7".to_owned()));
            link.ends[0].attached = true;
            link.ends[1].mode = Some(Mode::COOKED);
            link.ends[1].events.record(EventKind::FlushRead);
            link.silence = Some(Silence {
                for_ns: 2_300_000_000,
                cause,
            });
            link.stalled.record(&Stall {
                start_ns: 0,
                for_ns: 6_000_000_000,
                cause,
            });
            link.log.push(LinkEvent {
                at_ns: 1_500_000_000,
                end: FlowEnd::B,
                kind: EventKind::FlushRead,
                unanswered: 133,
                discarded: Some(133),
            });
        }
        let facts = Facts {
            host: Arc::new(HostFacts::collect()),
            clock_ns: 30.0,
            no_kmallocs: None,
        };
        let mut app = App::of_link(facts, Line::default(), Theme::Mono, true);
        app.data.push(Arc::new(sample));
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        draw(&app, area, &mut buffer);
        let row = |row: Rect| {
            row.columns()
                .map(|at| buffer[(at.x, at.y)].symbol())
                .collect()
        };
        area.rows().map(row).collect::<Vec<String>>().join("\n")
    }

    #[test]
    fn it_says_who_is_there_and_why_nothing_moves() {
        let text = screen(120, 24);
        for words in [
            "A        /tmp/ttyS0 /dev/pts/",
            "  attached  38400 baud",
            "  nobody attached",
            "names    B's name /tmp/ttyS1 was taken over: it leads to /dev/pts/7",
            "termios is not raw: cooked",
            "now      nothing moves for 2.30 s: after /tmp/ttyS1's client flushed its input",
            "clients  B FLUSHREAD 1",
            "stalls   1, 6.00 s, after /tmp/ttyS1's client flushed its input",
            "key p: a pause before each message",
            "    1.500 B FLUSHREAD  133 bytes thrown away",
            "1        /dev/pts/",
        ] {
            assert!(text.contains(words), "{words:?} in\n{text}");
        }
    }

    #[test]
    fn the_cause_is_told_whole_in_80_columns() {
        let text = screen(80, 24);
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("what it had not read was thrown away"));
    }

    #[test]
    fn it_bears_any_size() {
        for (width, height) in [(1, 1), (20, 3), (40, 5), (200, 60)] {
            screen(width, height);
        }
    }
}
