//! The command line, and nothing else.

mod bench;
mod boot;
mod capacity;
mod check;
mod compare;
mod inspect;
mod line;
mod link;
mod output;
mod record;
mod screen;
mod sweep;
mod value;
mod workload;
mod xmodem;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use bench::{BenchArgs, YardstickName};
pub use boot::{AccelName, BootArgs, MachineArgs};
pub use capacity::{CapacityArgs, EndName};
pub use check::{CheckArgs, CheckFormat};
pub use compare::{BaselineArgs, CompareArgs, GateArgs, MetricName};
pub use inspect::InspectArgs;
pub use line::LineArgs;
pub use link::LinkArgs;
pub use output::{FormatName, LabelArgs, OutputArgs};
pub use record::{RecordArgs, ReplayArgs, SnapshotArgs, ViewName};
pub use screen::{Fault, GroundName, ScreenArgs, ThemeName, When};
pub use sweep::{PlanArgs, SweepArgs};
pub use workload::{DirectionName, LengthArgs, PeersName, ReadSize, WorkloadArgs};
pub use xmodem::{BlockName, XmodemArgs};

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
    ///
    /// The report begins as that of the 2012 benchmark did: chunk, loops, and the times of the whole
    /// command; --bytes 1GB moves as many bytes as that did. Before the reader starts the pty is filled
    /// until it takes no more, without blocking. (The 69120 bytes that the benchmark wrote block for
    /// ever since Linux 4.2, which takes 20480.)
    /// Those bytes are read too, but count in the throughput only as far as others take their place:
    /// with --bytes, as many are counted as are asked for.
    Bench(BenchArgs),
    /// Measure many chunk sizes and say where the throughput has a step
    ///
    /// It visits them in blocks, each block in an order drawn by lot, one of them twice as a control.
    /// For each boundary it says step, none above so many per cent, or undecided and what would decide.
    Sweep(SweepArgs),
    /// Link two ptys as a null modem
    ///
    /// It makes two raw ptys, gives them the two names (symlinks), and carries bytes both ways until it
    /// is stopped. It shows who is attached, how fast it goes, where the time is lost, and what the
    /// clients flush and stop.
    ///
    /// A pty is no serial port in one respect: it has no modem lines. TIOCMGET, TIOCMSET and their like
    /// fail (ENOTTY; EINVAL before Linux 5.13); tell the client to leave RTS, DTR and hardware flow
    /// control alone.
    Link(Box<LinkArgs>),
    /// Transfer a file by XMODEM over a null modem, and say what a block costs
    ///
    /// A sender and a receiver of our own are at the two ends. With its defaults it is the transfer of
    /// the 2010 report on the kernel's mailing list: 538368 bytes, 4206 blocks, each acknowledged before
    /// the next. The same over one pty without a relay, and without XMODEM, stand beside it.
    Xmodem(XmodemArgs),
    /// Check that this kernel's ptys behave
    ///
    /// Each check runs in a process and a session of its own, with a pty of its own and a limit; none
    /// can reach this terminal. What an old kernel is documented to do is known, what the machine's
    /// set-up forbids is env; neither fails.
    Check(CheckArgs),
    /// Measure how many bytes a pty takes before its writer blocks
    ///
    /// The model of the running kernel stands beside it. It writes without blocking, so it cannot hang;
    /// then it reads and compares every byte. Up to six cases are explained at length.
    Capacity(CapacityArgs),
    /// Say what is the matter with a pty that another program uses
    ///
    /// Who holds its ends, who waits in which read or write, how it is set, what waits to be read, and
    /// what follows from that: nobody reads, stopped by ^S, a mutual block, held open by a leaked
    /// descriptor. Without a name it shows all ptys in /dev/pts, a line each.
    ///
    /// It changes nothing. It asks copies of the descriptors that others have (pidfd_getfd(2), which
    /// takes the right to trace them); failing that it opens the slave, and only while somebody else
    /// has it open, since the last close of a slave ends the master's reads. As root it sees all
    /// processes of this PID namespace; otherwise it says how many it could not look at.
    Inspect(InspectArgs),
    /// Run one of the others inside a kernel under test, under qemu
    ///
    /// It packs this program as init into a root file system, boots the kernel under qemu with it, and
    /// reports as if the command had run here. Several kernels make a table.
    Boot(Box<BootArgs>),
    /// Replay a recording, on the screen, as lines, as a report or a picture
    ///
    /// On a terminal it plays on the live screen: Space pauses, the arrows go 5 s on and back, n and b
    /// to the next and previous marker, . and , one sample, + and - turn the speed, ? shows all keys.
    /// Elsewhere, or with --plain, it writes the lines of the plain live run, all at once.
    ///
    /// A recording that is cut off or damaged plays up to there, and says so.
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
// A tour has settings of its own. (A group of them would be refused by naming all.)
#[command(mut_arg("tour", |tour| tour.conflicts_with_all(WorkloadArgs::IDS)))]
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::workload::{Preset, Settings};

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
        // The one and nothing else.
        let named = |told: &str| {
            let words = told.split(|c: char| !c.is_ascii_lowercase() && c != '-');
            let flags = words.filter(|word| word.starts_with("--") && *word != "--help");
            flags.map(str::to_owned).collect::<BTreeSet<_>>()
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
            let both = BTreeSet::from([name.to_owned(), "--tour".to_owned()]);
            assert_eq!(named(&told), both, "{told}");
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
            let both = BTreeSet::from([name.to_owned(), "--tour".to_owned()]);
            assert_eq!(named(&told), both, "{told}");
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
