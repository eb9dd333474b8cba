//! Eigenvalues and eigenvectors of a symmetric matrix, all of them.
//!
//! ```text
//! A  ──band──▶  band  ──bulge──▶  tridiagonal  ──divide and conquer──▶  Λ, Z  ──back──▶  Q₁ Q₂ Z
//! ```
//!
//! Two stages, because a direct reduction to a tridiagonal matrix reads all of the matrix once per column and waits
//! for memory; here everything large is a matrix product or stays in the cache. Of the upper triangle of A the second
//! stage makes storage for its reflectors, so besides A and the result only one more n × n matrix is held.

mod back;
mod band;
mod bulge;
mod deflate;
mod diamond;
mod few;
mod reflector;
mod secular;
mod tridiagonal;
mod wave;

#[cfg(test)]
mod tests;

pub use few::{Few, few};

use faer::Par;
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};

use super::view::Mat;
use crate::context::{Context, Step};
use crate::error::{Error, Result};

/// The bandwidth between the stages. A narrow band is chased sooner, a wide one gives larger products. Miri is slow enough for a
/// narrow one to show all there is to see.
const WIDTH: usize = if cfg!(miri) { 16 } else { 64 };

/// Up to this size, a few bandwidths, the matrix fits in the cache and the one-stage reduction does not wait for memory.
const SMALL: usize = 256;

/// Eigenpairs of a symmetric n × n matrix, eigenvalues descending.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// The eigenvalues, descending.
    pub values: Vec<f64>,
    /// n × n; **row** i is the unit eigenvector of `values[i]`.
    pub vectors: Mat<f64>,
}

/// Bytes that [`symmetric`] takes for an n × n matrix besides the matrix itself; the result is among them.
pub fn workspace_bytes(n: usize) -> u64 {
    let n = n as u64;
    if n <= SMALL as u64 {
        return 8 * (5 * n * n + 64 * n);
    }
    // The result, one more square, the factors and scales of the second stage's reflectors, and some bands of columns.
    8 * (2 * n * n + n * n / 8 + n * n / WIDTH as u64 + n * 1200) + (8 << 20)
}

/// All eigenpairs of the symmetric matrix whose lower triangle is that of `a` (n × n); the upper is not read.
pub fn symmetric(ctx: &Context, a: Mat<f64>) -> Result<Eigen> {
    let n = a.rows();
    assert_eq!(n, a.cols(), "a symmetric matrix is square");
    ctx.poll()?;
    if n <= SMALL { small(&a) } else { ctx.install(|| large(ctx, a)) }
}

/// All eigenpairs by two stages, on the threads of the current pool.
fn large(ctx: &Context, mut a: Mat<f64>) -> Result<Eigen> {
    let n = a.rows();
    let scale = rescale(&mut a)?;
    let progress = |from: f64, to: f64| {
        move |part: f64| {
            let done = from + part * (to - from);
            ctx.step(Step::new("eigen", done, 1.0))
        }
    };
    let factors = band::reduce(ctx, &mut a, &progress(0.0, 0.35))?;
    let mut middle = bulge::reduce(ctx, &mut a, &progress(0.35, 0.45))?;
    let mut z = Mat::try_zeros(n, n)?;
    let mut order = tridiagonal::solve(ctx, &mut middle.diagonal, &middle.below, &mut z)?;
    progress(0.45, 0.55)(1.0)?;
    order.reverse();
    let values = order.iter().map(|&row| middle.diagonal[row] * scale).collect();
    let vectors =
        back::transform(ctx, &a, &factors, &middle.scales, &z, &order, &progress(0.55, 1.0))?;
    Ok(Eigen { values, vectors })
}

/// Brings the largest entry of the lower triangle near one where squares might overflow or vanish; returns the factor
/// by which the eigenvalues are then too small. A power of two, so that nothing is rounded.
fn rescale(a: &mut Mat<f64>) -> Result<f64> {
    let n = a.rows();
    let mut largest = 0.0f64;
    for (i, row) in a.data().chunks_exact(n).enumerate() {
        let row = &row[..=i];
        if let Some(column) = row.iter().position(|x| !x.is_finite()) {
            return Err(Error::Numeric(format!(
                "entry ({i}, {column}) of a symmetric matrix is not a finite number: {}",
                row[column]
            )));
        }
        largest = row.iter().fold(largest, |most, x| most.max(x.abs()));
    }
    if largest == 0.0 || (1e-100..1e100).contains(&largest) {
        return Ok(1.0);
    }
    let exponent = largest.log2().round().clamp(-1000.0, 1000.0) as i32;
    let half = 2.0f64.powi(exponent / 2);
    let other = 2.0f64.powi(exponent - exponent / 2);
    // In two steps, because the reciprocal of a tiny power is out of range.
    a.data_mut().iter_mut().for_each(|x| *x = *x / half / other);
    Ok(half * other)
}

/// All eigenpairs on the calling thread, for matrices so small that anything cleverer costs more than it saves.
pub fn small(a: &Mat<f64>) -> Result<Eigen> {
    let n = a.rows();
    if n == 0 {
        return Ok(Eigen { values: Vec::new(), vectors: Mat::zeros(0, 0) });
    }
    let mut ascending = vec![0.0; n];
    let mut vectors = Mat::try_zeros(n, n)?;
    let params = Default::default();
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, params);
    let mut buffer = MemBuffer::new(scratch);
    self_adjoint_evd(
        faer::MatRef::from_row_major_slice(a.data(), n, n),
        DiagMut::from_slice_mut(&mut ascending),
        Some(faer::MatMut::from_column_major_slice_mut(vectors.data_mut(), n, n)),
        Par::Seq,
        MemStack::new(&mut buffer),
        params,
    )
    .map_err(|_| Error::Numeric("the eigenvalues of a symmetric matrix did not converge".into()))?;
    Ok(descending(ascending, vectors))
}

/// Reverses the order of eigenpairs.
fn descending(mut values: Vec<f64>, mut vectors: Mat<f64>) -> Eigen {
    values.reverse();
    let n = values.len();
    let data = vectors.data_mut();
    for i in 0..n / 2 {
        let (head, tail) = data.split_at_mut((n - 1 - i) * n);
        head[i * n..(i + 1) * n].swap_with_slice(&mut tail[..n]);
    }
    Eigen { values, vectors }
}
