//! One direction of a line: what the relay holds, and when each byte may
//! leave.

use std::collections::VecDeque;

use crate::sample::FaultCounts;
use crate::workload::Line;

use super::faults::Faults;

/// Bytes that wait for their turn on the line before the sender is held back:
/// the transmit buffer of a serial port (`SERIAL_XMIT_SIZE`, a page).
const TRANSMIT_BUFFER: u64 = 4096;
/// Bytes that a line with latency may hold at all.
const MOST_HELD: usize = 1 << 20;
/// The bytes of a message are passed on at most so long after their time,
/// as from the FIFO of a UART; the last one is on time.
const COARSE_NS: u64 = 500_000;

/// Bytes that became readable together.
#[derive(Debug, Clone, Copy)]
struct Piece {
    bytes: usize,
    readable_ns: u64,
    /// Byte n of the piece, counted from 1, may leave at `start + n * each`.
    start_ns: u64,
    each_ns: u64,
}

impl Piece {
    fn last_ns(&self) -> u64 {
        self.start_ns
            .saturating_add(self.each_ns.saturating_mul(self.bytes as u64))
    }

    fn due(&self, now_ns: u64) -> usize {
        if self.each_ns == 0 {
            return if now_ns >= self.start_ns {
                self.bytes
            } else {
                0
            };
        }
        let due = now_ns.saturating_sub(self.start_ns) / self.each_ns;
        due.min(self.bytes as u64) as usize
    }
}

/// One direction of a line.
#[derive(Debug)]
pub struct Lane {
    held: VecDeque<u8>,
    pieces: VecDeque<Piece>,
    faults: Faults,
    /// When the last byte taken in will have left the sender.
    line_free_ns: u64,
    messages: u64,
    immediate: bool,
    delay_ns: u64,
    jitter_ns: u64,
}

impl Lane {
    /// An empty lane; `way` tells the draws of the two directions apart.
    pub fn new(line: &Line, way: u64) -> Self {
        let mut lane = Self {
            held: VecDeque::new(),
            pieces: VecDeque::new(),
            faults: Faults::new(way),
            line_free_ns: 0,
            messages: 0,
            immediate: true,
            delay_ns: 0,
            jitter_ns: 0,
        };
        lane.set(line);
        lane
    }

    /// Carries what comes from now on as `line` says.
    pub fn set(&mut self, line: &Line) {
        self.immediate = line.is_immediate();
        self.delay_ns = line.delay().as_nanos() as u64;
        self.jitter_ns = line.jitter.as_nanos() as u64;
        self.line_free_ns = 0;
        self.faults.set(line);
    }

    /// Whether a byte that comes now may be passed on unseen.
    pub fn is_clear(&self) -> bool {
        self.immediate && self.held.is_empty() && self.faults.are_none()
    }

    /// Whether more may be taken from the sender.
    pub fn accepts(&self, now_ns: u64, each_ns: u64) -> bool {
        if self.immediate {
            return self.held.is_empty();
        }
        let on_line = self.line_free_ns.saturating_sub(now_ns);
        on_line <= TRANSMIT_BUFFER * each_ns && self.held.len() < MOST_HELD
    }

    /// When the last byte held is due, or `now_ns` if that is later.
    pub fn clear_ns(&self, now_ns: u64) -> u64 {
        self.pieces
            .back()
            .map_or(now_ns, |piece| piece.last_ns().max(now_ns))
    }

    /// Bytes held.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Takes in a message that became readable at `readable_ns`, each byte of
    /// which takes `each_ns` on the line. Gives how many bytes it now holds
    /// for it, and what happened to them.
    pub fn take(&mut self, data: &[u8], readable_ns: u64, each_ns: u64) -> FaultCounts {
        let before = self.held.len();
        let faults = self.faults.apply(data, &mut self.held);
        let bytes = self.held.len() - before;
        let leaves_ns = self.line_free_ns.max(readable_ns);
        // A byte that is lost was on the line all the same.
        self.line_free_ns = leaves_ns.saturating_add(each_ns.saturating_mul(data.len() as u64));
        self.messages += 1;
        let jitter_ns = self.faults.draw_below(self.messages, self.jitter_ns);
        let start_ns = leaves_ns + self.delay_ns + jitter_ns;
        self.push(bytes, readable_ns, start_ns, each_ns);
        faults
    }

    /// Holds bytes that may leave at once but were not taken.
    pub fn hold(&mut self, data: &[u8], readable_ns: u64) {
        self.held.extend(data);
        self.push(data.len(), readable_ns, readable_ns, 0);
    }

    fn push(&mut self, bytes: usize, readable_ns: u64, start_ns: u64, each_ns: u64) {
        if bytes > 0 {
            let earliest_ns = self.pieces.back().map_or(0, Piece::last_ns);
            self.pieces.push_back(Piece {
                bytes,
                readable_ns,
                start_ns: start_ns.max(earliest_ns.saturating_sub(each_ns)),
                each_ns,
            });
        }
    }

    /// Bytes that may leave now, as far as they lie together.
    pub fn due(&self, now_ns: u64) -> &[u8] {
        let mut bytes = 0;
        for piece in &self.pieces {
            let due = piece.due(now_ns);
            bytes += due;
            if due < piece.bytes {
                break;
            }
        }
        let (front, _) = self.held.as_slices();
        &front[..bytes.min(front.len())]
    }

