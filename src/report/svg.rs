//! A sweep as a picture: SVG for a slide, a mail or a page.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::analysis::{Interval, Verdict as Found};
use crate::workload::units;

use super::warning::percent;
use super::{BoundaryReport, Metric, Report, Sweep};

/// For what background the picture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Whatever the viewer prefers; light where that is not known.
    #[default]
    Viewer,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Size of the picture; letters are at least 22 high, so that half of it still
/// reads.
const WIDTH: f64 = 1280.0;
const HEIGHT: f64 = 720.0;
/// The edges of the plot.
const LEFT: f64 = 150.0;
const RIGHT: f64 = 1250.0;
const TOP: f64 = 210.0;
const BOTTOM: f64 = 560.0;

/// The colours of a picture.
struct Colours {
    ground: &'static str,
    ink: &'static str,
    quiet: &'static str,
    rule: &'static str,
    curve: &'static str,
    step: &'static str,
}

/// Blue and vermilion of Okabe and Ito (Color Universal Design, 2008), the
/// latter darker, so that letters in it read.
const LIGHT: Colours = Colours {
    ground: "#ffffff",
    ink: "#1a1a1a",
    quiet: "#5c5c5c",
    rule: "#d4d4d4",
    curve: "#0072b2",
    step: "#b84300",
};

/// The same, lighter.
const DARK: Colours = Colours {
    ground: "#111418",
    ink: "#f0f0f0",
    quiet: "#a8b0b8",
    rule: "#363c44",
    curve: "#56b4e9",
    step: "#ff9a57",
};

impl Colours {
    /// As style rules; without variables, which not every viewer knows.
    fn rules(&self) -> String {
        let Self {
            ground,
            ink,
            quiet,
            rule,
            curve,
            step,
        } = self;
        format!(
            "rect{{fill:{ground}}}text{{fill:{ink}}}.quiet,text.none,text.open{{fill:{quiet}}}\
             .rule{{stroke:{rule}}}.curve,.interval{{stroke:{curve}}}.point{{fill:{curve}}}\
             .boundary{{stroke:{quiet}}}.boundary.step{{stroke:{step}}}text.step,text.bad{{fill:{step}}}\
             .cell.good{{fill:{curve};fill-opacity:.45}}.cell.bad{{fill:{step}}}text.on-bad{{fill:{ground}}}\
             .cell.notable{{fill:{ground};stroke:{step};stroke-width:3}}.cell.plain{{fill:{ground};stroke:{rule};stroke-width:2}}"
        )
    }
}

/// Writes the sweep of `report` as a picture.
///
/// # Errors
/// What writing says.
pub fn write(report: &Report, sweep: &Sweep, theme: Theme, out: &mut dyn Write) -> io::Result<()> {
    let picture = Picture::of(sweep);
    let mut svg = String::new();
    head(&mut svg, sweep, theme);
    picture.grid(&mut svg);
    picture.boundaries(&mut svg);
    picture.curve(&mut svg);
    picture.chunks(&mut svg);
    foot(&mut svg, report);
    svg.push_str("</svg>\n");
    out.write_all(svg.as_bytes())
}

/// The points that have something to show, and where they stand.
struct Picture<'a> {
    sweep: &'a Sweep,
    points: Vec<(u64, Interval)>,
    highest: f64,
}

impl<'a> Picture<'a> {
    fn of(sweep: &'a Sweep) -> Self {
        let point = |point: &super::PointReport| {
            let interval = point.median(Metric::Throughput)?;
            let drawable = [interval.low, interval.estimate, interval.high];
            let drawable = drawable.iter().all(|v| v.is_finite() && *v >= 0.0);
            drawable.then_some((point.chunk, interval))
        };
        let points: Vec<_> = sweep.points.iter().filter_map(point).collect();
        let highest = points.iter().map(|(_, interval)| interval.high);
        Self {
            highest: nice_above(highest.fold(1.0, f64::max)),
            sweep,
            points,
        }
    }

