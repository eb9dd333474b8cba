//! Systems with a positive semidefinite matrix that can only be multiplied with, and a ridge.
//!
//! Given K (n × n, positive semidefinite), d_i > 0 and b_1 … b_m, find x_j with ‖b_j − (K + D) x_j‖ ≤ tol · ‖b_j‖.
//!
//! Conjugate gradients, sixteen right-hand sides side by side: a pass over the matrix serves all of them. The preconditioner
//! knows the large eigenvalues of K from r of its columns:
//!
//! ```text
//! S ← at most r random pivots;  F ← K[:, S] L⁻ᵀ with K[S, S] = L Lᵀ      K ≈ F Fᵀ
//! M = F Fᵀ + D;   M⁻¹ v = D⁻¹ v − D⁻¹ F (I + Fᵀ D⁻¹ F)⁻¹ Fᵀ D⁻¹ v
//! ```
//!
//! Rounding errors make the recursively updated residuals drift from the true ones. So the true ones are computed when
//! the others are small, and the iteration begins again on them if they are not. For the same reason the iteration may use
//! a rough copy of K, in single precision say, which is quicker to read: the true residuals correct it.

mod nystrom;

use rayon::prelude::*;

use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::gram::Gram;
use crate::linalg::block::Block;
use crate::linalg::skinny::{Lane, WIDTH};
use crate::linalg::view::Mat;
use nystrom::NystromPreconditioner;

/// What to reach, and with what help.
#[derive(Clone, Debug)]
pub struct Params {
    /// Residuals ‖b − (K + D) x‖ / ‖b‖ to reach.
    pub tolerance: f64,
    /// Passes over the matrix at most.
    pub max_passes: usize,
    /// Columns of the matrix that the preconditioner knows at most, itself at most n.
    pub landmarks: usize,
    /// Seed of their choice.
    pub seed: u64,
    /// Whether to stop early, unconverged, once it is plain that `max_passes` will not do.
    pub may_give_up: bool,
}

impl Params {
    /// Reach `tolerance` with the usual number of landmarks for n rows.
    pub fn new(n: usize, tolerance: f64, max_passes: usize, seed: u64) -> Self {
        Self { tolerance, max_passes, landmarks: landmarks(n), seed, may_give_up: false }
    }
}

/// The matrix K + D of a system.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    /// K, as it is meant.
    pub gram: &'a dyn Gram,
    /// K in a form that is quicker to multiply with, nearly the same.
    pub rough: Option<&'a dyn Gram>,
    /// The diagonal of D, all positive.
    pub ridge: &'a [f64],
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Info {
    /// Passes over the matrix.
    pub passes: usize,
    /// The largest true residual ‖b − (K + D) x‖ / ‖b‖.
    pub residual: f64,
    /// Whether every residual reached the tolerance.
    pub converged: bool,
    /// About the largest eigenvalue of D^(-1/2) K D^(-1/2): one more than this bounds the condition number.
    pub largest: f64,
}

/// Landmarks that pay: each costs an n-vector and some arithmetic per pass, and saves passes.
pub fn landmarks(n: usize) -> usize {
    (n / 16).clamp(32, 1024).min(n)
}

/// As many of [`landmarks`] as `bytes` have room for, and never fewer than a few.
pub fn landmarks_within(n: usize, bytes: u64) -> usize {
    let mut count = landmarks(n);
    while count > 32 && workspace_bytes(n, count) > bytes {
        count = count * 3 / 4;
    }
    count
}

/// Bytes that [`solve`] takes beside the matrix and the right-hand sides.
pub fn workspace_bytes(n: usize, landmarks: usize) -> u64 {
    // Three r × r matrices, and the sums of products whose total is one.
    let small = 3 + nystrom::shares(n) as u64;
    let (n, r) = (n as u64, landmarks as u64);
    8 * (2 * n * r + small * r * r + 8 * n * WIDTH as u64)
}

