//! The command line, and nothing else.

mod bench;
mod boot;
mod capacity;
mod check;
mod compare;
mod line;
mod link;
mod output;
mod record;
mod sweep;
mod xmodem;

use std::path::PathBuf;
use std::time::Duration;

pub use boot::{AccelName, BootArgs, MachineArgs};
pub use check::{CheckArgs, CheckFormat};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

pub use bench::{BenchArgs, YardstickName};
pub use capacity::{CapacityArgs, EndName};
pub use compare::{BaselineArgs, CompareArgs, GateArgs, MetricName};
pub use line::LineArgs;
pub use link::LinkArgs;
pub use output::{FormatName, LabelArgs, OutputArgs};
pub use record::{RecordArgs, ReplayArgs, SnapshotArgs, ViewName};
pub use sweep::{PlanArgs, SweepArgs};
pub use xmodem::{BlockName, XmodemArgs};

use crate::pty::Mode;
use crate::workload::{
    Direction, MAX_CHUNK, MAX_PAIRS, Pace, Payload, Peers, Preset, Settings, units,
};

/// Drives traffic through a Linux pseudo-terminal and shows, live, what the
/// kernel's tty layer does with it.
///
/// Without a command it opens the live screen.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do instead of the live screen.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The live screen's flags.
    #[command(flatten)]
    pub live: LiveArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure one workload for two seconds and report
    Bench(BenchArgs),
    /// Measure many chunk sizes and say where the throughput has a step
    Sweep(SweepArgs),
    /// Link two ptys as a null modem
    Link(Box<LinkArgs>),
    /// Transfer a file by XMODEM over a null modem, and say what a block costs
    Xmodem(XmodemArgs),
    /// Check that this kernel's ptys behave
    Check(CheckArgs),
    /// Measure how many bytes a pty takes before its writer blocks
    Capacity(CapacityArgs),
    /// Run one of the others inside a kernel under test, under qemu
    Boot(Box<BootArgs>),
    /// Replay a recording, on the screen, as lines, as a report or a picture
    Replay(Box<ReplayArgs>),
    /// Compare reports with the first of them
    Compare(CompareArgs),
    /// Write shell completions and man pages into a directory
    #[command(hide = true)]
    Generate {
        /// Where; its directories completions and man are made
        directory: PathBuf,
    },
}

/// Flags of the live screen.
#[derive(Debug, Args)]
// A tour has settings of its own.
#[command(group(
    ArgGroup::new("settings")
        .args(WorkloadArgs::IDS)
        .multiple(true)
        .conflicts_with("tour")
))]
pub struct LiveArgs {
    /// The workload.
    #[command(flatten)]
    pub workload: WorkloadArgs,
    /// When it ends.
    #[command(flatten)]
    pub length: LengthArgs,
    /// Its recording.
    #[command(flatten)]
    pub record: RecordArgs,
    /// The screen as a file.
    #[command(flatten)]
    pub snapshot: SnapshotArgs,
    /// The screen.
    #[command(flatten)]
    pub screen: ScreenArgs,
}

/// What the live screen looks like.
#[derive(Debug, Clone, Args)]
pub struct ScreenArgs {
    /// Frames a second at most
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=60), help_heading = "Screen")]
    pub fps: u16,
    /// The colours to begin with; those of dark and light are safe for the colour-blind
    #[arg(long, value_enum, default_value_t = ThemeName::Dark, help_heading = "Screen")]
    pub theme: ThemeName,
    /// Colours: auto follows NO_COLOR
    #[arg(long, value_enum, default_value_t = When::Auto, help_heading = "Screen")]
    pub color: When,
    /// Letters instead of braille and lines
    #[arg(long, help_heading = "Screen")]
    pub ascii: bool,
    /// Words for an audience, shown below the title
    #[arg(long, value_name = "TEXT", help_heading = "Screen")]
    pub caption: Option<String>,
    /// Play a tour, with its own settings: seed1, seed2, backpressure, cooked, paste, or a FILE
    #[arg(long, value_name = "NAME|FILE", help_heading = "Screen")]
    pub tour: Option<String>,
    /// Panics where it says, for the tests of what a panic leaves behind
    #[arg(long, value_enum, hide = true)]
    pub fault: Option<Fault>,
    /// A line of text a second instead of the screen
    #[arg(long, help_heading = "Screen")]
    pub plain: bool,
}

/// The screen's themes by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ThemeName {
    /// For a dark background
    Dark,
    /// For a light background
    Light,
    /// Bright on black, for a projector or weak eyes
    Contrast,
    /// Only the 16 colours that every colour terminal has
    #[value(name = "16")]
    Sixteen,
    /// No colours; what NO_COLOR makes of it
    None,
}

