//! Pseudo-random numbers that a seed repeats (Vigna's SplitMix64).

#[derive(Debug, Clone)]
pub(super) struct Rng {
    state: u64,
    /// Bytes of the last number that were not handed out yet.
    spare: Vec<u8>,
}

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            spare: Vec::new(),
        }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// The next `n` bytes of one stream, however it is cut into pieces.
    pub(super) fn bytes(&mut self, n: usize) -> Vec<u8> {
        while self.spare.len() < n {
            let number = self.next();
            self.spare.extend_from_slice(&number.to_le_bytes());
        }
        let rest = self.spare.split_off(n);
        std::mem::replace(&mut self.spare, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_does_not_depend_on_how_it_is_cut() {
        let whole = Rng::new(7).bytes(100);
        let mut cut = Rng::new(7);
        let pieces: Vec<u8> = [1, 0, 13, 64, 22]
            .into_iter()
            .flat_map(|n| cut.bytes(n))
            .collect();
        assert_eq!(pieces, whole);
    }
}
