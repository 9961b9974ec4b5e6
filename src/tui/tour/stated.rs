//! Which settings a step states, itself or a step before it.

use crate::workload::{Knob, Line, Settings, units};

use super::Step;

/// Something that a tour can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Which way the bytes go.
    Direction,
    /// Bytes asked of each write(2).
    Chunk,
    /// Bytes asked of each read(2).
    ReadSize,
    /// The line discipline's flags.
    Mode,
    /// What is written.
    Payload,
    /// What holds the writer back.
    WriterPace,
    /// What holds the reader back.
    ReaderPace,
    /// Where the two ends live.
    Peers,
    /// How many ptys are driven.
    Pairs,
    /// Whether every byte is compared.
    Verify,
    /// Something of a link's line.
    Line(Knob),
}

impl Setting {
    /// What a preset states.
    pub const OF_PRESET: [Self; 9] = [
        Self::Direction,
        Self::Chunk,
        Self::ReadSize,
        Self::Mode,
        Self::Payload,
        Self::WriterPace,
        Self::ReaderPace,
        Self::Peers,
        Self::Pairs,
    ];

    /// Whether it is as `step` has it under these settings, or on this line.
    pub fn is_kept(self, step: &Step, settings: &Settings, line: Option<&Line>) -> bool {
        let (a, b) = (&step.settings, settings);
        match self {
            Self::Direction => a.direction == b.direction,
            Self::Chunk => a.chunk == b.chunk,
            Self::ReadSize => a.read_size.unwrap_or(b.chunk) == b.effective_read_size(),
            Self::Mode => a.mode == b.mode,
            Self::Payload => a.effective_payload() == b.effective_payload(),
            Self::WriterPace => a.writer_pace == b.writer_pace,
            Self::ReaderPace => a.reader_pace == b.reader_pace,
            Self::Peers => a.peers == b.peers,
            Self::Pairs => a.pairs == b.pairs,
            Self::Verify => a.verify == b.verify,
            Self::Line(knob) => line.is_some_and(|line| is_turned_alike(knob, &step.line, line)),
        }
    }

    /// Its key in a tour, and what `step` has it be.
    pub fn told(self, step: &Step) -> String {
        let key = match self {
            Self::Direction => "direction",
            Self::Chunk => "chunk",
            Self::ReadSize => "read-size",
            Self::Mode => "mode",
            Self::Payload => "payload",
            Self::WriterPace => "writer-pace",
            Self::ReaderPace => "reader-pace",
            Self::Peers => "peers",
            Self::Pairs => "pairs",
            Self::Verify => return format!("verify {}", step.settings.verify),
            Self::Line(knob) => return told_of_line(knob, &step.line),
        };
        let entries = step.settings.entries();
        let value = entries.iter().find(|(name, _)| *name == key);
        format!("{key} {}", value.map_or("", |(_, value)| value))
    }
}

fn is_turned_alike(knob: Knob, a: &Line, b: &Line) -> bool {
    match knob {
        Knob::Baud => a.baud == b.baud,
        Knob::Latency => a.latency == b.latency,
        Knob::Jitter => a.jitter == b.jitter,
        Knob::Settle => a.settle == b.settle,
        Knob::Drop => a.drop == b.drop,
        Knob::Flip => a.flip == b.flip,
        Knob::Duplicate => a.duplicate == b.duplicate,
        Knob::Unattached => a.drop_unattached == b.drop_unattached,
    }
}

fn told_of_line(knob: Knob, line: &Line) -> String {
    let time = units::duration;
    match knob {
        Knob::Baud => {
            let baud = line.baud.map_or("none".to_owned(), |baud| baud.to_string());
            format!("baud {baud}")
        }
        Knob::Latency => format!("latency {}", time(line.latency)),
        Knob::Jitter => format!("jitter {}", time(line.jitter)),
        Knob::Settle => format!("settle {}", time(line.settle)),
        Knob::Drop => format!("drop {}", line.drop),
        Knob::Flip => format!("flip {}", line.flip),
        Knob::Duplicate => format!("dup {}", line.duplicate),
        Knob::Unattached => format!("drop-unattached {}", line.drop_unattached),
    }
}
