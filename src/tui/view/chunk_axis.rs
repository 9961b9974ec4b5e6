//! Where chunks lie on the horizontal axis of the curves.

/// Neighbours are drawn at least this part of the axis apart.
const APART: f64 = 1.0 / 14.0;
/// The part of the axis left free on either side.
const MARGIN: f64 = 0.05;

/// A logarithmic axis through the chunks visited, on which neighbours that are
/// too near to be told apart (256 and 257) are moved apart. Where all are near,
/// they stand at even distances.
#[derive(Debug, Clone)]
pub struct ChunkAxis {
    /// Logarithms of the chunks, ascending, with their places from 0 to 1.
    stops: Vec<(f64, f64)>,
}

impl ChunkAxis {
    /// The axis through `chunks`, ascending and at least 1.
    pub fn new(chunks: impl Iterator<Item = usize>) -> Self {
        let logs: Vec<f64> = chunks.map(|chunk| (chunk as f64).ln()).collect();
        let (Some(first), Some(last)) = (logs.first(), logs.last()) else {
            return Self { stops: Vec::new() };
        };
        let least = (last - first) * APART;
        let gaps = logs.windows(2).map(|pair| (pair[1] - pair[0]).max(least));
        let length: f64 = gaps.clone().sum();
        if length <= 0.0 {
            return Self {
                stops: vec![(*first, 0.5)],
            };
        }
        let ends = gaps.scan(0.0, |at, gap| {
            *at += gap;
            Some(*at)
        });
        let places = std::iter::once(0.0).chain(ends);
        let place = |at: f64| MARGIN + (1.0 - 2.0 * MARGIN) * at / length;
        Self {
            stops: logs.iter().copied().zip(places.map(place)).collect(),
        }
    }

    /// The place of `chunk`, from 0 to 1; None outside of the chunks visited.
    pub fn place(&self, chunk: f64) -> Option<f64> {
        let log = chunk.ln();
        let after = self.stops.partition_point(|(stop, _)| *stop < log);
        let &(above, end) = self.stops.get(after)?;
        if above <= log {
            return Some(end);
        }
        let &(below, begin) = self.stops.get(after.checked_sub(1)?)?;
        Some(begin + (end - begin) * (log - below) / (above - below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_told_apart_and_stay_in_order() {
        let chunks = [64, 255, 256, 257, 1024, 65536];
        let axis = ChunkAxis::new(chunks.into_iter());
        let places: Vec<f64> = chunks
            .iter()
            .map(|&chunk| axis.place(chunk as f64).unwrap())
            .collect();
        assert_eq!(places[0], MARGIN);
        assert!((places[5] - (1.0 - MARGIN)).abs() < 1e-9);
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] > 0.05));
        let boundary = axis.place(256.5).unwrap();
        assert!(places[2] < boundary && boundary < places[3]);
        assert_eq!(axis.place(63.0), None);
        assert_eq!(axis.place(65537.0), None);
    }

    #[test]
    fn far_chunks_stand_at_their_logarithms() {
        let axis = ChunkAxis::new([1, 32, 1024].into_iter());
        assert!((axis.place(32.0).unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn one_chunk_is_in_the_middle_and_none_is_nowhere() {
        assert_eq!(ChunkAxis::new([256].into_iter()).place(256.0), Some(0.5));
        assert_eq!(ChunkAxis::new([256].into_iter()).place(256.5), None);
        assert_eq!(ChunkAxis::new([].into_iter()).place(256.0), None);
    }
}
