//! What a kernel on vectors needs to know of two samples, for samples of which only the numbers that are not zero are kept.
//!
//! One side of a tile is indexed by its features, block by block, and the samples of the other side walk through the index. What
//! only one of two samples has comes from its own sums: a distance is the sum of both less twice a sum over what they share.

mod lists;
mod terms;
#[cfg(test)]
mod tests;

pub use lists::{Lists, ListsView, merged};

use super::inverted_index::{Index, Key, Match, Product, Sums, WIDEST};
use super::nonzeros::SparseRows;
use super::pairing::{Pairing, Rows, distances_from_products};
use super::simd::{BASE_FUSED, dispatch};
use crate::real::Real;
use terms::{Divergence, Harmonic, Overlap, Smaller};

/// One side of a tile.
#[derive(Clone, Copy, Debug)]
pub enum Side<'a, T> {
    /// Samples kept as lists.
    ListsView(ListsView<'a, T>),
    /// Samples with all their numbers.
    Dense(Rows<'a, T>),
}

/// Fills `out[i·stride + j]` with the pairing of row i of `rows` and row j of `cols`, samples of the same features. The same to
/// the last bit whatever other rows are given with them.
pub fn fill<T: Real>(
    pairing: Pairing,
    rows: Side<'_, T>,
    cols: Side<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    match (rows, cols) {
        (Side::ListsView(x), Side::ListsView(y)) => fill_listed(pairing, x, y, out, stride),
        (Side::Dense(x), _) => lists::in_blocks(x, |start, block| {
            fill(pairing, Side::ListsView(block), cols, &mut out[start * stride..], stride);
        }),
        (_, Side::Dense(y)) => lists::in_blocks(y, |start, block| {
            fill(pairing, rows, Side::ListsView(block), &mut out[start..], stride);
        }),
    }
}

fn fill_listed<T: Real>(
    pairing: Pairing,
    rows: ListsView<'_, T>,
    cols: ListsView<'_, T>,
    out: &mut [T],
    stride: usize,
) {
    let (x, y) = (rows.entries, cols.entries);
    let one_by_one = |out: &mut [T], term: fn(T, T) -> T| {
        for i in 0..x.len() {
            for j in 0..y.len() {
                out[i * stride + j] = merged(x.row(i), y.row(j), term);
            }
        }
    };
    match pairing {
        Pairing::Dot | Pairing::SquaredDistance => sums(x, y, out, stride, Product),
        Pairing::Manhattan => sums(x, y, out, stride, Overlap),
        Pairing::Minimum => sums(x, y, out, stride, Smaller),
        Pairing::ChiProduct | Pairing::ChiDistance => sums(x, y, out, stride, Harmonic),
        Pairing::JensenShannon => sums(x, y, out, stride, Divergence),
        Pairing::CappedDifference => one_by_one(out, |a, b| {
            let difference = (a - b).abs();
            if difference < T::ONE { difference } else { T::ONE }
        }),
        Pairing::Mismatches => one_by_one(out, |a, b| if a == b { T::ZERO } else { T::ONE }),
    }
    match pairing {
        Pairing::Dot
        | Pairing::Minimum
        | Pairing::ChiProduct
        | Pairing::JensenShannon
        | Pairing::CappedDifference
        | Pairing::Mismatches => {}
        Pairing::SquaredDistance => {
            distances_from_products(rows.norms, cols.norms, out, stride, |i, j| {
                merged(x.row(i), y.row(j), |a, b| (a - b) * (a - b))
            });
        }
        Pairing::Manhattan => {
            distances_from_products(rows.sums, cols.sums, out, stride, |i, j| {
                merged(x.row(i), y.row(j), |a, b| (a - b).abs())
            });
        }
        Pairing::ChiDistance => {
            distances_from_products(rows.sums, cols.sums, out, stride, |i, j| {
                merged(x.row(i), y.row(j), |a, b| (a - b) * ((a - b) / (a + b)))
            });
        }
    }
}

dispatch! {
    /// `out[i·stride + j]` = the sum of the terms of all features that row i of `rows` and row j of `cols` share. The same to the
    /// last bit whatever other rows are given with them.
    pub fn sums<T: Real, K: Key, M: Match>(
        rows: SparseRows<'_, T, K>, cols: SparseRows<'_, T, K>, out: &mut [T], stride: usize, term: M,
    ) = sums_body: avx512 [T, K, M, true], avx2 [T, K, M, true], base [T, K, M, BASE_FUSED];
}

/// An index costs a few steps for each of its numbers, and so does a walk: rows are indexed if they are so many times fewer than
/// columns.
const FLIP_FROM: usize = 2;

#[inline(always)]
fn sums_body<T: Real, K: Key, M: Match, const FUSED: bool>(
    rows: SparseRows<'_, T, K>,
    cols: SparseRows<'_, T, K>,
    out: &mut [T],
    stride: usize,
    _: M,
) {
    if let Some(blocks) = cols.indexed() {
        for (from, index) in blocks {
            for (i, (at, values)) in rows.iter().enumerate() {
                let mut sums: Sums<T> = [T::ZERO; WIDEST];
                index.add::<M, FUSED>(at, values, &mut sums);
                let line = &mut out[i * stride + from..i * stride + cols.len()];
                line.iter_mut().zip(&sums[..index.len()]).for_each(|(to, sum)| *to = *sum);
            }
        }
        return;
    }
    let flipped = rows.len() * FLIP_FROM < cols.len();
    let (indexed, walked) = if flipped { (rows, cols) } else { (cols, rows) };
    let mut start = 0;
    while start < indexed.len() {
        let block = start..start + block_len(indexed.part(start..indexed.len()));
        let index = Index::new(indexed.part(block.clone()).iter(), walked.count());
        for (i, (at, values)) in walked.iter().enumerate() {
            let mut sums: Sums<T> = [T::ZERO; WIDEST];
            index.add::<M, FUSED>(at, values, &mut sums);
            if flipped {
                block.clone().zip(sums).for_each(|(row, sum)| out[row * stride + i] = sum);
            } else {
                out[i * stride..][block.clone()].copy_from_slice(&sums[..block.len()]);
            }
        }
        start = block.end;
    }
}

/// Numbers of a block, beyond its first sample: with their places they should fit in the second-level cache.
const BLOCK_NUMBERS: usize = 1 << 16;

/// How many of the first rows make a block.
fn block_len<T, K>(rows: SparseRows<'_, T, K>) -> usize {
    let most = rows.len().min(WIDEST);
    let fits = |&len: &usize| rows.part(0..len).count() <= BLOCK_NUMBERS;
    (1..=most).rev().find(fits).unwrap_or(1)
}
