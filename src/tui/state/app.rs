//! All of the screen's state.

use std::sync::Arc;

use crate::host::HostFacts;
use crate::sample::{Ending, Sample, Sum};
use crate::workload::{Line, Settings};

use super::super::action::Group;
use super::super::bindings::{GROUPS, LINK_GROUPS, REPLAY_GROUPS, REPLAY_LINK_GROUPS};
use super::super::replay::Player;
use super::super::theme::Theme;
use super::checks::Checks;
use super::data::Data;
use super::prompt::Prompt;
use super::stage::Stage;

/// Which view fills the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Plots against time.
    Time,
    /// Throughput and time per byte against chunk size.
    Curve,
    /// Histograms of call times and sizes.
    Distribution,
    /// Where the bytes are, who waits, and what the machine is.
    Kernel,
    /// What checks of the pty layer found.
    Checks,
    /// The two ends of a null modem, and what lies between.
    Link,
    /// One number in letters as large as the screen.
    Big,
}

impl View {
    /// The views of a workload, in the order of their keys.
    pub const WORKLOAD: &[Self] = &[
        Self::Time,
        Self::Curve,
        Self::Distribution,
        Self::Kernel,
        Self::Checks,
    ];
    /// Those of a recording of one: no kernel is there to be checked.
    pub const REPLAY: &[Self] = &[Self::Time, Self::Curve, Self::Distribution, Self::Kernel];
    /// Those of a link.
    pub const LINK: &[Self] = &[Self::Link, Self::Time, Self::Distribution];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Curve => "curve",
            Self::Distribution => "distribution",
            Self::Kernel => "kernel",
            Self::Link => "link",
            Self::Checks => "checks",
            Self::Big => "big",
        }
    }
}

/// How the vertical axes are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axes {
    /// Times logarithmic, the rest from zero.
    Automatic,
    /// All from zero.
    Linear,
    /// All logarithmic.
    Log,
}

impl Axes {
    /// The next kind, and around.
    pub fn next(self) -> Self {
        match self {
            Self::Automatic => Self::Linear,
            Self::Linear => Self::Log,
            Self::Log => Self::Automatic,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Linear => "from zero",
            Self::Log => "logarithmic",
        }
    }
}

/// A line that stands above the footer for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// Whether it is about something that went wrong.
    pub is_error: bool,
    /// When it goes, in seconds since the source started.
    pub until: f64,
}

/// What the program weighs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Weight {
    /// Bytes per second written to the terminal.
    pub bytes_per_second: f64,
    /// Share of one CPU that the screen and the sampling use, 0 to 1.
    pub cpu: f64,
}

/// What is known before the first sample and stays.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The machine.
    pub host: Arc<HostFacts>,
    /// Nanoseconds that one reading of the clock costs.
    pub clock_ns: f64,
    /// Why kmalloc calls cannot be counted, if they cannot.
    pub no_kmallocs: Option<String>,
}

/// Windows of time that the zoom steps through, in seconds.
pub const WINDOWS: [f64; 7] = [5.0, 10.0, 30.0, 60.0, 180.0, 600.0, 1200.0];

/// Everything that decides what the screen looks like.
#[derive(Debug, Clone)]
pub struct App {
    /// What is known of the machine.
    pub facts: Facts,
    /// The settings asked for; the samples say which are in force.
    pub settings: Settings,
    /// The line asked for, where the source is a link.
    pub line: Option<Line>,
    /// What was seen.
    pub data: Data,
    /// What is drawn instead while the display is frozen.
    pub frozen: Option<Box<Data>>,
    /// Whether the user holds the workload.
    pub paused: bool,
    /// What checks of the pty layer found.
    pub checks: Checks,
    /// The view that is shown.
    pub view: View,
    /// What a speaker adds.
    pub stage: Stage,
    /// How far the help is scrolled, while it is shown.
    pub help: Option<u16>,
    /// The number being typed, if one is.
    pub prompt: Option<Prompt>,
    /// The line above the footer.
    pub message: Option<Message>,
    /// How the axes are scaled.
    pub axes: Axes,
    /// The window of time, by its place in `WINDOWS`.
    pub window: usize,
    /// The colours.
    pub theme: Theme,
    /// Letters instead of braille and lines.
    pub ascii: bool,
    /// What the program weighs.
    pub weight: Weight,
    /// Whether the next sample's settings become the ones asked for: they
    /// changed from outside.
    pub settings_follow: bool,
    /// How the source ended, once it has.
    pub ended: Option<Ending>,
    /// The recording that is the source, if one is.
    pub replay: Option<Player>,
}

