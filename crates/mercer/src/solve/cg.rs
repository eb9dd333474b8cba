//! Systems with a positive semidefinite matrix that can only be multiplied with, and a ridge.
//!
//! Given K (n × n, positive semidefinite), d_i > 0 and b_1 … b_m, find x_j with ‖b_j − (K + D) x_j‖ ≤ tol · ‖b_j‖.
//!
//! Conjugate gradients, sixteen right-hand sides side by side: a pass over the matrix serves all of them. The preconditioner
//! knows the large eigenvalues of K from r of its columns:
//!
//! ```text
//! S ← r random samples;  C ← K[:, S];  L Lᵀ = K[S, S] + a rounding error of its size;  F ← C L⁻ᵀ      K ≈ F Fᵀ
//! M = F Fᵀ + D;   M⁻¹ v = D⁻¹ v − D⁻¹ F (I + Fᵀ D⁻¹ F)⁻¹ Fᵀ D⁻¹ v
//! ```
//!
//! Rounding errors make the residuals that are carried along drift from the true ones. So the true ones are computed when
//! the others are small, and the iteration begins again on them if they are not. For the same reason the iteration may use
//! a rough copy of K, in single precision say, which is quicker to read: the true residuals correct it.

use std::ops::Range;

use rayon::prelude::*;

use crate::context::{Context, Step, Stream};
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::linalg::block::Block;
use crate::linalg::cholesky;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::skinny::{Lane, WIDTH};
use crate::linalg::view::Mat;

/// What to reach, and with what help.
#[derive(Clone, Debug)]
pub struct Params {
    /// Residuals ‖b − (K + D) x‖ / ‖b‖ to reach.
    pub tolerance: f64,
    /// Passes over the matrix at most.
    pub max_passes: usize,
    /// Columns of the matrix that the preconditioner knows, at most n.
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
    let (n, r) = (n as u64, landmarks as u64);
    8 * (2 * n * r + 3 * r * r + 8 * n * WIDTH as u64)
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
            "conjugate gradients need a positive ridge, and that of row {i} is {}",
            ridge[i]
        );
        return Err(Error::parameter("alpha", message));
    }
    let known = Known::new(ctx, matrix.rough.unwrap_or(gram), ridge, params)?;
    let mut x = Mat::zeros(n, m);
    let mut info = Info { passes: 0, residual: 0.0, converged: true, largest: known.largest()? };
    for from in (0..m).step_by(WIDTH) {
        let width = WIDTH.min(m - from);
        let part = |of: &Mat<f64>| {
            Block::from_fn(n, |i, c| if c < width { of[(i, from + c)] } else { 0.0 })
        };
        let system = System { ctx, matrix, known: &known, params, width, done: (from, m) };
        let (solution, own) = system.solve(&part(b), start.map(part))?;
        for (i, lane) in solution.lanes().iter().enumerate() {
            x.row_mut(i)[from..from + width].copy_from_slice(&lane[..width]);
        }
        info.passes += own.passes;
        info.residual = info.residual.max(own.residual);
        info.converged &= own.converged;
        if !own.converged && params.may_give_up {
            break;
        }
    }
    Ok((x, info))
}

