//! Flags of `boot`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::boot::Machine;
use crate::workload::units;

use super::value::positive_duration;

/// Flags of `boot`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Exit codes: the command's own; 124 when --timeout was reached; 1 when a kernel \
                  panicked, hung or did not start init, with the last lines of its console",
    override_usage = "ptyscope boot [OPTIONS] KERNEL... -- check|bench|sweep|capacity|xmodem [THEIR OPTIONS]"
)]
pub struct BootArgs {
    /// Kernel images: bzImage, vmlinuz, Image, Image.gz
    #[arg(value_name = "KERNEL", required = true)]
    pub kernels: Vec<PathBuf>,
    /// The command, with its options
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub command: Vec<String>,
    /// The virtual machine.
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Also run the command here, in this machine's own kernel
    #[arg(long, help_heading = "Matrix")]
    pub host: bool,
    /// Also show a report that was made before, as JSON (again for more)
    #[arg(long, value_name = "FILE", help_heading = "Matrix")]
    pub with: Vec<PathBuf>,
    /// Write the table of kernels to FILE, as its name says: .md .txt .json .svg (again for more)
    #[arg(long, value_name = "FILE", help_heading = "Matrix")]
    pub matrix: Vec<PathBuf>,
    /// How devpts is mounted in the guest: max=3,ptmxmode=0666
    #[arg(long, value_name = "OPTIONS", help_heading = "Guest")]
    pub devpts: Option<String>,
    /// How long the whole may take, for each kernel
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = positive_duration, help_heading = "Limits")]
    pub timeout: Duration,
    /// How long a kernel may take to start init
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = positive_duration, help_heading = "Limits")]
    pub boot_timeout: Duration,
    /// Write the guest's console to FILE; of several boots to FILE.1, FILE.2, …
    #[arg(long, value_name = "FILE", help_heading = "Console")]
    pub console: Option<PathBuf>,
    /// Show the guest's console meanwhile, on standard error
    #[arg(short, long, help_heading = "Console")]
    pub verbose: bool,
    /// Print qemu's command line and boot nothing
    #[arg(long, help_heading = "Instead")]
    pub show_command: bool,
    /// Write the root file system to FILE, for a qemu of one's own, and boot nothing
    #[arg(long, value_name = "FILE", help_heading = "Instead")]
    pub initramfs: Option<PathBuf>,
}

/// What the guest runs on.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArgs {
    /// What carries out its instructions
    #[arg(long, value_enum, default_value_t = AccelName::Auto)]
    pub accel: AccelName,
    /// CPUs [default: 2, or 1 with --deterministic]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    pub cpus: Option<u32>,
    /// A clock that counts instructions, on one CPU: the same every time, whatever this machine does
    #[arg(long, conflicts_with = "cpus")]
    pub deterministic: bool,
    /// Where --deterministic begins: another one is another layout of memory
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "deterministic"
    )]
    pub seed: u64,
    /// How many seeds, from --seed on, each in a boot of its own: a sweep's blocks. One boundary
    /// takes 6 for an interval, eight take 9
    #[arg(long, value_name = "N", default_value_t = 1, requires = "deterministic", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: u64,
    /// Memory
    #[arg(long, value_name = "SIZE", default_value = "512M", value_parser = memory)]
    pub memory: u64,
    /// More words for the kernel's command line (again for more)
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub append: Vec<String>,
    /// qemu's program [default: qemu-system-ARCH of this machine]
    #[arg(long, value_name = "PROGRAM")]
    pub qemu: Option<PathBuf>,
    /// One more argument for qemu (again for more)
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub qemu_arg: Vec<String>,
}

impl MachineArgs {
    /// The seeds, one for each boot of a kernel; a machine that is not
    /// deterministic has none.
    pub fn all_seeds(&self) -> Vec<Option<u64>> {
        if !self.deterministic {
            return vec![None];
        }
        let seed = |number| Some(self.seed.wrapping_add(number));
        (0..self.seeds).map(seed).collect()
    }

    /// The machine that the flags make.
    pub fn machine(&self) -> Machine {
        Machine {
            qemu: self.qemu.clone(),
            cpus: self.cpus.unwrap_or(if self.deterministic { 1 } else { 2 }),
            memory: self.memory,
            append: self.append.clone(),
            qemu_arguments: self.qemu_arg.clone(),
            deterministic: self.deterministic.then_some(self.seed),
        }
    }
}

/// The accelerators by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AccelName {
    /// KVM where it works, else TCG
    Auto,
    /// The processor itself
    Kvm,
    /// qemu's translator
    Tcg,
}

fn memory(text: &str) -> Result<u64, units::UnitError> {
    const LEAST: u64 = 1 << 20;
    const MOST: u64 = 1 << 42;
    let bytes = units::parse_size(text)?;
    if (LEAST..=MOST).contains(&bytes) {
        return Ok(bytes);
    }
    Err(units::UnitError::OutOfRange {
        text: text.to_owned(),
        range: "1 MiB to 4 TiB".to_owned(),
    })
}