/// Solves for every column of `b` (n × m), from `start` (n × m) on, or from nothing.
pub fn solve(
    ctx: &Context,
    matrix: Matrix<'_>,
    b: &Mat<f64>,
    start: Option<&Mat<f64>>,
    params: &Params,
) -> Result<(Mat<f64>, Info)> {
    let Matrix { gram, ridge, .. } = matrix;
    let (n, m) = (b.rows(), b.cols());
    assert!(gram.n() == n && ridge.len() == n, "matrix, ridge and right-hand sides differ in size");
    assert!(start.is_none_or(|s| (s.rows(), s.cols()) == (n, m)), "the start has another shape");
    if let Some(i) = ridge.iter().position(|d| !(*d > 0.0 && d.is_finite())) {
        let message = format!(
            "conjugate gradients need a positive ridge, but that of row {i} is {}",
            ridge[i]
        );
        return Err(Error::parameter(Param::Alpha, message));
    }
    let bytes = workspace_bytes(n, params.landmarks).saturating_add(8 * (n * m) as u64);
    let hint = "fit on fewer rows or raise the memory budget";
    let _reservation = ctx.reserve("the conjugate gradient solver", bytes, hint)?;
    let nystrom = NystromPreconditioner::new(ctx, matrix.rough.unwrap_or(gram), ridge, params)?;
    let mut x = Mat::try_zeros(n, m)?;
    let mut info = Info { passes: 0, residual: 0.0, converged: true, largest: nystrom.largest()? };
    for from in (0..m).step_by(WIDTH) {
        let width = WIDTH.min(m - from);
        let part = |of: &Mat<f64>| {
            Block::from_fn(n, |i, c| if c < width { of[(i, from + c)] } else { 0.0 })
        };
        let system = System { ctx, matrix, nystrom: &nystrom, params, width, done: (from, m) };
        let (solution, own) = system.solve(&part(b), start.map(part))?;
        for (i, lane) in solution.lanes().iter().enumerate() {
            x.row_mut(i)[from..from + width].copy_from_slice(&lane[..width]);
        }
        info.passes += own.passes;
        info.residual = info.residual.max(own.residual);
        info.converged &= own.converged;
        if !own.converged && params.may_give_up && !ctx.is_out_of_time() {
            break;
        }
    }
    Ok((x, info))
}

/// Up to sixteen right-hand sides.
struct System<'a> {
    ctx: &'a Context,
    matrix: Matrix<'a>,
    nystrom: &'a NystromPreconditioner,
    params: &'a Params,
    /// Columns of blocks that are in use.
    width: usize,
    /// Right-hand sides solved before these, and all, for progress.
    done: (usize, usize),
}

