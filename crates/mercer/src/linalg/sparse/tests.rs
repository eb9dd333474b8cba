//! Sums over shared features; the pairings made of them are tested beside the dense ones.

use super::*;
use crate::context::Stream;
use crate::linalg::nonzeros::Nonzeros;

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

fn check<K: Key>(features: &[K]) {
    for (n, m) in [(1, 1), (3, 40), (40, 3), (30, 600), (520, 70)] {
        let (x, y) = (random(n, 30, features, 1), random(m, 60, features, 2));
        let stride = m + 3;
        let mut out = vec![7.0; n * stride];
        sums(x.all(), y.all(), &mut out, stride, Product);
        for i in 0..n {
            for j in 0..m {
                let ((a, u), (b, v)) = (x.all().row(i), y.all().row(j));
                let shared = a
                    .iter()
                    .zip(u)
                    .flat_map(|(k, u)| b.iter().position(|l| l == k).map(|at| u * v[at]));
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
    check(&(0..15).collect::<Vec<u32>>());
    check(&(0..15).collect::<Vec<u64>>());
    check(&(0..5).map(|k| u32::MAX - k).rev().collect::<Vec<u32>>());
    check(&(0..400).map(|k| k << 40).collect::<Vec<u64>>());
    check(&(0..200).map(|k| k << 90).collect::<Vec<u128>>());
}

#[test]
fn features_beyond_all_of_a_block_are_not_there() {
    // The block fills its table but for one slot; the walked row has other features, one of which folds onto the first.
    let mut block = Nonzeros::<f64, u64>::new();
    (0..15).for_each(|k| block.push(k, 1.0));
    block.end_row();
    let mut walked = Nonzeros::<f64, u64>::new();
    for key in [3, 15, 16, 40, 1 << 32, (1 << 32) | 1, u64::MAX] {
        walked.push(key, 2.0);
    }
    walked.end_row();
    let mut out = [7.0];
    sums(walked.all(), block.all(), &mut out, 1, Product);
    assert_eq!(out, [2.0]);
}