impl App {
    /// The state before the first sample.
    pub fn new(facts: Facts, settings: Settings, theme: Theme, ascii: bool) -> Self {
        Self {
            facts,
            settings,
            line: None,
            data: Data::default(),
            frozen: None,
            paused: false,
            checks: Checks::new(),
            view: View::Time,
            stage: Stage::default(),
            help: None,
            prompt: None,
            message: None,
            axes: Axes::Automatic,
            window: 2,
            theme,
            ascii,
            weight: Weight::default(),
            settings_follow: false,
            ended: None,
            replay: None,
        }
    }

    /// The state before the first sample of a link.
    pub fn of_link(facts: Facts, line: Line, theme: Theme, ascii: bool) -> Self {
        Self {
            line: Some(line),
            view: View::Link,
            ..Self::new(facts, Settings::default(), theme, ascii)
        }
    }

    /// All that was seen of a link.
    pub fn link_sum(&self) -> &Sum {
        &self.data.link
    }

    /// The views that there are.
    pub fn views(&self) -> &'static [View] {
        match (&self.line, &self.replay) {
            (Some(_), _) => View::LINK,
            (None, None) => View::WORKLOAD,
            (None, Some(_)) => View::REPLAY,
        }
    }

    /// What the keys do.
    pub fn groups(&self) -> &'static [Group] {
        match (&self.line, &self.replay) {
            (Some(_), None) => LINK_GROUPS,
            (None, None) => GROUPS,
            (Some(_), Some(_)) => REPLAY_LINK_GROUPS,
            (None, Some(_)) => REPLAY_GROUPS,
        }
    }

    /// Goes to a view.
    ///
    /// # Errors
    /// Names those that there are where it is none of them.
    pub fn show(&mut self, view: View) -> Result<(), String> {
        if view != View::Big && !self.views().contains(&view) {
            let names: Vec<_> = self.views().iter().map(|view| view.name()).collect();
            return Err(format!("there are {} and big", names.join(", ")));
        }
        self.view = view;
        Ok(())
    }

    /// Goes to the next view, or the one before.
    pub fn turn_view(&mut self, forward: bool) {
        let views = self.views();
        let at = views.iter().position(|&view| view == self.view);
        let step = if forward { 1 } else { views.len() - 1 };
        self.view = views[(at.unwrap_or(0) + step) % views.len()];
    }

    /// Goes to the big view, or back to the one that it has taken the place of.
    pub fn toggle_big(&mut self) {
        let first = self.views().first().copied();
        self.view = match self.view {
            View::Big => self.stage.behind.take().or(first).unwrap_or(View::Time),
            view => {
                self.stage.behind = Some(view);
                View::Big
            }
        };
    }

    /// What is drawn: what was seen, or what was when the display froze.
    pub fn shown(&self) -> &Data {
        self.frozen.as_deref().unwrap_or(&self.data)
    }

    /// Whether the workload is held: by the user, or because checks run, which
    /// it would disturb, and they it.
    pub fn is_held(&self) -> bool {
        self.paused || self.checks.is_running()
    }

    /// The last sample that came.
    pub fn last_sample(&self) -> Option<&Sample> {
        self.data.latest.as_deref()
    }

    /// Puts a line above the footer for some seconds.
    pub fn say(&mut self, text: impl Into<String>) {
        self.set_message(text.into(), false, 4.0);
    }

    /// The same for something that went wrong; it stays longer.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.set_message(text.into(), true, 10.0);
    }

    fn set_message(&mut self, text: String, is_error: bool, seconds: f64) {
        self.message = Some(Message {
            text,
            is_error,
            until: self.data.history.now() + seconds,
        });
    }
}
