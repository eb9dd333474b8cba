//! The Gram matrix that is never stored: each product evaluates the kernel again, tile by tile.

use rayon::prelude::*;

use super::Gram;
use super::tiles::{TILE, Tiles, span};
use crate::context::Context;
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::skinny::TileRef;
use crate::linalg::view::Mat;
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

    fn diagonal(&self) -> Result<Vec<f64>> {
        let mut diagonal = vec![T::ZERO; self.size()];
        self.kernel.diag(Span::all(&self.points), &mut diagonal)?;
        Ok(diagonal.into_iter().map(T::f64).collect())
    }

    fn is_stored(&self) -> bool {
        false
    }

    /// Straight from the kernel: tiles would hold all other columns too.
    fn gather(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        let (chosen, r) = (self.points.select(which), which.len());
        let mut out = Mat::zeros(self.size(), r);
        ctx.install(|| {
            out.data_mut().par_chunks_mut((TILE * r).max(1)).enumerate().try_for_each(
                |(i, lines)| {
                    let rows = span(i, self.size());
                    let mut values = vec![T::ZERO; rows.len() * TILE.min(r)];
                    for from in (0..r).step_by(TILE) {
                        ctx.poll()?;
                        let width = TILE.min(r - from);
                        let values = &mut values[..rows.len() * width];
                        let tile = Tile::new(values, rows.len(), width, width);
                        let cols = Span::new(&chosen, from..from + width);
                        self.kernel.tile(Span::new(&self.points, rows.clone()), cols, tile)?;
                        for (line, values) in
                            lines.chunks_exact_mut(r).zip(values.chunks_exact(width))
                        {
                            let places = line[from..from + width].iter_mut();
                            places.zip(values).for_each(|(place, v)| *place = v.f64());
                        }
                    }
                    Ok(())
                },
            )
        })?;
        Ok(out)
    }

    fn subset<'a>(&'a self, which: &[usize]) -> Box<dyn Gram + 'a> {
        Box::new(Tiled::new(self.kernel, self.points.select(which)))
    }
}
