//! The file that a recording is written to.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// A file that a recording goes to, compressed if it is named so.
#[derive(Debug)]
pub struct Opened(Kind);

#[derive(Debug)]
enum Kind {
    Plain(BufWriter<File>),
    Packed(Box<GzEncoder<BufWriter<File>>>),
}

impl Opened {
    /// Makes the file, or takes one that is empty, or a device or FIFO.
    ///
    /// # Errors
    /// `AlreadyExists` where a regular file has something in it; otherwise what
    /// opening says.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() && metadata.len() > 0 {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let out = BufWriter::new(file);
        Ok(Self(if is_packed(path) {
            Kind::Packed(Box::new(GzEncoder::new(out, Compression::best())))
        } else {
            Kind::Plain(out)
        }))
    }

    /// Adds a line.
    pub(super) fn line(&mut self, text: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(out) => out.write_all(text),
            Kind::Packed(out) => out.write_all(text),
        }
    }

    /// Makes all that was added readable from the file.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(out) => out.flush(),
            Kind::Packed(out) => out.flush(),
        }
    }

    /// Completes the file.
    pub(super) fn finish(self) -> io::Result<()> {
        let mut out = match self.0 {
            Kind::Plain(out) => out,
            Kind::Packed(out) => out.finish()?,
        };
        out.flush()
    }
}

/// Whether the name says that it is compressed.
fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}
