//! Estimates of extreme eigenvalues, by a few rounds of subspace iteration.

use crate::context::Stream;
use crate::error::Result;
use crate::linalg::block::Block;
use crate::linalg::eigen;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;

/// A lower bound of the largest eigenvalue by size of a symmetric n × n matrix, from `rounds` products: close to it, as a
/// rule, when its largest eigenvalues stand out.
pub fn largest(
    n: usize,
    rounds: usize,
    seed: u64,
    mut apply: impl FnMut(&Block) -> Result<Block>,
) -> Result<f64> {
    let mut v = Block::normal(n, WIDTH, &mut Stream::new(seed, "condition"));
    // The mean direction carries most of a matrix with positive entries.
    v.lanes_mut().iter_mut().for_each(|lane| lane[0] = 1.0);
    let mut found = 0.0;
    for _ in 0..rounds {
        v.orthonormalize()?;
        let image = apply(&v)?;
        let inner = v.inner(&image);
        let small = Mat::from_fn(WIDTH, WIDTH, |i, j| 0.5 * (inner[i][j] + inner[j][i]));
        if small.data().iter().any(|v| !v.is_finite()) {
            return Ok(f64::INFINITY);
        }
        found = eigen::small(&small)?.values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        v = image;
    }
    Ok(found)
}
