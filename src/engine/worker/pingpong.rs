use crate::workload::Stream;

use super::super::orders::{Command, Order};
use super::super::verify::Verifier;
use super::{Stop, Worker};

/// A ping-pong's place in its two streams.
struct Exchange<'a> {
    out: &'a Stream,
    back: &'a Stream,
    verifier: Option<Verifier>,
    /// Whether it answers the other end's messages, rather than asks.
    answers: bool,
    position: usize,
    /// Bytes sent, and bytes that should have come back for them.
    sent: u64,
    received: u64,
    buffer: Vec<u8>,
}

impl<'a> Exchange<'a> {
    fn new(out: &'a Stream, back: &'a Stream, verifier: Option<Verifier>, answers: bool) -> Self {
        Self {
            out,
            back,
            verifier,
            answers,
            position: 0,
            sent: 0,
            received: 0,
            buffer: Vec::new(),
        }
    }

    /// Whether no other message will come: the order to finish says how much
    /// was sent to who answers. Who asks is owed an answer until it is there.
    fn is_over(&self, order: &Order) -> bool {
        self.answers && order.command == Command::Finish && self.received >= order.limit
    }

    fn finish(&mut self, worker: &Worker<'_>) {
        if let Some(verifier) = &mut self.verifier {
            verifier.finish(&self.back.received);
            worker.slot.status.publish_integrity(verifier.found());
        }
    }
}

impl Worker<'_> {
    /// Writes a message, waits for as many bytes back, and so on; a round trip
    /// is timed from the first write to the last read.
    pub(super) fn initiate(
        &mut self,
        out: &Stream,
        back: &Stream,
        verifier: Option<Verifier>,
    ) -> Result<(), Stop> {
        let mut exchange = Exchange::new(out, back, verifier, false);
        let result = self.exchange_first(&mut exchange);
        exchange.finish(self);
        result
    }

    /// Reads a message, answers with as many bytes, and so on.
    pub(super) fn respond(
        &mut self,
        out: &Stream,
        back: &Stream,
        verifier: Option<Verifier>,
    ) -> Result<(), Stop> {
        let mut exchange = Exchange::new(out, back, verifier, true);
        let result = self.exchange_second(&mut exchange);
        exchange.finish(self);
        result
    }

    fn exchange_first(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Stop> {
        let mut expected = 0;
        loop {
            if self.has_news() {
                self.look()?;
            }
            if self.order.command == Command::Finish {
                return Ok(());
            }
            if exchange.sent >= self.order.limit {
                self.rest()?;
                continue;
            }
            let message = self.order.chunk as u64;
            let start = self.now;
            self.send(exchange, message)?;
            expected += message;
            let due = exchange.back.account(expected).delivered;
            let end = self.receive(exchange, due)?;
            self.slot.trips.record(end.saturating_sub(start));
            self.after_call(end, message as usize)?;
        }
    }

    fn exchange_second(&mut self, exchange: &mut Exchange<'_>) -> Result<(), Stop> {
        let mut expected = 0;
        loop {
            let message = self.order.chunk as u64;
            expected += message;
            let due = exchange.back.account(expected).delivered;
            let end = self.receive(exchange, due)?;
            self.after_call(end, message as usize)?;
            self.send(exchange, message)?;
        }
    }

    fn send(&mut self, exchange: &mut Exchange<'_>, message: u64) -> Result<(), Stop> {
        let target = exchange.sent + message;
        while exchange.sent < target {
            if self.has_news() {
                self.look()?;
            }
            let left = (target - exchange.sent) as usize;
            let pattern = &exchange.out.sent;
            let (taken, end) = self.write(pattern.at(exchange.position, left))?;
            self.now = end;
            exchange.position = pattern.advance(exchange.position, taken);
            exchange.sent += taken as u64;
        }
        Ok(())
    }

    /// Reads until `due` bytes have come since the beginning, and says when
    /// the last call returned.
    fn receive(&mut self, exchange: &mut Exchange<'_>, due: u64) -> Result<u64, Stop> {
        let mut end = self.now;
        while exchange.received < due {
            if self.has_news() {
                self.look()?;
            }
            // On every turn: the news may have been seen elsewhere.
            if exchange.is_over(&self.order) {
                return Err(Stop::Ordered);
            }
            exchange.buffer.resize(self.order.read_size, 0);
            let (n, now) = self.read(&mut exchange.buffer)?;
            end = now;
            self.now = now;
            exchange.received += n as u64;
            if let Some(verifier) = &mut exchange.verifier {
                verifier.take(&exchange.back.received, &exchange.buffer[..n]);
                self.slot.status.publish_integrity(verifier.found());
            }
        }
        Ok(end)
    }
}
