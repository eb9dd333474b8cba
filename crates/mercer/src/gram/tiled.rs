//! The Gram matrix that is never stored: each product evaluates the kernel again, tile by tile.

use super::Gram;
use super::tiles::{Tiles, span};
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::skinny::TileRef;
use crate::points::{Points, Span};
use crate::real::Real;

/// A kernel and the points it is evaluated on.
pub struct Tiled<'k, P, T> {
    kernel: &'k dyn Kernel<P, T>,
    points: P,
}

impl<'k, P: Points, T: Real> Tiled<'k, P, T> {
    /// The Gram matrix of `points`.
    pub fn new(kernel: &'k dyn Kernel<P, T>, points: P) -> Self {
        Self { kernel, points }
    }
}

impl<P: Points, T: Real> Tiles for Tiled<'_, P, T> {
    type T = T;

    fn len(&self) -> usize {
        self.points.len()
    }

    fn tile<'a>(&'a self, i: usize, j: usize, scratch: &'a mut Vec<T>) -> Result<TileRef<'a, T>> {
        let (rows, cols) = (span(i, self.len()), span(j, self.len()));
        scratch.resize(rows.len() * cols.len(), T::ZERO);
        let tile = Tile::new(scratch, rows.len(), cols.len(), cols.len());
        let (height, width) = (rows.len(), cols.len());
        self.kernel.tile(Span::new(&self.points, rows), Span::new(&self.points, cols), tile)?;
        Ok(TileRef { data: scratch, rows: height, cols: width, stride: width })
    }

    fn diagonal(&self) -> Result<Vec<f64>> {
        let mut diagonal = vec![T::ZERO; self.len()];
        self.kernel.diag(Span::all(&self.points), &mut diagonal)?;
        Ok(diagonal.into_iter().map(T::f64).collect())
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Tiled::new(self.kernel, self.points.select(which)))
    }
}
