//! Dot products of samples that are mostly zeros: only the other numbers are multiplied.
//!
//! Columns are turned into panels, a line per feature; a row then adds up the lines of its own features. For one zero in two
//! this beats the general product, whose every number costs the same.

use std::sync::OnceLock;

use super::inverted_index::{Index, Key};
use super::simd::dispatch;
use crate::real::Real;
use crate::real::vector::Vector;

/// The numbers of each row that are not zero, with the features they belong to. Features rise within a row; they are columns,
/// or whatever else names a feature.
#[derive(Clone, Debug)]
pub struct Nonzeros<T, K = u32> {
    starts: Vec<usize>, // n + 1
    at: Vec<K>,
    values: Vec<T>,
    indexes: Indexes<T, K>,
}

/// Those of a run of rows.
#[derive(Debug)]
pub struct SparseRows<'a, T, K = u32> {
    starts: &'a [usize],
    at: &'a [K],
    values: &'a [T],
    /// Those of all rows, and which of them is the first here.
    all_starts: &'a [usize],
    first: usize,
    indexes: &'a Indexes<T, K>,
}

/// Rows that share an index which is kept: as many as a tile of the full matrix has.
const INDEXED: usize = 128;

/// Numbers of so many rows up to which an index of them stays in the second-level cache.
const INDEXED_NUMBERS: usize = 1 << 17;

/// Indexes of blocks of rows, each made when it is first asked for. A clone begins without any.
struct Indexes<T, K>(OnceLock<Vec<OnceLock<Index<T, K>>>>);

impl<T, K> Default for Indexes<T, K> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T, K> Clone for Indexes<T, K> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T, K> std::fmt::Debug for Indexes<T, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Indexes")
    }
}

impl<'a, T: Real, K: Key> SparseRows<'a, T, K> {
    /// The rows as blocks whose indexes are kept, with the place of each block's first row; none where the rows do not begin and end
    /// with a block, or are too long for one.
    pub(super) fn indexed(&self) -> Option<Vec<(usize, &'a Index<T, K>)>> {
        let all = self.all_starts;
        let (n, end) = (all.len() - 1, self.first + self.len());
        let whole = self.first.is_multiple_of(INDEXED) && (end.is_multiple_of(INDEXED) || end == n);
        // Fewer rows than a block are better indexed for the moment.
        if !whole
            || n < 2 * INDEXED
            || self.count() > self.len().div_ceil(INDEXED) * INDEXED_NUMBERS
        {
            return None;
        }
        let make = || (0..n.div_ceil(INDEXED)).map(|_| OnceLock::new()).collect();
        let indexes = self.indexes.0.get_or_init(make);
        let blocks = (0..self.len()).step_by(INDEXED);
        Some(blocks.map(|from| (from, self.index(indexes, from))).collect())
    }

    fn index(&self, indexes: &'a [OnceLock<Index<T, K>>], from: usize) -> &'a Index<T, K> {
        let rows = self.part(from..(from + INDEXED).min(self.len()));
        indexes[rows.first / INDEXED].get_or_init(|| Index::new(rows.iter(), self.at.len()))
    }
}

impl<T, K> Clone for SparseRows<'_, T, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K> Copy for SparseRows<'_, T, K> {}

impl<'a, T, K> SparseRows<'a, T, K> {
    /// Rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.starts.len() == 1
    }

    /// Numbers of all rows together.
    pub fn count(&self) -> usize {
        self.starts[self.len()] - self.starts[0]
    }

    /// The features of row i and their numbers.
    pub fn row(&self, i: usize) -> (&'a [K], &'a [T]) {
        let own = self.starts[i]..self.starts[i + 1];
        (&self.at[own.clone()], &self.values[own])
    }

    /// The rows `range`.
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let starts = &self.starts[range.start..range.end + 1];
        Self { starts, first: self.first + range.start, ..*self }
    }

    /// Row after row.
    pub fn iter(
        &self,
    ) -> impl ExactSizeIterator<Item = (&'a [K], &'a [T])> + Clone + use<'a, T, K> {
        let rows = *self;
        (0..self.len()).map(move |i| rows.row(i))
    }
}