    /// All points are equally far from each other: a range on a logarithmic
    /// scale gets one, and what lies close together does not overlap.
    fn x(&self, index: f64) -> f64 {
        let last = (self.points.len().max(2) - 1) as f64;
        LEFT + 30.0 + (RIGHT - LEFT - 60.0) * index / last
    }

    fn y(&self, rate: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * (rate / self.highest).clamp(0.0, 1.0)
    }

    fn grid(&self, svg: &mut String) {
        const STEPS: u32 = 4;
        for step in 0..=STEPS {
            let rate = self.highest * f64::from(step) / f64::from(STEPS);
            let y = self.y(rate);
            line(svg, "rule", [LEFT, y, RIGHT, y]);
            let label = if step == 0 {
                "0".to_owned()
            } else {
                units::rate(rate)
            };
            text(svg, "quiet", LEFT - 12.0, y + 8.0, "end", &label);
        }
    }

    /// A line between the two sides of each boundary, its name above, and what
    /// was found.
    fn boundaries(&self, svg: &mut String) {
        let index = |chunk| self.points.iter().position(|&(at, _)| at == chunk);
        for (number, boundary) in self.sweep.boundaries.iter().enumerate() {
            let (Some(lower), Some(upper)) = (index(boundary.lower), index(boundary.upper)) else {
                continue;
            };
            let x = self.x((lower + upper) as f64 / 2.0);
            // Neighbours' names stand at different heights.
            let row = [TOP - 62.0, TOP - 16.0][number % 2];
            let class = class(boundary);
            line(svg, &format!("boundary {class}"), [x, row + 6.0, x, BOTTOM]);
            text(svg, class, x, row, "middle", &found(boundary));
        }
    }

    fn curve(&self, svg: &mut String) {
        for (index, pair) in self.points.windows(2).enumerate() {
            let [(from, a), (to, b)] = pair else { continue };
            // Between far chunks nothing was measured.
            let class = if *to > from.saturating_add(from / 2).saturating_add(1) {
                "curve far"
            } else {
                "curve"
            };
            let (x, next) = (self.x(index as f64), self.x(index as f64 + 1.0));
            line(
                svg,
                class,
                [x, self.y(a.estimate), next, self.y(b.estimate)],
            );
        }
        for (index, (chunk, interval)) in self.points.iter().enumerate() {
            let x = self.x(index as f64);
            let (low, high) = (self.y(interval.low), self.y(interval.high));
            line(svg, "interval", [x, low, x, high]);
            for end in [low, high] {
                line(svg, "interval", [x - 6.0, end, x + 6.0, end]);
            }
            let y = self.y(interval.estimate);
            let title = format!(
                "{chunk}: {} ({} to {})",
                units::rate(interval.estimate),
                units::rate(interval.low),
                units::rate(interval.high)
            );
            let _ = writeln!(
                svg,
                r#"<circle class="point" cx="{x:.1}" cy="{y:.1}" r="5.5"><title>{title}</title></circle>"#
            );
        }
    }

    /// The chunks under the plot, slanted, as many as fit.
    fn chunks(&self, svg: &mut String) {
        let between = self.x(1.0) - self.x(0.0);
        let every = (26.0 / between).ceil().max(1.0) as usize;
        for (index, (chunk, _)) in self.points.iter().enumerate().step_by(every) {
            let (x, y) = (self.x(index as f64) + 6.0, BOTTOM + 20.0);
            let _ = writeln!(
                svg,
                r#"<text class="quiet" text-anchor="end" transform="translate({x:.1} {y:.1}) rotate(-60)">{chunk}</text>"#
            );
        }
        text(
            svg,
            "quiet",
            LEFT,
            BOTTOM + 112.0,
            "start",
            "chunk: bytes a write, each one visited; medians with 95 % intervals",
        );
    }
}

fn class(boundary: &BoundaryReport) -> &'static str {
    match boundary.finding.verdict {
        Found::Step => "step",
        Found::NoStep { .. } => "none",
        Found::Undecided { .. } => "open",
    }
}

