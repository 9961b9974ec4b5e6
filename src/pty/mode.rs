//! The line discipline's settings that ptyscope turns.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::str::FromStr;

use nix::sys::termios::{
    InputFlags, LocalFlags, OutputFlags, SetArg, Termios, cfmakeraw, tcgetattr, tcsetattr,
};
use serde::{Deserialize, Serialize};

use super::{Error, Result};

/// One termios flag of termios(3), or the few that go with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flag {
    /// Line by line input with editing (with IEXTEN).
    Icanon,
    /// Input is sent back to the master (with ECHOE, ECHOK, ECHOCTL, ECHOKE).
    Echo,
    /// Output processing: NL becomes CR NL (with ONLCR).
    Opost,
    /// ^S stops and ^Q restarts the slave's output.
    Ixon,
    /// ^C, ^\ and ^Z send signals.
    Isig,
    /// CR in the input becomes NL.
    Icrnl,
}

impl Flag {
    /// All flags, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Icanon,
        Self::Echo,
        Self::Opost,
        Self::Ixon,
        Self::Isig,
        Self::Icrnl,
    ];

    /// The name in termios(3).
    pub fn name(self) -> &'static str {
        match self {
            Self::Icanon => "ICANON",
            Self::Echo => "ECHO",
            Self::Opost => "OPOST",
            Self::Ixon => "IXON",
            Self::Isig => "ISIG",
            Self::Icrnl => "ICRNL",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which flags of the line discipline are on.
///
/// [`Mode::RAW`] is what cfmakeraw(3) sets, [`Mode::COOKED`] exactly the
/// termios of a new pty (`tty_std_termios` in tty_io.c).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Mode(u8);

impl Mode {
    /// No flag is on: bytes pass as they are.
    pub const RAW: Self = Self(0);
    /// All flags are on, as on a new pty.
    pub const COOKED: Self = Self(0b11_1111);

    /// Whether `flag` is on.
    pub fn has(self, flag: Flag) -> bool {
        self.0 & flag.bit() != 0
    }

    /// The mode with `flag` turned the other way.
    pub fn toggled(self, flag: Flag) -> Self {
        Self(self.0 ^ flag.bit())
    }

    /// The mode with `flag` on.
    pub fn with(self, flag: Flag) -> Self {
        Self(self.0 | flag.bit())
    }

    /// What the terminal behind `fd` is set to.
    ///
    /// # Errors
    /// EIO after a hangup, ENOTTY when it is no terminal.
    pub fn of(fd: impl AsFd) -> Result<Self> {
        let termios = get(fd.as_fd())?;
        let on = |flag| match flag {
            Flag::Icanon => termios.local_flags.contains(LocalFlags::ICANON),
            Flag::Echo => termios.local_flags.contains(LocalFlags::ECHO),
            Flag::Opost => termios.output_flags.contains(OutputFlags::OPOST),
            Flag::Ixon => termios.input_flags.contains(InputFlags::IXON),
            Flag::Isig => termios.local_flags.contains(LocalFlags::ISIG),
            Flag::Icrnl => termios.input_flags.contains(InputFlags::ICRNL),
        };
        Ok(Flag::ALL
            .into_iter()
            .filter(|&flag| on(flag))
            .fold(Self::RAW, Self::with))
    }

    /// Sets the terminal behind `fd` to this mode at once (`TCSANOW`): queued
    /// bytes stay, and those already in the line discipline are not
    /// processed again.
    ///
    /// # Errors
    /// EIO after a hangup, ENOTTY when it is no terminal.
    pub fn apply(self, fd: impl AsFd) -> Result<()> {
        let mut termios = get(fd.as_fd())?;
        cfmakeraw(&mut termios);
        let input = &mut termios.input_flags;
        input.set(InputFlags::IXON, self.has(Flag::Ixon));
        input.set(InputFlags::ICRNL, self.has(Flag::Icrnl));
        termios.output_flags.set(
            OutputFlags::OPOST | OutputFlags::ONLCR,
            self.has(Flag::Opost),
        );
        let local = &mut termios.local_flags;
        local.set(LocalFlags::ISIG, self.has(Flag::Isig));
        local.set(
            LocalFlags::ICANON | LocalFlags::IEXTEN,
            self.has(Flag::Icanon),
        );
        local.set(
            LocalFlags::ECHO
                | LocalFlags::ECHOE
                | LocalFlags::ECHOK
                | LocalFlags::ECHOCTL
                | LocalFlags::ECHOKE,
            self.has(Flag::Echo),
        );
        tcsetattr(fd.as_fd(), SetArg::TCSANOW, &termios)
            .map_err(|errno| Error::new("set termios of", "the terminal", errno))
    }
}

fn get(fd: BorrowedFd<'_>) -> Result<Termios> {
    tcgetattr(fd).map_err(|errno| Error::new("get termios of", "the terminal", errno))
}

/// `raw`, `cooked`, or the names of the flags that are on: `ICANON+OPOST`.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RAW => f.pad("raw"),
            Self::COOKED => f.pad("cooked"),
            mode => {
                let names: Vec<_> = Flag::ALL
                    .into_iter()
                    .filter(|&flag| mode.has(flag))
                    .map(Flag::name)
                    .collect();
                f.pad(&names.join("+"))
            }
        }
    }
}

