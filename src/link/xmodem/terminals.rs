//! The two terminals of a transfer.

use std::fs::{File, Metadata, OpenOptions};
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::{major, makedev};
use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};

use crate::link::Error;
use crate::pty::{self, Mode, device};

use super::wire::Wire;

/// The majors of slaves (`UNIX98_PTY_SLAVE_MAJOR`, include/uapi/linux/major.h).
const SLAVES: Range<u64> = 136..144;

/// Two terminals that are open, raw, and never block. Dropping them gives them
/// back as they were found.
#[derive(Debug)]
pub struct Ends {
    terminals: [Terminal; 2],
    names: [String; 2],
}

#[derive(Debug)]
struct Terminal {
    file: File,
    found: Termios,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that was hung up has nothing left to set.
        let _ = tcsetattr(&self.file, SetArg::TCSANOW, &self.found);
    }
}

impl Ends {
    /// Opens them.
    ///
    /// # Errors
    /// When one cannot be opened or is no terminal, and when they can never be
    /// the two ends of a line.
    pub fn open(paths: &[PathBuf; 2]) -> Result<Self, Error> {
        let ends = Self {
            terminals: [open(&paths[0])?, open(&paths[1])?],
            names: paths.each_ref().map(|path| path.display().to_string()),
        };
        // Nothing is set before that: one terminal would be found raw the second
        // time.
        ends.check().map_err(Error::Contradiction)?;
        for (terminal, path) in ends.terminals.iter().zip(paths) {
            let raw = Mode::RAW.apply(&terminal.file);
            raw.map_err(|error| named(path, error))?;
        }
        Ok(ends)
    }

    fn check(&self) -> Result<(), String> {
        let [a, b] = &self.names;
        let [file_a, file_b] = self.terminals.each_ref().map(|terminal| &terminal.file);
        let mut ends = [(file_a, a), (file_b, b)].into_iter();
        if let Some((_, name)) = ends.find(|(file, _)| is_multiplexer(file)) {
            return Err(format!(
                "{name} makes a new pty each time that it is opened, which is linked to nothing: give the two ends of a link"
            ));
        }
        if are_same([file_a, file_b]) {
            return Err(format!(
                "{a} and {b} are one terminal: a transfer goes from one end of a link to the other, give both"
            ));
        }
        Ok(())
    }

    /// The two sides, which wait until `stop` is true at most.
    pub fn wires<'a>(&'a self, stop: &'a AtomicBool) -> [Wire<'a>; 2] {
        [0, 1].map(|end| Wire::new(self.terminals[end].file.as_fd(), &self.names[end], stop))
    }
}

fn named(path: &Path, error: pty::Error) -> pty::Error {
    pty::Error {
        object: path.display().to_string(),
        ..error
    }
}

fn open(path: &Path) -> Result<Terminal, pty::Error> {
    let fail = |action, errno| pty::Error::new(action, path.display().to_string(), errno);
    let mut options = OpenOptions::new();
    options
        .read(true)
        .write(true)
        .custom_flags((OFlag::O_NOCTTY | OFlag::O_NONBLOCK).bits());
    let file = options.open(path).map_err(|error| {
        let errno = error.raw_os_error().map_or(Errno::EIO, Errno::from_raw);
        fail("open", errno).or_hint(match errno {
            Errno::ENOENT => Some("is the link running? ptyscope link makes the names"),
            Errno::EACCES => {
                Some("the mode and group of the terminal must let you in: link --mode, --group")
            }
            Errno::EIO => Some("nobody has the other side of it open"),
            Errno::ENXIO => Some("nothing is behind that name: /dev/tty is a terminal only where this process has one"),
            _ => None,
        })
    })?;
    let found = tcgetattr(&file).map_err(|errno| {
        let hint =
            (errno == Errno::ENOTTY).then_some("it is no terminal: give the two ends of a link");
        fail("get termios of", errno).or_hint(hint)
    })?;
    Ok(Terminal { file, found })
}

/// Whether it is the master of a new pty, by /dev/ptmx or a devpts' own.
fn is_multiplexer(file: &File) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.rdev() == makedev(5, 2))
}

/// Whether both are one device, under whatever names: also /dev/tty is one of
/// the others. Two slaves of one number in different devpts mounts are two.
fn are_same([a, b]: [&File; 2]) -> bool {
    let (Ok(node_a), Ok(node_b)) = (a.metadata(), b.metadata()) else {
        return false;
    };
    let are_equal = match (device(a.as_fd()), device(b.as_fd())) {
        (Ok(device_a), Ok(device_b)) => device_a == device_b,
        // A kernel without TIOCGDEV.
        _ => node_a.rdev() == node_b.rdev(),
    };
    let is_slave = |node: &Metadata| SLAVES.contains(&major(node.rdev()));
    let are_apart = is_slave(&node_a) && is_slave(&node_b) && node_a.dev() != node_b.dev();
    are_equal && !are_apart
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::pty::{End, Pair};

    #[test]
    fn terminals_are_given_back_as_they_were() {
        let pairs = [(); 2].map(|()| Pair::open(Mode::COOKED).unwrap());
        let slaves = pairs.each_ref().map(Pair::slave_path);
        let found = || pairs.each_ref().map(|pair| tcgetattr(pair.fd(End::Slave)));
        let before = found();
        let ends = Ends::open(&slaves).unwrap();
        for pair in &pairs {
            assert_eq!(Mode::of(pair.fd(End::Slave)).unwrap(), Mode::RAW);
        }
        drop(ends);
        assert_eq!(found(), before);
        // Also those that are refused.
        for second in [&slaves[0], Path::new("/dev/null"), Path::new("/nowhere")] {
            Ends::open(&[slaves[0].to_owned(), second.to_owned()]).unwrap_err();
            assert_eq!(found(), before);
        }
    }

    #[test]
    fn what_can_never_be_the_two_ends_of_a_line_is_refused_by_name() {
        let pairs = [(); 2].map(|()| Pair::open(Mode::RAW).unwrap());
        let slaves = pairs.each_ref().map(Pair::slave_path);
        let folder = tempfile::tempdir().unwrap();
        let other_name = folder.path().join("ttyS0");
        symlink(&slaves[0], &other_name).unwrap();
        assert!(Ends::open(&slaves).is_ok());
        for (paths, words) in [
            ([slaves[0].clone(), slaves[0].clone()], "one terminal"),
            ([slaves[0].clone(), other_name.clone()], "one terminal"),
            ([slaves[0].clone(), "/dev/ptmx".into()], "a new pty"),
            ([slaves[0].clone(), "/dev/null".into()], "ENOTTY"),
            ([slaves[0].clone(), "/nowhere".into()], "ENOENT"),
        ] {
            let said = Ends::open(&paths).unwrap_err().to_string();
            let name = paths[1].display().to_string();
            assert!(said.contains(words) && said.contains(&name), "{said}");
        }
    }
}
