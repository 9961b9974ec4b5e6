//! The chunk sizes of a sweep, as people write them.

use std::collections::BTreeSet;
use std::str::FromStr;

use crate::pty::capacity::boundaries;

use super::MAX_CHUNK;
use super::units::{self, UnitError};

/// Most sizes of one sweep.
pub const MAX_POINTS: usize = 1000;

/// Steps of a logarithmic range for each doubling.
const STEPS_PER_DOUBLING: f64 = 3.0;

/// Chunk sizes, rising, none twice.
///
/// Its text is a list of `256`, `240..272`, `64..512:64`, `1..65536:log` and
/// `boundaries`, where the buffers of the kernel change. What overlaps is
/// taken once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunks(Vec<usize>);

impl Chunks {
    /// All boundaries and the neighbourhood of 256, for pages of that size.
    pub fn usual(page_size: usize) -> Self {
        let near_256 = 250..=262;
        Self::from_set(at_boundaries(page_size).chain(near_256).collect())
    }

    /// The sizes, rising.
    pub fn sizes(&self) -> &[usize] {
        &self.0
    }

    fn from_set(sizes: BTreeSet<usize>) -> Self {
        Self(sizes.into_iter().collect())
    }
}

/// The points of interest, and in any case both sides of each boundary.
fn at_boundaries(page_size: usize) -> impl Iterator<Item = usize> {
    boundaries(page_size).into_iter().flat_map(|boundary| {
        boundary
            .points
            .into_iter()
            .chain([boundary.at, boundary.at + 1])
    })
}

/// A list that makes no sweep.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChunksError {
    /// A size that is none, or is out of range.
    #[error(transparent)]
    Size(#[from] UnitError),
    /// A range that goes down.
    #[error("{0}: a range goes up: {1}..{2}")]
    Reversed(String, usize, usize),
    /// A step that is none.
    #[error("{0}: after the colon of a range stands a step (64..512:64) or log (1..65536:log)")]
    Step(String),
    /// Too many sizes.
    #[error("{0}: more than {MAX_POINTS} sizes; give a step (64..512:64) or log (1..65536:log)")]
    TooMany(String),
    /// Nothing between two commas.
    #[error("{0:?}: a size is missing; write as 64,128,255..257 or boundaries")]
    Missing(String),
}

impl FromStr for Chunks {
    type Err = ChunksError;

    fn from_str(text: &str) -> Result<Self, ChunksError> {
        let mut sizes = BTreeSet::new();
        for item in text.split(',').map(str::trim) {
            match item.split_once("..") {
                None if item.is_empty() => return Err(ChunksError::Missing(text.to_owned())),
                None if item == "boundaries" => sizes.extend(at_boundaries(page_size())),
                None => {
                    sizes.insert(size(item)?);
                }
                Some((from, rest)) => sizes.extend(range(item, from, rest)?),
            }
            if sizes.len() > MAX_POINTS {
                return Err(ChunksError::TooMany(text.to_owned()));
            }
        }
        Ok(Self::from_set(sizes))
    }
}

fn page_size() -> usize {
    use nix::unistd::{SysconfVar, sysconf};
    let size = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    size.and_then(|size| usize::try_from(size).ok())
        .unwrap_or(4096)
}

fn size(text: &str) -> Result<usize, UnitError> {
    let bytes = units::parse_size(text)?;
    units::within(text, bytes, 1, MAX_CHUNK as u64).map(|bytes| bytes as usize)
}

/// `from..rest`, where `rest` may end in a step.
fn range(item: &str, from: &str, rest: &str) -> Result<BTreeSet<usize>, ChunksError> {
    let (to, step) = match rest.split_once(':') {
        Some((to, step)) => (to, Some(step)),
        None => (rest, None),
    };
    let to = to.strip_prefix('=').unwrap_or(to);
    let (from, to) = (size(from)?, size(to)?);
    if from > to {
        return Err(ChunksError::Reversed(item.to_owned(), to, from));
    }
    let bad_step = |_| ChunksError::Step(item.to_owned());
    let sizes: BTreeSet<usize> = match step {
        Some("log") => logarithmic(from, to).collect(),
        _ => {
            let step = step.map_or(Ok(1), size).map_err(bad_step)?;
            if (to - from) / step >= MAX_POINTS {
                return Err(ChunksError::TooMany(item.to_owned()));
            }
            (from..=to).step_by(step).collect()
        }
    };
    Ok(sizes)
}

fn logarithmic(from: usize, to: usize) -> impl Iterator<Item = usize> {
    let steps = ((to as f64 / from as f64).log2() * STEPS_PER_DOUBLING).floor() as u32;
    let size = move |step: u32| from as f64 * (f64::from(step) / STEPS_PER_DOUBLING).exp2();
    let sizes = (0..=steps).map(move |step| size(step).round() as usize);
    sizes.map(move |size| size.clamp(from, to)).chain([to])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<usize> {
        let chunks: Chunks = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        chunks.sizes().to_vec()
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(sizes("256"), [256]);
        assert_eq!(sizes("257, 64,4K,64"), [64, 257, 4096]);
        assert_eq!(sizes("240..=243"), [240, 241, 242, 243]);
        assert_eq!(sizes("64..300:64"), [64, 128, 192, 256]);
        assert_eq!(sizes("254..256,255..258"), [254, 255, 256, 257, 258]);
        assert_eq!(sizes("5..5"), [5]);
    }

    #[test]
    fn logarithmic_ranges_hold_both_ends() {
        let all = sizes("1..65536:log");
        assert_eq!((all[0], all[all.len() - 1]), (1, 65536));
        assert!(all.len() > 40 && all.len() < 50, "{}", all.len());
        assert!(all.contains(&256) && all.contains(&4096));
        assert_eq!(sizes("100..110:log"), [100, 110]);
        assert_eq!(sizes("1M..1M:log"), [1 << 20]);
    }

    #[test]
    fn boundaries_are_those_of_the_kernel() {
        let all = sizes("boundaries");
        for size in [128, 129, 255, 256, 257, 768, 769, 2048, 2049] {
            assert!(all.contains(&size), "{size}");
        }
        let usual = Chunks::usual(4096);
        assert!(usual.sizes().windows(2).all(|pair| pair[0] < pair[1]));
        assert!((250..=262).all(|size| usual.sizes().contains(&size)));
        assert!(usual.sizes().contains(&1793));
    }

    #[test]
    fn what_makes_no_sweep_is_refused() {
        for (text, word) in [
            ("", "missing"),
            ("64,,128", "missing"),
            ("0", "1 to"),
            ("0..4", "1 to"),
            ("272..240", "240..272"),
            ("1..65536", "1000"),
            ("1..1000,2000..3000", "1000"),
            ("1..2M:log", "1 to"),
            ("1..9:0", "step"),
            ("1..9:lin", "step"),
            ("1..9:1:2", "step"),
            ("..", "size"),
            ("1..", "size"),
            ("many", "size"),
            ("-5", "size"),
        ] {
            let error = text.parse::<Chunks>().unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
