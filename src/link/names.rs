//! The names under which clients find the slaves: symlinks that are made
//! atomically, never take the place of anything that is not ours to take, and
//! go when we go.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

use crate::host::errno_text;
use crate::sample::NameLoss;

/// Why a name cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused.
    #[error("cannot make the name {}: {}{}", path.display(), errno_text(error), hint(path, error))]
    Io {
        /// The name.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Something is there that is never replaced.
    #[error("{} is {what}, which is never replaced: choose another name", path.display())]
    Taken {
        /// The name.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
    /// A symlink is there that may be somebody's.
    #[error("{} is a symlink to {}{}: --force replaces it", path.display(), target.display(), used(*in_use))]
    Foreign {
        /// The name.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// Whether that is a pty that exists, so another program may serve it.
        in_use: bool,
    },
    /// Both ends were given one name.
    #[error("{} is given as both names of a link", .0.display())]
    Twice(PathBuf),
}

fn hint(path: &Path, error: &io::Error) -> &'static str {
    let is_there = path.parent().is_some_and(Path::is_dir);
    match error.raw_os_error().map(Errno::from_raw) {
        // As /proc says it.
        Some(Errno::ENOENT) if is_there => "; choose a directory that takes names, as /tmp",
        Some(Errno::ENOENT | Errno::ENOTDIR) => "; its directory must exist",
        Some(Errno::ENAMETOOLONG) => "; choose a shorter name",
        Some(Errno::EROFS) => "; choose a directory that can be written, as /tmp",
        Some(Errno::EACCES | Errno::EPERM) => "; choose a directory that you may write, as /tmp",
        _ => "",
    }
}

fn used(in_use: bool) -> &'static str {
    if in_use {
        ", a pty in use, perhaps by another null modem"
    } else {
        ""
    }
}

/// A symlink of ours to a slave. Dropping it removes it, if it still leads to
/// where we made it lead.
#[derive(Debug)]
pub struct Name {
    path: PathBuf,
    target: PathBuf,
}

impl Name {
    /// Makes `path` lead to the slave `target`. A symlink to a pty that does
    /// not exist any more is a stale one and is replaced; any other symlink
    /// only by `force`; nothing else ever.
    ///
    /// # Errors
    /// When something is in the way, or the file system refuses.
    pub fn claim(path: &Path, target: &Path, force: bool) -> Result<Self, Error> {
        let path = std::path::absolute(path).map_err(|error| Error::Io {
            path: path.to_owned(),
            error,
        })?;
        match symlink(target, &path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                replace(&path, target, force)?;
            }
            Err(error) => return Err(Error::Io { path, error }),
            Ok(()) => {}
        }
        Ok(Self {
            path,
            target: target.to_owned(),
        })
    }

    /// Takes away a symlink that is stale: before new ptys are opened, one of
    /// which may get the number to which it leads.
    pub fn sweep(path: &Path) {
        take_away(path, is_stale);
    }

    /// The name itself, absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// What has become of the name `path` that was made to lead to `target`; None
/// while it does.
pub fn loss(path: &Path, target: &Path) -> Option<NameLoss> {
    match fs::read_link(path) {
        Ok(found) if found == target => None,
        Ok(found) => Some(NameLoss::Taken(found.display().to_string())),
        // EINVAL: something is there that is no symlink.
        Err(error) if error.raw_os_error() == Some(Errno::EINVAL as i32) => {
            Some(NameLoss::Replaced)
        }
        Err(_) => Some(NameLoss::Removed),
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        take_away(&self.path, |target| target == self.target);
    }
}

/// Refuses two names that are one file.
///
/// # Errors
/// [`Error::Twice`].
pub fn check_different(a: &Path, b: &Path) -> Result<(), Error> {
    let place = |path: &Path| -> Option<(u64, u64, OsString)> {
        let absolute = std::path::absolute(path).ok()?;
        let directory = fs::metadata(absolute.parent()?).ok()?;
        Some((
            directory.dev(),
            directory.ino(),
            absolute.file_name()?.to_owned(),
        ))
    };
    if a == b || place(a).is_some_and(|place_a| place(b) == Some(place_a)) {
        return Err(Error::Twice(a.to_owned()));
    }
    Ok(())
}