    /// When to look again for bytes that may leave, or for room; None while
    /// there is nothing to wait for.
    pub fn next_due_ns(&self, now_ns: u64, each_ns: u64) -> Option<u64> {
        // Bytes that the line loses keep it busy too, and it is free before those
        // arrive that are under way for long.
        let room_ns = self.line_free_ns.saturating_sub(TRANSMIT_BUFFER * each_ns);
        let room_ns = (room_ns > now_ns && !self.immediate).then_some(room_ns);
        let coarse_ns = now_ns.saturating_add(COARSE_NS);
        let due_ns = self.pieces.front().map(|piece| match piece.last_ns() {
            last if last <= coarse_ns => last,
            _ => coarse_ns.max(piece.start_ns.saturating_add(piece.each_ns)),
        });
        room_ns.into_iter().chain(due_ns).min()
    }

    /// Forgets the first `bytes`, which have left (or were thrown away). Tells
    /// for each run of them since when it had been readable.
    pub fn gone(&mut self, bytes: usize, mut tell: impl FnMut(usize, u64)) {
        let mut left = bytes.min(self.held.len());
        self.held.drain(..left);
        while let Some(piece) = self.pieces.front_mut().filter(|_| left > 0) {
            let run = left.min(piece.bytes);
            tell(run, piece.readable_ns);
            left -= run;
            piece.bytes -= run;
            piece.start_ns = piece
                .start_ns
                .saturating_add(piece.each_ns.saturating_mul(run as u64));
            if piece.bytes == 0 {
                self.pieces.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn leave(lane: &mut Lane, now_ns: u64) -> Vec<u8> {
        let due = lane.due(now_ns).to_vec();
        lane.gone(due.len(), |_, _| {});
        due
    }

    #[test]
    fn bytes_leave_at_the_pace_of_the_line() {
        let line = Line {
            baud: "9600".parse().ok(),
            ..Line::default()
        };
        let each = line.frame.character_ns(9600);
        let mut lane = Lane::new(&line, 0);
        assert_eq!(lane.take(b"abcd", 1_000, each), FaultCounts::default());
        assert_eq!(leave(&mut lane, 1_000), b"");
        assert_eq!(leave(&mut lane, 999 + each), b"");
        assert_eq!(leave(&mut lane, 1_000 + each), b"a");
        assert_eq!(leave(&mut lane, 1_000 + 3 * each), b"bc");
        // The next message waits for the first.
        lane.take(b"e", 1_000 + 3 * each, each);
        assert_eq!(leave(&mut lane, 1_000 + 4 * each), b"d");
        assert_eq!(leave(&mut lane, 1_000 + 5 * each - 1), b"");
        assert_eq!(leave(&mut lane, 1_000 + 5 * each), b"e");
        assert_eq!(lane.next_due_ns(1_000 + 5 * each, each), None);
    }

    #[test]
    fn a_full_line_takes_no_more_until_it_has_room() {
        let line = Line {
            baud: "9600".parse().ok(),
            ..Line::default()
        };
        let each = line.frame.character_ns(9600);
        let mut lane = Lane::new(&line, 0);
        lane.take(&[0; 4097], 0, each);
        assert!(!lane.accepts(0, each));
        assert!(lane.accepts(each, each));
    }

    #[test]
    fn a_line_that_loses_everything_has_room_again_in_time() {
        let line = Line {
            baud: "9600".parse().ok(),
            drop: "1".parse().unwrap(),
            ..Line::default()
        };
        let each = line.frame.character_ns(9600);
        let mut lane = Lane::new(&line, 0);
        lane.take(&[0; 5000], 0, each);
        assert_eq!(lane.held(), 0);
        let room_ns = lane.next_due_ns(0, each).unwrap();
        assert!(!lane.accepts(0, each) && lane.accepts(room_ns, each));
    }

    #[test]
    fn a_line_with_a_long_latency_is_as_fast_as_any() {
        let line = Line {
            baud: "9600".parse().ok(),
            latency: Duration::from_secs(60),
            ..Line::default()
        };
        let each = line.frame.character_ns(9600);
        let mut lane = Lane::new(&line, 0);
        lane.take(&[0; 5000], 0, each);
        let arrives_ns = 60_000_000_000;
        // A sender that always has more keeps the line busy from the first byte
        // to the last, though none has arrived yet.
        let mut now = 0;
        for round in 0..10 {
            now = lane.next_due_ns(now, each).unwrap();
            assert!(now < arrives_ns && lane.accepts(now, each), "{round}");
            lane.take(&[0; 512], now, each);
        }
        assert_eq!(lane.line_free_ns, (5000 + 10 * 512) * each);
    }

    #[test]
    fn latency_moves_and_jitter_keeps_order() {
        let line = Line {
            latency: Duration::from_millis(5),
            jitter: Duration::from_millis(50),
            ..Line::default()
        };
        let mut lane = Lane::new(&line, 0);
        let sent: Vec<u8> = (0..100).collect();
        for (n, byte) in sent.iter().enumerate() {
            lane.take(&[*byte], n as u64 * 1_000_000, 0);
        }
        assert_eq!(leave(&mut lane, 4_999_999), b"");
        let mut got = Vec::new();
        let mut now = 0;
        while let Some(next) = lane.next_due_ns(now, 0) {
            assert!(next >= now);
            now = next;
            got.extend(leave(&mut lane, now));
        }
        assert_eq!(got, sent);
        assert!(now <= 99_000_000 + 55_000_000);
    }

    #[test]
    fn what_was_not_taken_stays_in_front() {
        let mut lane = Lane::new(&Line::default(), 0);
        assert!(lane.is_clear());
        lane.hold(b"abc", 7);
        assert!(!lane.is_clear() && !lane.accepts(100, 0));
        assert_eq!(lane.due(7), b"abc");
        let mut told = Vec::new();
        lane.gone(2, |bytes, since| told.push((bytes, since)));
        assert_eq!(told, [(2, 7)]);
        assert_eq!(leave(&mut lane, 8), b"c");
        assert!(lane.is_clear());
    }
}
