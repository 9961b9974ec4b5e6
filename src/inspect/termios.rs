//! A terminal's settings in few words.

use std::os::fd::OwnedFd;

use nix::sys::termios::{
    InputFlags, LocalFlags, OutputFlags, SpecialCharacterIndices as Index, Termios as All,
    tcgetattr,
};

use crate::host::KernelVersion;
use crate::pty::{Error, Flag, Mode, Result};

/// What of a terminal's settings is worth telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Termios {
    /// The flags that matter most.
    pub mode: Mode,
    /// What else is not as on a new pty.
    pub unusual: Vec<String>,
    is_external: bool,
}

/// The special characters of a new pty (INIT_C_CC in asm-generic/termios.h).
const CHARACTERS: [(Index, &str, u8); 13] = [
    (Index::VINTR, "VINTR", 3),
    (Index::VQUIT, "VQUIT", 28),
    (Index::VERASE, "VERASE", 127),
    (Index::VKILL, "VKILL", 21),
    (Index::VEOF, "VEOF", 4),
    (Index::VSTART, "VSTART", 17),
    (Index::VSTOP, "VSTOP", 19),
    (Index::VSUSP, "VSUSP", 26),
    (Index::VEOL, "VEOL", 0),
    (Index::VREPRINT, "VREPRINT", 18),
    (Index::VDISCARD, "VDISCARD", 15),
    (Index::VWERASE, "VWERASE", 23),
    (Index::VLNEXT, "VLNEXT", 22),
];

const INPUT: [(InputFlags, &str); 7] = [
    (InputFlags::ISTRIP, "ISTRIP"),
    (InputFlags::INLCR, "INLCR"),
    (InputFlags::IGNCR, "IGNCR"),
    (InputFlags::IXANY, "IXANY"),
    (InputFlags::IXOFF, "IXOFF"),
    (InputFlags::PARMRK, "PARMRK"),
    (InputFlags::IUTF8, "IUTF8"),
];

const OUTPUT: [(OutputFlags, &str); 4] = [
    (OutputFlags::OLCUC, "OLCUC"),
    (OutputFlags::OCRNL, "OCRNL"),
    (OutputFlags::ONOCR, "ONOCR"),
    (OutputFlags::ONLRET, "ONLRET"),
];

const LOCAL: [(LocalFlags, &str); 5] = [
    (LocalFlags::NOFLSH, "NOFLSH"),
    (LocalFlags::TOSTOP, "TOSTOP"),
    (LocalFlags::ECHONL, "ECHONL"),
    (LocalFlags::FLUSHO, "FLUSHO"),
    (LocalFlags::EXTPROC, "EXTPROC"),
];

impl Termios {
    /// Of the terminal behind `fd`.
    ///
    /// # Errors
    /// EIO after a hangup, ENOTTY when it is no terminal.
    pub fn of(fd: &OwnedFd) -> Result<Self> {
        let mode = Mode::of(fd)?;
        let all =
            tcgetattr(fd).map_err(|errno| Error::new("get termios of", "the terminal", errno))?;
        Ok(Self {
            mode,
            unusual: unusual(mode, &all),
            is_external: all.local_flags.contains(LocalFlags::EXTPROC),
        })
    }
}

/// Whether FIONREAD could hang in the kernel for ever: canonical with EXTPROC,
/// from Linux 3.12 up to 966031f34018 ("n_tty: fix EXTPROC vs ICANON interaction
/// with TIOCINQ", 4.15).
pub fn may_hang(termios: &Termios, kernel: Option<KernelVersion>) -> bool {
    let is_fixed = kernel.is_some_and(|kernel| kernel >= KernelVersion::new(4, 15, 0));
    termios.is_external && termios.mode.has(Flag::Icanon) && !is_fixed
}

fn unusual(mode: Mode, all: &All) -> Vec<String> {
    let input = INPUT
        .iter()
        .filter(|(flag, _)| all.input_flags.contains(*flag))
        .map(|(_, name)| *name);
    let output = OUTPUT
        .iter()
        .filter(|(flag, _)| all.output_flags.contains(*flag))
        .map(|(_, name)| *name);
    let local = LOCAL
        .iter()
        .filter(|(flag, _)| all.local_flags.contains(*flag))
        .map(|(_, name)| *name);
    let mut words: Vec<String> = input
        .chain(output)
        .chain(local)
        .map(str::to_owned)
        .collect();
    let at = |index: Index| all.control_chars[index as usize];
    let changed = CHARACTERS
        .iter()
        .filter(|(index, _, usual)| at(*index) != *usual);
    words.extend(changed.map(|(index, name, _)| format!("{name} {}", caret(at(*index)))));
    // In canonical mode these two mean nothing.
    for (index, name, usual) in [(Index::VMIN, "VMIN", 1), (Index::VTIME, "VTIME", 0)] {
        if !mode.has(Flag::Icanon) && at(index) != usual {
            words.push(format!("{name} {}", at(index)));
        }
    }
    words
}

/// As stty(1) writes a special character.
fn caret(character: u8) -> String {
    match character {
        0 => "off".to_owned(),
        127 => "^?".to_owned(),
        1..=31 => format!("^{}", char::from(character + 64)),
        32..=126 => char::from(character).to_string(),
        other => format!("0x{other:02x}"),
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::termios::{SetArg, tcsetattr};

    use super::*;
    use crate::pty::Pair;

    #[test]
    fn a_new_pty_has_nothing_unusual() {
        let (_master, slave) = Pair::open(Mode::COOKED).unwrap().into_fds();
        let termios = Termios::of(&slave).unwrap();
        assert_eq!((termios.mode, termios.unusual), (Mode::COOKED, vec![]));
    }

    #[test]
    fn what_was_changed_is_told_as_stty_does() {
        let (_master, slave) = Pair::open(Mode::COOKED).unwrap().into_fds();
        let mut all = tcgetattr(&slave).unwrap();
        all.control_chars[Index::VSTOP as usize] = 0;
        all.control_chars[Index::VINTR as usize] = 24;
        all.local_flags |= LocalFlags::TOSTOP;
        tcsetattr(&slave, SetArg::TCSANOW, &all).unwrap();
        let told = Termios::of(&slave).unwrap().unusual;
        assert_eq!(told, ["TOSTOP", "VINTR ^X", "VSTOP off"]);
        Mode::RAW.apply(&slave).unwrap();
        all = tcgetattr(&slave).unwrap();
        all.control_chars[Index::VMIN as usize] = 0;
        all.control_chars[Index::VTIME as usize] = 5;
        tcsetattr(&slave, SetArg::TCSANOW, &all).unwrap();
        let told = Termios::of(&slave).unwrap().unusual;
        assert!(told.ends_with(&["VMIN 0".to_owned(), "VTIME 5".to_owned()]));
    }

    #[test]
    fn fionread_is_not_asked_where_it_hangs() {
        let termios = Termios {
            mode: Mode::COOKED,
            unusual: Vec::new(),
            is_external: true,
        };
        let kernel = |major, minor| Some(KernelVersion::new(major, minor, 0));
        assert!(may_hang(&termios, kernel(4, 14)) && may_hang(&termios, None));
        assert!(!may_hang(&termios, kernel(4, 15)));
        let raw = Termios {
            mode: Mode::RAW,
            ..termios
        };
        assert!(!may_hang(&raw, kernel(4, 14)));
    }
}
