//! From a TOML text to a tour, or to the place of what is wrong with it.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use toml::Spanned;

use crate::pty::Mode;
use crate::words::{told, words};
use crate::workload::{
    Baud, Direction, Knob, Line, MAX_CHUNK, MAX_PAIRS, Pace, Payload, Peers, Preset, Settings,
    Share, units,
};

use super::super::state::{Number, View};
use super::{MAX_BYTES, Setting, Stage, Step, Tour};

/// The version of the format.
const FORMAT: u32 = 1;
/// Most steps of a tour.
const MAX_STEPS: usize = 1000;
/// Longest step.
const MAX_WAIT: Duration = Duration::from_secs(3600);
/// Shortest step: below it no sample would show it.
const MIN_WAIT: Duration = Duration::from_millis(100);
/// Longest caption and title, in characters.
const MAX_WORDS: usize = 500;

/// A text that is no tour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TourError {
    /// Where it was read.
    pub file: String,
    /// The line, from 1 on, where one is to blame.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for TourError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", told(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", told(&self.reason))
    }
}

impl std::error::Error for TourError {}

/// What a tour of any format has.
#[derive(Deserialize)]
struct Head {
    format: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(rename = "format")]
    _format: u32,
    title: Spanned<String>,
    #[serde(default)]
    source: Stage,
    #[serde(default)]
    step: Vec<Spanned<StepText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText {
    caption: Spanned<String>,
    wait: Spanned<Time>,
    view: Option<Spanned<String>>,
    number: Option<Spanned<String>>,
    set: Option<Spanned<SettingsText>>,
    line: Option<Spanned<LineText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SettingsText {
    preset: Option<Spanned<String>>,
    direction: Option<Direction>,
    chunk: Option<Size>,
    read_size: Option<ReadSize>,
    mode: Option<Mode>,
    payload: Option<Payload>,
    reader_pace: Option<Pace>,
    writer_pace: Option<Pace>,
    peers: Option<Peers>,
    pairs: Option<u32>,
    verify: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineText {
    baud: Option<BaudText>,
    latency: Option<Time>,
    jitter: Option<Time>,
    settle: Option<Time>,
    drop: Option<Share>,
    flip: Option<Share>,
    dup: Option<Share>,
}

impl SettingsText {
    /// What it names.
    fn stated(&self) -> Vec<Setting> {
        if self.preset.is_some() {
            let verify = self.verify.map(|_| Setting::Verify);
            return Setting::OF_PRESET.into_iter().chain(verify).collect();
        }
        let named = [
            (self.direction.is_some(), Setting::Direction),
            (self.chunk.is_some(), Setting::Chunk),
            (self.read_size.is_some(), Setting::ReadSize),
            (self.mode.is_some(), Setting::Mode),
            (self.payload.is_some(), Setting::Payload),
            (self.writer_pace.is_some(), Setting::WriterPace),
            (self.reader_pace.is_some(), Setting::ReaderPace),
            (self.peers.is_some(), Setting::Peers),
            (self.pairs.is_some(), Setting::Pairs),
            (self.verify.is_some(), Setting::Verify),
        ];
        only(&named)
    }
}

impl LineText {
    /// What it names.
    fn stated(&self) -> Vec<Setting> {
        only(&[
            (self.baud.is_some(), Setting::Line(Knob::Baud)),
            (self.latency.is_some(), Setting::Line(Knob::Latency)),
            (self.jitter.is_some(), Setting::Line(Knob::Jitter)),
            (self.settle.is_some(), Setting::Line(Knob::Settle)),
            (self.drop.is_some(), Setting::Line(Knob::Drop)),
            (self.flip.is_some(), Setting::Line(Knob::Flip)),
            (self.dup.is_some(), Setting::Line(Knob::Duplicate)),
        ])
    }
}

fn only(named: &[(bool, Setting)]) -> Vec<Setting> {
    let named = named.iter().filter(|(is_named, _)| *is_named);
    named.map(|(_, setting)| *setting).collect()
}

/// Adds what a step names to what those before it have.
fn state(stated: &mut Vec<Setting>, named: Vec<Setting>) {
    for setting in named {
        if !stated.contains(&setting) {
            stated.push(setting);
        }
    }
}

/// A duration as the command line takes it.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Time(Duration);

impl TryFrom<String> for Time {
    type Error = units::UnitError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        units::parse_duration(&text).map(Self)
    }
}

/// A speed, or "none".
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct BaudText(Option<Baud>);

impl TryFrom<String> for BaudText {
    type Error = units::UnitError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "none" => Ok(Self(None)),
            text => text.parse().map(|baud| Self(Some(baud))),
        }
    }
}

