//! The receiving side.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::block::{check_bytes, check_length};
use super::wire::Wire;
use super::{
    ACK, BlockSize, CAN, CRC_REQUEST, Check, EOT, NAK, Patience, Protocol, SOH, STX, TransferError,
};

/// How often a receiver that is done looks whether its sender is too.
const LINGER: Duration = Duration::from_millis(10);

/// Receives a file over the line: whole blocks, the last one's
/// padding included. It goes on to acknowledge the end until `sender_done`, in
/// case an acknowledgement gets lost.
///
/// # Errors
/// Why it did not get here.
pub fn receive(
    wire: Wire<'_>,
    protocol: Protocol,
    patience: Patience,
    sender_done: &AtomicBool,
) -> Result<Vec<u8>, TransferError> {
    let mut receiver = Receiver {
        wire,
        protocol,
        patience,
        file: Vec::new(),
        blocks: 0,
    };
    let mut failures: u32 = 0;
    loop {
        let begun = receiver.blocks > 0;
        match receiver.next()? {
            Got::Block => failures = 0,
            Got::End => break,
            Got::Nothing | Got::Rubbish => {
                failures = failures.saturating_add(1);
                if failures > protocol.retries {
                    receiver.wire.send(&[CAN; 3])?;
                    return Err(if begun {
                        TransferError::Retries {
                            block: receiver.blocks + 1,
                            tries: failures,
                        }
                    } else {
                        TransferError::Silent
                    });
                }
            }
        }
    }
    while !sender_done.load(Ordering::Acquire) {
        if receiver.wire.byte(LINGER)? == Some(EOT) {
            receiver.wire.send(&[ACK])?;
        }
    }
    Ok(receiver.file)
}

enum Got {
    Block,
    End,
    /// Nothing came in time.
    Nothing,
    /// What came was no good block.
    Rubbish,
}

struct Receiver<'a> {
    wire: Wire<'a>,
    protocol: Protocol,
    patience: Patience,
    file: Vec<u8>,
    blocks: usize,
}

impl Receiver<'_> {
    /// Receives what comes next and answers it.
    fn next(&mut self) -> Result<Got, TransferError> {
        if self.blocks == 0 {
            self.wire.send(&[self.request()])?;
        }
        let size = match self.wire.byte(self.patience.next)? {
            Some(SOH) => BlockSize::Short,
            Some(STX) => BlockSize::Long,
            Some(EOT) => {
                self.wire.send(&[ACK])?;
                return Ok(Got::End);
            }
            Some(CAN) => return Err(TransferError::Cancelled(self.blocks + 1)),
            Some(_) => return self.refuse(Got::Rubbish),
            None if self.blocks == 0 => return Ok(Got::Nothing),
            None => return self.refuse(Got::Nothing),
        };
        self.block(size)
    }

    /// What asks for the first block.
    fn request(&self) -> u8 {
        match self.protocol.check {
            Check::Crc => CRC_REQUEST,
            Check::Checksum => NAK,
        }
    }

    fn block(&mut self, size: BlockSize) -> Result<Got, TransferError> {
        let check = self.protocol.check;
        let length = 2 + size.bytes() + check_length(check);
        let mut frame = Vec::with_capacity(length);
        if !self.wire.bytes(length, &mut frame, self.patience.byte)? {
            return self.refuse(Got::Rubbish);
        }
        let (number, body) = frame.split_at(2);
        let (data, sum) = body.split_at(size.bytes());
        let mut expected_sum = Vec::with_capacity(2);
        check_bytes(data, check, &mut expected_sum);
        let &[number, inverse] = number else {
            return self.refuse(Got::Rubbish);
        };
        if inverse != !number || sum != expected_sum {
            return self.refuse(Got::Rubbish);
        }
        let expected = (self.blocks + 1) as u8;
        if number == expected {
            self.blocks += 1;
            self.file.extend_from_slice(data);
        } else if number != self.blocks as u8 || self.blocks == 0 {
            self.wire.send(&[CAN; 3])?;
            return Err(TransferError::OutOfStep {
                got: number,
                expected,
            });
        }
        // The last one again: its acknowledgement was lost.
        self.wire.send(&[ACK])?;
        Ok(Got::Block)
    }

    /// Asks for the block again once the line is quiet.
    fn refuse(&mut self, got: Got) -> Result<Got, TransferError> {
        self.wire.purge(self.patience.quiet)?;
        self.wire.send(&[NAK])?;
        Ok(got)
    }
}
