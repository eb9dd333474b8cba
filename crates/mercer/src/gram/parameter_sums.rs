//! Σ_ij A_ij ∂k(x_i, x_j)/∂log θ over a whole symmetric matrix, tile by tile: nothing of size n × n × p, and nothing of size n × n beside
//! what the weights A are read from.

use std::ops::Range;

use super::tiles::span;
use crate::context::{Context, SharedProgress, try_pieces};
use crate::error::Result;
use crate::gram::TILE;
use crate::kernel::TunedKernel;
use crate::points::{Points, Samples, Span};

/// The weights of a tile: A for the rows and columns of the ranges, row-major.
pub type TileWeights<'w> = dyn Fn(Range<usize>, Range<usize>) -> Vec<f64> + Sync + 'w;

/// The sums for all hyperparameters of `kernel`, with symmetric `weights`. They do not depend on the number of threads.
pub fn parameter_sums(
    ctx: &Context,
    kernel: &TunedKernel,
    x: &Samples<f64>,
    weights: &TileWeights<'_>,
) -> Result<Vec<f64>> {
    let (n, p) = (x.len(), kernel.count());
    if p == 0 {
        return Ok(Vec::new());
    }
    let blocks = n.div_ceil(TILE);
    let pairs: Vec<_> = (0..blocks).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    let mut sums = vec![0.0; pairs.len() * p];
    let progress = SharedProgress::new("derivatives", pairs.len());
    ctx.install(|| {
        try_pieces(&mut sums, p, &|piece, sums| {
            ctx.poll()?;
            let (i, j) = pairs[piece];
            let (rows, cols) = (span(i, n), span(j, n));
            let mut tile = weights(rows.clone(), cols.clone());
            if i != j {
                tile.iter_mut().for_each(|w| *w *= 2.0);
            }
            kernel.add_sums(Span::new(x, rows), Span::new(x, cols), tile, sums)?;
            progress.add(ctx, 1)
        })
    })?;
    let mut total = vec![0.0; p];
    for tile in sums.chunks_exact(p) {
        total.iter_mut().zip(tile).for_each(|(total, sum)| *total += sum);
    }
    Ok(total)
}
