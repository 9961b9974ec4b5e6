use crate::workload::Stream;

use super::super::orders::Command;
use super::super::verify::Verifier;
use super::{Stop, Worker};

impl Worker<'_> {
    /// Reads so many bytes, and panics.
    pub(super) fn panic_after(&mut self, bytes: usize) -> Result<(), Stop> {
        let mut buffer = vec![0; self.order.read_size];
        let mut total = 0;
        while total < bytes {
            if self.has_news() {
                self.look()?;
            }
            let (n, end) = self.read(&mut buffer)?;
            total += n;
            self.after_call(end, n)?;
        }
        panic!("a panic of the reader was asked for");
    }

    /// Reads the stream, so many bytes a call, up to the limit.
    pub(super) fn read_stream(
        &mut self,
        stream: &Stream,
        mut verifier: Option<Verifier>,
    ) -> Result<(), Stop> {
        let result = self.read_on(stream, &mut verifier);
        if let Some(verifier) = &mut verifier {
            verifier.finish(&stream.received);
            self.slot.status.publish_integrity(verifier.found());
        }
        result
    }

    fn read_on(&mut self, stream: &Stream, verifier: &mut Option<Verifier>) -> Result<(), Stop> {
        let mut buffer = Vec::new();
        let mut total = 0u64;
        loop {
            if self.has_news() {
                self.look()?;
            }
            if total >= self.order.limit {
                if self.order.command == Command::Finish {
                    return Ok(());
                }
                self.rest()?;
                continue;
            }
            if buffer.len() != self.order.read_size {
                buffer.resize(self.order.read_size, 0);
            }
            let (n, end) = self.read(&mut buffer)?;
            total += n as u64;
            if let Some(verifier) = verifier {
                verifier.take(&stream.received, &buffer[..n]);
                self.slot.status.publish_integrity(verifier.found());
            }
            self.after_call(end, n)?;
        }
    }
}
