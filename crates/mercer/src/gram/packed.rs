//! The stored Gram matrix: its lower triangle of tiles, each tile in one piece. The upper half is never computed and takes
//! no memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::Gram;
use super::subset::{Entries, Subset};
use super::tiles::{TILE, Tiles, span};
use crate::context::{Context, Step};
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::skinny::TileRef;
use crate::points::{Points, Span};
use crate::real::Real;

/// The lower triangle of a Gram matrix, in memory.
pub struct Packed<T> {
    n: usize,
    /// Block row i holds tiles (i, 0) … (i, i), one after another, each row-major without gaps.
    block_rows: Vec<Vec<T>>,
}

impl<T: Real> Packed<T> {
    /// Evaluates `kernel` on all pairs of `points`.
    pub fn fill<P: Points>(ctx: &Context, kernel: &dyn Kernel<P, T>, points: &P) -> Result<Self> {
        let n = points.len();
        let blocks = n.div_ceil(TILE);
        let done = AtomicUsize::new(0);
        let total = blocks * (blocks + 1) / 2;
        let block_rows = ctx.install(|| {
            (0..blocks)
                .into_par_iter()
                .rev() // the longest first, so that the threads finish together
                .map(|i| {
                    let block_row = fill_block_row(ctx, kernel, points, i)?;
                    let done = done.fetch_add(i + 1, Ordering::Relaxed) + i + 1;
                    ctx.step(Step {
                        stage: "kernel matrix",
                        done: done as f64,
                        total: total as f64,
                        residual: None,
                    })?;
                    Ok(block_row)
                })
                .collect::<Result<Vec<_>>>()
        })?;
        Ok(Self { n, block_rows: block_rows.into_iter().rev().collect() })
    }

    /// Bytes that the lower triangle of an n × n matrix takes.
    pub fn bytes(n: usize) -> u64 {
        let blocks = n.div_ceil(TILE);
        let numbers: u128 =
            (0..blocks).map(|i| span(i, n).len() as u128 * span(i, n).end as u128).sum();
        u64::try_from(numbers * size_of::<T>() as u128).unwrap_or(u64::MAX)
    }
}

fn fill_block_row<P: Points, T: Real>(
    ctx: &Context,
    kernel: &dyn Kernel<P, T>,
    points: &P,
    i: usize,
) -> Result<Vec<T>> {
    let n = points.len();
    let rows = span(i, n);
    let mut block_row = vec![T::ZERO; rows.len() * rows.end];
    let mut rest = &mut block_row[..];
    for j in 0..=i {
        ctx.poll()?;
        let cols = span(j, n);
        let (data, after) = rest.split_at_mut(rows.len() * cols.len());
        rest = after;
        let tile = Tile::new(data, rows.len(), cols.len(), cols.len());
        kernel.tile(Span::new(points, rows.clone()), Span::new(points, cols), tile)?;
    }
    Ok(block_row)
}

impl<T: Real> Tiles for Packed<T> {
    type T = T;

    fn size(&self) -> usize {
        self.n
    }

    fn tile<'a>(&'a self, i: usize, j: usize, _: &'a mut Vec<T>) -> Result<TileRef<'a, T>> {
        let (rows, cols) = (span(i, self.n).len(), span(j, self.n).len());
        Ok(TileRef { data: self.stored(i, j), rows, cols, stride: cols })
    }

    fn stored(&self, i: usize, j: usize) -> &[T] {
        let (rows, cols) = (span(i, self.n).len(), span(j, self.n).len());
        let start = rows * j * TILE;
        &self.block_rows[i][start..start + rows * cols]
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Subset::new(self, which))
    }
}

impl<T: Real> Entries for Packed<T> {
    type T = T;

    fn entry(&self, row: usize, col: usize) -> T {
        let (row, col) = (row.max(col), row.min(col));
        let (i, j) = (row / TILE, col / TILE);
        let (rows, cols) = (span(i, self.n).len(), span(j, self.n).len());
        self.block_rows[i][rows * j * TILE + (row % TILE) * cols + col % TILE]
    }
}
