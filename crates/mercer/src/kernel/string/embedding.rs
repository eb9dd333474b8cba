//! Texts as lists of the substrings they contain, with how often: the feature space of the kernels that count common
//! substrings, made explicit.

use std::cmp::Ordering;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::windows::{NONE, Windows};
use crate::error::{Error, Result};
use crate::kernel::Tile;
use crate::linalg::inverted_index::Product;
use crate::linalg::nonzeros::{Nonzeros, SparseRows};
use crate::linalg::sparse;
use crate::points::{Derived, Merged, Sequences, Span, Strings, Unit};
use crate::real::Real;

/// The substrings of some lengths that occur in a set, shortest first, those of a length in the order of their symbols.
/// A substring is known by a place where it occurs, so comparing two is exact.
struct Substrings {
    sequences: Arc<Sequences>,
    places: Vec<u32>,
    /// The lengths, each with the number of its first substring.
    lengths: Vec<(usize, usize)>,
}

/// How often each text has each substring.
pub(super) struct Embedding<T> {
    substrings: Arc<Substrings>,
    counts: Nonzeros<T>,
}

/// The counts of one set in the numbering of another.
struct Renumbered<T>(Nonzeros<T>);

/// The lengths of substrings that count, and what a symbol is.
#[derive(Debug, Clone)]
pub(super) struct Lengths {
    pub unit: Unit,
    pub lengths: RangeInclusive<usize>,
}

impl Lengths {
    /// The dot products of the counts of `rows` and `cols`.
    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Strings>,
        cols: Span<'_, Strings>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let (left, right) = (self.embed::<T>(rows.points)?, self.embed::<T>(cols.points)?);
        let stride = out.stride();
        let mut fill = |cols_counts: SparseRows<'_, T>| {
            let rows = left.counts.rows(rows.range());
            sparse::sums(rows, cols_counts, out.data(), stride, Product);
        };
        if Arc::ptr_eq(&left.substrings, &right.substrings) {
            fill(right.counts.rows(cols.range()));
        } else {
            let renumber = || Renumbered(right.renumbered(&left.substrings));
            let known = cols.points.derive_with(rows.points, self.parameter(), renumber);
            fill(known.0.rows(cols.range()));
        }
        Ok(())
    }

    /// The squared lengths of the counts of `points`.
    pub(super) fn diag<T: Real>(&self, points: Span<'_, Strings>, out: &mut [T]) -> Result<()> {
        let embedding = self.embed::<T>(points.points)?;
        for (value, (_, counts)) in out.iter_mut().zip(embedding.counts.rows(points.range()).iter())
        {
            *value = counts.iter().fold(T::ZERO, |sum, &count| sum + count * count);
        }
        Ok(())
    }

    /// How often each of `texts` has each substring of `known`, numbered as in [`Self::spellings`].
    pub(super) fn counts_in<T: Real>(
        &self,
        texts: &Strings,
        known: &Strings,
    ) -> Result<Nonzeros<T>> {
        let (own, target) = (self.embed::<T>(texts)?, self.embed::<T>(known)?);
        Ok(own.renumbered(&target.substrings))
    }

    /// How many different substrings `strings` has.
    pub(super) fn distinct(&self, strings: &Strings) -> Result<usize> {
        Ok(self.embed::<f64>(strings)?.substrings.places.len())
    }

    /// The substrings of `strings` as text, in their order.
    pub(super) fn spellings(&self, strings: &Strings) -> Result<Vec<String>> {
        let substrings = Arc::clone(&self.embed::<f64>(strings)?.substrings);
        let between: &[u8] = if self.unit == Unit::Words { b" " } else { b"" };
        let spell = |number: usize, length: usize| {
            let symbols = substrings.spelled(number, length).iter();
            let parts: Vec<&[u8]> =
                symbols.map(|&symbol| substrings.sequences.spelling(symbol)).collect();
            readable(&parts.join(between))
        };
        let lengths = substrings.lengths.iter().enumerate();
        let of_length = |(place, &(length, _))| substrings.range(place).map(move |at| (at, length));
        Ok(lengths.flat_map(of_length).map(|(at, length)| spell(at, length)).collect())
    }

    fn embed<T: Real>(&self, strings: &Strings) -> Result<Arc<Embedding<T>>> {
        let sequences = Sequences::of(strings, self.unit);
        let longest = (*self.lengths.end()).min(sequences.longest());
        let lengths = *self.lengths.start()..=longest;
        let most = sequences.symbols().len().saturating_mul(lengths.clone().count());
        if most >= NONE as usize {
            return Err(Error::Shape(format!(
                "the strings may have more than {NONE} substrings of {} to {longest} symbols: use shorter ones",
                lengths.start()
            )));
        }
        Ok(strings.derive(self.parameter(), || Embedding::new(sequences, lengths)))
    }

    /// A number for the lengths and the unit.
    fn parameter(&self) -> u64 {
        // A single length, or all from 1 on; both fit into 32 bits.
        let from_one = u64::from(*self.lengths.start() == 1);
        ((*self.lengths.end() as u64) << 3) | (from_one << 2) | self.unit as u64
    }
}

