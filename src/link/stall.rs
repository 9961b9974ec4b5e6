//! Silences, and what had happened when they began.

use crate::sample::{Cause, EventKind, FlowEnd, LinkEvent, Silence, Stall};

/// A flush belongs to a silence if it came at most so long before its beginning,
/// for the rest of a block may still have come after it, or after: who answers
/// and then flushes does so when the line is silent already. A later one is what
/// a client does that is tired of waiting.
const NEAR_NS: u64 = 100_000_000;

/// Watches for silences. All times are of one monotonic clock.
#[derive(Debug, Clone)]
pub struct Detector {
    threshold_ns: u64,
    last_moved_ns: Option<u64>,
    /// The last flush of input that threw bytes away or may have, if that
    /// client has sent nothing since.
    flushed_input: Option<(Cause, u64)>,
    /// The last flush of output that may have thrown an answer away, likewise.
    flushed_output: Option<(Cause, u64)>,
    /// When the line last did harm.
    harmed: Option<(Cause, u64)>,
    /// What holds bytes back, from when until when.
    holds: Vec<Hold>,
}

#[derive(Debug, Clone, Copy)]
struct Hold {
    cause: Cause,
    from_ns: u64,
    until_ns: Option<u64>,
}

impl Detector {
    /// A silence of `threshold_ns` is a stall.
    pub fn new(threshold_ns: u64) -> Self {
        Self {
            threshold_ns,
            last_moved_ns: None,
            flushed_input: None,
            flushed_output: None,
            harmed: None,
            holds: Vec::new(),
        }
    }

    /// Bytes moved; gives the stall that this ends.
    pub fn moved(&mut self, now_ns: u64) -> Option<Stall> {
        let stall = self.silence(now_ns).map(|silence| Stall {
            start_ns: now_ns - silence.for_ns,
            for_ns: silence.for_ns,
            cause: silence.cause,
        });
        self.last_moved_ns = Some(now_ns);
        if stall.is_some() {
            self.holds.retain(|hold| hold.until_ns.is_none());
        }
        stall
    }

    /// A client did something.
    pub fn event(&mut self, event: &LinkEvent) {
        match event.kind {
            EventKind::FlushRead if event.discarded.is_some() => {
                self.flushed_input = Some((Cause::DiscardedInput(event.end), event.at_ns));
            }
            EventKind::FlushRead if event.unanswered > 0 => {
                self.flushed_input = Some((Cause::FlushedInput(event.end), event.at_ns));
            }
            EventKind::FlushWrite if event.unanswered > 0 => {
                self.flushed_output = Some((Cause::FlushedOutput(event.end), event.at_ns));
            }
            EventKind::Stop => self.hold(Cause::Stopped(event.end), event.at_ns),
            EventKind::Start => self.release(Cause::Stopped(event.end), event.at_ns),
            _ => {}
        }
    }

    /// The client of `end` has sent something: it waits for nothing that a
    /// flush threw away before.
    pub fn sent(&mut self, end: FlowEnd) {
        for flushed in [&mut self.flushed_input, &mut self.flushed_output] {
            flushed.take_if(|(cause, _)| cause.end() == end);
        }
    }

    /// The line harmed bytes for `end`, the last of which leave at `leave_ns`.
    pub fn harmed(&mut self, end: FlowEnd, leave_ns: u64) {
        self.harmed = Some((Cause::Faults(end), leave_ns));
    }

    /// `cause` holds bytes back from now on.
    pub fn hold(&mut self, cause: Cause, now_ns: u64) {
        self.holds
            .retain(|hold| hold.cause != cause || hold.until_ns.is_none());
        if !self.holds.iter().any(|hold| hold.cause == cause) {
            self.holds.push(Hold {
                cause,
                from_ns: now_ns,
                until_ns: None,
            });
        }
    }

    /// `cause` no longer does.
    pub fn release(&mut self, cause: Cause, now_ns: u64) {
        for hold in &mut self.holds {
            if hold.cause == cause {
                hold.until_ns.get_or_insert(now_ns);
            }
        }
    }

    /// The silence at `now_ns`, once it is long enough.
    pub fn silence(&self, now_ns: u64) -> Option<Silence> {
        let start_ns = self.last_moved_ns?;
        let for_ns = now_ns.saturating_sub(start_ns);
        (for_ns >= self.threshold_ns).then(|| Silence {
            for_ns,
            cause: self.cause(start_ns, now_ns),
        })
    }

