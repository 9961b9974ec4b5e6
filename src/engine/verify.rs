//! Comparing what came with what was sent.

use crate::sample::Integrity;
use crate::workload::Pattern;

/// Bytes that tell their position in a payload's period.
const WINDOW: usize = 16;
/// Bytes gathered after a fault before it is examined, so that small reads
/// can be examined too.
const GATHER: usize = 4 * WINDOW;
/// Places tried for finding the way back after a fault; beyond that the rest
/// counts as changed.
const TRIES: usize = 256;

/// Follows a reader through its stream and tells lost, doubled and changed
/// bytes apart.
#[derive(Debug, Default)]
pub struct Verifier {
    position: usize,
    /// Bytes since the last one that was right, while a fault is open.
    doubtful: Vec<u8>,
    found: Integrity,
}

impl Verifier {
    /// What was found so far.
    pub fn found(&self) -> Integrity {
        self.found
    }

    /// Takes the next bytes; `true` when all were right.
    #[inline(always)]
    pub fn take(&mut self, pattern: &Pattern, bytes: &[u8]) -> bool {
        if self.doubtful.is_empty() && bytes == pattern.at(self.position, bytes.len()) {
            self.position = pattern.advance(self.position, bytes.len());
            self.found.verified += bytes.len() as u64;
            return true;
        }
        self.doubt(pattern, bytes);
        false
    }

    /// Examines what is still doubtful: nothing more will come.
    pub fn finish(&mut self, pattern: &Pattern) {
        let rest = std::mem::take(&mut self.doubtful);
        self.examine(pattern, &rest, true);
    }

    #[cold]
    fn doubt(&mut self, pattern: &Pattern, bytes: &[u8]) {
        self.doubtful.extend_from_slice(bytes);
        if self.doubtful.len() >= GATHER {
            let gathered = std::mem::take(&mut self.doubtful);
            let done = self.examine(pattern, &gathered, false);
            self.doubtful = gathered[done..].to_vec();
        }
    }

    /// Works through `bytes` and says how many of them are settled.
    fn examine(&mut self, pattern: &Pattern, bytes: &[u8], last: bool) -> usize {
        let mut at = 0;
        loop {
            at += self.agree(pattern, &bytes[at..]);
            let rest = &bytes[at..];
            if rest.is_empty() {
                return at;
            }
            let found = (0..TRIES.min(rest.len().saturating_sub(WINDOW - 1)))
                .find_map(|j| Some((j, pattern.find(&rest[j..j + WINDOW])?)));
            match found {
                Some((wrong, place)) => {
                    self.jump(pattern, wrong, place);
                    at += wrong;
                }
                None if !last && rest.len() < GATHER => return at,
                None => {
                    self.found.changed += rest.len() as u64;
                    self.position = pattern.advance(self.position, rest.len());
                    return bytes.len();
                }
            }
        }
    }

    /// Moves over the bytes that are right, and says how many.
    fn agree(&mut self, pattern: &Pattern, bytes: &[u8]) -> usize {
        let want = pattern.at(self.position, bytes.len());
        let right = bytes.iter().zip(want).take_while(|(a, b)| a == b).count();
        self.position = pattern.advance(self.position, right);
        self.found.verified += right as u64;
        right
    }

    /// After `wrong` bytes the stream goes on at `place`. Of two ways round
    /// the period the shorter one is taken.
    fn jump(&mut self, pattern: &Pattern, wrong: usize, place: usize) {
        let period = pattern.period();
        let expected = pattern.advance(self.position, wrong);
        let ahead = (place + period - expected) % period;
        self.found.changed += wrong as u64;
        if ahead <= period / 2 {
            self.found.lost += ahead as u64;
        } else {
            self.found.doubled += (period - ahead) as u64;
        }
        self.position = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pty::{End, Mode};
    use crate::workload::{Payload, Streams};

    const PAYLOADS: [Payload; 3] = [Payload::Sequence, Payload::LINES, Payload::Random(5)];

    fn findings(payload: Payload, piece: usize, damage: impl Fn(&mut Vec<u8>)) -> Integrity {
        let streams = Streams::new(payload, Mode::RAW);
        let stream = streams.from(End::Slave);
        let mut bytes = stream.sent.at(0, 60_000).to_vec();
        damage(&mut bytes);
        let mut verifier = Verifier::default();
        for piece in bytes.chunks(piece) {
            verifier.take(&stream.received, piece);
        }
        verifier.finish(&stream.received);
        verifier.found()
    }

    fn everywhere(damage: impl Fn(&mut Vec<u8>), want: (u64, u64, u64)) {
        for payload in PAYLOADS {
            for piece in [1, 7, 255, 4095, 60_000] {
                let found = findings(payload, piece, &damage);
                assert_eq!(
                    (found.lost, found.doubled, found.changed),
                    want,
                    "{payload} in reads of {piece}"
                );
            }
        }
    }

    #[test]
    fn what_is_right_is_verified_to_the_last_byte() {
        everywhere(|_| {}, (0, 0, 0));
        assert_eq!(findings(Payload::Sequence, 255, |_| {}).verified, 60_000);
    }

    #[test]
    fn a_lost_byte_is_one_lost_byte() {
        everywhere(|b| drop(b.drain(20_000..20_001)), (1, 0, 0));
    }

    #[test]
    fn a_lost_block_counts_its_bytes() {
        everywhere(|b| drop(b.drain(10_000..14_095)), (4095, 0, 0));
    }

    #[test]
    fn a_doubled_block_counts_its_bytes() {
        everywhere(
            |b| {
                let block = b[10_000..10_256].to_vec();
                b.splice(10_256..10_256, block);
            },
            (0, 256, 0),
        );
    }

    #[test]
    fn a_flipped_bit_is_a_changed_byte() {
        everywhere(|b| b[30_000] ^= 4, (0, 0, 1));
    }

    #[test]
    fn a_flipped_bit_in_the_last_byte_is_found() {
        everywhere(|b| b[59_999] ^= 1, (0, 0, 1));
    }

    #[test]
    fn swapped_blocks_are_lost_and_doubled() {
        let found = findings(Payload::Sequence, 255, |b| {
            let (x, y) = b[10_000..20_000].split_at_mut(5_000);
            x.swap_with_slice(y);
        });
        assert!(found.lost > 0 && found.doubled > 0);
    }

    #[test]
    fn garbage_is_changed_bytes_and_ends() {
        let found = findings(Payload::Random(5), 4095, |b| {
            b.iter_mut().for_each(|byte| *byte = 0)
        });
        assert!(found.verified < 1000);
        assert!(found.changed > 59_000);
    }
}