/// Bytes as text; invalid UTF-8 is written as `\xff`.
fn readable(bytes: &[u8]) -> String {
    let chunks = bytes.utf8_chunks().map(|chunk| {
        let escaped: String = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("{}{escaped}", chunk.valid())
    });
    chunks.collect()
}

impl<T: Real> Embedding<T> {
    fn new(sequences: Arc<Sequences>, lengths: RangeInclusive<usize>) -> Self {
        let (mut places, mut firsts) = (Vec::new(), Vec::new());
        let mut found = Vec::new();
        for length in lengths {
            let windows = Windows::new(&sequences, length);
            firsts.push((length, places.len()));
            places.extend(windows.places);
            found.push(windows.numbers);
        }
        let counts = count(&sequences, &firsts, &found);
        let substrings = Arc::new(Substrings { sequences, places, lengths: firsts });
        Self { substrings, counts }
    }

    /// The counts of those substrings that `target` has too, in its numbering.
    fn renumbered(&self, target: &Substrings) -> Nonzeros<T> {
        let numbers = self.substrings.numbers_in(target);
        let mut counts = Nonzeros::new();
        for (at, values) in self.counts.all().iter() {
            for (&number, &value) in at.iter().zip(values) {
                // Both numberings have one order, so numbers still rise.
                match numbers[number as usize] {
                    NONE => {}
                    number => counts.push(number, value),
                }
            }
            counts.end_row();
        }
        counts
    }
}

/// How often each text has the window of each number; `found` holds the numbers per length, counted from `firsts`.
fn count<T: Real>(
    sequences: &Sequences,
    firsts: &[(usize, usize)],
    found: &[Vec<u32>],
) -> Nonzeros<T> {
    let mut counts = Nonzeros::new();
    let mut own: Vec<u32> = Vec::new();
    for text in sequences.starts().windows(2) {
        for (numbers, &(_, first)) in found.iter().zip(firsts) {
            own.clear();
            own.extend(numbers[text[0]..text[1]].iter().filter(|&&number| number != NONE));
            own.sort_unstable();
            for equal in own.chunk_by(|a, b| a == b) {
                counts.push(first as u32 + equal[0], T::from_f64(equal.len() as f64));
            }
        }
        counts.end_row();
    }
    counts
}

impl Substrings {
    /// The number in `target` of each of these substrings, `NONE` for those it does not have.
    fn numbers_in(&self, target: &Substrings) -> Vec<u32> {
        let merged = Merged::new(&self.sequences, &target.sequences);
        let mut numbers = vec![NONE; self.places.len()];
        for (place, &(length, _)) in self.lengths.iter().enumerate() {
            let Some(other) = target.lengths.iter().position(|&(own, _)| own == length) else {
                continue;
            };
            let (mut own, mut theirs) = (self.range(place), target.range(other));
            while !own.is_empty() && !theirs.is_empty() {
                let (x, y) =
                    (self.spelled(own.start, length), target.spelled(theirs.start, length));
                let left = x.iter().map(|&symbol| merged.left(symbol));
                match left.cmp(y.iter().map(|&symbol| merged.right(symbol))) {
                    Ordering::Less => own.start += 1,
                    Ordering::Greater => theirs.start += 1,
                    Ordering::Equal => {
                        numbers[own.start] = theirs.start as u32;
                        own.start += 1;
                        theirs.start += 1;
                    }
                }
            }
        }
        numbers
    }

    /// The numbers of the substrings of the length in place `place`.
    fn range(&self, place: usize) -> std::ops::Range<usize> {
        let next = self.lengths.get(place + 1);
        self.lengths[place].1..next.map_or(self.places.len(), |&(_, first)| first)
    }

    fn spelled(&self, number: usize, length: usize) -> &[u32] {
        &self.sequences.symbols()[self.places[number] as usize..][..length]
    }
}

impl<T: Real> Derived for Embedding<T> {
    fn select(&self, idx: &[usize]) -> Option<Arc<dyn Derived>> {
        let substrings = Arc::clone(&self.substrings);
        Some(Arc::new(Self { substrings, counts: self.counts.select(idx) }))
    }
}

impl<T: Real> Derived for Renumbered<T> {
    fn select(&self, _: &[usize]) -> Option<Arc<dyn Derived>> {
        None // it belongs to two sets, one of which the selection is not
    }
}