/// Up to sixteen right-hand sides.
struct System<'a> {
    ctx: &'a Context,
    matrix: Matrix<'a>,
    known: &'a Known,
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
        while worst > self.params.tolerance && passes < self.params.max_passes {
            let before = worst;
            passes += self.descend(&mut x, &residual, &size, passes)?;
            residual = self.true_residual(b, &x)?;
            passes += 1;
            worst = relative(&lengths(&residual), &size);
            // Not a number: the matrix is not what it promised to be.
            if worst.is_nan() || worst > 0.5 * before {
                break; // rounding errors leave no more to gain
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

    /// Adds to `x` the solution for the right-hand sides `b`, until the residuals that are carried along are small beside
    /// `size`; returns the number of passes.
    fn descend(&self, x: &mut Block, b: &Block, size: &Lane<f64>, before: usize) -> Result<usize> {
        let Matrix { gram, rough, ridge } = self.matrix;
        let first = relative(&lengths(b), size);
        let rough_target = if rough.is_some() { ROUGH_GAIN * first } else { 0.0 };
        let target = rough_target.max(0.5 * self.params.tolerance);
        let mut r = b.clone();
        let mut z = self.known.divide(self.ctx, ridge, &r, self.width)?;
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
            self.tell(first, worst)?;
            let spent = before + passes >= self.params.max_passes;
            if worst <= target || spent || self.is_hopeless(before, passes, first, worst) {
                return Ok(passes);
            }
            z = self.known.divide(self.ctx, ridge, &r, self.width)?;
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

    fn tell(&self, first: f64, worst: f64) -> Result<()> {
        let wanted = (first / self.params.tolerance).log10().max(1.0);
        let won = (first / worst.max(self.params.tolerance)).log10().clamp(0.0, wanted);
        let (before, all) = self.done;
        let own = WIDTH.min(all - before) as f64;
        let done = before as f64 + own * won / wanted;
        let residual = Some(worst);
        self.ctx.step(Step { stage: "coefficients", done, total: all as f64, residual })
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

/// What the preconditioner knows of the matrix.
struct Known {
    /// n × r: K ≈ F Fᵀ.
    f: Mat<f64>,
    /// The Cholesky factor of I + Fᵀ D⁻¹ F.
    core: Mat<f64>,
}

/// Rows that one task takes.
const PIECE: usize = 512;

impl Known {
    fn new(ctx: &Context, gram: &dyn Gram, ridge: &[f64], params: &Params) -> Result<Self> {
        let n = gram.n();
        let which = Stream::new(params.seed, "landmarks").sample(n, params.landmarks.min(n));
        let r = which.len();
        let mut f = gram.columns(ctx, &which)?;
        let mut own = Mat::from_fn(r, r, |i, j| f[(which[i], j)]);
        let size = (0..r).map(|i| own[(i, i)].abs()).fold(0.0, f64::max);
        // Of two equal samples the second adds nothing; the lift keeps the factor finite.
        (0..r).for_each(|i| own[(i, i)] += 1e-10 * size * r as f64 + f64::MIN_POSITIVE);
        cholesky::factor(ctx, &mut own)?;
        cholesky::divide_rows(ctx, &own, &mut f)?;
        let scaled = |rows: Range<usize>| {
            let start = rows.start;
            Mat::from_fn(rows.len(), r, |i, j| f[(start + i, j)] / ridge[start + i])
        };
        let mut core = ctx.install(|| sum_of_products(n, r, r, &f, scaled));
        (0..r).for_each(|i| core[(i, i)] += 1.0);
        cholesky::factor(ctx, &mut core)?;
        Ok(Self { f, core })
    }

    /// About the largest eigenvalue of D^(-1/2) F Fᵀ D^(-1/2), by power iteration on I + Fᵀ D⁻¹ F.
    fn largest(&self) -> Result<f64> {
        let r = self.core.rows();
        let mut v = vec![1.0; r];
        let mut size = 0.0;
        for _ in 0..12 {
            // The factor is lower: L (Lᵀ v).
            let turned: Vec<f64> =
                (0..r).map(|j| (j..r).map(|i| self.core[(i, j)] * v[i]).sum()).collect();
            v = (0..r)
                .map(|i| self.core.row(i)[..=i].iter().zip(&turned).map(|(l, t)| l * t).sum())
                .collect();
            size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            v.iter_mut().for_each(|x| *x /= size);
        }
        if size.is_finite() { Ok((size - 1.0).max(0.0)) } else { Err(overflow()) }
    }

    /// M⁻¹ v, for the first `width` columns of v; the others must be zero.
    fn divide(&self, ctx: &Context, ridge: &[f64], v: &Block, width: usize) -> Result<Block> {
        let (n, r) = (self.f.rows(), self.f.cols());
        ctx.install(|| {
            let mut out = v.clone();
            let lanes = out.lanes_mut().par_iter_mut().zip(ridge).with_min_len(PIECE);
            lanes.for_each(|(lane, d)| lane.iter_mut().for_each(|v| *v /= d));
            let part = |rows: Range<usize>| {
                let lanes = out.lanes()[rows.clone()].iter();
                let values = lanes.flat_map(|lane| &lane[..width]).copied().collect();
                Mat::from_vec(values, rows.len(), width)
            };
            let mut inner = sum_of_products(n, r, width, &self.f, part);
            cholesky::solve(ctx, &self.core, &mut inner)?;
            out.lanes_mut().par_chunks_mut(PIECE).enumerate().for_each(|(piece, lanes)| {
                let (start, count) = (piece * PIECE, lanes.len());
                let mut turned = Mat::zeros(count, width);
                let rows = self.f.view().row_range(start, count);
                multiply(rows, inner.view(), turned.view_mut(), Onto::Nothing);
                for (i, lane) in lanes.iter_mut().enumerate() {
                    let d = ridge[start + i];
                    lane.iter_mut().zip(turned.row(i)).for_each(|(v, t)| *v -= t / d);
                }
            });
            Ok(out)
        })
    }
}

fn overflow() -> Error {
    Error::Numeric(
        "kernel values divided by the ridge overflow: scale the kernel down, or raise alpha".into(),
    )
}

/// Fᵀ G (r × m), where `part` gives rows of G (n × m): over fixed pieces, added in order.
fn sum_of_products(
    n: usize,
    r: usize,
    m: usize,
    f: &Mat<f64>,
    part: impl Fn(Range<usize>) -> Mat<f64> + Sync,
) -> Mat<f64> {
    let pieces = n.div_ceil(PIECE);
    let shares = SHARES.min(pieces);
    let sums: Vec<Mat<f64>> = (0..shares)
        .into_par_iter()
        .map(|share| {
            let mut sum = Mat::zeros(r, m);
            for piece in share * pieces / shares..(share + 1) * pieces / shares {
                let rows = piece * PIECE..((piece + 1) * PIECE).min(n);
                let left = f.view().row_range(rows.start, rows.len()).transposed();
                multiply(left, part(rows).view(), sum.view_mut(), Onto::Sum);
            }
            sum
        })
        .collect();
    let mut sums = sums.into_iter();
    let mut total = sums.next().expect("there are rows");
    for sum in sums {
        total.data_mut().iter_mut().zip(sum.data()).for_each(|(t, s)| *t += s);
    }
    total
}

/// Partial sums side by side; fixed, whatever the number of threads.
const SHARES: usize = 8;

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
mod tests {
    use super::*;
    use crate::gram::{Packed, Tiled};
    use crate::kernel::{KernelSpec, VectorKernel};
    use crate::points::Dense;

    fn points(n: usize, d: usize) -> Dense<f64> {
        let mut stream = Stream::new(3, "test");
        Dense::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d).unwrap()
    }

    fn targets(n: usize, m: usize) -> Mat<f64> {
        let mut stream = Stream::new(4, "test");
        Mat::from_vec((0..n * m).map(|_| stream.normal()).collect(), n, m)
    }

    #[test]
    fn solutions_are_those_of_cholesky() {
        let ctx = Context::new(2);
        for (n, m, alpha) in [(5, 1, 1.0), (100, 3, 1e-3), (700, 17, 0.01), (600, 40, 10.0)] {
            let x = points(n, 3);
            let spec: KernelSpec = "rbf(gamma=0.3)".parse().unwrap();
            let kernel = VectorKernel::<f64>::new(&spec).unwrap();
            let gram = Packed::fill(&ctx, &kernel, &x).unwrap();
            let b = targets(n, m);
            let ridge: Vec<f64> = (0..n).map(|i| alpha * (1.0 + (i % 3) as f64)).collect();
            let params = Params::new(n, 1e-10, 500, 0);
            let rough = Packed::<f32>::fill_rounded(&ctx, &kernel, &x).unwrap();
            let matrix = Matrix { gram: &gram, rough: None, ridge: &ridge };
            let (found, info) = solve(&ctx, matrix, &b, None, &params).unwrap();
            // From a rough copy of the matrix, and from a start close by, the same comes out.
            let quick = Matrix { rough: Some(&rough), ..matrix };
            let (same, own) = solve(&ctx, quick, &b, None, &params).unwrap();
            assert!(own.converged && own.residual <= 1e-10, "{own:?}");
            let (again, few) = solve(&ctx, matrix, &b, Some(&same), &params).unwrap();
            assert_eq!((few.passes, again.data()), (m.div_ceil(WIDTH), same.data()));
            assert!(info.converged && info.residual <= 1e-10, "{info:?}");
            let mut matrix = gram.lower(&ctx).unwrap();
            (0..n).for_each(|i| matrix[(i, i)] += ridge[i]);
            cholesky::factor(&ctx, &mut matrix).unwrap();
            let mut want = b.clone();
            cholesky::solve(&ctx, &matrix, &mut want).unwrap();
            // A residual of 1e-10 of b allows this much of x.
            let largest = want.data().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
            let allowed = 1e-9 * (n as f64).sqrt() / alpha + 1e-9 * largest;
            for (a, b) in found.data().iter().zip(want.data()) {
                assert!((a - b).abs() <= allowed, "n = {n}: {a} {b}");
            }
        }
    }

    #[test]
    fn stored_and_tiled_agree_and_threads_do_not_matter() {
        let x = points(300, 2);
        let spec: KernelSpec = "matern(nu=1.5, length=1)".parse().unwrap();
        let kernel = VectorKernel::<f64>::new(&spec).unwrap();
        let b = targets(300, 2);
        let params = Params { landmarks: 40, ..Params::new(300, 1e-9, 200, 1) };
        let ridge = vec![0.01; 300];
        let run = |threads: usize| {
            let ctx = Context::new(threads);
            let gram = Packed::fill(&ctx, &kernel, &x).unwrap();
            let tiled = Tiled::new(&kernel, x.clone());
            let run = |gram: &dyn Gram| {
                let matrix = Matrix { gram, rough: None, ridge: &ridge };
                solve(&ctx, matrix, &b, None, &params).unwrap().0
            };
            (run(&gram), run(&tiled))
        };
        let (one, two) = (run(1), run(2));
        assert_eq!(one.0.data(), two.0.data());
        assert_eq!(one.1.data(), two.1.data());
        let close = one.0.data().iter().zip(one.1.data()).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(close);
    }

    #[test]
    fn equal_samples_zero_targets_and_few_passes() {
        let ctx = Context::new(1);
        let x = Dense::from_vec(vec![1.0; 50], 50, 1).unwrap();
        let kernel = VectorKernel::<f64>::new(&"linear".parse().unwrap()).unwrap();
        let gram = Packed::fill(&ctx, &kernel, &x).unwrap();
        let b = Mat::from_fn(50, 2, |i, c| if c == 0 { 0.0 } else { i as f64 });
        let mut params = Params { landmarks: 10, ..Params::new(50, 1e-10, 50, 0) };
        let run = |ridge: f64, params: &Params| {
            let matrix = Matrix { gram: &gram, rough: None, ridge: &[ridge; 50] };
            solve(&ctx, matrix, &b, None, params)
        };
        let (x, info) = run(0.5, &params).unwrap();
        assert!(info.converged, "{info:?}");
        assert!((0..50).all(|i| x[(i, 0)] == 0.0));
        params.max_passes = 1;
        params.landmarks = 1;
        params.tolerance = 1e-15;
        let (_, info) = run(1e-9, &params).unwrap();
        assert!(info.passes <= 2);
        assert!(run(0.0, &params).is_err());
    }
}
