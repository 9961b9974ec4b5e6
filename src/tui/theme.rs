//! Colours, and what stands for them where there are none.

use ratatui::style::{Color, Modifier, Style};

/// Which set of colours is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// For a dark background.
    Dark,
    /// For a light background.
    Light,
    /// No colours, only bold, underlined and reversed text.
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
    /// The next theme, and around.
    pub fn next(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Mono,
            Self::Mono => Self::Dark,
        }
    }

    /// How `ink` looks. The colours are of the set by Okabe and Ito ("Color
    /// Universal Design", 2008), which colour-blind people can tell apart, as
    /// the nearest of the 256 that terminals have.
    pub fn style(self, ink: Ink) -> Style {
        let color = |dark, light| {
            let index = if self == Self::Dark { dark } else { light };
            Style::new().fg(Color::Indexed(index))
        };
        if self == Self::Mono {
            return match ink {
                Ink::Strong | Ink::Warning | Ink::Flow => Style::new().add_modifier(Modifier::BOLD),
                Ink::Big => Style::new(),
                Ink::Caption => Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
                Ink::Alarm | Ink::Bar => Style::new().add_modifier(Modifier::REVERSED),
                _ => Style::new(),
            };
        }
        match ink {
            Ink::Text => Style::new(),
            Ink::Label => color(248, 240),
            Ink::Strong => Style::new().add_modifier(Modifier::BOLD),
            Ink::Flow => color(36, 29).add_modifier(Modifier::BOLD),
            Ink::Writer => color(214, 166),
            Ink::WriterTail => color(172, 130),
            Ink::Reader => color(117, 25),
            Ink::ReaderTail => color(74, 31),
            Ink::Mark => color(175, 133),
            Ink::Warning => color(227, 94).add_modifier(Modifier::BOLD),
            Ink::Alarm => Style::new()
                .fg(Color::Indexed(231))
                .bg(Color::Indexed(160))
                .add_modifier(Modifier::BOLD),
            // A terminal's own colours may be close to each other.
            Ink::Big => {
                let (fg, bg) = if self == Self::Dark {
                    (231, 16)
                } else {
                    (16, 231)
                };
                Style::new().fg(Color::Indexed(fg)).bg(Color::Indexed(bg))
            }
            Ink::Caption => {
                let (fg, bg) = if self == Self::Dark {
                    (16, 227)
                } else {
                    (231, 25)
                };
                Style::new()
                    .fg(Color::Indexed(fg))
                    .bg(Color::Indexed(bg))
                    .add_modifier(Modifier::BOLD)
            }
            Ink::Bar => {
                let (fg, bg) = if self == Self::Dark {
                    (252, 236)
                } else {
                    (235, 253)
                };
                Style::new().fg(Color::Indexed(fg)).bg(Color::Indexed(bg))
            }
        }
    }
}
