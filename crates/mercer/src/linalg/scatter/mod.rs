//! Sums over samples that PCA needs, read from the caller's own memory in pieces: means, X̄ᵀX̄, X̄X̄ᵀ, and products with them.
//!
//! Every sum runs over fixed pieces added in a fixed order, so that no result depends on the number of threads. Samples
//! are shifted by a mean of some rows before they are squared: sums of squares of raw values would cancel. Samples of
//! either type are squared and summed in f64: a Gram matrix squares the condition number, and rounding errors of f32 would
//! drown components of small variance.

mod project;
mod tiles;

pub use project::project;

use std::ops::Range;

use rayon::prelude::*;

use super::product::{Onto, multiply};
use super::view::{Mat, MatRef};
use crate::context::{Context, SharedProgress, Step};
use crate::error::{Error, Result};
use crate::real::Real;
use tiles::{Tiles, tile_bounds};

/// Rows (or, for X̄X̄ᵀ, columns) of the data that are worked on at a time: they stay in the caches.
const PIECE: usize = 512;
/// Rows of a finer piece, where a task needs no more.
const STRIP: usize = 128;
/// Shares of the data that are summed side by side for X̄ᵀX̄, each with tiles of its own; fixed, whatever the number of
/// threads.
const SHARES: usize = 4;

/// Samples with a shift near their mean.
pub struct Rows<'a, T> {
    x: MatRef<'a, T>,
    shift: Vec<f64>,
}

/// Bytes that X̄ᵀX̄ or X̄X̄ᵀ of that size takes while it is summed: for each share of the samples half a matrix and a piece.
pub fn workspace_bytes(size: usize) -> u64 {
    let (size, shares) = (size as u64, SHARES as u64);
    let half = 8_u64.saturating_mul(size).saturating_mul(size) / 2;
    shares.saturating_mul(half.saturating_add(size.saturating_mul(8 * (PIECE + 240) as u64)))
}

impl<'a, T: Real> Rows<'a, T> {
    /// Takes a shift from some rows of `x`.
    pub fn new(ctx: &Context, x: MatRef<'a, T>) -> Result<Self> {
        ctx.poll()?;
        let (n, d) = (x.rows(), x.cols());
        let sample = n.min(PIECE);
        let mut sum = vec![0.0; d];
        for s in 0..sample {
            let i = s * n / sample;
            (0..d).for_each(|j| sum[j] += x.at(i, j).to_f64());
        }
        let shift = sum.into_iter().map(|s| s / sample as f64).collect();
        Ok(Self { x, shift })
    }

