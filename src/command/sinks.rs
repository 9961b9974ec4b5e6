//! Where reports go: opened before the run, so that a bad path fails first.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::OutputArgs;
use crate::report::{Document, Format, Theme};

use super::Usage;
use super::output::{of_stdout, stdout, unless_closed};

/// The places that a report was asked to go to.
#[derive(Debug)]
pub struct Sinks {
    stdout: Option<Format>,
    files: Vec<Sink>,
}

#[derive(Debug)]
struct Sink {
    path: PathBuf,
    format: Format,
    target: Target,
}

/// One file to be written.
#[derive(Debug)]
pub struct Target(Kind);

#[derive(Debug)]
enum Kind {
    /// A device or FIFO, written to as it is.
    InPlace(File),
    /// A new file beside it that takes its place when complete.
    Beside(Draft),
}

/// A file that is not there yet. Dropping it unfinished leaves nothing.
#[derive(Debug)]
struct Draft {
    file: File,
    path: PathBuf,
    /// What it becomes.
    place: PathBuf,
    /// Of the file that it replaces.
    permissions: Option<Permissions>,
}

impl Sinks {
    /// Opens all of them, for a document that makes no picture.
    ///
    /// # Errors
    /// When one cannot be written, or is to be a picture.
    pub fn open(args: &OutputArgs) -> anyhow::Result<Self> {
        Self::at(args.format(), &args.files, args.quiet)
    }

    /// The same of `files` and, unless it is to be quiet, standard output.
    ///
    /// # Errors
    /// As [`Sinks::open`].
    pub fn at(format: Format, files: &[PathBuf], quiet: bool) -> anyhow::Result<Self> {
        Self::all(format, files, quiet, None)
    }

    /// Opens all of them, for a document that makes a picture.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn with_pictures(args: &OutputArgs, theme: Theme) -> anyhow::Result<Self> {
        Self::all(args.format(), &args.files, args.quiet, Some(theme))
    }

    /// Opens all of them; those that are to be pictures get that theme, and are
    /// refused where there is none.
    ///
    /// # Errors
    /// As [`Sinks::open`].
    pub fn all(
        format: Format,
        files: &[PathBuf],
        quiet: bool,
        picture: Option<Theme>,
    ) -> anyhow::Result<Self> {
        let is_stdout = |path: &&PathBuf| path.as_os_str() == "-";
        let named_stdout = files.iter().any(|path| is_stdout(&path));
        let files = files.iter().filter(|path| !is_stdout(path));
        let open = |path: &PathBuf| {
            let shown = path.display();
            let format = match (Format::of(path), picture) {
                (Some(Format::Svg(_)), Some(theme)) => Format::Svg(theme),
                (Some(Format::Svg(_)), None) => {
                    return Err(Usage(format!("{shown}: only sweep makes a picture")).into());
                }
                (known, _) => known.unwrap_or(format),
            };
            let target = Target::open(path);
            Ok(Sink {
                format,
                target: target.with_context(|| format!("cannot write to {shown}"))?,
                path: path.clone(),
            })
        };
        let shown = (!quiet || named_stdout).then_some(format);
        if shown.is_some() {
            of_stdout(stdout().map(drop))?;
        }
        Ok(Self {
            stdout: shown,
            files: files.map(open).collect::<anyhow::Result<_>>()?,
        })
    }

    /// Whether standard output gets text.
    pub fn shows_text(&self) -> bool {
        self.stdout == Some(Format::Text)
    }

    /// Writes the document to all of them, standard output last. A reader of
    /// standard output that has gone away is no error.
    ///
    /// # Errors
    /// Says which one could not be written; the others are written still.
    pub fn write(self, document: &dyn Document) -> anyhow::Result<()> {
        let mut result = Ok(());
        for sink in self.files {
            let written = sink.target.write(document, sink.format);
            let path = sink.path.display();
            result = result.and(written.with_context(|| format!("cannot write to {path}")));
        }
        if let Some(format) = self.stdout {
            let written = stdout().and_then(|out| write_to(out, document, format));
            result = result.and(unless_closed(of_stdout(written)));
        }
        result
    }
}

impl Target {
    /// Makes ready to write there.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn open(path: &Path) -> io::Result<Self> {
        // What is there must be ours to write even if it will be replaced.
        let existing = match OpenOptions::new().write(true).open(path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let Some(file) = existing else {
            let draft = Draft::create(path.to_owned(), None)?;
            return Ok(Self(Kind::Beside(draft)));
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(Self(Kind::InPlace(file)));
        }
        // Through symbolic links: the file is replaced, not the link to it.
        let place = fs::canonicalize(path)?;
        let draft = Draft::create(place, Some(metadata.permissions()))?;
        Ok(Self(Kind::Beside(draft)))
    }

    /// Writes the document; what stood there before is replaced at the end.
    ///
    /// # Errors
    /// What writing says.
    pub fn write(self, document: &dyn Document, format: Format) -> io::Result<()> {
        match self.0 {
            Kind::InPlace(file) => write_to(&file, document, format),
            Kind::Beside(draft) => {
                write_to(&draft.file, document, format)?;
                draft.finish()
            }
        }
    }
}

fn write_to(out: impl Write, document: &dyn Document, format: Format) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    document.write(format, &mut out)?;
    out.flush()
}

impl Draft {
    fn create(place: PathBuf, permissions: Option<Permissions>) -> io::Result<Self> {
        let name = place.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let mut draft_name = std::ffi::OsString::from(".");
        draft_name.push(name);
        draft_name.push(format!(".{}.part", std::process::id()));
        let path = place.with_file_name(draft_name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o666)
            .open(&path)?;
        Ok(Self {
            file,
            path,
            place,
            permissions,
        })
    }

    fn finish(self) -> io::Result<()> {
        if let Some(permissions) = &self.permissions {
            self.file.set_permissions(permissions.clone())?;
        }
        fs::rename(&self.path, &self.place)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Once it is finished there is nothing of that name.
        let _ = fs::remove_file(&self.path);
    }
}