impl<T: Copy, K: Copy> Nonzeros<T, K> {
    /// No rows yet.
    pub fn new() -> Self {
        Self { starts: vec![0], at: Vec::new(), values: Vec::new(), indexes: Indexes::default() }
    }

    /// Appends a number to the row that is being written; its feature lies above those before it.
    pub fn push(&mut self, at: K, value: T) {
        self.at.push(at);
        self.values.push(value);
    }

    /// Ends the row that is being written.
    pub fn end_row(&mut self) {
        self.starts.push(self.at.len());
    }

    /// Those of the rows `which`, in that order.
    pub fn select(&self, which: &[usize]) -> Self {
        let mut chosen = Self::new();
        for &row in which {
            let own = self.starts[row]..self.starts[row + 1];
            chosen.at.extend_from_slice(&self.at[own.clone()]);
            chosen.values.extend_from_slice(&self.values[own]);
            chosen.end_row();
        }
        chosen
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether all numbers are zero.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Where each row starts, and where the last ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The features, row after row.
    pub fn at(&self) -> &[K] {
        &self.at
    }

    /// The numbers, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Those of the rows `range`.
    pub fn rows(&self, range: std::ops::Range<usize>) -> SparseRows<'_, T, K> {
        SparseRows {
            starts: &self.starts[range.start..range.end + 1],
            at: &self.at,
            values: &self.values,
            all_starts: &self.starts,
            first: range.start,
            indexes: &self.indexes,
        }
    }

    /// All of them.
    pub fn all(&self) -> SparseRows<'_, T, K> {
        self.rows(0..self.starts.len() - 1)
    }
}

impl<T: Copy, K: Copy> Default for Nonzeros<T, K> {
    fn default() -> Self {
        Self::new()
    }
}

/// From this many features on, and from this share of zeros on, skipping them pays.
const FEATURES_FROM: usize = 24;
const ZEROS_FROM: f64 = 0.6;

impl<T: Real> Nonzeros<T> {
    /// Finds them in n × d numbers, if skipping the zeros pays.
    pub fn find(data: &[T], d: usize) -> Option<Self> {
        if d < FEATURES_FROM || d > u32::MAX as usize {
            return None;
        }
        let count = data.iter().filter(|v| **v != T::ZERO).count();
        if count as f64 > (1.0 - ZEROS_FROM) * data.len() as f64 {
            return None;
        }
        Some(Self::gather(data, d, count))
    }

    /// All of those in n × d numbers, d ≥ 1 and below 2³²; `count` of them are expected.
    pub fn gather(data: &[T], d: usize, count: usize) -> Self {
        let mut found = Self {
            starts: Vec::with_capacity(data.len() / d + 1),
            at: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
            indexes: Indexes::default(),
        };
        found.starts.push(0);
        for row in data.chunks_exact(d) {
            for (j, &value) in row.iter().enumerate().filter(|(_, v)| **v != T::ZERO) {
                found.push(j as u32, value);
            }
            found.end_row();
        }
        found
    }
}

dispatch! {
    /// `out[i·stride + j]` = row i of `rows` · row j of `cols` (m × `dim`, row-major).
    pub fn products<T: Real>(
        rows: SparseRows<'_, T>, cols: &[T], dim: usize, out: &mut [T], stride: usize,
    ) = products_body: avx512 [T, T::Wide], avx2 [T, T::Mid], base [T, T::Base];
}

/// Terms that are summed before they are added to the total: short sums are small, and so are their rounding errors.
const SUMMED: usize = 32;
/// Registers of columns at a time.
const REGISTERS: usize = 4;

