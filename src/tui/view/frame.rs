//! The lines around the views: title, settings, numbers and message.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::sample::{Sample, Sum};
use crate::workload::{Direction, Pace, Peers, Settings, units};

use super::super::replay;
use super::super::state::{App, Recording};
use super::super::theme::Ink;
use super::super::tour::Phase;
use super::fit::{columns, put};
use super::text::{Pieces, clock, fill, percent, time};

/// The views, how things stand, and where and when.
pub fn title(app: &App, area: Rect, buffer: &mut Buffer) {
    let bar = app.theme.style(Ink::Bar);
    fill(area, bar, buffer);
    let room = |x: u16| usize::from(area.right().saturating_sub(x));
    let mut x = area.x;
    x = put(app, (x, area.y), " ptyscope ", room(x), bar, buffer);
    for &view in app.views() {
        let (name, style) = if view == app.view {
            let style = app.theme.on_bar(Ink::Strong);
            (format!("[{}]", view.name()), style)
        } else if area.width >= 80 {
            (format!(" {} ", view.name()), bar)
        } else {
            continue;
        };
        x = put(app, (x, area.y), &name, room(x), style, buffer);
    }
    if !app.views().contains(&app.view) {
        let style = app.theme.on_bar(Ink::Strong);
        let name = format!("[{}]", app.view.name());
        x = put(app, (x, area.y), &name, room(x), style, buffer);
    }
    for (word, ink) in states(app) {
        let style = app.theme.on_bar(ink);
        x = put(app, (x + 1, area.y), &word, room(x + 1), style, buffer);
    }
    let now = clock(app.shown().history.now());
    let release = app.facts.host.kernel.release.as_deref().unwrap_or("?");
    for right in [format!("Linux {release}  {now} "), format!("{now} ")] {
        let width = columns(&right) as u16;
        if x + width < area.right() {
            buffer.set_string(area.right() - width, area.y, right, bar);
            return;
        }
    }
}

/// Words for what is out of the ordinary.
fn states(app: &App) -> Vec<(String, Ink)> {
    let data = app.shown();
    let mut words = Vec::new();
    let sound = data.latest.as_ref().is_none_or(|s| s.integrity.is_sound());
    if !sound {
        words.push((" BYTES WRONG ".to_owned(), Ink::Alarm));
    }
    if app.ended.is_some() {
        words.push((" ENDED ".to_owned(), Ink::Alarm));
    }
    match app.stage.recording {
        Recording::No => {}
        Recording::On => words.push((" REC ".to_owned(), Ink::Mark)),
        Recording::Stopped => words.push((" NOT RECORDED ".to_owned(), Ink::Alarm)),
    }
    if let Some(player) = &app.replay {
        words.push((replay::state(player), Ink::Mark));
    }
    if app.is_held() {
        words.push((" HELD ".to_owned(), Ink::Warning));
    }
    if let Some(playing) = &app.stage.tour {
        let count = playing.tour.steps.len();
        words.push(match playing.phase {
            Phase::Running => (format!(" TOUR {}/{count} ", playing.at + 1), Ink::Mark),
            Phase::Taken => (" TOUR WAITS ".to_owned(), Ink::Mark),
            Phase::Over => (" TOUR OVER ".to_owned(), Ink::Mark),
        });
    }
    if app.checks.is_running() {
        words.push((" CHECKING ".to_owned(), Ink::Mark));
    }
    if app.frozen.is_some() {
        words.push((" FROZEN ".to_owned(), Ink::Warning));
    }
    if let Some(walk) = data.curve.walk.as_ref().filter(|walk| walk.going) {
        words.push((format!(" VISITING {} ", walk.boundary), Ink::Mark));
    }
    words
}

/// The settings asked for, closer together where there is little room.
pub fn settings(app: &App, area: Rect, buffer: &mut Buffer) {
    if let Some(line) = &app.line {
        Pieces::default()
            .add("A <-> B  ", Ink::Strong)
            .add("line ", Ink::Label)
            .add(line.to_string(), Ink::Strong)
            .draw(app, area, buffer);
        return;
    }
    let roomy = settings_line(&app.settings, "  ");
    let line = if roomy.width() > usize::from(area.width) {
        settings_line(&app.settings, " ")
    } else {
        roomy
    };
    line.draw(app, area, buffer);
}

fn settings_line(s: &Settings, between: &str) -> Pieces {
    let direction = match s.direction {
        Direction::SlaveToMaster => "slave->master",
        Direction::MasterToSlave => "master->slave",
        Direction::Both => "both ways",
        Direction::Echo => "echo",
    };
    let read = s.read_size.map_or("=chunk".to_owned(), |n| n.to_string());
    let mut line = Pieces::default()
        .add(direction, Ink::Strong)
        .add(format!("{between}chunk "), Ink::Label)
        .add(s.chunk.to_string(), Ink::Strong)
        .add(format!("{between}read "), Ink::Label)
        .add(read, Ink::Text)
        .add(format!("{between}{}", s.mode), Ink::Strong)
        .add(format!("{between}{}", s.effective_payload()), Ink::Text);
    for (name, value) in unusual(s) {
        line = line
            .add(format!("{between}{name} "), Ink::Label)
            .add(value, Ink::Strong);
    }
    let peers = match s.peers {
        Peers::Threads => Ink::Text,
        Peers::Processes => Ink::Strong,
    };
    line.add(format!("{between}{}", s.peers), peers)
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
    let cpu = |cpu: Option<usize>| cpu.map_or("any".to_owned(), |cpu| cpu.to_string());
    if s.writer_cpu.is_some() || s.reader_cpu.is_some() {
        let cpus = format!("{},{}", cpu(s.writer_cpu), cpu(s.reader_cpu));
        entries.push(("CPUs", cpus));
    }
    if !s.verify {
        entries.push(("verify", "off".to_owned()));
    }
    entries
}

