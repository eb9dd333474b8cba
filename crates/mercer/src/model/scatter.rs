//! Sums over samples that PCA needs, read from the caller's own memory in pieces: means, X̄ᵀX̄, X̄X̄ᵀ, and products with them.
//!
//! Every sum runs over fixed pieces added in a fixed order, so that no result depends on the number of threads. Samples
//! are shifted by a mean of some rows before they are squared: sums of squares of raw values would cancel.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::context::{Context, Step};
use crate::error::{Error, Result};
use crate::gram::Operator;
use crate::linalg::block::Block;
use crate::linalg::product::{Onto, multiply, multiply_lower};
use crate::linalg::skinny::{self, Lane, TileRef, WIDTH};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::real::Real;

/// Rows (or, for X̄X̄ᵀ, columns) of the data that are worked on at a time: they stay in the caches.
const PIECE: usize = 512;
/// Rows of a finer piece, where a task needs no more.
const STRIP: usize = 128;
/// Tasks that share products with the whole data; fixed, whatever the number of threads.
const TASKS: usize = 16;
/// Shares of the data that are summed side by side for X̄ᵀX̄, each with tiles of its own; fixed, whatever the number of
/// threads.
const SHARES: usize = 4;
/// The widest tile of X̄ᵀX̄.
const TILE: usize = 240;
/// Matrix products like widths that are multiples of this.
const STEP: usize = 48;

/// Samples with a shift near their mean.
pub(super) struct Rows<'a, T> {
    x: MatRef<'a, T>,
    shift: Vec<T>,
}

impl<'a, T: Real> Rows<'a, T> {
    pub(super) fn new(ctx: &Context, x: MatRef<'a, T>) -> Result<Self> {
        ctx.poll()?;
        let (n, d) = (x.rows(), x.cols());
        let sample = n.min(PIECE);
        let mut sum = vec![0.0; d];
        for s in 0..sample {
            let i = s * n / sample;
            (0..d).for_each(|j| sum[j] += x.at(i, j).f64());
        }
        let shift = sum.into_iter().map(|s| T::of(s / sample as f64)).collect();
        Ok(Self { x, shift })
    }

    pub(super) fn n(&self) -> usize {
        self.x.rows()
    }

    pub(super) fn d(&self) -> usize {
        self.x.cols()
    }