#[inline(always)]
fn products_body<T: Real, V: Vector<T>>(
    rows: SparseRows<'_, T>,
    cols: &[T],
    dim: usize,
    out: &mut [T],
    stride: usize,
) {
    let width = REGISTERS * V::LANES;
    let (height, count) = (rows.starts.len() - 1, cols.len() / dim);
    let own = rows.starts[0]..rows.starts[height];
    assert!(rows.at[own].iter().all(|&k| (k as usize) < dim), "a feature beyond the last");
    let mut panel = vec![T::ZERO; dim * width];
    let mut edge = vec![T::ZERO; width];
    for left in (0..count).step_by(width) {
        let some = width.min(count - left);
        if some < width {
            panel.fill(T::ZERO);
        }
        turn(&cols[left * dim..(left + some) * dim], dim, &mut panel, width);
        for i in 0..height {
            let own = rows.starts[i]..rows.starts[i + 1];
            let (at, values) = (&rows.at[own.clone()], &rows.values[own]);
            let line = &mut out[i * stride + left..][..some];
            let target = if some == width { line.as_mut_ptr() } else { edge.as_mut_ptr() };
            // SAFETY: dispatch chose V for this processor; features lie below `dim`, as asserted above, so their lines lie
            // within the panel of `dim · width` numbers; the target holds `width` numbers.
            unsafe {
                let mut total = [V::splat(T::ZERO); REGISTERS];
                for (at, values) in at.chunks(SUMMED).zip(values.chunks(SUMMED)) {
                    let mut sums = [V::splat(T::ZERO); REGISTERS];
                    for (&k, &value) in at.iter().zip(values) {
                        let (x, y) = (V::splat(value), panel.as_ptr().add(k as usize * width));
                        for (r, sum) in sums.iter_mut().enumerate() {
                            *sum = x.mul_add(V::load(y.add(r * V::LANES)), *sum);
                        }
                    }
                    for (total, sum) in total.iter_mut().zip(sums) {
                        *total = total.add(sum);
                    }
                }
                for (r, sum) in total.into_iter().enumerate() {
                    sum.store(target.add(r * V::LANES));
                }
            }
            if some < width {
                line.copy_from_slice(&edge[..some]);
            }
        }
    }
}

/// Columns that are turned at a time.
const TURNED: usize = 8;

/// Columns of `dim` numbers as lines of `width` places, one per number.
#[inline(always)]
fn turn<T: Real>(cols: &[T], dim: usize, panel: &mut [T], width: usize) {
    let count = cols.len() / dim;
    let whole = count / TURNED * TURNED;
    for c in (0..whole).step_by(TURNED) {
        let lines: [&[T]; TURNED] = std::array::from_fn(|t| &cols[(c + t) * dim..][..dim]);
        for k in 0..dim {
            let cell: [T; TURNED] = std::array::from_fn(|t| lines[t][k]);
            panel[k * width + c..][..TURNED].copy_from_slice(&cell);
        }
    }
    for c in whole..count {
        let column = cols[c * dim..][..dim].iter();
        column.enumerate().for_each(|(k, &value)| panel[k * width + c] = value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    #[test]
    fn sparse_rows_agree_with_two_loops() {
        let mut stream = Stream::new(3, "nonzeros");
        for (n, m, d) in [(1, 1, 24), (7, 65, 30), (20, 130, 100), (3, 64, 200)] {
            let mut random = |count: usize, share: f64| -> Vec<f32> {
                let mut one =
                    || if stream.uniform() < share { stream.normal() as f32 } else { 0.0 };
                (0..count).map(|_| one()).collect()
            };
            let (x, y) = (random(n * d, 0.2), random(m * d, 0.9));
            let Some(found) = Nonzeros::find(&x, d) else { continue };
            let stride = m + 3;
            let mut out = vec![7.0_f32; n * stride];
            products(found.rows(0..n), &y, d, &mut out, stride);
            for i in 0..n {
                for j in 0..m {
                    let direct: f32 = (0..d).map(|k| x[i * d + k] * y[j * d + k]).sum();
                    assert!((out[i * stride + j] - direct).abs() < 1e-4, "{i} {j}");
                }
            }
        }
        assert!(Nonzeros::find(&[1.0_f64; 100], 50).is_none());
    }

    #[test]
    #[should_panic(expected = "a feature beyond the last")]
    fn a_feature_beyond_the_last_is_refused() {
        let mut rows = Nonzeros::new();
        rows.push(30, 1.0);
        rows.end_row();
        products(rows.all(), &[1.0_f64; 24], 24, &mut [0.0], 1);
    }
}