/// The numbers of the last half second, what is out of the ordinary first.
pub fn numbers(app: &App, area: Rect, buffer: &mut Buffer) {
    let data = app.shown();
    let (Some(sum), Some(latest)) = (&data.readout, &data.latest) else {
        Pieces::default()
            .add("waiting for the first sample", Ink::Label)
            .draw(app, area, buffer);
        return;
    };
    let mut line =
        Pieces::default().add(format!("{:>9}", units::rate(sum.throughput())), Ink::Flow);
    line = with_blocked(line, latest);
    line = line.add("  in flight ", Ink::Label).add(
        format!("{:>7}", units::size(latest.in_flight() as f64)),
        Ink::Text,
    );
    line = match &sum.round_trips {
        Some(trips) => {
            let quantile = |q| time(trips.quantile(q).map(|ns| ns as f64));
            line.add(format!("  t round trip p50 {}", quantile(0.5)), Ink::Flow)
                .add("  p99 ", Ink::Label)
                .add(quantile(0.99), Ink::Text)
        }
        None => line
            .add("  writes ", Ink::Label)
            .add(format!("{:>6}/s", calls_per_second(sum, true)), Ink::Text)
            .add("  reads ", Ink::Label)
            .add(format!("{:>6}/s", calls_per_second(sum, false)), Ink::Text),
    };
    if let Some(spread) = spread(latest) {
        line = line.add("  spread ", Ink::Label).add(spread, Ink::Text);
    }
    line.draw(app, area, buffer);
}

/// `line` with the calls that sit in the kernel.
pub fn with_blocked(mut line: Pieces, sample: &Sample) -> Pieces {
    for flow in &sample.flows {
        for (side, end) in [(&flow.writer, flow.from), (&flow.reader, flow.from.peer())] {
            if let Some(blocked) = side.blocked {
                let time = units::time(blocked.for_ns as f64);
                let text = format!("  {end}: {} blocked for {time}", blocked.call);
                line = line.add(text, Ink::Warning);
            }
        }
    }
    line
}

fn calls_per_second(sum: &Sum, writes: bool) -> String {
    let (written, read) = sum.all_calls();
    let count = if writes { &written } else { &read }.count();
    units::count((count as f64 / sum.seconds.max(1e-9)).round())
}

/// How many times the slowest pty's bytes the fastest has moved.
fn spread(sample: &Sample) -> Option<String> {
    let bytes = &sample.bytes_by_pair;
    let (least, most) = (bytes.iter().min()?, bytes.iter().max()?);
    (bytes.len() > 1 && *least > 0).then(|| format!("x{:.2}", *most as f64 / *least as f64))
}

/// The number being typed, else the message, else what came wrong, else what
/// the program weighs.
pub fn message(app: &App, area: Rect, buffer: &mut Buffer) {
    let line = if let Some(prompt) = &app.prompt {
        Pieces::default()
            .add(format!("{} ", prompt.question()), Ink::Label)
            .add(format!("{}_", prompt.text), Ink::Strong)
    } else if let Some(message) = &app.message {
        let ink = if message.is_error {
            Ink::Warning
        } else {
            Ink::Strong
        };
        Pieces::default().add(message.text.clone(), ink)
    } else if let Some(found) = damage(app) {
        Pieces::default().add(found, Ink::Alarm)
    } else if let Some(player) = &app.replay {
        Pieces::default().add(replay::about(app, player), Ink::Label)
    } else {
        // A relay's own time is the link's, and nothing says what should come.
        let cpu = match app.line {
            Some(_) => String::new(),
            None => format!(", CPU {}", percent(app.weight.cpu)),
        };
        let weight = format!(
            "own weight: {} to the screen{cpu}, clock {:.0} ns",
            units::rate(app.weight.bytes_per_second),
            app.facts.clock_ns,
        );
        Pieces::default()
            .add(weight, Ink::Label)
            .add(verified(app), Ink::Label)
    };
    line.draw(app, area, buffer);
}

fn verified(app: &App) -> String {
    let Some(sample) = app.shown().latest.as_ref().filter(|_| app.line.is_none()) else {
        return String::new();
    };
    let settings = &sample.settings;
    if !settings.verify {
        "  not verified".to_owned()
    } else if !settings.effective_payload().is_verifiable() {
        "  only counted".to_owned()
    } else {
        let bytes = units::size(sample.integrity.verified as f64);
        format!("  verified {bytes}")
    }
}

fn damage(app: &App) -> Option<String> {
    let found = app.shown().latest.as_ref()?.integrity;
    let bytes = units::size(found.verified as f64);
    (!found.is_sound()).then(|| format!("bytes came wrong: {found}; {bytes} were right"))
}