fn found(boundary: &BoundaryReport) -> String {
    let change = boundary.finding.ratio.map_or(1.0, |ratio| ratio.estimate);
    match boundary.finding.verdict {
        Found::Step => format!("{}: {}", boundary.at, percent(change)),
        Found::NoStep { .. } => format!("{}: none", boundary.at),
        Found::Undecided { .. } => format!("{}: ?", boundary.at),
    }
}

/// The style rules of a theme.
fn rules(theme: Theme) -> String {
    match theme {
        Theme::Viewer => format!(
            "{}\n@media(prefers-color-scheme:dark){{{}}}",
            LIGHT.rules(),
            DARK.rules()
        ),
        Theme::Light => LIGHT.rules(),
        Theme::Dark => DARK.rules(),
    }
}

/// What a sweep's picture has beside the colours.
const STYLES: &str = "\
.title{font-size:34px;font-weight:600} text.step{font-weight:700}
line{stroke-linecap:round} .rule{stroke-width:1.5}
.curve{stroke-width:2.5} .far{stroke-dasharray:2 8} .interval{stroke-width:3}
.boundary{stroke-width:2;stroke-dasharray:6 6} .boundary.step{stroke-width:4;stroke-dasharray:none}";

/// The beginning of a picture: its size, the letters' size, its styles, and
/// the ground.
pub(super) fn open(
    svg: &mut String,
    [width, height]: [f64; 2],
    letters: u32,
    styles: &str,
    theme: Theme,
) {
    let colours = rules(theme);
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="{letters}">
<style>
{styles}
{colours}
</style>
<rect width="{width:.0}" height="{height:.0}"/>"#
    );
}

fn head(svg: &mut String, sweep: &Sweep, theme: Theme) {
    open(svg, [WIDTH, HEIGHT], 22, STYLES, theme);
    for (row, part) in wrapped(&sweep.headline(), 66).iter().take(2).enumerate() {
        text(svg, "title", 30.0, 48.0 + 42.0 * row as f64, "start", part);
    }
}

fn foot(svg: &mut String, report: &Report) {
    let host = &report.host;
    let or = |text: &Option<String>, otherwise: &str| text.clone().unwrap_or(otherwise.to_owned());
    let foot = format!(
        "Linux {}, {} x {}, {}, {}",
        or(&host.kernel.release, "?"),
        host.cpu
            .online
            .map_or("?".to_owned(), |count| count.to_string()),
        or(&host.cpu.model, "CPU"),
        &report.conditions.started.to_string()[..10],
        report.label.as_deref().unwrap_or("ptyscope sweep"),
    );
    let foot = wrapped(&foot, 100).into_iter().next().unwrap_or_default();
    text(svg, "quiet", LEFT, HEIGHT - 14.0, "start", &foot);
}

fn line(svg: &mut String, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = writeln!(
        svg,
        r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#
    );
}

pub(super) fn text(svg: &mut String, class: &str, x: f64, y: f64, anchor: &str, content: &str) {
    let content = escape(content);
    let _ = writeln!(
        svg,
        r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{content}</text>"#
    );
}

/// Without what has a meaning in XML, or may not stand in it.
pub(crate) fn escape(text: &str) -> String {
    let is_printable = |c: &char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let printable = text.chars().filter(is_printable);
    let mut escaped = String::with_capacity(text.len());
    for character in printable {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Lines of at most so many characters, broken between words.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// The next of 1, 2, 4, 8, 12, 16, 20, 40 … above, so that quarters are round.
fn nice_above(value: f64) -> f64 {
    let scale = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 6.0, 8.0, 10.0];
    let step = steps.into_iter().find(|step| step * scale >= value);
    step.unwrap_or(10.0) * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        for (value, want) in [(1.0, 1.0), (61.0, 80.0), (83e6, 100e6), (2.1e8, 2.4e8)] {
            assert!((nice_above(value) / want - 1.0).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn text_cannot_break_the_picture() {
        assert_eq!(
            escape("a<b & \"c\"\u{1b}\u{ffff}"),
            "a&lt;b &amp; &quot;c&quot;"
        );
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("", 7), [""]);
    }
}
