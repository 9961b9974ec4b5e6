//! What lies between qemu and us: files without a name, which qemu writes and
//! we read behind it.
//!
//! Not pipes: a file takes all at once, so that qemu never waits for us, and
//! nothing of it lies in a folder to be cleared away.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use nix::fcntl::{FallocateFlags, FcntlArg, FdFlag, fallocate, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

/// A file that is gone with its last user.
#[derive(Debug)]
pub struct Wire {
    file: File,
    /// How much of it was read.
    at: u64,
}

/// How much is read at once.
const PART: usize = 64 << 10;

impl Wire {
    /// An empty one.
    ///
    /// # Errors
    /// As memfd_create(2).
    pub fn new() -> io::Result<Self> {
        let fd = memfd_create(c"ptyscope-guest", MFdFlags::MFD_CLOEXEC)?;
        Ok(Self {
            file: File::from(fd),
            at: 0,
        })
    }

    /// One that holds `bytes`.
    ///
    /// # Errors
    /// As memfd_create(2) and write(2).
    pub fn holding(bytes: &[u8]) -> io::Result<Self> {
        let mut wire = Self::new()?;
        wire.file.write_all(bytes)?;
        Ok(wire)
    }

    /// The name under which a child that inherits it can open it.
    pub fn path(&self) -> String {
        format!("/dev/fd/{}", self.number())
    }

    /// Its descriptor's number.
    pub fn number(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// The file itself, as a child's standard output or error.
    ///
    /// # Errors
    /// As dup(2).
    pub fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// What was written since the last time; empty if nothing was. The memory
    /// of it is given back.
    pub fn read(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut part = vec![0; PART];
        while let Ok(n) = self.file.read_at(&mut part, self.at) {
            let read = part.get(..n).unwrap_or_default();
            if read.is_empty() {
                break;
            }
            bytes.extend_from_slice(read);
            self.at += n as u64;
        }
        if let (false, Ok(end)) = (bytes.is_empty(), i64::try_from(self.at)) {
            let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
            // Where it cannot be given back it is kept.
            let _ = fallocate(&self.file, flags, 0, end);
        }
        bytes
    }
}

/// Lets a descriptor be inherited. Async-signal-safe, for use between fork and
/// exec.
///
/// # Errors
/// As fcntl(2).
pub fn keep_across_exec(number: i32) -> io::Result<()> {
    // SAFETY: the descriptor is open in the child as it is in the parent.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_others_write_can_be_read_once() {
        let mut wire = Wire::new().unwrap();
        assert_eq!(wire.read(), b"");
        let mut other = File::create(format!("/proc/self/fd/{}", wire.number())).unwrap();
        other.write_all(b"one").unwrap();
        assert_eq!(wire.read(), b"one");
        let long = vec![b'x'; 3 * PART + 7];
        other.write_all(&long).unwrap();
        assert_eq!(wire.read(), long);
        assert_eq!(wire.read(), b"");
    }

    #[test]
    fn what_one_holds_can_be_read_by_its_name() {
        let wire = Wire::holding(b"archive").unwrap();
        assert_eq!(fs::read(wire.path()).unwrap(), b"archive");
    }
}