/// A number of bytes, bare or as the command line takes it.
struct Size(usize);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SizeVisitor)
    }
}

struct SizeVisitor;

impl Visitor<'_> for SizeVisitor {
    type Value = Size;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a size in bytes: 256, \"4K\"")
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Size, E> {
        self.visit_str(&bytes.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
        units::parse_size(text)
            .and_then(|bytes| units::within(text, bytes, 1, MAX_CHUNK as u64))
            .map(|bytes| Size(bytes as usize))
            .map_err(E::custom)
    }
}

/// A size, or "chunk" for as many bytes as a chunk has.
struct ReadSize(Option<usize>);

impl<'de> Deserialize<'de> for ReadSize {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Spanned::<toml::Value>::deserialize(from)?.into_inner();
        if value.as_str() == Some("chunk") {
            return Ok(Self(None));
        }
        let size = Size::deserialize(value).map_err(|error| de::Error::custom(error.message()))?;
        Ok(Self(Some(size.0)))
    }
}

/// Reads the tour called `name` from the bytes of `file`.
///
/// # Errors
/// With the line and the reason, at the first thing that is wrong.
pub fn parse(file: &str, name: &str, bytes: &[u8]) -> Result<Tour, TourError> {
    let refuse = |line, reason| TourError {
        file: file.to_owned(),
        line,
        reason,
    };
    if bytes.len() as u64 > MAX_BYTES {
        let reason = format!("longer than {MAX_BYTES} bytes");
        return Err(refuse(None, reason));
    }
    let line_at = |at: usize| {
        let before = bytes.get(..at).unwrap_or(bytes);
        Some(1 + before.iter().filter(|byte| **byte == b'\n').count())
    };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(line_at(error.valid_up_to()), "no UTF-8".to_owned()))?;
    let malformed = |error: toml::de::Error| {
        let line = error.span().and_then(|span| line_at(span.start));
        refuse(line, error.message().to_owned())
    };
    let wrong = |Wrong(at, reason)| refuse(line_at(at), reason);
    let head: Head = toml::from_str(text).map_err(malformed)?;
    known(&head.format).map_err(wrong)?;
    let text: Text = toml::from_str(text).map_err(malformed)?;
    tour(name, text).map_err(wrong)
}

/// What is wrong, and at which byte.
struct Wrong(usize, String);

impl Wrong {
    fn with<T>(spanned: &Spanned<T>, reason: impl Into<String>) -> Self {
        Self(spanned.span().start, reason.into())
    }
}

fn known(format: &Spanned<u32>) -> Result<(), Wrong> {
    let number = *format.get_ref();
    if number == FORMAT {
        return Ok(());
    }
    let reason = format!("format {number}: this program knows format {FORMAT}");
    Err(Wrong::with(format, reason))
}

fn tour(name: &str, text: Text) -> Result<Tour, Wrong> {
    limited(&text.title)?;
    if text.step.is_empty() {
        return Err(Wrong(0, "a tour has one [[step]] at least".to_owned()));
    }
    if let Some(step) = text.step.get(MAX_STEPS) {
        let reason = format!("more than {MAX_STEPS} steps");
        return Err(Wrong::with(step, reason));
    }
    let mut steps: Vec<Step> = Vec::new();
    for step in text.step {
        let next = follow(steps.last(), text.source, step)?;
        steps.push(next);
    }
    Ok(Tour {
        name: words(name).collect::<Vec<_>>().join(" "),
        title: text.title.into_inner(),
        stage: text.source,
        steps,
    })
}

fn limited(text: &Spanned<String>) -> Result<(), Wrong> {
    let count = text.get_ref().chars().take(MAX_WORDS + 1).count();
    if count > MAX_WORDS {
        let reason = format!("longer than {MAX_WORDS} characters");
        return Err(Wrong::with(text, reason));
    }
    Ok(())
}

