//! Flags that make a workload, and its length.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::pty::Mode;
use crate::workload::{Direction, MAX_PAIRS, Pace, Payload, Peers, Preset, Settings, units};

use super::value::{chunk, positive_duration, positive_size};

/// When a run ends.
#[derive(Debug, Clone, Args)]
pub struct LengthArgs {
    /// How long to run: 250ms, 5s, 2m
    #[arg(short, long, value_name = "TIME", value_parser = positive_duration, allow_hyphen_values = true, help_heading = "Length")]
    pub duration: Option<Duration>,
    /// Bytes that each writer writes: 100M, 1GB
    #[arg(short = 'n', long, value_name = "SIZE", value_parser = positive_size, allow_hyphen_values = true, help_heading = "Length")]
    pub bytes: Option<u64>,
}

/// Flags that make a workload. Those not given are the preset's.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Workload")]
pub struct WorkloadArgs {
    /// Begin with a named workload: seed1, seed2, terminal, paste, stuck
    #[arg(long, value_name = "NAME", value_parser = preset)]
    pub preset: Option<Preset>,
    /// Which way the bytes go [default: slave-to-master]
    #[arg(long, value_enum)]
    pub direction: Option<DirectionName>,
    /// Bytes per write: 1 to 1M, as dd reads them (4K binary, 4kB decimal) [default: 256]
    #[arg(short, long, value_name = "SIZE", value_parser = chunk, allow_hyphen_values = true)]
    pub chunk: Option<usize>,
    /// Bytes per read, or "chunk" for as many [default: chunk]
    #[arg(long, value_name = "SIZE", value_parser = read_size, allow_hyphen_values = true)]
    pub read_size: Option<ReadSize>,
    /// The line discipline: raw, cooked, or flags as ICANON+OPOST [default: raw]
    #[arg(short, long, value_name = "MODE")]
    pub mode: Option<Mode>,
    /// What is written: constant, sequence, lines, lines:LENGTH, random, random:SEED
    /// [default: sequence, or lines where the mode needs them]
    #[arg(long, value_name = "KIND")]
    pub payload: Option<Payload>,
    /// What holds the reader back: none, 1ms per call, 10MB/s, stopped [default: none]
    #[arg(long, value_name = "PACE", allow_hyphen_values = true)]
    pub reader_pace: Option<Pace>,
    /// The same for the writer
    #[arg(long, value_name = "PACE", allow_hyphen_values = true)]
    pub writer_pace: Option<Pace>,
    /// Both ends in threads, or the reader in a process of its own [default: threads]
    #[arg(long, value_enum)]
    pub peers: Option<PeersName>,
    /// Bind the writers to this CPU
    #[arg(long, value_name = "CPU")]
    pub writer_cpu: Option<usize>,
    /// Bind the readers to this CPU
    #[arg(long, value_name = "CPU")]
    pub reader_cpu: Option<usize>,
    /// Ptys driven in parallel, 1 to 64 [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PAIRS)))]
    pub pairs: Option<u32>,
    /// Do not compare every byte with what was sent
    #[arg(long)]
    pub no_verify: bool,
}

impl WorkloadArgs {
    /// The names of its fields.
    pub const IDS: [&str; 13] = [
        "preset",
        "direction",
        "chunk",
        "read_size",
        "mode",
        "payload",
        "reader_pace",
        "writer_pace",
        "peers",
        "writer_cpu",
        "reader_cpu",
        "pairs",
        "no_verify",
    ];

    /// The settings that the flags make.
    pub fn settings(&self) -> Settings {
        let base = self.preset.map(Preset::settings).unwrap_or_default();
        Settings {
            direction: self
                .direction
                .map_or(base.direction, DirectionName::direction),
            chunk: self.chunk.unwrap_or(base.chunk),
            read_size: match self.read_size {
                None => base.read_size,
                Some(ReadSize::AsChunk) => None,
                Some(ReadSize::Bytes(bytes)) => Some(bytes),
            },
            mode: self.mode.unwrap_or(base.mode),
            payload: self.payload.or(base.payload),
            writer_pace: self.writer_pace.unwrap_or(base.writer_pace),
            reader_pace: self.reader_pace.unwrap_or(base.reader_pace),
            peers: self.peers.map_or(base.peers, PeersName::peers),
            writer_cpu: self.writer_cpu.or(base.writer_cpu),
            reader_cpu: self.reader_cpu.or(base.reader_cpu),
            pairs: self.pairs.unwrap_or(base.pairs),
            verify: base.verify && !self.no_verify,
        }
    }
}

/// A read size as it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadSize {
    /// As many bytes as a chunk has.
    AsChunk,
    /// So many.
    Bytes(usize),
}

/// The directions by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DirectionName {
    /// The slave writes, the master reads: a program's output
    #[value(alias = "s2m")]
    SlaveToMaster,
    /// The master writes, the slave reads: input to a program
    #[value(alias = "m2s")]
    MasterToSlave,
    /// Both at once
    Both,
    /// Ping-pong: a chunk there and as many bytes back
    Echo,
}

impl DirectionName {
    fn direction(self) -> Direction {
        match self {
            Self::SlaveToMaster => Direction::SlaveToMaster,
            Self::MasterToSlave => Direction::MasterToSlave,
            Self::Both => Direction::Both,
            Self::Echo => Direction::Echo,
        }
    }
}

/// The peers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PeersName {
    /// Threads of one process
    Threads,
    /// The reader has a process of its own
    Processes,
}

impl PeersName {
    fn peers(self) -> Peers {
        match self {
            Self::Threads => Peers::Threads,
            Self::Processes => Peers::Processes,
        }
    }
}

fn preset(name: &str) -> Result<Preset, String> {
    Preset::named(name).ok_or_else(|| {
        let names: Vec<_> = Preset::ALL.iter().map(|preset| preset.name).collect();
        format!("no such preset; there are {}", names.join(", "))
    })
}

fn read_size(text: &str) -> Result<ReadSize, units::UnitError> {
    match text {
        "chunk" => Ok(ReadSize::AsChunk),
        text => chunk(text).map(ReadSize::Bytes),
    }
}
