use nix::errno::Errno;

/// What the kernel refused: the action, its object, the errno and, where one
/// is known, what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    /// What was being done, as a verb phrase: `open`, `unlock the slave of`.
    pub action: &'static str,
    /// What it was done to: a path, or the name of one end.
    pub object: String,
    /// Why the kernel refused.
    pub errno: Errno,
    /// What the user can do, as a clause.
    pub hint: Option<&'static str>,
}

/// The result of a call to the tty layer.
pub type Result<T> = std::result::Result<T, Error>;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "cannot {} {}: {:?} ({})",
            self.action,
            self.object,
            self.errno,
            self.errno.desc()
        )?;
        match self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// An error with the hint that its errno has wherever it comes from, if
    /// any; see [`Error::or_hint`] to add another.
    pub fn new(action: &'static str, object: impl Into<String>, errno: Errno) -> Self {
        Self {
            action,
            object: object.into(),
            errno,
            hint: match errno {
                Errno::EMFILE => Some("this process has too many open files: raise ulimit -n"),
                Errno::ENFILE => {
                    Some("the system has too many open files: raise /proc/sys/fs/file-max")
                }
                _ => None,
            },
        }
    }

    /// The same error with `hint` where it has none yet.
    pub fn or_hint(mut self, hint: Option<&'static str>) -> Self {
        self.hint = self.hint.or(hint);
        self
    }
}

/// What to do when opening `/dev/ptmx` or a slave fails with `errno`.
///
/// ENODEV and ENOSPC are devpts' answers (`devpts_mntget` and
/// `devpts_new_index` in fs/devpts/inode.c, Linux 4.7 and later).
pub(super) fn open_hint(errno: Errno) -> Option<&'static str> {
    Some(match errno {
        Errno::ENOENT | Errno::ENXIO => {
            "is devpts mounted? try: mount -t devpts devpts /dev/pts -o gid=5,mode=620,ptmxmode=666"
        }
        Errno::ENODEV => {
            "no devpts is mounted beside this ptmx: mount -t devpts devpts /dev/pts -o ptmxmode=666"
        }
        Errno::EACCES | Errno::EPERM => {
            "the node's mode forbids it: /dev/ptmx should be 0666, or a link to pts/ptmx on a devpts mounted with ptmxmode=666"
        }
        Errno::ENOSPC => {
            "every pty is in use: close some, or raise /proc/sys/kernel/pty/max (or this devpts mount's max=)"
        }
        Errno::EIO => "the slave is locked",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_on_what_why_and_what_to_do() {
        let error =
            Error::new("open", "/dev/ptmx", Errno::ENOSPC).or_hint(open_hint(Errno::ENOSPC));
        let text = error.to_string();
        assert!(
            text.starts_with("cannot open /dev/ptmx: ENOSPC (No space left on device); every pty"),
            "{text}"
        );
    }
}