/// Puts a symlink where one may be replaced.
fn replace(path: &Path, target: &Path, force: bool) -> Result<(), Error> {
    let fail = |error| Error::Io {
        path: path.to_owned(),
        error,
    };
    let old = replaceable(path, force)?;
    let ours = aside(path);
    symlink(target, &ours).map_err(fail)?;
    let result = exchange(path, &ours, &old);
    // After the exchange this is what was replaced; before it, ours.
    let _ = fs::remove_file(&ours);
    result.map_err(fail)
}

/// Exchanges the two, and back if what came out is not the symlink to `old`.
fn exchange(path: &Path, ours: &Path, old: &Path) -> io::Result<()> {
    let swap = || renameat2(AT_FDCWD, ours, AT_FDCWD, path, RenameFlags::RENAME_EXCHANGE);
    match swap() {
        Ok(()) if fs::read_link(ours).is_ok_and(|target| target == old) => Ok(()),
        Ok(()) => {
            swap()?;
            Err(io::ErrorKind::AlreadyExists.into())
        }
        // File systems without RENAME_EXCHANGE, and kernels before 3.15.
        Err(Errno::EINVAL | Errno::ENOSYS) => fs::rename(ours, path),
        Err(errno) => Err(errno.into()),
    }
}

/// Where the symlink at `path` leads, if it may be replaced.
fn replaceable(path: &Path, force: bool) -> Result<PathBuf, Error> {
    let io_error = |error| Error::Io {
        path: path.to_owned(),
        error,
    };
    let kind = fs::symlink_metadata(path).map_err(io_error)?.file_type();
    if !kind.is_symlink() {
        return Err(Error::Taken {
            path: path.to_owned(),
            what: match kind {
                k if k.is_file() => "a regular file",
                k if k.is_dir() => "a directory",
                k if k.is_char_device() || k.is_block_device() => "a device",
                k if k.is_fifo() => "a FIFO",
                _ => "a socket",
            },
        });
    }
    let target = fs::read_link(path).map_err(io_error)?;
    if force || is_stale(&target) {
        return Ok(target);
    }
    Err(Error::Foreign {
        path: path.to_owned(),
        in_use: is_pts(&target),
        target,
    })
}

fn is_pts(target: &Path) -> bool {
    target
        .strip_prefix("/dev/pts")
        .is_ok_and(|rest| rest.to_str().is_some_and(|n| n.parse::<u32>().is_ok()))
}

/// Whether it is a pty that does not exist any more, in the devpts of this
/// process: one of another container's looks stale where both share a directory.
fn is_stale(target: &Path) -> bool {
    is_pts(target) && is_gone(&fs::symlink_metadata(target))
}

/// A pty that we may not look at, or cannot, may well be there.
fn is_gone<T>(found: &io::Result<T>) -> bool {
    let error = found.as_ref().err();
    error.is_some_and(|error| error.raw_os_error() == Some(Errno::ENOENT as i32))
}

/// Removes the symlink at `path` if `ours` says so of where it leads, and nothing
/// that somebody puts there meanwhile. What cannot be removed stays: nobody here
/// could do better.
fn take_away(path: &Path, ours: impl Fn(&Path) -> bool) {
    let is_ours = |at: &Path| fs::read_link(at).is_ok_and(|target| ours(&target));
    if !is_ours(path) {
        return;
    }
    let aside = aside(path);
    let _ = match fs::rename(path, &aside) {
        Ok(()) if is_ours(&aside) => fs::remove_file(&aside),
        Ok(()) => put_back(&aside, path),
        // There is no room for the other name.
        Err(error) if is_full(&error) => fs::remove_file(path),
        Err(error) => Err(error),
    };
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// Gives a file its name back, unless somebody has it already.
fn put_back(aside: &Path, path: &Path) -> io::Result<()> {
    match renameat2(
        AT_FDCWD,
        aside,
        AT_FDCWD,
        path,
        RenameFlags::RENAME_NOREPLACE,
    ) {
        // File systems without RENAME_NOREPLACE, and kernels before 3.15.
        Err(Errno::EINVAL | Errno::ENOSYS) => {
            fs::hard_link(aside, path)?;
            fs::remove_file(aside)
        }
        other => Ok(other?),
    }
}

/// A name beside `path` that only this process uses.
fn aside(path: &Path) -> PathBuf {
    path.with_file_name(format!(
        ".ptyscope-{}-{}",
        std::process::id(),
        crate::host::monotonic_ns()
    ))
}

#[cfg(test)]
mod tests;