impl System<'_> {
    fn solve(&self, b: &Block, start: Option<Block>) -> Result<(Block, Outcome)> {
        let size = lengths(b);
        let mut residual = b.clone();
        let mut passes = 0;
        let mut x = Block::zeros(b.len());
        if let Some(start) = start {
            x = start;
            residual = self.true_residual(b, &x)?;
            passes += 1;
        }
        let mut worst = relative(&lengths(&residual), &size);
        // Without a pass there is no solution to return; with one there is, however late it is.
        self.ctx.poll()?;
        let timed = System { ctx: &self.ctx.with_partial_result(), ..*self };
        while worst > self.params.tolerance && passes < self.params.max_passes {
            let before = worst;
            passes += timed.descend(&mut x, &residual, &size, passes)?;
            residual = timed.true_residual(b, &x)?;
            passes += 1;
            worst = relative(&lengths(&residual), &size);
            // Not a number: the matrix is not what it promised to be.
            if worst.is_nan() || worst > 0.5 * before || timed.ctx.is_out_of_time() {
                break; // rounding errors leave no more to gain, or no time is left
            }
        }
        Ok((x, Outcome { passes, residual: worst, converged: worst <= self.params.tolerance }))
    }

    /// b − (K + D) x, by the matrix as it is meant.
    fn true_residual(&self, b: &Block, x: &Block) -> Result<Block> {
        let mut residual = b.clone();
        let image = self.multiply(self.matrix.gram, x)?;
        residual.add_product(&image, &diagonal([-1.0; WIDTH]));
        Ok(residual)
    }

    /// (K + D) v.
    fn multiply(&self, gram: &dyn Gram, v: &Block) -> Result<Block> {
        let mut out = Block::zeros(v.len());
        gram.apply(self.ctx, v, &mut out)?;
        let lanes = out.lanes_mut().par_iter_mut().zip(v.lanes()).zip(self.matrix.ridge);
        lanes
            .with_min_len(512)
            .for_each(|((out, v), d)| (0..WIDTH).for_each(|c| out[c] += d * v[c]));
        Ok(out)
    }

    /// Adds to `x` the solution for the right-hand sides `b`, until the recursively updated residuals are small beside
    /// `size`; returns the number of passes.
    fn descend(&self, x: &mut Block, b: &Block, size: &Lane<f64>, before: usize) -> Result<usize> {
        let Matrix { gram, rough, ridge } = self.matrix;
        let first = relative(&lengths(b), size);
        let rough_target = if rough.is_some() { ROUGH_GAIN * first } else { 0.0 };
        let target = rough_target.max(0.5 * self.params.tolerance);
        let mut r = b.clone();
        let mut z = self.nystrom.divide(self.ctx, ridge, &r, self.width)?;
        let mut p = z.clone();
        let mut rz = dots(&r, &z);
        for passes in 1.. {
            let q = self.multiply(rough.unwrap_or(gram), &p)?;
            let pq = dots(&p, &q);
            // A finished column has nothing to go on with.
            let step: Lane<f64> =
                std::array::from_fn(|c| if pq[c] > 0.0 { rz[c] / pq[c] } else { 0.0 });
            x.add_product(&p, &diagonal(step));
            r.add_product(&q, &diagonal(step.map(|s| -s)));
            let worst = relative(&lengths(&r), size);
            self.report_progress(first, worst)?;
            let spent = before + passes >= self.params.max_passes || self.ctx.is_out_of_time();
            if worst <= target || spent || self.is_hopeless(before, passes, first, worst) {
                return Ok(passes);
            }
            z = self.nystrom.divide(self.ctx, ridge, &r, self.width)?;
            let next = dots(&r, &z);
            let turn: Lane<f64> =
                std::array::from_fn(|c| if rz[c] > 0.0 { next[c] / rz[c] } else { 0.0 });
            let old = std::mem::replace(&mut p, z);
            p.add_product(&old, &diagonal(turn));
            rz = next;
        }
        unreachable!("the loop ends by a return")
    }

    /// Whether, at the speed so far, twice the passes that are left would not do.
    fn is_hopeless(&self, before: usize, passes: usize, first: f64, worst: f64) -> bool {
        if !self.params.may_give_up || passes < 8 {
            return false;
        }
        let won = (first / worst).ln().max(0.0);
        let wanted = (first / self.params.tolerance).ln();
        let left = (self.params.max_passes - before) as f64;
        won * 2.0 * left < wanted * passes as f64
    }

    fn report_progress(&self, first: f64, worst: f64) -> Result<()> {
        let wanted = (first / self.params.tolerance).log10().max(1.0);
        let won = (first / worst.max(self.params.tolerance)).log10().clamp(0.0, wanted);
        let (before, all) = self.done;
        let own = WIDTH.min(all - before) as f64;
        let done = before as f64 + own * won / wanted;
        let residual = Some(worst);
        self.ctx.step(Step { residual, ..Step::new("coefficients", done, all as f64) })
    }
}

/// How the right-hand sides of one system went.
struct Outcome {
    passes: usize,
    residual: f64,
    converged: bool,
}

/// By how much a descent on a rough copy of the matrix may reduce the residuals before it begins anew on true ones:
/// single precision has seven digits, and the last is noise.
const ROUGH_GAIN: f64 = 3e-6;

fn diagonal(values: Lane<f64>) -> [Lane<f64>; WIDTH] {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { values[i] } else { 0.0 }))
}

/// Inner products of columns.
fn dots(a: &Block, b: &Block) -> Lane<f64> {
    let inner = a.inner(b);
    std::array::from_fn(|c| inner[c][c])
}

fn lengths(block: &Block) -> Lane<f64> {
    dots(block, block).map(|v| v.max(0.0).sqrt())
}

/// The largest of the given lengths, relative to `size`; a column without size counts for nothing.
fn relative(lengths: &Lane<f64>, size: &Lane<f64>) -> f64 {
    let shares = lengths.iter().zip(size).filter(|(_, size)| **size > 0.0);
    shares.map(|(length, size)| length / size).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