    /// The samples.
    pub fn x(&self) -> MatRef<'a, T> {
        self.x
    }

    /// How many.
    pub fn n(&self) -> usize {
        self.x.rows()
    }

    /// Features.
    pub fn d(&self) -> usize {
        self.x.cols()
    }

    /// The mean of the samples. The first NaN or infinity among them is an error.
    pub fn mean(&self, ctx: &Context) -> Result<Vec<f64>> {
        let sums: Vec<Vec<f64>> = ctx.install(|| {
            (0..self.n().div_ceil(PIECE))
                .into_par_iter()
                .map(|piece| {
                    ctx.poll()?;
                    let mut line = vec![0.0; self.d()];
                    let mut sum = vec![0.0; self.d()];
                    for i in piece * PIECE..((piece + 1) * PIECE).min(self.n()) {
                        shifted_row(self.x, i, &self.shift, &mut line);
                        sum.iter_mut().zip(&line).for_each(|(s, v)| *s += v);
                    }
                    Ok(sum)
                })
                .collect::<Result<_>>()
        })?;
        let mut total = vec![0.0; self.d()];
        for sum in &sums {
            total.iter_mut().zip(sum).for_each(|(t, s)| *t += s);
        }
        self.finish_mean(&total)
    }

    /// From sums of shifted samples to the mean.
    fn finish_mean(&self, sums: &[f64]) -> Result<Vec<f64>> {
        if !sums.iter().all(|s| s.is_finite()) {
            return Err(self.first_bad());
        }
        let n = self.n() as f64;
        Ok(sums.iter().zip(&self.shift).map(|(s, shift)| shift + s / n).collect())
    }

    /// The error for a NaN or an infinity that a sum has met.
    fn first_bad(&self) -> Error {
        for row in 0..self.n() {
            for column in 0..self.d() {
                let value = self.x.at(row, column);
                if !value.is_finite() {
                    return Error::NotFinite { row, column, value: value.to_f64() };
                }
            }
        }
        Error::Shape(
            "the values are so large that sums of their squares overflow: scale the data down"
                .into(),
        )
    }

    /// X̄ᵀX̄ (d × d, both triangles) and the mean, in one pass over the data.
    pub fn scatter(&self, ctx: &Context) -> Result<(Mat<f64>, Vec<f64>)> {
        let (n, d) = (self.n(), self.d());
        let bounds = tile_bounds(d);
        let pieces = n.div_ceil(PIECE);
        let shares = SHARES.min(pieces);
        let shared = SharedProgress::new("covariance", n);
        let parts: Vec<(Tiles<'_>, Vec<f64>)> = ctx.install(|| {
            (0..shares)
                .into_par_iter()
                .map(|share| {
                    let own = share * pieces / shares..(share + 1) * pieces / shares;
                    self.scatter_of(ctx, &bounds, own, &shared)
                })
                .collect::<Result<_>>()
        })?;
        let mut parts = parts.into_iter();
        let (mut tiles, mut sums) = parts.next().expect("there are rows");
        for (more, more_sums) in parts {
            tiles.merge(&more);
            sums.iter_mut().zip(more_sums).for_each(|(s, m)| *s += m);
        }
        let mean = self.finish_mean(&sums)?;
        let drift: Vec<f64> = sums.iter().map(|s| s / n as f64).collect();
        let scatter = tiles.finish(|i, j| -(n as f64) * drift[i] * drift[j]);
        if !scatter.data().iter().all(|v| v.is_finite()) {
            return Err(self.first_bad());
        }
        Ok((scatter, mean))
    }

    /// What some pieces of the data contribute to X̄ᵀX̄ and to the sums of the columns, before the drift is taken away.
    fn scatter_of<'b>(
        &self,
        ctx: &Context,
        bounds: &'b [Range<usize>],
        pieces: Range<usize>,
        progress: &SharedProgress,
    ) -> Result<(Tiles<'b>, Vec<f64>)> {
        let (n, d) = (self.n(), self.d());
        let mut tiles = Tiles::new(bounds);
        let mut sums = vec![0.0; d];
        let mut panels: Vec<Vec<f64>> =
            bounds.iter().map(|b| vec![0.0; PIECE.min(n) * b.len()]).collect();
        for piece in pieces {
            let start = piece * PIECE;
            let depth = PIECE.min(n - start);
            let part = self.x.row_range(start, depth);
            // Panel by panel: rows of the piece, columns of the panel, shifted.
            for (panel, cols) in panels.iter_mut().zip(bounds) {
                fill_panel(part, cols, &self.shift, panel, &mut sums[cols.clone()]);
            }
            let views: Vec<MatRef<'_, f64>> = panels
                .iter()
                .zip(bounds)
                .map(|(panel, cols)| MatRef::new(panel, depth, cols.len(), cols.len()).transposed())
                .collect();
            tiles.add(ctx, &views)?;
            progress.add(ctx, depth)?;
        }
        Ok((tiles, sums))
    }

    /// X̄X̄ᵀ (n × n, both triangles).
    pub fn gram(&self, ctx: &Context, mean: &[f64]) -> Result<Mat<f64>> {
        let (n, d) = (self.n(), self.d());
        let bounds = tile_bounds(n);
        let mut tiles = Tiles::new(&bounds);
        let mut panels: Vec<Vec<f64>> = bounds.iter().map(|b| vec![0.0; PIECE * b.len()]).collect();
        for start in (0..d).step_by(PIECE) {
            let depth = PIECE.min(d - start);
            let part = self.x.col_range(start, depth);
            let mean = &mean[start..start + depth];
            ctx.install(|| {
                panels.par_iter_mut().zip(&bounds).for_each(|(panel, rows)| {
                    for (line, i) in panel.chunks_exact_mut(depth).zip(rows.clone()) {
                        shifted_row(part, i, mean, line);
                    }
                });
            });
            let views: Vec<MatRef<'_, f64>> = panels
                .iter()
                .zip(&bounds)
                .map(|(panel, rows)| MatRef::new(panel, rows.len(), depth, depth))
                .collect();
            ctx.install(|| tiles.add(ctx, &views))?;
            ctx.step(progress("Gram matrix", start + depth, d))?;
        }
        let gram = tiles.finish(|_, _| 0.0);
        if !gram.data().iter().all(|v| v.is_finite()) {
            return Err(self.first_bad());
        }
        Ok(gram)
    }

    /// `v · X̄` (k × d) for v (k × n).
    pub fn combine(&self, ctx: &Context, mean: &[f64], v: &Mat<f64>) -> Result<Mat<f64>> {
        let (n, d, k) = (self.n(), self.d(), v.rows());
        let parts: Vec<Mat<f64>> = ctx.install(|| {
            (0..d.div_ceil(STRIP))
                .into_par_iter()
                .map(|strip| {
                    ctx.poll()?;
                    let start = strip * STRIP;
                    let width = STRIP.min(d - start);
                    let columns = Mat::from_fn(n, width, |i, j| {
                        self.x.at(i, start + j).to_f64() - mean[start + j]
                    });
                    let mut part = Mat::zeros(k, width);
                    multiply(v.view(), columns.view(), part.view_mut(), Onto::Nothing);
                    Ok(part)
                })
                .collect::<Result<_>>()
        })?;
        Ok(Mat::from_fn(k, d, |c, j| parts[j / STRIP][(c, j % STRIP)]))
    }

    /// The sum of squares of X̄.
    pub fn trace(&self, ctx: &Context, mean: &[f64]) -> Result<f64> {
        let parts: Vec<f64> = ctx.install(|| {
            (0..self.n().div_ceil(PIECE))
                .into_par_iter()
                .map(|piece| {
                    let mut line = vec![0.0; self.d()];
                    let rows = piece * PIECE..((piece + 1) * PIECE).min(self.n());
                    rows.map(|i| {
                        shifted_row(self.x, i, mean, &mut line);
                        line.iter().map(|v| v * v).sum::<f64>()
                    })
                    .sum()
                })
                .collect()
        });
        ctx.poll()?;
        Ok(parts.iter().sum())
    }
}

