//! How values are put into buckets.

/// A log-linear bucket layout: values below `2^exact_bits` have a bucket each,
/// larger ones `2^sub_bits` buckets per power of two.
///
/// The relative width of a bucket is at most `2^-sub_bits`. Values from
/// `2^max_bits` on share the last bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    exact_bits: u32,
    sub_bits: u32,
    max_bits: u32,
}

/// Nanoseconds up to 73 minutes, buckets at most 1.6 % wide.
pub const TIME: Layout = Layout {
    exact_bits: 6,
    sub_bits: 6,
    max_bits: 42,
};

/// Bytes up to 2 MiB; exact below 8192, so that 4095 and 4096 are told apart.
pub const SIZE: Layout = Layout {
    exact_bits: 13,
    sub_bits: 6,
    max_bits: 21,
};

impl Layout {
    /// How many buckets there are.
    pub const fn bucket_count(self) -> usize {
        (1 << self.exact_bits) + (((self.max_bits - self.exact_bits) as usize) << self.sub_bits)
    }

    /// The bucket of `value`.
    #[inline(always)]
    pub const fn index(self, value: u64) -> usize {
        if value < 1 << self.exact_bits {
            return value as usize;
        }
        let exponent = 63 - value.leading_zeros();
        if exponent >= self.max_bits {
            return self.bucket_count() - 1;
        }
        let sub = (value >> (exponent - self.sub_bits)) as usize & ((1 << self.sub_bits) - 1);
        (1 << self.exact_bits) + (((exponent - self.exact_bits) as usize) << self.sub_bits) + sub
    }

    /// The smallest value that falls into bucket `index`.
    pub const fn low(self, index: usize) -> u64 {
        let exact = 1 << self.exact_bits;
        if index < exact {
            return index as u64;
        }
        let exponent = self.exact_bits + ((index - exact) >> self.sub_bits) as u32;
        let sub = ((index - exact) & ((1 << self.sub_bits) - 1)) as u64;
        (1 << exponent) + (sub << (exponent - self.sub_bits))
    }

    /// The largest value that falls into bucket `index`.
    pub const fn high(self, index: usize) -> u64 {
        self.low(index + 1) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bucket_holds_its_own_bounds() {
        for layout in [TIME, SIZE] {
            for index in 0..layout.bucket_count() {
                assert_eq!(layout.index(layout.low(index)), index);
                assert_eq!(layout.index(layout.high(index)), index);
                assert!(layout.low(index) <= layout.high(index));
            }
            assert_eq!(layout.index(u64::MAX), layout.bucket_count() - 1);
        }
    }

    #[test]
    fn sizes_around_the_boundaries_have_buckets_of_their_own() {
        for size in [
            255, 256, 257, 1792, 1793, 2048, 2049, 4094, 4095, 4096, 4097,
        ] {
            assert_eq!(SIZE.low(SIZE.index(size)), size);
            assert_eq!(SIZE.high(SIZE.index(size)), size);
        }
    }
}
