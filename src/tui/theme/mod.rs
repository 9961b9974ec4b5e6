//! Colours, and what stands for them where there are none.
//!
//! No colour says something that no word, letter or place says as well.

mod inks;
mod rgb;

use ratatui::style::{Modifier, Style};

pub use rgb::{named_index, rgb};

/// Which set of colours is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// Black and what stands out most from it, for a projector or weak eyes.
    Contrast,
    /// Only the 16 colours that every colour terminal has, as it has them.
    Sixteen,
    /// No colours, only bold and reversed text.
    Mono,
}

/// What a piece of the screen means; the theme decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Ordinary text.
    Text,
    /// Text of less weight: labels, axes.
    Label,
    /// A number or setting that matters.
    Strong,
    /// The throughput.
    Flow,
    /// The writing end.
    Writer,
    /// The writing end's slower calls.
    WriterTail,
    /// The reading end.
    Reader,
    /// The reading end's slower calls.
    ReaderTail,
    /// The moment of a change.
    Mark,
    /// Something to be aware of.
    Warning,
    /// Bytes came wrong.
    Alarm,
    /// The number that is to be read from afar, with its background.
    Big,
    /// What the speaker wants said, with its background.
    Caption,
    /// The bar with the title and the one with the keys.
    Bar,
}

impl Theme {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 5] = [
        Self::Dark,
        Self::Light,
        Self::Contrast,
        Self::Sixteen,
        Self::Mono,
    ];

    /// Its name, as the command line has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Contrast => "contrast",
            Self::Sixteen => "16",
            Self::Mono => "none",
        }
    }

    /// The next theme, and around.
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|&theme| theme == self);
        Self::ALL[(at.unwrap_or(0) + 1) % Self::ALL.len()]
    }

    /// What lies below every ink: nothing where the terminal's own colours are
    /// trusted.
    pub fn ground(self) -> Style {
        match self {
            Self::Contrast => inks::on(inks::WHITE, inks::BLACK),
            Self::Sixteen => inks::sixteen_ground(),
            Self::Dark | Self::Light | Self::Mono => Style::new(),
        }
    }

    /// How `ink` looks.
    pub fn style(self, ink: Ink) -> Style {
        match self {
            Self::Dark => inks::dark(ink),
            Self::Light => inks::light(ink),
            Self::Contrast => inks::contrast(ink),
            Self::Sixteen => inks::sixteen(ink),
            Self::Mono => inks::mono(ink),
        }
    }

    /// How `ink` looks in a bar. What would not stand out from a bright bar
    /// lies on a piece of the ground.
    pub fn on_bar(self, ink: Ink) -> Style {
        match (self, ink) {
            (_, Ink::Alarm | Ink::Bar) => self.style(ink),
            (Self::Contrast | Self::Sixteen, _) => self.ground().add_modifier(Modifier::BOLD),
            (_, Ink::Strong) => self.style(Ink::Bar).add_modifier(Modifier::BOLD),
            _ => self.style(Ink::Bar).patch(self.style(ink)),
        }
    }
}
