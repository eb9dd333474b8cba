//! What a kernel on vectors needs to know of two samples, for samples of which only the numbers that are not zero are kept.
//!
//! One side of a tile is indexed by its features, block by block, and the samples of the other side walk through the index. What
//! only one of two samples has comes from its own sums: a distance is the sum of both less a sum over what they share.

use super::index::{Index, Key, Match, Sums, WIDEST};
use super::nonzeros::SparseRows;
use super::simd::dispatch;
use crate::real::Real;

dispatch! {
    /// `out[i·stride + j]` = the sum of the terms of all features that row i of `rows` and row j of `cols` share. The same to the
    /// last bit whatever other rows are given with them.
    pub fn sums<T: Real, K: Key, M: Match>(
        rows: SparseRows<'_, T, K>, cols: SparseRows<'_, T, K>, out: &mut [T], stride: usize, term: M,
    ) = sums_body: avx512 [T, K, M], avx2 [T, K, M], base [T, K, M];
}

/// An index costs a few steps for each of its numbers, and so does a walk: the side with so many times fewer rows is indexed.
const FLIP_FROM: usize = 2;

#[inline(always)]
fn sums_body<T: Real, K: Key, M: Match>(
    rows: SparseRows<'_, T, K>,
    cols: SparseRows<'_, T, K>,
    out: &mut [T],
    stride: usize,
    term: M,
) {
    let flipped = rows.len() * FLIP_FROM < cols.len();
    let (indexed, walked) = if flipped { (rows, cols) } else { (cols, rows) };
    let mut start = 0;
    while start < indexed.len() {
        let block = start..start + block_len(indexed.part(start..indexed.len()));
        let index = Index::new(indexed.part(block.clone()).iter());
        for (i, (at, values)) in walked.iter().enumerate() {
            let mut sums: Sums<T> = [T::ZERO; WIDEST];
            index.add(at, values, &mut sums, term);
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

#[cfg(test)]
mod tests {
    use super::super::index::Product;
    use super::super::nonzeros::Nonzeros;
    use super::*;
    use crate::context::Stream;

    /// Rows of up to `most` numbers each, every fifth row empty, with features drawn from `features` so that the first are
    /// frequent.
    fn random<K: Copy + Ord>(n: usize, most: usize, features: &[K], seed: u64) -> Nonzeros<f64, K> {
        let mut stream = Stream::new(seed, "sparse rows");
        let mut rows = Nonzeros::new();
        for i in 0..n {
            let count = if i % 5 == 4 { 0 } else { stream.below(most + 1) };
            let mut at: Vec<K> = (0..count)
                .map(|_| {
                    let place = stream.uniform() * stream.uniform() * features.len() as f64;
                    features[place as usize]
                })
                .collect();
            at.sort_unstable();
            at.dedup();
            at.into_iter().for_each(|k| rows.push(k, stream.uniform() + 0.1));
            rows.end_row();
        }
        rows
    }

    fn check<K: Key + Ord>(features: &[K]) {
        for (n, m) in [(1, 1), (3, 40), (40, 3), (30, 600), (520, 70)] {
            let (x, y) = (random(n, 30, features, 1), random(m, 60, features, 2));
            let stride = m + 3;
            let mut out = vec![7.0; n * stride];
            sums(x.all(), y.all(), &mut out, stride, Product);
            for i in 0..n {
                for j in 0..m {
                    let ((a, u), (b, v)) = (x.all().row(i), y.all().row(j));
                    let shared = a.iter().zip(u).flat_map(|(k, u)| {
                        b.iter().position(|l| l == k).map(|at| u * v[at])
                    });
                    // Bit for bit: the order of the terms is that of the features.
                    assert_eq!(out[i * stride + j], shared.fold(0.0, |sum, t| sum + t), "{i} {j}");
                }
                assert!(out[i * stride + m..(i + 1) * stride].iter().all(|&v| v == 7.0));
            }
        }
    }

    #[test]
    fn shared_features_are_summed_in_their_order() {
        check(&(0..300).collect::<Vec<u32>>());
        check(&(0..5).map(|k| u32::MAX - k).rev().collect::<Vec<u32>>());
        check(&(0..400).map(|k| k << 40).collect::<Vec<u64>>());
        check(&(0..200).map(|k| k << 90).collect::<Vec<u128>>());
    }
}