fn progress(stage: &'static str, done: usize, total: usize) -> Step {
    Step::new(stage, done as f64, total as f64)
}

/// Row `i` of `x` minus `shift`, subtracted in f64.
#[inline]
pub(crate) fn shifted_row<T: Real, O: Real>(
    x: MatRef<'_, T>,
    i: usize,
    shift: &[f64],
    line: &mut [O],
) {
    match x.contiguous_row(i) {
        Some(row) => {
            let each = line.iter_mut().zip(row).zip(shift);
            each.for_each(|((out, &v), &s)| *out = O::from_f64(v.to_f64() - s));
        }
        None => {
            let each = line.iter_mut().zip(shift).enumerate();
            each.for_each(|(j, (out, &s))| *out = O::from_f64(x.at(i, j).to_f64() - s));
        }
    }
}

/// Columns `cols` of `part`, shifted, as a matrix without gaps; adds up its columns.
fn fill_panel<T: Real>(
    part: MatRef<'_, T>,
    cols: &Range<usize>,
    shift: &[f64],
    panel: &mut [f64],
    sums: &mut [f64],
) {
    let part = part.col_range(cols.start, cols.len());
    let shift = &shift[cols.clone()];
    for (i, line) in panel.chunks_exact_mut(cols.len()).take(part.rows()).enumerate() {
        shifted_row(part, i, shift, line);
        sums.iter_mut().zip(&*line).for_each(|(s, v)| *s += v);
    }
}
