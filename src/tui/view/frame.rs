//! The lines around the views: title, settings, numbers, message and keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::sample::{Sample, Sum};
use crate::workload::{Direction, Pace, Settings, units};

use super::super::action::bindings;
use super::super::state::{App, Times};
use super::super::theme::Ink;
use super::text::{Pieces, clock, fill, percent};

/// The program, the view, and how things stand.
pub fn title(app: &App, area: Rect, buffer: &mut Buffer) {
    let data = app.shown();
    let bar = app.theme.style(Ink::Bar);
    fill(area, bar, buffer);
    let release = app.facts.host.kernel.release.as_deref().unwrap_or("?");
    let right = format!("Linux {release}  {} ", clock(data.history.now()));
    let left = Line::from_iter([
        Span::styled(" ptyscope ", bar),
        Span::styled(format!(" {} ", app.view.name()), bar),
    ]);
    buffer.set_line(area.x, area.y, &left, area.width);
    let mut x = area.x + left.width() as u16 + 1;
    for (word, ink) in states(app) {
        let style = app.theme.style(ink);
        (x, _) = buffer.set_stringn(
            x,
            area.y,
            word,
            usize::from(area.right().saturating_sub(x)),
            style,
        );
        x += 1;
    }
    let width = right.chars().count() as u16;
    if x + width < area.right() {
        buffer.set_string(area.right() - width, area.y, right, bar);
    }
}

/// Words for what is out of the ordinary.
fn states(app: &App) -> Vec<(&'static str, Ink)> {
    let data = app.shown();
    let mut words = Vec::new();
    let sound = data.latest.as_ref().is_none_or(|s| s.integrity.is_sound());
    if !sound {
        words.push((" BYTES WRONG ", Ink::Alarm));
    }
    if app.ended.is_some() {
        words.push((" ENDED ", Ink::Alarm));
    }
    if app.paused {
        words.push((" HELD ", Ink::Warning));
    }
    if app.frozen.is_some() {
        words.push((" FROZEN ", Ink::Warning));
    }
    if data.curve.walk.as_ref().is_some_and(|walk| walk.going) {
        words.push((" VISITING ", Ink::Mark));
    }
    words
}

/// The settings asked for.
pub fn settings(app: &App, area: Rect, buffer: &mut Buffer) {
    let s = &app.settings;
    let arrow = match (s.direction, app.ascii) {
        (Direction::SlaveToMaster, _) => "slave->master",
        (Direction::MasterToSlave, _) => "master->slave",
        (Direction::Both, _) => "both ways",
        (Direction::Echo, _) => "echo",
    };
    let mut line = Pieces::default()
        .add(format!("{arrow}  "), Ink::Strong)
        .add("chunk ", Ink::Label)
        .add(s.chunk.to_string(), Ink::Strong)
        .add("  read ", Ink::Label)
        .add(
            s.read_size.map_or("=chunk".to_owned(), |n| n.to_string()),
            Ink::Text,
        )
        .add(format!("  {}", s.mode), Ink::Strong)
        .add(format!("  {}", s.effective_payload()), Ink::Text);
    for (name, value) in unusual(s) {
        line = line
            .add(format!("  {name} "), Ink::Label)
            .add(value, Ink::Strong);
    }
    line.draw(app.theme, area, buffer);
}

/// Settings that are shown only when they are not as usual.
fn unusual(s: &Settings) -> Vec<(&'static str, String)> {
    let mut entries = Vec::new();
    if s.reader_pace != Pace::None {
        entries.push(("reader", s.reader_pace.to_string()));
    }
    if s.writer_pace != Pace::None {
        entries.push(("writer", s.writer_pace.to_string()));
    }
    if s.pairs > 1 {
        entries.push(("pairs", s.pairs.to_string()));
    }
    entries.push(("peers", s.peers.to_string()));
    let cpu = |cpu: Option<usize>| cpu.map_or("any".to_owned(), |cpu| cpu.to_string());
    if s.writer_cpu.is_some() || s.reader_cpu.is_some() {
        entries.push((
            "CPUs",
            format!("{},{}", cpu(s.writer_cpu), cpu(s.reader_cpu)),
        ));
    }
    if !s.verify {
        entries.push(("verify", "off".to_owned()));
    }
    entries
}

