//! The virtual machine that a report comes from.

use serde::{Deserialize, Serialize};

use super::quantity::{Bytes, Nanoseconds};
use crate::boot::Accel;
use crate::words::counted;

/// The virtual machine in which a command ran, and how long it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guest {
    /// The kernel's image.
    pub image: String,
    /// What carried out its instructions.
    pub accel: Accel,
    /// Its CPUs.
    pub cpus: u32,
    /// Its memory.
    pub memory: Bytes,
    /// What was added to the kernel's command line.
    pub append: Vec<String>,
    /// The seeds, where its clock counted instructions: one for each boot.
    pub seeds: Option<Vec<u64>>,
    /// What its kernel lacks, and what was done instead.
    pub lacks: Vec<String>,
    /// From qemu's start to init's first word, by the clock outside.
    pub to_init: Nanoseconds,
    /// How long the command ran, by the clock in the guest.
    pub command: Nanoseconds,
    /// From qemu's start to its end, by the clock outside.
    pub whole: Nanoseconds,
}

impl Guest {
    /// A sentence for people.
    pub fn text(&self) -> String {
        let cpus = counted(self.cpus, "CPU");
        let mut text = format!(
            "Run in {} under qemu ({}, {}, {} MiB): init after {}, the command {}, {} in all",
            self.image,
            self.accel,
            cpus,
            self.memory.0 >> 20,
            self.to_init,
            self.command,
            self.whole,
        );
        if !self.append.is_empty() {
            text.push_str(&format!("; appended: {}", self.append.join(" ")));
        }
        if let Some(seeds) = &self.seeds {
            let seeds: Vec<_> = seeds.iter().map(u64::to_string).collect();
            text.push_str(&format!(
                "; the clock counts instructions, seed {}",
                seeds.join(", ")
            ));
        }
        for lack in &self.lacks {
            text.push_str("; ");
            text.push_str(lack);
        }
        text
    }
}