    /// The mean of the samples. The first NaN or infinity among them is an error.
    pub(super) fn mean(&self, ctx: &Context) -> Result<Vec<f64>> {
        let sums: Vec<Vec<f64>> = ctx.install(|| {
            (0..self.n().div_ceil(PIECE))
                .into_par_iter()
                .map(|piece| {
                    ctx.poll()?;
                    let mut line = vec![T::ZERO; self.d()];
                    let mut sum = vec![0.0; self.d()];
                    for i in piece * PIECE..((piece + 1) * PIECE).min(self.n()) {
                        shifted_row(self.x, i, &self.shift, &mut line);
                        sum.iter_mut().zip(&line).for_each(|(s, v)| *s += v.f64());
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
        Ok(sums.iter().zip(&self.shift).map(|(s, shift)| shift.f64() + s / n).collect())
    }

    /// The error for a NaN or an infinity that a sum has met.
    fn first_bad(&self) -> Error {
        for row in 0..self.n() {
            for column in 0..self.d() {
                let value = self.x.at(row, column);
                if !value.is_finite() {
                    return Error::NotFinite { row, column, value: value.f64() };
                }
            }
        }
        Error::Shape(
            "the values are so large that sums of their squares overflow: scale the data down"
                .into(),
        )
    }

    /// X̄ᵀX̄ (d × d, both triangles) and the mean, in one pass over the data.
    pub(super) fn scatter(&self, ctx: &Context) -> Result<(Mat<f64>, Vec<f64>)> {
        let (n, d) = (self.n(), self.d());
        let bounds = tile_bounds(d);
        let pieces = n.div_ceil(PIECE);
        let shares = SHARES.min(pieces);
        let done = AtomicUsize::new(0);
        let parts: Vec<(Tiles<'_>, Vec<f64>)> = ctx.install(|| {
            (0..shares)
                .into_par_iter()
                .map(|share| {
                    let own = share * pieces / shares..(share + 1) * pieces / shares;
                    self.scatter_of(ctx, &bounds, own, &done)
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
        done: &AtomicUsize,
    ) -> Result<(Tiles<'b>, Vec<f64>)> {
        let (n, d) = (self.n(), self.d());
        let mut tiles = Tiles::new(bounds);
        let mut sums = vec![0.0; d];
        let mut panels: Vec<Vec<T>> =
            bounds.iter().map(|b| vec![T::ZERO; PIECE.min(n) * b.len()]).collect();
        for piece in pieces {
            let start = piece * PIECE;
            let depth = PIECE.min(n - start);
            let part = self.x.row_range(start, depth);
            // Panel by panel: rows of the piece, columns of the panel, shifted.
            for (panel, cols) in panels.iter_mut().zip(bounds) {
                fill_panel(part, cols, &self.shift, panel, &mut sums[cols.clone()]);
            }
            let views: Vec<MatRef<'_, T>> = panels
                .iter()
                .zip(bounds)
                .map(|(panel, cols)| MatRef::new(panel, depth, cols.len(), cols.len()).transposed())
                .collect();
            tiles.add(ctx, &views)?;
            let done = done.fetch_add(depth, Ordering::Relaxed) + depth;
            ctx.step(progress("covariance", done, n))?;
        }
        Ok((tiles, sums))
    }

    /// X̄X̄ᵀ (n × n, both triangles).
    pub(super) fn gram(&self, ctx: &Context, mean: &[f64]) -> Result<Mat<f64>> {
        let (n, d) = (self.n(), self.d());
        let bounds = tile_bounds(n);
        let mut tiles = Tiles::new(&bounds);
        let mean: Vec<T> = mean.iter().map(|&m| T::of(m)).collect();
        let mut panels: Vec<Vec<T>> =
            bounds.iter().map(|b| vec![T::ZERO; PIECE * b.len()]).collect();
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
            let views: Vec<MatRef<'_, T>> = panels
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
    pub(super) fn combine(&self, ctx: &Context, mean: &[f64], v: &Mat<f64>) -> Result<Mat<f64>> {
        let (n, d, k) = (self.n(), self.d(), v.rows());
        let parts: Vec<Mat<f64>> = ctx.install(|| {
            (0..d.div_ceil(STRIP))
                .into_par_iter()
                .map(|strip| {
                    ctx.poll()?;
                    let start = strip * STRIP;
                    let width = STRIP.min(d - start);
                    let columns = Mat::from_fn(n, width, |i, j| {
                        self.x.at(i, start + j).f64() - mean[start + j]
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
    pub(super) fn trace(&self, ctx: &Context, mean: &[f64]) -> Result<f64> {
        let mean: Vec<T> = mean.iter().map(|&m| T::of(m)).collect();
        let parts: Vec<f64> = ctx.install(|| {
            (0..self.n().div_ceil(PIECE))
                .into_par_iter()
                .map(|piece| {
                    let mut line = vec![T::ZERO; self.d()];
                    let rows = piece * PIECE..((piece + 1) * PIECE).min(self.n());
                    rows.map(|i| {
                        shifted_row(self.x, i, &mean, &mut line);
                        line.iter().map(|v| v.f64() * v.f64()).sum::<f64>()
                    })
                    .sum()
                })
                .collect()
        });
        ctx.poll()?;
        Ok(parts.iter().sum())
    }

    /// X̄ᵀX̄ as something to multiply with.
    pub(super) fn operator(&self, mean: &[f64]) -> Covariance<'_, T> {
        Covariance { x: self.x, mean: mean.iter().map(|&m| T::of(m)).collect() }
    }
}

fn progress(stage: &'static str, done: usize, total: usize) -> Step {
    Step { stage, done: done as f64, total: total as f64, residual: None }
}

/// Row `i` of `x` minus `shift`.
#[inline]
fn shifted_row<T: Real>(x: MatRef<'_, T>, i: usize, shift: &[T], line: &mut [T]) {
    match x.contiguous_row(i) {
        Some(row) => {
            line.iter_mut().zip(row).zip(shift).for_each(|((out, &v), &s)| *out = v - s);
        }
        None => {
            line.iter_mut().zip(shift).enumerate().for_each(|(j, (out, &s))| *out = x.at(i, j) - s);
        }
    }
}

/// Columns `cols` of `part`, shifted, as a matrix without gaps; adds up its columns.
fn fill_panel<T: Real>(
    part: MatRef<'_, T>,
    cols: &Range<usize>,
    shift: &[T],
    panel: &mut [T],
    sums: &mut [f64],
) {
    let part = part.col_range(cols.start, cols.len());
    let shift = &shift[cols.clone()];
    for (i, line) in panel.chunks_exact_mut(cols.len()).take(part.rows()).enumerate() {
        shifted_row(part, i, shift, line);
        sums.iter_mut().zip(&*line).for_each(|(s, v)| *s += v.f64());
    }
}

/// Cuts 0..size into at least four ranges of at most TILE, where products of that width are efficient.
fn tile_bounds(size: usize) -> Vec<Range<usize>> {
    let width = (size / 4).clamp(STEP, TILE) / STEP * STEP;
    (0..size).step_by(width).map(|start| start..(start + width).min(size)).collect()
}

/// The lower triangle of a symmetric sum of products, tile by tile.
struct Tiles<'b> {
    bounds: &'b [Range<usize>],
    /// (i, j, tile) with j ≤ i.
    tiles: Vec<(usize, usize, Mat<f64>)>,
}

impl<'b> Tiles<'b> {
    fn new(bounds: &'b [Range<usize>]) -> Self {
        let pairs = (0..bounds.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let tiles =
            pairs.map(|(i, j)| (i, j, Mat::zeros(bounds[i].len(), bounds[j].len()))).collect();
        Self { bounds, tiles }
    }

    /// Adds P_i P_jᵀ to tile (i, j), for panels P_i (width × depth).
    fn add<T: Real>(&mut self, ctx: &Context, panels: &[MatRef<'_, T>]) -> Result<()> {
        self.tiles.par_iter_mut().try_for_each(|(i, j, sum)| {
            ctx.poll()?;
            add_product(panels[*i], panels[*j].transposed(), sum, i == j);
            Ok(())
        })
    }

    /// Adds what another share of the data has summed.
    fn merge(&mut self, other: &Tiles<'_>) {
        for ((.., sum), (.., more)) in self.tiles.iter_mut().zip(&other.tiles) {
            sum.data_mut().iter_mut().zip(more.data()).for_each(|(s, m)| *s += m);
        }
    }

    /// The whole matrix, with `correction(i, j)` added to each entry.
    fn finish(self, correction: impl Fn(usize, usize) -> f64) -> Mat<f64> {
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

/// `sum += a · b`, of which only the lower triangle is needed if `lower`. Products of f32 are added up in f64.
fn add_product<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, T>, sum: &mut Mat<f64>, lower: bool) {
    let (rows, cols) = (a.rows(), b.cols());
    let run = if lower { multiply_lower::<T> } else { multiply::<T> };
    if let Some(sum) = T::same_mut(sum.data_mut()) {
        return run(a, b, MatMut::new(sum, rows, cols, cols), Onto::Sum);
    }
    let mut part = Mat::<T>::zeros(rows, cols);
    run(a, b, part.view_mut(), Onto::Nothing);
    sum.data_mut().iter_mut().zip(part.data()).for_each(|(s, p)| *s += p.f64());
}

/// Products with X̄ᵀX̄.
pub(super) struct Covariance<'a, T> {
    x: MatRef<'a, T>,
    mean: Vec<T>,
}

impl<T: Real> Operator for Covariance<'_, T> {
    fn n(&self) -> usize {
        self.x.cols()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        let (n, d) = (self.x.rows(), self.x.cols());
        let lanes: Vec<Lane<T>> = v.lanes().iter().map(|lane| lane.map(T::of)).collect();
        let strips = n.div_ceil(STRIP);
        let tasks = TASKS.min(strips);
        let parts: Vec<Vec<Lane<f64>>> = ctx.install(|| {
            (0..tasks)
                .into_par_iter()
                .map(|task| {
                    let mut sum = vec![[0.0; WIDTH]; d];
                    let mut buffer = vec![T::ZERO; STRIP * d];
                    for strip in task * strips / tasks..(task + 1) * strips / tasks {
                        ctx.poll()?;
                        let rows = STRIP.min(n - strip * STRIP);
                        for (r, line) in buffer.chunks_exact_mut(d).take(rows).enumerate() {
                            shifted_row(self.x, strip * STRIP + r, &self.mean, line);
                        }
                        let tile = TileRef { data: &buffer, rows, cols: d, stride: d };
                        let mut inner = vec![[0.0; WIDTH]; rows];
                        skinny::multiply(tile, &lanes, &mut inner);
                        let inner: Vec<Lane<T>> =
                            inner.iter().map(|lane| lane.map(T::of)).collect();
                        skinny::multiply_transposed(tile, &inner, &mut sum);
                    }
                    Ok(sum)
                })
                .collect::<Result<_>>()
        })?;
        for (i, lane) in out.lanes_mut().iter_mut().enumerate() {
            *lane = std::array::from_fn(|c| parts.iter().map(|part| part[i][c]).sum());
        }
        Ok(())
    }
}

/// Writes `(x − mean) · weights + offset` (m × k) for weights (d × k).
pub(super) fn project<T: Real>(
    ctx: &Context,
    x: MatRef<'_, T>,
    mean: &[f64],
    weights: &Mat<f64>,
    offset: &[f64],
    out: MatMut<'_, T>,
) -> Result<()> {
    let (m, d, k, stride) = (x.rows(), x.cols(), weights.cols(), out.stride);
    assert!(out.rows == m && out.cols == k && weights.rows() == d);
    if m == 0 || k == 0 {
        return Ok(());
    }
    let mean: Vec<T> = mean.iter().map(|&v| T::of(v)).collect();
    let weights: Vec<T> = weights.data().iter().map(|&v| T::of(v)).collect();
    let weights = MatRef::new(&weights, d, k, k);
    ctx.install(|| {
        out.data.par_chunks_mut(STRIP * stride).enumerate().take(m.div_ceil(STRIP)).try_for_each(
            |(strip, lines)| {
                ctx.poll()?;
                let rows = STRIP.min(m - strip * STRIP);
                let mut buffer = vec![T::ZERO; rows * d];
                for (r, line) in buffer.chunks_exact_mut(d).enumerate() {
                    let row = strip * STRIP + r;
                    shifted_row(x, row, &mean, line);
                    if let Some(column) = line.iter().position(|v| !v.is_finite()) {
                        let value = x.at(row, column).f64();
                        return Err(Error::NotFinite { row, column, value });
                    }
                }
                let part = MatRef::new(&buffer, rows, d, d);
                multiply(part, weights, MatMut::new(lines, rows, k, stride), Onto::Nothing);
                for r in 0..rows {
                    let line = &mut lines[r * stride..r * stride + k];
                    line.iter_mut().zip(offset).for_each(|(v, &o)| *v += T::of(o));
                }
                Ok(())
            },
        )
    })
}

/// Below this share of the largest eigenvalue, a direction computed from it is not orthogonal to the others to more than
/// ten digits.
const FAINT: f64 = 1e-6;

/// Scales the rows, which are orthogonal up to rounding, to length 1. Rows that belong to faint eigenvalues are made
/// orthogonal to all before them; where nothing is left of a row, a unit vector takes its place.
pub(super) fn orthonormalize_rows(rows: &mut Mat<f64>, eigenvalues: &[f64]) {
    let d = rows.cols();
    let largest = eigenvalues.first().copied().unwrap_or(0.0);
    for i in 0..rows.rows() {
        let faint = eigenvalues[i] <= FAINT * largest;
        let mut candidate = 0;
        loop {
            let (before, rest) = rows.data_mut().split_at_mut(i * d);
            let row = &mut rest[..d];
            let length = norm(row);
            if length > 0.0 {
                row.iter_mut().for_each(|v| *v /= length);
            }
            if !faint {
                break;
            }
            for _ in 0..2 {
                before.chunks_exact(d).for_each(|other| remove(row, other));
            }
            let left = norm(row);
            if length > 0.0 && left > 1e-3 && eigenvalues[i] > 1e-14 * largest
                || left > 1e-3 && candidate > 0
            {
                row.iter_mut().for_each(|v| *v /= left);
                break;
            }
            // A unit vector that the rows before do not span exists, since there are fewer of them than features.
            row.fill(0.0);
            row[candidate] = 1.0;
            candidate += 1;
        }
    }
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn remove(row: &mut [f64], other: &[f64]) {
    let part: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
    row.iter_mut().zip(other).for_each(|(a, b)| *a -= part * b);
}