/// A mode that names no known flag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown mode {0:?}: raw, cooked, or flags joined by + or , (ICANON ECHO OPOST IXON ISIG ICRNL)"
)]
pub struct ModeParseError(String);

impl FromStr for Mode {
    type Err = ModeParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ModeParseError> {
        match text.to_ascii_lowercase().as_str() {
            "raw" => return Ok(Self::RAW),
            "cooked" => return Ok(Self::COOKED),
            _ => {}
        }
        text.split(['+', ',']).try_fold(Self::RAW, |mode, name| {
            Flag::ALL
                .into_iter()
                .find(|flag| flag.name().eq_ignore_ascii_case(name.trim()))
                .map(|flag| mode.with(flag))
                .ok_or_else(|| ModeParseError(text.to_owned()))
        })
    }
}

impl From<Mode> for String {
    fn from(mode: Mode) -> Self {
        mode.to_string()
    }
}

impl TryFrom<String> for Mode {
    type Error = ModeParseError;

    fn try_from(text: String) -> std::result::Result<Self, ModeParseError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pty::{End, Pair};

    #[test]
    fn cooked_is_the_termios_of_a_new_pty() {
        let pair = Pair::open(Mode::RAW).unwrap();
        Mode::COOKED.apply(pair.fd(End::Slave)).unwrap();
        let termios = get(pair.fd(End::Slave)).unwrap();
        // Octal values of a fresh pty, measured on Linux 2.6.38 to 6.18.
        assert_eq!(termios.input_flags.bits(), 0o2400);
        assert_eq!(termios.output_flags.bits(), 0o5);
        assert_eq!(termios.local_flags.bits(), 0o105_073);
    }

    #[test]
    fn every_mode_is_read_back_as_it_was_set() {
        let pair = Pair::open(Mode::RAW).unwrap();
        for bits in 0..=Mode::COOKED.0 {
            let mode = Mode(bits);
            mode.apply(pair.fd(End::Slave)).unwrap();
            assert_eq!(Mode::of(pair.fd(End::Slave)).unwrap(), mode);
            // TCGETS on the master answers for the slave (tty_mode_ioctl).
            assert_eq!(Mode::of(pair.fd(End::Master)).unwrap(), mode);
        }
    }

    #[test]
    fn text_form_reads_back() {
        for bits in 0..=Mode::COOKED.0 {
            let mode = Mode(bits);
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert!("ICANON+FOO".parse::<Mode>().is_err());
        assert!("".parse::<Mode>().is_err());
    }
}
