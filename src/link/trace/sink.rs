//! One file of a trace.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;

use crate::host::errno_text;
use crate::workload::units;

use super::{Format, Origin, Record, Target, What, pcap, text};

/// Text is written in pieces of about so many bytes, so that a limit or a
/// full disk ends it near where it must.
const PIECE: usize = 64 << 10;

enum Out {
    File(File),
    /// Not [`io::Stdout`], which takes EBADF for success.
    Stdout(File),
}

/// An open file of a trace.
pub struct Sink {
    target: Target,
    out: Out,
    written: u64,
}

impl Sink {
    /// Makes the file and begins it.
    pub fn open(target: &Target, origin: &Origin) -> io::Result<Self> {
        let about = |error: io::Error| {
            let text = format!("cannot write {}: {}", target.told(), errno_text(&error));
            io::Error::new(error.kind(), text)
        };
        let out = if target.path.as_os_str() == "-" {
            let own = io::stdout().as_fd().try_clone_to_owned().map_err(about)?;
            Out::Stdout(own.into())
        } else {
            Out::File(File::create(&target.path).map_err(about)?)
        };
        let mut sink = Self {
            target: target.clone(),
            out,
            written: 0,
        };
        sink.begin(origin).map_err(about)?;
        Ok(sink)
    }

    /// Writes records; `bytes` are theirs, one after the other. Gives why the
    /// trace has ended, as a sentence.
    pub fn write(
        &mut self,
        records: &[Record],
        bytes: &[u8],
        origin: &Origin,
    ) -> Result<(), String> {
        let (mut piece, mut bytes) = (Vec::with_capacity(PIECE), bytes);
        for (n, record) in records.iter().enumerate() {
            let length = match record.what {
                What::Bytes(length) => length.min(bytes.len()),
                _ => 0,
            };
            let (data, rest) = bytes.split_at(length);
            bytes = rest;
            match self.target.format {
                Format::Text => text::record(&mut piece, record, data, origin),
                Format::Pcap => pcap::record(&mut piece, record, data, origin),
            }
            if piece.len() >= PIECE || n + 1 == records.len() {
                self.put(&piece, origin)?;
                piece.clear();
            }
        }
        Ok(())
    }

    fn put(&mut self, piece: &[u8], origin: &Origin) -> Result<(), String> {
        let full = |sink: &Self| {
            let limit = sink.target.limit.unwrap_or(u64::MAX);
            sink.written + piece.len() as u64 > limit
        };
        if full(self) && self.target.rotate {
            self.rotate(origin).map_err(|error| self.ended(&error))?;
        } else if full(self) {
            let limit = units::size(self.target.limit.unwrap_or_default() as f64);
            return Err(self.stopped(&format!("its limit of {limit} is reached")));
        }
        self.append(piece).map_err(|error| {
            // What was half written would not be understood.
            if let Out::File(file) = &self.out {
                let _ = file.set_len(self.written);
            }
            self.ended(&error)
        })
    }

    fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        match &mut self.out {
            Out::File(out) | Out::Stdout(out) => out.write_all(piece)?,
        }
        self.written += piece.len() as u64;
        Ok(())
    }

    fn begin(&mut self, origin: &Origin) -> io::Result<()> {
        let mut head = Vec::new();
        match self.target.format {
            Format::Text => text::head(&mut head, origin),
            Format::Pcap => pcap::head(&mut head),
        }
        self.append(&head)
    }

    fn rotate(&mut self, origin: &Origin) -> io::Result<()> {
        if let Out::File(file) = &mut self.out {
            fs::rename(&self.target.path, self.target.rotated())?;
            *file = File::create(&self.target.path)?;
            self.written = 0;
            self.begin(origin)?;
        }
        Ok(())
    }

    fn ended(&self, error: &io::Error) -> String {
        self.stopped(&errno_text(error))
    }

    fn stopped(&self, why: &str) -> String {
        format!(
            "{} has stopped ({why}); the line goes on",
            self.target.told()
        )
    }
}

impl Target {
    /// What a message calls it.
    fn told(&self) -> String {
        match self.path.to_str() {
            Some("-") => "the trace to standard output".to_owned(),
            _ => format!("the trace {}", self.path.display()),
        }
    }

    /// Where a full file goes.
    pub fn rotated(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".1");
        name.into()
    }
}
