//! The colours of each theme.
//!
//! Those of the dark and the light one are of the set by Okabe and Ito ("Color
//! Universal Design", 2008), which colour-blind people can tell apart, as the
//! nearest of xterm's 256 that stand out enough from their ground. The first 16
//! of the 256 look different in every terminal; only the theme that is made of
//! them has them.

use ratatui::style::{Color, Modifier, Style};

use super::Ink;

/// Black of the colour cube.
pub const BLACK: u8 = 16;
/// White of the colour cube.
pub const WHITE: u8 = 231;

/// One of the 256 colours.
fn ink(index: u8) -> Style {
    Style::new().fg(Color::Indexed(index))
}

/// One of the 256 colours on another.
pub fn on(index: u8, ground: u8) -> Style {
    ink(index).bg(Color::Indexed(ground))
}

fn bold(style: Style) -> Style {
    style.add_modifier(Modifier::BOLD)
}

/// On whatever dark ground the terminal has.
pub fn dark(meaning: Ink) -> Style {
    match meaning {
        Ink::Text => Style::new(),
        Ink::Label => ink(248),
        Ink::Strong => bold(Style::new()),
        Ink::Flow => bold(ink(36)),
        Ink::Writer => ink(214),
        Ink::WriterTail => ink(172),
        Ink::Reader => ink(117),
        Ink::ReaderTail => ink(74),
        Ink::Mark => ink(175),
        Ink::Warning => bold(ink(227)),
        Ink::Alarm => bold(on(WHITE, 160)),
        // A terminal's own colours may be close to each other.
        Ink::Big => on(WHITE, BLACK),
        Ink::Caption => bold(on(BLACK, 227)),
        Ink::Bar => on(252, 236),
    }
}

/// On whatever light ground the terminal has.
pub fn light(meaning: Ink) -> Style {
    match meaning {
        Ink::Text => Style::new(),
        Ink::Label => ink(240),
        Ink::Strong => bold(Style::new()),
        Ink::Flow => bold(ink(29)),
        Ink::Writer => ink(130),
        Ink::WriterTail => ink(94),
        Ink::Reader => ink(25),
        Ink::ReaderTail => ink(60),
        Ink::Mark => ink(126),
        Ink::Warning => bold(ink(88)),
        Ink::Alarm => bold(on(WHITE, 160)),
        Ink::Big => on(BLACK, WHITE),
        Ink::Caption => bold(on(WHITE, 25)),
        Ink::Bar => on(235, 253),
    }
}

/// On the black that this theme brings along.
pub fn contrast(meaning: Ink) -> Style {
    match meaning {
        Ink::Text => ink(WHITE),
        Ink::Label => ink(252),
        Ink::Strong => bold(ink(WHITE)),
        Ink::Flow => bold(ink(49)),
        Ink::Writer => ink(220),
        Ink::WriterTail => ink(208),
        Ink::Reader => ink(123),
        Ink::ReaderTail => ink(39),
        Ink::Mark => ink(219),
        Ink::Warning => bold(ink(226)),
        Ink::Alarm => bold(on(WHITE, 88)),
        Ink::Big => on(WHITE, BLACK),
        Ink::Caption => bold(on(BLACK, 226)),
        Ink::Bar => on(BLACK, WHITE),
    }
}

/// What the theme of the 16 lies on. A terminal's own ground may be any, so it
/// is one of them, too.
pub fn sixteen_ground() -> Style {
    Style::new().fg(Color::Gray).bg(Color::Black)
}

/// The names are the palette's numbers: Gray is 7, White is 15. Blue is left
/// out, which is dark on black in most palettes; nothing that lies on another
/// ground is bold, which turns black into grey on the Linux console.
pub fn sixteen(meaning: Ink) -> Style {
    let fg = |color| Style::new().fg(color);
    match meaning {
        Ink::Text | Ink::Label => fg(Color::Gray),
        Ink::Strong => bold(fg(Color::White)),
        Ink::Flow => bold(fg(Color::Green)),
        Ink::Writer => fg(Color::Yellow),
        Ink::WriterTail => fg(Color::LightYellow),
        Ink::Reader => fg(Color::Cyan),
        Ink::ReaderTail => fg(Color::LightCyan),
        Ink::Mark => fg(Color::Magenta),
        Ink::Warning => bold(fg(Color::Yellow)),
        Ink::Alarm => fg(Color::White).bg(Color::Red),
        Ink::Big => fg(Color::White).bg(Color::Black),
        Ink::Caption => fg(Color::Black).bg(Color::Yellow),
        Ink::Bar => fg(Color::Black).bg(Color::Gray),
    }
}

/// In the terminal's own colours.
pub fn mono(meaning: Ink) -> Style {
    match meaning {
        Ink::Strong | Ink::Warning | Ink::Flow => bold(Style::new()),
        Ink::Caption => bold(Style::new().add_modifier(Modifier::REVERSED)),
        Ink::Alarm | Ink::Bar => Style::new().add_modifier(Modifier::REVERSED),
        _ => Style::new(),
    }
}
