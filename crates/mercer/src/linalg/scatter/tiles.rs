//! A symmetric sum of products, held as the tiles of its lower triangle.

use std::ops::Range;

use rayon::prelude::*;

use crate::context::Context;
use crate::error::Result;
use crate::linalg::product::{Onto, multiply, multiply_lower};
use crate::linalg::view::{Mat, MatRef};

/// The widest tile of X̄ᵀX̄.
const TILE: usize = 240;
/// Matrix products like widths that are multiples of this.
const STEP: usize = 48;

/// Cuts 0..size into at least four ranges of at most TILE, where products of that width are efficient.
pub(super) fn tile_bounds(size: usize) -> Vec<Range<usize>> {
    let width = (size / 4).clamp(STEP, TILE) / STEP * STEP;
    (0..size).step_by(width).map(|start| start..(start + width).min(size)).collect()
}

/// The lower triangle of a symmetric sum of products, tile by tile.
pub(super) struct Tiles<'b> {
    bounds: &'b [Range<usize>],
    /// (i, j, tile) with j ≤ i.
    tiles: Vec<(usize, usize, Mat<f64>)>,
}

impl<'b> Tiles<'b> {
    pub(super) fn new(bounds: &'b [Range<usize>]) -> Self {
        let pairs = (0..bounds.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let tiles =
            pairs.map(|(i, j)| (i, j, Mat::zeros(bounds[i].len(), bounds[j].len()))).collect();
        Self { bounds, tiles }
    }

    /// Adds P_i P_jᵀ to tile (i, j), for panels P_i (width × depth).
    pub(super) fn add(&mut self, ctx: &Context, panels: &[MatRef<'_, f64>]) -> Result<()> {
        self.tiles.par_iter_mut().try_for_each(|(i, j, sum)| {
            ctx.poll()?;
            add_product(panels[*i], panels[*j].transposed(), sum, i == j);
            Ok(())
        })
    }

    /// Adds what another share of the data has summed.
    pub(super) fn merge(&mut self, other: &Tiles<'_>) {
        for ((.., sum), (.., more)) in self.tiles.iter_mut().zip(&other.tiles) {
            sum.data_mut().iter_mut().zip(more.data()).for_each(|(s, m)| *s += m);
        }
    }

    /// The whole matrix, with `correction(i, j)` added to each entry.
    pub(super) fn finish(self, correction: impl Fn(usize, usize) -> f64) -> Mat<f64> {
        let size = self.bounds.last().map_or(0, |b| b.end);
        let mut out = Mat::zeros(size, size);
        for (i, j, tile) in &self.tiles {
            for (r, row) in self.bounds[*i].clone().enumerate() {
                for (c, col) in self.bounds[*j].clone().enumerate() {
                    if col <= row {
                        let value = tile[(r, c)] + correction(row, col);
                        out[(row, col)] = value;
                        out[(col, row)] = value;
                    }
                }
            }
        }
        out
    }
}

/// `sum += a · b`, of which only the lower triangle is needed if `lower`.
fn add_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>, sum: &mut Mat<f64>, lower: bool) {
    let run = if lower { multiply_lower::<f64> } else { multiply::<f64> };
    run(a, b, sum.view_mut(), Onto::Sum);
}