/// The grounds of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroundName {
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// When to do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it fits.
    Auto,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// Where a panic can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// In the thread that draws, at the first sample.
    ScreenPanic,
    /// In each reader, after a megabyte.
    WorkerPanic,
}

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
    const IDS: [&str; 13] = [
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

fn chunk(text: &str) -> Result<usize, units::UnitError> {
    let bytes = units::parse_size(text)?;
    units::within(text, bytes, 1, MAX_CHUNK as u64).map(|bytes| bytes as usize)
}

fn read_size(text: &str) -> Result<ReadSize, units::UnitError> {
    match text {
        "chunk" => Ok(ReadSize::AsChunk),
        text => chunk(text).map(ReadSize::Bytes),
    }
}

fn positive_size(text: &str) -> Result<u64, units::UnitError> {
    let bytes = units::parse_size(text)?;
    units::within(text, bytes, 1, u64::MAX)
}

/// A share of 100 % exclusive, as 5% or 0.05.
fn effect(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    let value = number
        .parse::<f64>()
        .map_err(|_| format!("{text:?} is no effect: 5%, 0.5%"))?
        / scale;
    if value > 0.0 && value < 1.0 {
        Ok(value)
    } else {
        Err(format!("{text}: an effect lies between 0 and 100 %"))
    }
}

fn positive_duration(text: &str) -> Result<Duration, String> {
    match units::parse_duration(text) {
        Ok(Duration::ZERO) => Err("a run must last longer than 0".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_go_over_the_preset() {
        let cli = Cli::try_parse_from(["ptyscope", "--preset", "paste", "--chunk", "4K"]).unwrap();
        let settings = cli.live.workload.settings();
        let paste = Preset::named("paste").unwrap().settings();
        assert_eq!(
            settings,
            Settings {
                chunk: 4096,
                ..paste
            }
        );
    }

    #[test]
    fn no_flag_of_the_settings_is_forgotten() {
        let headed = |command: &clap::Command, heading| {
            let arguments = command.get_arguments();
            let here = arguments.filter(|argument| argument.get_help_heading() == Some(heading));
            here.map(|argument| argument.get_id().to_string())
                .filter(|id| id != "drop_unattached")
                .collect::<Vec<_>>()
        };
        let command = Cli::command();
        assert_eq!(headed(&command, "Workload"), WorkloadArgs::IDS);
        let link = command.find_subcommand("link").unwrap();
        assert_eq!(headed(link, "Line"), LineArgs::IDS);
    }

    #[test]
    fn a_tour_has_settings_of_its_own() {
        let refused = |line: &str| {
            let words = line.split_whitespace();
            let error = Cli::try_parse_from(words).err()?;
            Some(error.to_string())
        };
        for flag in [
            "--preset paste",
            "--direction both",
            "--chunk 4K",
            "--read-size chunk",
            "--mode raw",
            "--payload lines",
            "--reader-pace 1ms",
            "--writer-pace none",
            "--peers threads",
            "--writer-cpu 0",
            "--reader-cpu 0",
            "--pairs 1",
            "--no-verify",
        ] {
            let told = refused(&format!("ptyscope --tour seed1 {flag}")).unwrap();
            let name = flag.split(' ').next().unwrap();
            assert!(told.contains(name) && told.contains("--tour"), "{told}");
        }
        for flag in [
            "--baud 9600",
            "--frame 8N1",
            "--latency 1ms",
            "--jitter 1ms",
            "--settle 1ms",
            "--drop 0.1",
            "--flip 0.1",
            "--dup 0.1",
            "--seed 2",
            "--drop-unattached",
            "--json",
        ] {
            let told = refused(&format!("ptyscope link --tour seed2 {flag}")).unwrap();
            let name = flag.split(' ').next().unwrap();
            assert!(told.contains(name) && told.contains("--tour"), "{told}");
        }
        assert_eq!(
            refused("ptyscope --tour seed1 --duration 5s --theme 16"),
            None
        );
        assert_eq!(refused("ptyscope link --tour seed2 --interval 1s"), None);
    }

    #[test]
    fn bad_values_are_refused() {
        for flags in [
            ["--chunk", "0"],
            ["--chunk", "-1"],
            ["--chunk", "2M"],
            ["--chunk", "abc"],
            ["--read-size", "0"],
            ["--duration", "0"],
            ["--duration", "5"],
            ["--bytes", "0"],
            ["--reader-pace", "fast"],
            ["--pairs", "65"],
            ["--mode", "half-cooked"],
            ["--preset", "seed3"],
            ["--payload", "lines:0"],
            ["--fps", "0"],
        ] {
            let parsed = Cli::try_parse_from(["ptyscope", flags[0], flags[1]]);
            assert!(parsed.is_err(), "{flags:?}");
        }
    }
}
