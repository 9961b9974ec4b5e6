use crate::workload::Stream;

use super::super::orders::Command;
use super::{Stop, Worker};

impl Worker<'_> {
    /// Writes the stream past its first `prefilled` bytes, a chunk a call, up
    /// to the limit.
    pub(super) fn write_stream(&mut self, stream: &Stream, prefilled: u64) -> Result<(), Stop> {
        let mut position = stream.sent.advance(0, prefilled as usize);
        let mut written = 0u64;
        loop {
            if self.has_news() {
                self.look()?;
            }
            if self.order.command == Command::Finish {
                return Ok(());
            }
            let left = self.order.limit.saturating_sub(written);
            if left == 0 {
                self.rest()?;
                continue;
            }
            let chunk = self
                .order
                .chunk
                .min(usize::try_from(left).unwrap_or(usize::MAX));
            let (taken, end) = self.write(stream.sent.at(position, chunk))?;
            position = stream.sent.advance(position, taken);
            written += taken as u64;
            self.after_call(end, taken)?;
        }
    }
}
