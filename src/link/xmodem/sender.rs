//! The sending side.

use crate::host::monotonic_ns;

use super::block::{cut, encode};
use super::wire::Wire;
use super::{ACK, CAN, CRC_REQUEST, Check, EOT, NAK, Patience, Protocol, Sent, TransferError};

/// Sends `file` to whoever asks at the other end of the line, and writes down
/// in `sent` how it went, as far as it went.
///
/// # Errors
/// Why the file did not get there.
pub fn send(
    wire: Wire<'_>,
    file: &[u8],
    protocol: Protocol,
    patience: Patience,
    sent: &mut Sent,
) -> Result<(), TransferError> {
    let mut sender = Sender {
        wire,
        protocol,
        patience,
        sent,
    };
    let check = sender.wait_for_request()?;
    let began = monotonic_ns();
    let mut frame = Vec::new();
    for (number, data) in (1..).zip(cut(file, protocol.block)) {
        let block_began = monotonic_ns();
        encode(number, data, check, &mut frame);
        sender.deliver(number, &frame)?;
        let ns = monotonic_ns().saturating_sub(block_began);
        sender.sent.block_ns.push(ns);
    }
    let blocks = sender.sent.block_ns.len();
    sender.deliver(blocks + 1, &[EOT])?;
    sender.sent.total_ns = monotonic_ns().saturating_sub(began);
    Ok(())
}

struct Sender<'a> {
    wire: Wire<'a>,
    protocol: Protocol,
    patience: Patience,
    sent: &'a mut Sent,
}

impl Sender<'_> {
    /// The receiver says which check it wants.
    fn wait_for_request(&mut self) -> Result<Check, TransferError> {
        loop {
            match self.wire.byte(self.patience.request)? {
                Some(CRC_REQUEST) => return Ok(Check::Crc),
                Some(NAK) => return Ok(Check::Checksum),
                Some(CAN) => return Err(TransferError::Cancelled(0)),
                Some(_) => {}
                None => return Err(TransferError::Silent),
            }
        }
    }

    /// Sends `frame` until it is acknowledged.
    fn deliver(&mut self, block: usize, frame: &[u8]) -> Result<(), TransferError> {
        for attempt in 0..=self.protocol.retries {
            self.sent.retries += u64::from(attempt > 0);
            // An answer that came twice answers nothing that is sent now.
            self.wire.forget();
            self.wire.send(frame)?;
            if self.is_acknowledged(block)? {
                return Ok(());
            }
        }
        self.wire.send(&[CAN; 3])?;
        Err(TransferError::Retries {
            block,
            tries: self.protocol.retries.saturating_add(1),
        })
    }

    fn is_acknowledged(&mut self, block: usize) -> Result<bool, TransferError> {
        loop {
            match self.wire.byte(self.patience.answer)? {
                Some(ACK) => return Ok(true),
                Some(NAK) | None => return Ok(false),
                // It has not seen the first block yet and asks again.
                Some(CRC_REQUEST) if block == 1 => return Ok(false),
                Some(CAN) => return Err(TransferError::Cancelled(block)),
                Some(_) => {}
            }
        }
    }
}
