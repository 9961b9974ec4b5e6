//! Flags of the live screen.

use clap::{Args, ValueEnum};

/// What the live screen looks like.
#[derive(Debug, Clone, Args)]
pub struct ScreenArgs {
    /// Frames a second at most
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=60), help_heading = "Screen")]
    pub fps: u16,
    /// The colours to begin with; those of dark and light are safe for the colour-blind
    #[arg(long, value_enum, default_value_t = ThemeName::Dark, help_heading = "Screen")]
    pub theme: ThemeName,
    /// Colours: auto follows NO_COLOR
    #[arg(long, value_enum, default_value_t = When::Auto, help_heading = "Screen")]
    pub color: When,
    /// Letters instead of braille and lines
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
    /// Words for an audience, shown below the title
    #[arg(long, value_name = "TEXT", help_heading = "Screen")]
    pub caption: Option<String>,
    /// Play a tour, with its own settings: seed1, seed2, backpressure, cooked, paste, or a FILE
    #[arg(long, value_name = "NAME|FILE", help_heading = "Screen")]
    pub tour: Option<String>,
    /// Panics where it says, for the tests of what a panic leaves behind
    #[arg(long, value_enum, hide = true)]
    pub fault: Option<Fault>,
    /// A line of text a second instead of the screen
    #[arg(long, help_heading = "Screen")]
    pub plain: bool,
}

/// The screen's themes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ThemeName {
    /// For a dark background
    Dark,
    /// For a light background
    Light,
    /// Bright on black, for a projector or weak eyes
    Contrast,
    /// Only the 16 colours that every colour terminal has
    #[value(name = "16")]
    Sixteen,
    /// No colours; what NO_COLOR makes of it
    None,
}

/// The grounds of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroundName {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// When to do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it fits.
    Auto,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// Where a panic can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// In the thread that draws, at the first sample.
    ScreenPanic,
    /// In each reader, after a megabyte.
    WorkerPanic,
}
