//! A transfer over a null modem, beside its floor.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::host::monotonic_ns;
use crate::link::{Error, NullModem, Setup};
use crate::pty::{self, End, Mode, Pair};
use crate::workload::Line;

use super::block::{cut, encode};
use super::patience::Patience;
use super::receiver::receive;
use super::sender::send;
use super::terminals::Ends;
use super::wire::Wire;
use super::{ACK, Protocol, Sent, Tick, TransferError};

/// Where a transfer goes.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Over a null modem made for it.
    Line(Line),
    /// Over two terminals that somebody else has linked.
    Terminals([PathBuf; 2]),
}

/// A transfer to be measured.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Length of the file.
    pub size: usize,
    /// How it goes.
    pub protocol: Protocol,
    /// Over what.
    pub place: Place,
    /// What the file's bytes are drawn from.
    pub seed: u64,
}

/// A transfer that was measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Ptys that a block and its acknowledgement cross.
    pub hops: u32,
    /// What the sender saw, as far as it got.
    pub sent: Sent,
    /// Why it failed, if it did.
    pub error: Option<TransferError>,
    /// Whether the file came as it was; None where it did not come, or nobody
    /// looked.
    pub is_sound: Option<bool>,
}

/// All that an experiment found.
#[derive(Debug)]
pub struct Outcome {
    /// The transfer.
    pub transfer: Run,
    /// The same over one pty without a relay.
    pub floor: Run,
    /// Over the same line as many bytes to and fro, without a protocol; None
    /// on a line with delays or faults, and after a transfer that failed.
    pub bare: Option<Run>,
    /// Whether the floor's blocks wait for the tick: nothing else delays them.
    pub tick: Option<Tick>,
}

impl Experiment {
    /// Does it. The floor comes first and the bare exchange last. It ends early
    /// once `stop` is true.
    ///
    /// # Errors
    /// When the line cannot be set up; a transfer that fails is an outcome.
    pub fn run(&self, stop: &AtomicBool) -> Result<Outcome, Error> {
        let file = draw(self.seed, self.size);
        let (floor, _modem, ends, line) = match &self.place {
            Place::Line(line) => {
                let floor = self.floor(&file, stop)?;
                let modem = null_modem(line)?;
                let ends = Ends::open(&modem.paths()[0].map(Path::to_owned))?;
                (floor, Some(modem), ends, Some(line))
            }
            Place::Terminals(paths) => {
                // What cannot be the two ends of a line is refused at once.
                let ends = Ends::open(paths)?;
                (self.floor(&file, stop)?, None, ends, None)
            }
        };
        let patience = Patience::on(line, self.protocol);
        let transfer = transfer(ends.wires(stop), &file, self.protocol, patience, 4);
        let is_plain = line.is_none_or(|line| line.is_immediate() && line.is_faultless());
        let bare = (is_plain && transfer.error.is_none())
            .then(|| exchange(ends.wires(stop), &file, self.protocol, patience, 4));
        Ok(Outcome {
            tick: Tick::of(&floor.sent.block_ns),
            transfer,
            floor,
            bare,
        })
    }

    /// The transfer over one pty.
    fn floor(&self, file: &[u8], stop: &AtomicBool) -> Result<Run, Error> {
        let pair = Pair::open(Mode::RAW)?;
        let ends = [pair.fd(End::Slave), pair.fd(End::Master)];
        for end in ends {
            set_nonblocking(end)?;
        }
        let name = |what: &str| format!("the {what} of {}", pair.slave_path().display());
        let names = [name("slave"), name("master")];
        let wires = [0, 1].map(|end| Wire::new(ends[end], &names[end], stop));
        let patience = Patience::on(None, self.protocol);
        Ok(transfer(wires, file, self.protocol, patience, 2))
    }
}

fn null_modem(line: &Line) -> Result<NullModem, Error> {
    NullModem::start(Setup {
        links: 1,
        stall: Duration::from_secs(1),
        line: line.clone(),
        ..Setup::default()
    })
}

fn set_nonblocking(fd: BorrowedFd<'_>) -> Result<(), pty::Error> {
    fcntl(fd, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))
        .map(drop)
        .map_err(|errno| pty::Error::new("set O_NONBLOCK of", "a pty", errno))
}

/// Sends `file` from the first end to the second.
pub(super) fn transfer(
    [here, there]: [Wire<'_>; 2],
    file: &[u8],
    protocol: Protocol,
    patience: Patience,
    hops: u32,
) -> Run {
    let done = AtomicBool::new(false);
    let mut sent = Sent::default();
    let (result, received) = std::thread::scope(|scope| {
        let receiver = scope.spawn(|| receive(there, protocol, patience, &done));
        let result = send(here, file, protocol, patience, &mut sent);
        done.store(true, Ordering::Release);
        let received = receiver.join().unwrap_or(Err(TransferError::Silent));
        (result, received)
    });
    let is_sound = received
        .as_ref()
        .ok()
        .map(|received| received.get(..file.len()) == Some(file));
    Run {
        hops,
        sent,
        error: received.err().or(result.err()),
        is_sound,
    }
}

/// The same blocks with a byte as the answer to each, and nothing looked at.
fn exchange(
    [here, there]: [Wire<'_>; 2],
    file: &[u8],
    protocol: Protocol,
    patience: Patience,
    hops: u32,
) -> Run {
    let mut sent = Sent::default();
    let result = to_and_fro(here, there, &frames(file, protocol), patience, &mut sent);
    Run {
        hops,
        sent,
        error: result.err(),
        is_sound: None,
    }
}

fn to_and_fro(
    mut here: Wire<'_>,
    mut there: Wire<'_>,
    frames: &[Vec<u8>],
    patience: Patience,
    sent: &mut Sent,
) -> Result<(), TransferError> {
    // A transfer may leave an acknowledgement that nobody waited for.
    here.purge(patience.quiet)?;
    there.purge(patience.quiet)?;
    let lengths: Vec<usize> = frames.iter().map(Vec::len).collect();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut got = Vec::new();
            for length in lengths {
                got.clear();
                if !there.bytes(length, &mut got, patience.next)? {
                    return Err(TransferError::Silent);
                }
                there.send(&[ACK])?;
            }
            Ok(())
        });
        let began = monotonic_ns();
        for frame in frames {
            let block_began = monotonic_ns();
            here.send(frame)?;
            if here.byte(patience.answer)?.is_none() {
                return Err(TransferError::Silent);
            }
            sent.block_ns
                .push(monotonic_ns().saturating_sub(block_began));
        }
        sent.total_ns = monotonic_ns().saturating_sub(began);
        Ok(())
    })
}

fn frames(file: &[u8], protocol: Protocol) -> Vec<Vec<u8>> {
    let frame = |(number, data): (usize, &&[u8])| {
        let mut frame = Vec::new();
        encode(number, data, protocol.check, &mut frame);
        frame
    };
    (1..).zip(&cut(file, protocol.block)).map(frame).collect()
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), a byte from each word.
pub(super) fn draw(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed;
    let next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 24) as u8
    };
    std::iter::repeat_with(next).take(size).collect()
}
