//! Workloads with a name.

use std::time::Duration;

use crate::pty::Mode;

use super::{Direction, Pace, Payload, Peers, Settings};

/// A workload that is known by name.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// The name on the command line.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub summary: &'static str,
    settings: fn() -> Settings,
}

impl Preset {
    /// All presets, in the order of the number keys.
    pub const ALL: [Self; 5] = [
        Self {
            name: "seed1",
            summary: "the 2012 benchmark: 256-byte chunks to a reader in its own process",
            settings: || Settings {
                payload: Some(Payload::Constant),
                peers: Peers::Processes,
                ..Settings::default()
            },
        },
        Self {
            name: "seed2",
            summary: "the 2010 null modem's hop: 132 bytes there and back between processes",
            settings: || Settings {
                direction: Direction::Echo,
                chunk: 132,
                peers: Peers::Processes,
                ..Settings::default()
            },
        },
        Self {
            name: "terminal",
            summary: "a fast program into a terminal emulator that reads 64 KiB",
            settings: || Settings {
                chunk: 4096,
                read_size: Some(65536),
                mode: Mode::COOKED,
                payload: Some(Payload::LINES),
                ..Settings::default()
            },
        },
        Self {
            name: "paste",
            summary: "20 KiB at a time into a slow canonical reader",
            settings: || Settings {
                direction: Direction::MasterToSlave,
                chunk: 20 * 1024,
                read_size: Some(4096),
                mode: Mode::COOKED,
                payload: Some(Payload::LINES),
                reader_pace: Pace::Delay(Duration::from_millis(2)),
                ..Settings::default()
            },
        },
        Self {
            name: "stuck",
            summary: "nobody reads: how much fits, and who blocks where",
            settings: || Settings {
                reader_pace: Pace::Stopped,
                ..Settings::default()
            },
        },
    ];

    /// The preset of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name == name)
    }

    /// What it sets.
    pub fn settings(self) -> Settings {
        (self.settings)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_makes_a_workload_and_has_a_name_of_its_own() {
        for preset in Preset::ALL {
            assert_eq!(preset.settings().check(), Ok(()), "{}", preset.name);
            let found = Preset::named(preset.name).map(Preset::settings);
            assert_eq!(found, Some(preset.settings()));
        }
    }
}
