//! Samples as lists of their numbers that are not zero, with what these add up to.

use std::ops::Range;

use crate::linalg::nonzeros::{Nonzeros, SparseRows};
use crate::linalg::pairing::Rows;
use crate::real::Real;

/// Rows as lists, and two sums of each.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    entries: Nonzeros<T>,
    norms: Vec<T>, // Σ v², n
    sums: Vec<T>,  // Σ |v|, n
}

/// A run of rows.
#[derive(Clone, Copy, Debug)]
pub struct ListsView<'a, T> {
    /// The numbers that are not zero.
    pub entries: SparseRows<'a, T>,
    /// Σ v² of each row.
    pub norms: &'a [T],
    /// Σ |v| of each row.
    pub sums: &'a [T],
}

impl<T: Real> Lists<T> {
    /// The rows of `entries`.
    pub fn new(entries: Nonzeros<T>) -> Self {
        // Added up one by one, as the sum over what two rows share is: the distance of equal rows is then 0.
        let total = |term: fn(T) -> T| -> Vec<T> {
            let of_row = |(_, values): (&[u32], &[T])| {
                values.iter().fold(T::ZERO, |sum, &value| sum + term(value))
            };
            entries.all().iter().map(of_row).collect()
        };
        let (norms, sums) = (total(|v| v * v), total(T::abs));
        Self { entries, norms, sums }
    }

    /// The rows `range`.
    pub fn rows(&self, range: Range<usize>) -> ListsView<'_, T> {
        ListsView {
            entries: self.entries.rows(range.clone()),
            norms: &self.norms[range.clone()],
            sums: &self.sums[range],
        }
    }

    /// The rows `which`, in that order.
    pub fn select(&self, which: &[usize]) -> Self {
        let pick = |numbers: &[T]| which.iter().map(|&i| numbers[i]).collect();
        Self {
            entries: self.entries.select(which),
            norms: pick(&self.norms),
            sums: pick(&self.sums),
        }
    }

    /// The numbers that are not zero.
    pub fn entries(&self) -> &Nonzeros<T> {
        &self.entries
    }

    /// Σ v² of each row.
    pub fn norms(&self) -> &[T] {
        &self.norms
    }

    /// Σ |v| of each row.
    pub fn sums(&self) -> &[T] {
        &self.sums
    }
}

/// Numbers of a block of dense rows that are listed at a time, beyond its first row.
const LISTED: usize = 1 << 18;

/// Runs `f` on lists of the rows, a block at a time, with the place of the block's first row.
pub(super) fn in_blocks<T: Real>(rows: Rows<'_, T>, mut f: impl FnMut(usize, ListsView<'_, T>)) {
    let len = (LISTED / rows.dim).clamp(1, 256);
    for (block, data) in rows.data.chunks(len * rows.dim).enumerate() {
        let lists = Lists::new(Nonzeros::gather(data, rows.dim, 0));
        f(block * len, lists.rows(0..data.len() / rows.dim));
    }
}

/// Σ term(x, y) over the features that at least one of two rows has.
pub fn merged<T: Real, S: Copy + Default + std::ops::Add<Output = S>>(
    (x_at, x): (&[u32], &[T]),
    (y_at, y): (&[u32], &[T]),
    term: impl Fn(T, T) -> S,
) -> S {
    let (mut i, mut j, mut sum) = (0, 0, S::default());
    while i < x.len() && j < y.len() {
        let (in_x, in_y) = (x_at[i] <= y_at[j], y_at[j] <= x_at[i]);
        let a = if in_x { x[i] } else { T::ZERO };
        let b = if in_y { y[j] } else { T::ZERO };
        sum = sum + term(a, b);
        i += usize::from(in_x);
        j += usize::from(in_y);
    }
    let rest = x[i..].iter().map(|&v| term(v, T::ZERO));
    rest.chain(y[j..].iter().map(|&v| term(T::ZERO, v))).fold(sum, |sum, t| sum + t)
}
