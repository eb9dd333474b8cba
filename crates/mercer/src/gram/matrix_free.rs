//! The Gram matrix that is never stored: each product evaluates the kernel again, tile by tile.

use std::ops::Range;

use super::Gram;
use super::lines::Lines;
use super::tiles::{Tiles, span};
use crate::context::Context;
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::skinny::TileRef;
use crate::points::{Points, Span};
use crate::real::Real;

/// Values of the diagonal between two looks for an interruption.
const POLLED: usize = 16;

/// A kernel and the points it is evaluated on.
pub struct MatrixFree<'k, P, T> {
    kernel: &'k dyn Kernel<P, T>,
    points: P,
}

impl<'k, P: Points, T: Real> MatrixFree<'k, P, T> {
    /// The Gram matrix of `points`.
    pub fn new(kernel: &'k dyn Kernel<P, T>, points: P) -> Self {
        Self { kernel, points }
    }
}

impl<P: Points, T: Real> Tiles for MatrixFree<'_, P, T> {
    type T = T;

    fn size(&self) -> usize {
        self.points.len()
    }

    fn tile<'a>(&'a self, i: usize, j: usize, scratch: &'a mut Vec<T>) -> Result<TileRef<'a, T>> {
        let (rows, cols) = (span(i, self.size()), span(j, self.size()));
        scratch.resize(rows.len() * cols.len(), T::ZERO);
        let tile = Tile::new(scratch, rows.len(), cols.len(), cols.len());
        let (height, width) = (rows.len(), cols.len());
        self.kernel.tile(Span::new(&self.points, rows), Span::new(&self.points, cols), tile)?;
        Ok(TileRef { data: scratch, rows: height, cols: width, stride: width })
    }

    fn diagonal(&self, ctx: &Context) -> Result<Vec<f64>> {
        let mut diagonal = vec![T::ZERO; self.size()];
        // A user-defined function may take long for each sample.
        for (piece, values) in diagonal.chunks_mut(POLLED).enumerate() {
            ctx.poll()?;
            let start = piece * POLLED;
            self.kernel.diag(Span::new(&self.points, start..start + values.len()), values)?;
        }
        Ok(diagonal.into_iter().map(T::to_f64).collect())
    }

    fn is_stored(&self) -> bool {
        false
    }

    fn lines<'a>(&'a self, which: &[usize]) -> Box<dyn Lines<T> + 'a> {
        Box::new(ComputedLines { source: self, chosen: self.points.select(which) })
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(MatrixFree::new(self.kernel, self.points.select(which)))
    }
}

/// Lines straight from the kernel: tiles would hold all other columns too.
struct ComputedLines<'a, P, T> {
    source: &'a MatrixFree<'a, P, T>,
    chosen: P,
}

impl<P: Points, T: Real> Lines<T> for ComputedLines<'_, P, T> {
    fn fill(&self, which: Range<usize>, cols: Range<usize>, out: &mut [T]) -> Result<()> {
        let tile = Tile::new(out, which.len(), cols.len(), cols.len());
        let places = Span::new(&self.source.points, cols);
        self.source.kernel.tile(Span::new(&self.chosen, which), places, tile)
    }
}