    fn cause(&self, start_ns: u64, now_ns: u64) -> Option<Cause> {
        let near = |at: u64| at.abs_diff(start_ns) <= NEAR_NS;
        let cause = |happened: Option<(Cause, u64)>| {
            happened.filter(|(_, at)| near(*at)).map(|(cause, _)| cause)
        };
        let held = || {
            let overlap = |hold: &Hold| {
                let until_ns = hold.until_ns.unwrap_or(now_ns).min(now_ns);
                until_ns.saturating_sub(hold.from_ns.max(start_ns))
            };
            let longest = self.holds.iter().max_by_key(|hold| overlap(hold))?;
            (overlap(longest) >= (now_ns - start_ns) / 2).then_some(longest.cause)
        };
        cause(self.flushed_input)
            .or_else(|| cause(self.flushed_output))
            .or_else(held)
            .or_else(|| cause(self.harmed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn event(kind: EventKind, at_ms: u64, unanswered: u64) -> LinkEvent {
        LinkEvent {
            at_ns: at_ms * MS,
            end: FlowEnd::B,
            kind,
            unanswered,
            discarded: None,
        }
    }

    #[test]
    fn only_a_flush_with_bytes_in_flight_explains_a_silence() {
        let mut detector = Detector::new(500 * MS);
        assert_eq!(detector.silence(10_000 * MS), None);
        detector.moved(1_000 * MS);
        detector.event(&event(EventKind::FlushRead, 1_001, 0));
        assert_eq!(detector.moved(1_400 * MS), None);
        let stall = detector.moved(7_400 * MS).unwrap();
        assert_eq!((stall.start_ns, stall.for_ns), (1_400 * MS, 6_000 * MS));
        assert_eq!(stall.cause, None);

        detector.event(&event(EventKind::FlushRead, 7_401, 133));
        let silence = detector.silence(9_000 * MS).unwrap();
        assert_eq!(silence.cause, Some(Cause::FlushedInput(FlowEnd::B)));
        assert_eq!(detector.moved(13_000 * MS).unwrap().cause, silence.cause);
        // It explains that one, not the next.
        assert_eq!(detector.moved(14_000 * MS).unwrap().cause, None);
    }

    #[test]
    fn bytes_are_called_lost_only_where_that_is_known() {
        let mut detector = Detector::new(500 * MS);
        for (discarded, cause, words) in [
            (None, Cause::FlushedInput(FlowEnd::B), "is not known"),
            (Some(133), Cause::DiscardedInput(FlowEnd::B), "thrown away"),
        ] {
            detector.moved(1_000 * MS);
            detector.event(&LinkEvent {
                discarded,
                ..event(EventKind::FlushRead, 1_001, 133)
            });
            let told = detector.silence(9_000 * MS).unwrap().cause;
            assert_eq!(told, Some(cause));
            assert!(cause.text(|_| "ttyS1".to_owned()).ends_with(words));
        }
    }

    #[test]
    fn who_has_sent_since_its_flush_waits_for_nothing_it_threw_away() {
        let mut detector = Detector::new(500 * MS);
        detector.moved(1_000 * MS);
        detector.event(&event(EventKind::FlushRead, 1_001, 1));
        detector.sent(FlowEnd::B);
        detector.moved(1_002 * MS);
        assert_eq!(detector.silence(2_000 * MS).unwrap().cause, None);
        // Its answer was still on the way when it flushed its output.
        detector.moved(2_001 * MS);
        detector.event(&event(EventKind::FlushWrite, 2_002, 1));
        let cause = Some(Cause::FlushedOutput(FlowEnd::B));
        assert_eq!(detector.silence(3_000 * MS).unwrap().cause, cause);
    }

    #[test]
    fn what_held_bytes_back_for_most_of_the_time_is_the_cause() {
        let mut detector = Detector::new(500 * MS);
        detector.moved(1_000 * MS);
        detector.event(&event(EventKind::Stop, 1_010, 0));
        let stopped = Some(Cause::Stopped(FlowEnd::B));
        assert_eq!(detector.silence(2_000 * MS).unwrap().cause, stopped);
        detector.event(&event(EventKind::Start, 5_000, 0));
        assert_eq!(detector.moved(5_001 * MS).unwrap().cause, stopped);
        assert_eq!(detector.moved(9_000 * MS).unwrap().cause, None);

        detector.hold(Cause::NobodyReads(FlowEnd::A), 9_000 * MS);
        detector.release(Cause::NobodyReads(FlowEnd::A), 9_100 * MS);
        assert_eq!(detector.moved(10_000 * MS).unwrap().cause, None);
    }

    #[test]
    fn a_flush_late_in_a_silence_is_none_of_its_cause() {
        let mut detector = Detector::new(500 * MS);
        let faults = Some(Cause::Faults(FlowEnd::B));
        let flush = |at_ms| event(EventKind::FlushRead, at_ms, 100);
        detector.harmed(FlowEnd::B, 1_000 * MS);
        detector.moved(1_000 * MS);
        // Its receiver's own time-out.
        detector.event(&flush(4_000));
        assert_eq!(detector.silence(4_001 * MS).unwrap().cause, faults);
        assert_eq!(detector.moved(5_000 * MS).unwrap().cause, faults);

        let reads = Cause::NobodyReads(FlowEnd::B);
        detector.hold(reads, 5_000 * MS);
        detector.event(&flush(9_000));
        assert_eq!(detector.silence(9_001 * MS).unwrap().cause, Some(reads));
        detector.release(reads, 9_002 * MS);
        detector.moved(9_002 * MS);

        detector.event(&flush(20_000));
        assert_eq!(detector.silence(20_001 * MS).unwrap().cause, None);
    }

    /// As lrzsz's rx does after each block.
    #[test]
    fn who_answers_and_then_flushes_is_found() {
        let mut detector = Detector::new(500 * MS);
        detector.moved(1_000 * MS);
        detector.sent(FlowEnd::B);
        // The answer is passed on, and the next block comes before the flush.
        detector.moved(1_001 * MS);
        detector.moved(1_002 * MS);
        detector.event(&event(EventKind::FlushRead, 1_003, 133));
        let cause = Some(Cause::FlushedInput(FlowEnd::B));
        assert_eq!(detector.silence(7_000 * MS).unwrap().cause, cause);
    }

    #[test]
    fn harm_of_our_own_is_owned_up_to() {
        let mut detector = Detector::new(500 * MS);
        detector.harmed(FlowEnd::A, 1_000 * MS);
        detector.moved(1_000 * MS);
        let cause = detector.moved(4_000 * MS).unwrap().cause;
        assert_eq!(cause, Some(Cause::Faults(FlowEnd::A)));
    }
}
