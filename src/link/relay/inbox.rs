//! What a client has before it that it may not have read.

use super::super::reads::Reading;

/// The bytes passed to one client since it last sent any or flushed its input:
/// until it answers nobody tells us what it has read.
#[derive(Debug)]
pub struct Inbox {
    /// All of them, and those of which it is not known on which side of the last
    /// flush they came.
    unanswered: u64,
    /// Those that came after the last flush for certain.
    fresh: u64,
    /// Those of the fresh ones that came before whatever the next status byte
    /// will tell of: they were there when the port was seen without one.
    there: u64,
    reading: Reading,
}

impl Inbox {
    /// Nothing was passed yet to the client with these reads.
    pub fn new(reading: Reading) -> Self {
        Self {
            unanswered: 0,
            fresh: 0,
            there: 0,
            reading,
        }
    }

    /// All that it may not have read.
    pub fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// Bytes were passed to it.
    pub fn passed(&mut self, bytes: u64) {
        self.unanswered += bytes;
        self.fresh += bytes;
    }

    /// The port was seen without a status byte just now.
    pub fn no_status(&mut self) {
        self.there = self.fresh;
    }

    /// The client has sent something.
    pub fn answered(&mut self) {
        (self.unanswered, self.fresh, self.there) = (0, 0, 0);
    }

    /// What it reads from here on is none of what it has answered.
    pub fn forget_reads(&self) {
        self.reading.forget();
    }

    /// What a flush of which a status byte tells threw away for certain: the
    /// bytes came before it, and the client has read nothing since they did.
    pub fn discarded(&self) -> Option<u64> {
        (self.there > 0 && self.reading.is_certainly_idle()).then_some(self.there)
    }

    /// It has flushed: what was there is read or gone.
    pub fn flushed(&mut self) {
        // Who has not flushed most likely never will.
        self.reading.begin();
        self.unanswered = self.fresh - self.there;
        (self.fresh, self.there) = (0, 0);
        if self.unanswered == 0 {
            self.reading.forget();
        }
    }

    /// The client is gone, and has or has not read everything.
    pub fn closed(&mut self, is_empty: bool) {
        self.reading.end();
        if is_empty {
            self.answered();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::link::port::{Access, Port};
    use crate::link::reads::Reads;

    #[test]
    fn only_what_was_there_before_a_flush_and_was_not_read_is_discarded() {
        let port = Port::open(Access::default()).unwrap();
        let mut slave = std::fs::File::open(port.slave()).unwrap();
        let mut inbox = Inbox::new(Reads::new().of(port.slave()));
        let mut read = || {
            port.write(b"x").unwrap();
            slave.read_exact(&mut [0]).unwrap();
        };
        let state = |inbox: &Inbox| (inbox.unanswered(), inbox.discarded());

        // Nothing of a client shows that has not flushed yet, or not read since.
        inbox.passed(7);
        inbox.no_status();
        read();
        assert_eq!(state(&inbox), (7, None));
        inbox.flushed();
        inbox.passed(7);
        inbox.no_status();
        assert_eq!(state(&inbox), (7, None));
        read();
        inbox.answered();
        inbox.forget_reads();
        inbox.passed(5);
        assert_eq!(state(&inbox), (5, None));
        inbox.no_status();
        assert_eq!(state(&inbox), (5, Some(5)));

        // These may have come before the flush or after: they may be lost by
        // the next, but it is not known.
        inbox.passed(3);
        assert_eq!(state(&inbox), (8, Some(5)));
        inbox.flushed();
        inbox.no_status();
        assert_eq!(state(&inbox), (3, None));
        inbox.passed(4);
        inbox.no_status();
        assert_eq!(state(&inbox), (7, Some(4)));
        read();
        assert_eq!(state(&inbox), (7, None));
        inbox.flushed();
        assert_eq!(state(&inbox), (0, None));
    }
}