/// A step with all that it leaves as it was before.
fn follow(before: Option<&Step>, stage: Stage, step: Spanned<StepText>) -> Result<Step, Wrong> {
    let StepText {
        caption,
        wait,
        view,
        number,
        set,
        line,
    } = step.into_inner();
    limited(&caption)?;
    let Time(duration) = *wait.get_ref();
    if !(MIN_WAIT..=MAX_WAIT).contains(&duration) {
        return Err(Wrong::with(&wait, "a step lasts 100ms to 60m"));
    }
    let mut next = Step {
        settings: before.map_or_else(Settings::default, |step| step.settings.clone()),
        line: before.map_or_else(Line::default, |step| step.line.clone()),
        stated: before.map_or_else(Vec::new, |step| step.stated.clone()),
        view: before.and_then(|step| step.view),
        number: before.and_then(|step| step.number),
        caption: caption.into_inner(),
        wait: duration,
    };
    if let Some(name) = view {
        next.view = Some(view_of(stage, &name)?);
    }
    if let Some(name) = number {
        next.number = Some(number_of(&name)?);
    }
    match (stage, set, line) {
        (Stage::Workload, _, Some(line)) => {
            return Err(Wrong::with(
                &line,
                "only a tour with source \"link\" has a line",
            ));
        }
        (Stage::Link, Some(set), _) => {
            return Err(Wrong::with(&set, "a tour of a link sets its line only"));
        }
        (_, Some(set), None) => {
            state(&mut next.stated, set.get_ref().stated());
            next.settings = settings(next.settings, set)?;
        }
        (_, None, Some(line)) => {
            state(&mut next.stated, line.get_ref().stated());
            next.line = changed_line(next.line, line)?;
        }
        (_, None, None) => {}
    }
    Ok(next)
}

fn view_of(stage: Stage, name: &Spanned<String>) -> Result<View, Wrong> {
    let views = match stage {
        Stage::Workload => View::WORKLOAD,
        Stage::Link => View::LINK,
    };
    let mut all = views.iter().chain(&[View::Big]);
    let found = all.find(|view| view.name() == name.get_ref());
    found.copied().ok_or_else(|| {
        let names: Vec<_> = views.iter().map(|view| view.name()).collect();
        Wrong::with(name, format!("no such view: {}, big", names.join(", ")))
    })
}

fn number_of(name: &Spanned<String>) -> Result<Number, Wrong> {
    let found = Number::ALL
        .into_iter()
        .find(|number| number.name() == name.get_ref());
    found.ok_or_else(|| {
        let names = Number::ALL.map(Number::name).join(", ");
        Wrong::with(name, format!("no such number: {names}"))
    })
}

fn settings(base: Settings, set: Spanned<SettingsText>) -> Result<Settings, Wrong> {
    let at = set.span().start;
    let set = set.into_inner();
    let base = match &set.preset {
        None => base,
        Some(name) => Preset::named(name.get_ref())
            .ok_or_else(|| Wrong::with(name, "no such preset"))?
            .settings(),
    };
    let pairs = set.pairs.unwrap_or(base.pairs);
    if !(1..=MAX_PAIRS).contains(&pairs) {
        return Err(Wrong(at, format!("{pairs} pairs: 1 to {MAX_PAIRS}")));
    }
    let settings = Settings {
        direction: set.direction.unwrap_or(base.direction),
        chunk: set.chunk.map_or(base.chunk, |size| size.0),
        read_size: set.read_size.map_or(base.read_size, |size| size.0),
        mode: set.mode.unwrap_or(base.mode),
        payload: set.payload.or(base.payload),
        reader_pace: set.reader_pace.unwrap_or(base.reader_pace),
        writer_pace: set.writer_pace.unwrap_or(base.writer_pace),
        peers: set.peers.unwrap_or(base.peers),
        pairs,
        verify: set.verify.unwrap_or(base.verify),
        writer_cpu: None,
        reader_cpu: None,
    };
    settings
        .check()
        .map_err(|contradiction| Wrong(at, contradiction.to_string()))?;
    Ok(settings)
}

fn changed_line(base: Line, change: Spanned<LineText>) -> Result<Line, Wrong> {
    let at = change.span().start;
    let change = change.into_inner();
    let time = |new: Option<Time>, old| new.map_or(old, |Time(time)| time);
    let line = Line {
        baud: change.baud.map_or(base.baud, |BaudText(baud)| baud),
        latency: time(change.latency, base.latency),
        jitter: time(change.jitter, base.jitter),
        settle: time(change.settle, base.settle),
        drop: change.drop.unwrap_or(base.drop),
        flip: change.flip.unwrap_or(base.flip),
        duplicate: change.dup.unwrap_or(base.duplicate),
        ..base
    };
    line.check().map_err(|error| Wrong(at, error.to_string()))?;
    Ok(line)
}
