//! The Nyström preconditioner of conjugate gradients: a rank-r approximation K ≈ F Fᵀ from r columns of the Gram matrix.
//!
//! The columns are the pivots of a randomly pivoted Cholesky factorisation, as many as pay: no more are taken once the trace of what is left, which bounds
//! its eigenvalues, is small beside the ridge. Columns drawn uniformly miss the small clusters of a data set; they serve where the matrix is not positive
//! semidefinite, so that there are no pivots.

use std::ops::Range;

use rayon::prelude::*;

use super::Params;
use crate::context::{Context, Stream};
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::linalg::block::Block;
use crate::linalg::cholesky;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::Mat;
use crate::solve::pivoted_cholesky;

/// The preconditioner M = D + F Fᵀ.
pub(super) struct NystromPreconditioner {
    /// n × r: K ≈ F Fᵀ.
    f: Mat<f64>,
    /// The Cholesky factor of I + Fᵀ D⁻¹ F.
    core: Mat<f64>,
}

/// Rows that one task takes.
const PIECE: usize = 512;

impl NystromPreconditioner {
    pub fn new(ctx: &Context, gram: &dyn Gram, ridge: &[f64], params: &Params) -> Result<Self> {
        let f = match pivoted(ctx, gram, ridge, params) {
            Err(Error::Numeric(_)) => uniform(ctx, gram, params)?,
            found => found?,
        };
        Self::of_factor(ctx, f, ridge)
    }

    /// The preconditioner with F.
    pub fn of_factor(ctx: &Context, f: Mat<f64>, ridge: &[f64]) -> Result<Self> {
        let (n, r) = (f.rows(), f.cols());
        let scaled = |rows: Range<usize>| {
            let start = rows.start;
            Mat::from_fn(rows.len(), r, |i, j| f[(start + i, j)] / ridge[start + i])
        };
        let mut core = ctx.install(|| sum_of_products(ctx, n, r, &f, scaled))?;
        (0..r).for_each(|i| core[(i, i)] += 1.0);
        cholesky::factor(ctx, &mut core)?;
        Ok(Self { f, core })
    }

    /// About the largest eigenvalue of D^(-1/2) F Fᵀ D^(-1/2), by power iteration on I + Fᵀ D⁻¹ F.
    pub fn largest(&self) -> Result<f64> {
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
    pub fn divide(&self, ctx: &Context, ridge: &[f64], v: &Block, width: usize) -> Result<Block> {
        let n = self.f.rows();
        ctx.install(|| {
            let mut out = v.clone();
            let lanes = out.lanes_mut().par_iter_mut().zip(ridge).with_min_len(PIECE);
            lanes.for_each(|(lane, d)| lane.iter_mut().for_each(|v| *v /= d));
            let part = |rows: Range<usize>| {
                let lanes = out.lanes()[rows.clone()].iter();
                let values = lanes.flat_map(|lane| &lane[..width]).copied().collect();
                Mat::from_vec(values, rows.len(), width)
            };
            let mut inner = sum_of_products(ctx, n, width, &self.f, part)?;
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

/// What is left of K may have this share of the smallest ridge as its trace: then two or three passes do.
const ENOUGH: f64 = 0.1;

/// F from the columns of random pivots.
fn pivoted(ctx: &Context, gram: &dyn Gram, ridge: &[f64], params: &Params) -> Result<Mat<f64>> {
    let trace: f64 = gram.diag(ctx)?.iter().sum();
    let least = ridge.iter().copied().fold(f64::INFINITY, f64::min);
    let tolerance = if trace > 0.0 { ENOUGH * least / trace } else { 0.0 };
    let wanted = pivoted_cholesky::Params { most: params.landmarks, tolerance, seed: params.seed };
    pivoted_cholesky::factor(&ctx.without_steps(), gram, &wanted)
}

/// F from the columns of samples drawn uniformly.
pub(super) fn uniform(ctx: &Context, gram: &dyn Gram, params: &Params) -> Result<Mat<f64>> {
    let n = gram.n();
    let which = Stream::new(params.seed, "landmarks").sample(n, params.landmarks.min(n));
    let r = which.len();
    let mut f = gram.columns(ctx, &which)?;
    let own = factor_lifted(ctx, &Mat::from_fn(r, r, |i, j| f[(which[i], j)]))?;
    cholesky::divide_rows(ctx, &own, &mut f)?;
    Ok(f)
}

/// The Cholesky factor of a matrix with a lift of its diagonal: of two equal samples the second adds nothing. The lift is as small as
/// rounding errors of the entries allow, which may be in single precision.
fn factor_lifted(ctx: &Context, matrix: &Mat<f64>) -> Result<Mat<f64>> {
    let r = matrix.rows();
    let size = (0..r).map(|i| matrix[(i, i)].abs()).fold(0.0, f64::max);
    let lifted = |share: f64| {
        let mut factor = matrix.clone();
        (0..r).for_each(|i| factor[(i, i)] += share * size * r as f64 + f64::MIN_POSITIVE);
        cholesky::factor(ctx, &mut factor).map(|()| factor)
    };
    let mut found = lifted(1e-10);
    for share in [1e-7, 1e-5, 1e-3] {
        if matches!(found, Err(Error::Numeric(_))) {
            found = lifted(share);
        }
    }
    found
}

fn overflow() -> Error {
    Error::Numeric(
        "kernel values divided by the ridge overflow: scale the kernel down, or raise alpha".into(),
    )
}

/// Fᵀ G (r × m), where `part` gives rows of G (n × m): over fixed pieces, added in order.
fn sum_of_products(
    ctx: &Context,
    n: usize,
    m: usize,
    f: &Mat<f64>,
    part: impl Fn(Range<usize>) -> Mat<f64> + Sync,
) -> Result<Mat<f64>> {
    let pieces = n.div_ceil(PIECE);
    let shares = shares(n);
    let sums: Vec<Mat<f64>> = (0..shares)
        .into_par_iter()
        .map(|share| {
            let mut sum = Mat::zeros(f.cols(), m);
            for piece in share * pieces / shares..(share + 1) * pieces / shares {
                ctx.poll()?;
                let rows = piece * PIECE..((piece + 1) * PIECE).min(n);
                let left = f.view().row_range(rows.start, rows.len()).transposed();
                multiply(left, part(rows).view(), sum.view_mut(), Onto::Sum);
            }
            Ok(sum)
        })
        .collect::<Result<_>>()?;
    let mut sums = sums.into_iter();
    let mut total = sums.next().expect("there are rows");
    for sum in sums {
        total.data_mut().iter_mut().zip(sum.data()).for_each(|(t, s)| *t += s);
    }
    Ok(total)
}

/// Partial sums side by side for n rows; fixed, whatever the number of threads.
pub(super) fn shares(n: usize) -> usize {
    8.min(n.div_ceil(PIECE))
}
