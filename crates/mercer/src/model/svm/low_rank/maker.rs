//! Features of samples, chunk by chunk, with sums over them.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram;
use crate::linalg::cholesky;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::points::{Samples, Span};
use crate::real::Real;

/// Rows that are computed at a time.
pub const CHUNK: usize = 2048;
/// Rows whose squares are one piece of work. Chunks have a multiple of them, so that sums do not depend on how rows are divided.
const PIECE: usize = 256;

/// What features φ̂(x) = L⁻¹ k_Z(x) are computed with.
pub struct Maker<T: Real> {
    pub on: KernelOn<T>,
    l: Mat<T>,
    /// L in double precision.
    pub factor: Mat<f64>,
}

/// Sums over samples.
#[derive(Default)]
pub struct Sums {
    /// Σ k(x, x).
    pub trace: f64,
    /// Σ k(x, x) − ‖φ̂(x)‖².
    pub residual: f64,
    /// The largest k(x, x).
    pub largest: f64,
    /// ‖φ̂(x)‖² of each sample.
    pub squares: Vec<f64>,
    /// Σ φ̂_j(x)² of each feature.
    pub added: Vec<f64>,
}

impl<T: Real> Maker<T> {
    /// With the kernel on the landmarks, and L.
    pub fn new(on: &KernelOn<T>, factor: &Mat<f64>) -> Self {
        let m = factor.rows();
        let l = Mat::from_fn(m, m, |i, j| T::from_f64(factor[(i, j)]));
        Self { on: on.clone(), l, factor: factor.clone() }
    }

    /// How many features there are.
    pub fn m(&self) -> usize {
        self.l.rows()
    }

    /// Sums over no samples.
    pub fn no_sums(&self) -> Sums {
        Sums { added: vec![0.0; self.m()], ..Sums::default() }
    }

    /// Computes the features of samples as the kernel takes them: `take` gets those of each chunk, in single precision if it wants them.
    pub fn each(
        &self,
        ctx: &Context,
        x: &Samples<T>,
        sums: &mut Sums,
        mut take: impl FnMut(usize, &Mat<T>) -> Result<()>,
    ) -> Result<()> {
        let n = x.n();
        let mut features = Mat::try_zeros(CHUNK.min(n), self.m())?;
        for from in (0..n).step_by(CHUNK) {
            let size = CHUNK.min(n - from);
            if size < features.rows() {
                features = Mat::try_zeros(size, self.m())?;
            }
            let span = Span::new(x, from..from + size);
            self.features(ctx, span, &mut features)?;
            self.add(ctx, sums, span, &features)?;
            take(from, &features)?;
        }
        Ok(())
    }

    /// The features of some samples.
    pub fn features(
        &self,
        ctx: &Context,
        span: Span<'_, Samples<T>>,
        out: &mut Mat<T>,
    ) -> Result<()> {
        gram::fill_kernel_values(ctx, &*self.on.kernel, span, &self.on.anchors, out)?;
        cholesky::divide_rows(ctx, &self.l, out)
    }

    fn add(
        &self,
        ctx: &Context,
        sums: &mut Sums,
        span: Span<'_, Samples<T>>,
        features: &Mat<T>,
    ) -> Result<()> {
        let mut diagonal = vec![T::ZERO; span.len()];
        self.on.kernel.diag(span, &mut diagonal)?;
        let m = features.cols();
        let square = |row: &[T]| row.iter().map(|v| f64::from(v.to_f64() as f32).powi(2)).sum();
        let squares: Vec<f64> = features.data().par_chunks(m).map(square).collect();
        for (value, square) in diagonal.iter().zip(&squares) {
            let value = value.to_f64();
            if !value.is_finite() || !square.is_finite() {
                return Err(not_finite());
            }
            sums.trace += value;
            sums.residual += (value - square).max(0.0);
            sums.largest = sums.largest.max(value);
        }
        sums.squares.extend(squares);
        let columns = |rows: &[T]| {
            let mut added = vec![0.0; m];
            let each = rows.iter().zip((0..m).cycle());
            each.for_each(|(v, j)| added[j] += v.to_f64() * v.to_f64());
            added
        };
        let parts: Vec<Vec<f64>> =
            ctx.install(|| features.data().par_chunks(PIECE * m).map(columns).collect());
        for part in parts {
            sums.added.iter_mut().zip(part).for_each(|(sum, v)| *sum += v);
        }
        Ok(())
    }
}

fn not_finite() -> Error {
    let message = "a kernel value is not finite: scale the data down, choose a smaller gamma or degree, or use double precision";
    Error::Numeric(message.into())
}

/// Numbers in single precision.
pub fn single<T: Real>(ctx: &Context, features: &Mat<T>, out: &mut [f32]) {
    let m = features.cols();
    ctx.install(|| {
        out.par_chunks_mut(m).zip(features.data().par_chunks(m)).for_each(|(out, row)| {
            out.iter_mut().zip(row).for_each(|(out, v)| *out = v.to_f64() as f32);
        });
    });
}
