//! A sample as its difference from the one before.

use serde::{Deserialize, Serialize};

use crate::sample::{Histogram, Sample};

use super::ranks::{RANKS, at_ranks, of_ranks};
use super::walk::{Coder, is_like, walk};

/// What a difference consists of: numbers less their guesses, null for one that
/// is missing, and the histograms, both in the order of the sample's fields.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference(Vec<Option<i64>>, Vec<Vec<i64>>);

/// A histogram that is written bucket by bucket: gap to the one before, count.
const BUCKETS: i64 = 0;
/// One that is written as its count and its buckets at fixed ranks.
const AT_RANKS: i64 = 1;

impl Difference {
    /// That of `next` from `before`; None where they differ in more than
    /// numbers.
    pub fn between(before: &Sample, next: &Sample) -> Option<Self> {
        if !is_like(before, next) {
            return None;
        }
        let mut writer = Writer(Self::default());
        let Ok(()) = walk(&mut writer, before, &mut next.clone());
        Some(writer.0)
    }

    /// The sample that differs so from `before`.
    ///
    /// # Errors
    /// Says what cannot be.
    pub fn apply(&self, before: &Sample) -> Result<Sample, &'static str> {
        let mut next = before.clone();
        let mut reader = Reader {
            numbers: self.0.iter(),
            histograms: self.1.iter(),
        };
        walk(&mut reader, before, &mut next)?;
        if reader.numbers.next().is_some() || reader.histograms.next().is_some() {
            return Err("there are more numbers than such a sample has");
        }
        Ok(next)
    }
}

struct Writer(Difference);

impl Coder for Writer {
    type Wrong = std::convert::Infallible;

    fn number(&mut self, guess: u64, value: &mut u64) -> Result<(), Self::Wrong> {
        self.0.0.push(Some(value.wrapping_sub(guess) as i64));
        Ok(())
    }

    fn option(&mut self, guess: Option<u64>, value: &mut Option<u64>) -> Result<(), Self::Wrong> {
        let guess = guess.unwrap_or(0);
        let number = value.map(|value| value.wrapping_sub(guess) as i64);
        self.0.0.push(number);
        Ok(())
    }

    fn histogram(
        &mut self,
        before: &Histogram,
        count: u64,
        value: &mut Histogram,
    ) -> Result<(), Self::Wrong> {
        let indices = at_ranks(value);
        let is_thin = of_ranks(value.kind(), value.count(), &indices).as_ref() == Some(value);
        let numbers = if value.entries().len() > 2 && is_thin {
            let less = |(now, then): (u32, u32)| i64::from(now) - i64::from(then);
            let count = value.count().wrapping_sub(count) as i64;
            let gaps = indices.into_iter().zip(at_ranks(before)).map(less);
            [AT_RANKS, count].into_iter().chain(gaps).collect()
        } else {
            let mut last = 0;
            let mut numbers = vec![BUCKETS];
            for &(index, count) in value.entries() {
                numbers.extend([i64::from(index - last), count as i64]);
                last = index;
            }
            numbers
        };
        self.0.1.push(numbers);
        Ok(())
    }
}

struct Reader<'a> {
    numbers: std::slice::Iter<'a, Option<i64>>,
    histograms: std::slice::Iter<'a, Vec<i64>>,
}

const TOO_FEW: &str = "there are fewer numbers than such a sample has";
const NO_HISTOGRAM: &str = "the numbers make no histogram";

impl Coder for Reader<'_> {
    type Wrong = &'static str;

    fn number(&mut self, guess: u64, value: &mut u64) -> Result<(), Self::Wrong> {
        let number = self.numbers.next().ok_or(TOO_FEW)?;
        *value = guess.wrapping_add(number.ok_or("a number is missing")? as u64);
        Ok(())
    }

    fn option(&mut self, guess: Option<u64>, value: &mut Option<u64>) -> Result<(), Self::Wrong> {
        let number = self.numbers.next().ok_or(TOO_FEW)?;
        *value = number.map(|number| guess.unwrap_or(0).wrapping_add(number as u64));
        Ok(())
    }

    fn histogram(
        &mut self,
        before: &Histogram,
        count: u64,
        value: &mut Histogram,
    ) -> Result<(), Self::Wrong> {
        let numbers = self.histograms.next().ok_or(TOO_FEW)?;
        let read = match numbers.split_first() {
            Some((&BUCKETS, pairs)) => bucket_by_bucket(before, pairs),
            Some((&AT_RANKS, [more, gaps @ ..])) => {
                let count = count.wrapping_add(*more as u64);
                by_ranks(before, count, gaps)
            }
            _ => None,
        };
        *value = read.ok_or(NO_HISTOGRAM)?;
        Ok(())
    }
}

fn bucket_by_bucket(before: &Histogram, pairs: &[i64]) -> Option<Histogram> {
    let mut index = 0_i64;
    let (pairs, rest) = pairs.as_chunks::<2>();
    let entries = pairs.iter().map(|&[gap, count]| {
        index = index.checked_add(gap)?;
        Some((u32::try_from(index).ok()?, count as u64))
    });
    let entries = entries.collect::<Option<Vec<_>>>()?;
    let whole = rest.is_empty();
    whole.then(|| Histogram::of_entries(before.kind(), entries))?
}

fn by_ranks(before: &Histogram, count: u64, gaps: &[i64]) -> Option<Histogram> {
    let gaps: &[i64; RANKS] = gaps.try_into().ok()?;
    let mut indices = at_ranks(before);
    for (index, gap) in indices.iter_mut().zip(gaps) {
        *index = u32::try_from(i64::from(*index).checked_add(*gap)?).ok()?;
    }
    of_ranks(before.kind(), count, &indices)
}