/// The numbers of the last half second.
pub fn numbers(app: &App, area: Rect, buffer: &mut Buffer) {
    let data = app.shown();
    let (Some(sum), Some(latest)) = (&data.readout, &data.latest) else {
        Pieces::default()
            .add("waiting for the first sample", Ink::Label)
            .draw(app.theme, area, buffer);
        return;
    };
    let mut line =
        Pieces::default().add(format!("{:>9}", units::rate(sum.throughput())), Ink::Flow);
    line = match &sum.round_trips {
        Some(trips) => {
            let p50 = trips
                .quantile(0.5)
                .map_or("-".to_owned(), |ns| units::time(ns as f64));
            line.add("  round trip p50 ", Ink::Label)
                .add(format!("{p50:>7}"), Ink::Strong)
        }
        None => line
            .add("  writes ", Ink::Label)
            .add(format!("{:>6}/s", calls_per_second(sum, true)), Ink::Text)
            .add("  reads ", Ink::Label)
            .add(format!("{:>6}/s", calls_per_second(sum, false)), Ink::Text),
    };
    line = line
        .add("  in flight ", Ink::Label)
        .add(in_flight(latest), Ink::Text);
    if let Some(spread) = spread(latest) {
        line = line
            .add("  pairs differ by ", Ink::Label)
            .add(spread, Ink::Text);
    }
    for flow in &latest.flows {
        for (side, end) in [(&flow.writer, flow.from), (&flow.reader, flow.from.peer())] {
            if let Some(blocked) = side.blocked {
                let time = units::time(blocked.for_ns as f64);
                let text = format!("  {end}: {} blocked for {time}", blocked.call);
                line = line.add(text, Ink::Warning);
            }
        }
    }
    line.draw(app.theme, area, buffer);
}

fn calls_per_second(sum: &Sum, writes: bool) -> String {
    let count: u64 = sum
        .flows
        .iter()
        .map(|flow| {
            if writes {
                flow.writes.count()
            } else {
                flow.reads.count()
            }
        })
        .sum();
    units::count((count as f64 / sum.seconds.max(1e-9)).round())
}

fn in_flight(sample: &Sample) -> String {
    let bytes: i64 = sample
        .flows
        .iter()
        .map(|flow| flow.totals.in_flight.max(0))
        .sum();
    format!("{:>7}", units::size(bytes as f64))
}

/// How far the fastest pty is ahead of the slowest.
fn spread(sample: &Sample) -> Option<String> {
    let bytes = &sample.bytes_by_pair;
    let (least, most) = (bytes.iter().min()?, bytes.iter().max()?);
    (bytes.len() > 1 && *least > 0).then(|| format!("{:.2}x", *most as f64 / *least as f64))
}

/// The message, or what the program itself weighs.
pub fn message(app: &App, area: Rect, buffer: &mut Buffer) {
    if let Some(message) = &app.message {
        let ink = if message.is_error {
            Ink::Warning
        } else {
            Ink::Strong
        };
        Pieces::default()
            .add(message.text.clone(), ink)
            .draw(app.theme, area, buffer);
        return;
    }
    if let Some(prompt) = &app.prompt {
        let error = prompt
            .error
            .as_ref()
            .map_or(String::new(), |error| format!("   {error}"));
        Pieces::default()
            .add(format!("{} ", prompt.question()), Ink::Label)
            .add(format!("{}_", prompt.text), Ink::Strong)
            .add(error, Ink::Warning)
            .draw(app.theme, area, buffer);
        return;
    }
    let data = app.shown();
    let weight = format!(
        "own weight: {} to the screen, CPU {}, clock {:.0} ns/call",
        units::rate(app.weight.bytes_per_second),
        percent(app.weight.cpu),
        app.facts.clock_ns,
    );
    let verified = match &data.latest {
        Some(sample) if sample.integrity.verified > 0 => verified(sample),
        Some(sample) => match sample.settings.verify {
            true if !sample.settings.effective_payload().is_verifiable() => {
                "  a constant payload is counted, not verified".to_owned()
            }
            true => String::new(),
            false => "  not verified".to_owned(),
        },
        None => String::new(),
    };
    Pieces::default()
        .add(weight, Ink::Label)
        .add(verified, Ink::Label)
        .draw(app.theme, area, buffer);
}

fn verified(sample: &Sample) -> String {
    let found = sample.integrity;
    let bytes = units::size(found.verified as f64);
    if found.is_sound() {
        format!("  verified {bytes}")
    } else {
        format!("  verified {bytes}, {found}")
    }
}

/// The keys that matter now.
pub fn keys(app: &App, area: Rect, buffer: &mut Buffer) {
    let bar = app.theme.style(Ink::Bar);
    fill(area, bar, buffer);
    let mut x = area.x;
    if app.prompt.is_some() {
        let text = " Enter takes it, Esc leaves all as it is";
        buffer.set_stringn(x, area.y, text, usize::from(area.width), bar);
        return;
    }
    for binding in bindings().filter(|binding| !binding.hint.is_empty()) {
        let key = binding.shown.split(' ').next().unwrap_or(binding.shown);
        let width = (key.chars().count() + binding.hint.len() + 2) as u16;
        if x + width > area.right() {
            break;
        }
        let style = bar.add_modifier(ratatui::style::Modifier::BOLD);
        buffer.set_string(x, area.y, key, style);
        buffer.set_string(
            x + key.chars().count() as u16 + 1,
            area.y,
            binding.hint,
            bar,
        );
        x += width;
    }
}

/// The call times of a readout, as a legend shows them.
pub fn times(times: Times) -> String {
    use super::text::time;
    format!(
        "{} {} {}",
        time(times.p50),
        time(times.p99),
        time(times.max)
    )
}
