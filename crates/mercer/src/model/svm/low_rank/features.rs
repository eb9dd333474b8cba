//! The features of samples: kept in single precision where they fit the memory budget, else computed anew whenever they are needed.

use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Result};
use crate::gram;
use crate::linalg::cholesky;
use crate::linalg::rows::{add_scaled, dot};
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::points::{Points, Samples, Span};
use crate::real::Real;
use crate::solve::dual_descent::{Chosen, FeatureRows, StoredRows};

use rayon::prelude::*;

/// Rows that are computed at a time.
const CHUNK: usize = 2048;
/// Rows whose squares are one piece of work.
const PIECE: usize = 256;
/// Rows at least that the solver must be able to hold.
const FEWEST: usize = 4096;
/// The share of the budget that features may take.
const SHARE: f64 = 0.8;

/// The features of samples, with what is known of them.
pub struct Features<'a> {
    pub rows: Box<dyn FeatureRows + 'a>,
    /// Σ k(x, x).
    pub trace: f64,
    /// Σ k(x, x) − ‖φ̂(x)‖².
    pub residual: f64,
    /// The largest k(x, x).
    pub largest: f64,
    /// Σ φ̂_j(x)² of each feature: what each landmark adds to those before it.
    pub added: Vec<f64>,
    pub reservation: Reservation,
}

/// Bytes of n rows of m features.
fn bytes(n: usize, m: usize) -> u64 {
    4 * (n as u64).saturating_mul(m as u64)
}

/// Bytes that a fit on m landmarks needs at least: their kernel matrix, its factor in two precisions, some rows of features, and the solver.
pub fn least_bytes<T: Real>(n: usize, m: usize) -> u64 {
    let squares = 32 * (m as u64).saturating_mul(m as u64);
    let chunk = (size_of::<T>() * CHUNK.min(n)) as u64 * m as u64;
    squares + chunk + 3 * bytes(FEWEST.min(n), m) + super::EACH * n as u64
}

impl<'a> Features<'a> {
    /// The features of samples `x`, as the kernel takes them.
    pub fn new<T: Real>(
        ctx: &Context,
        on: &KernelOn<T>,
        factor: &Mat<f64>,
        x: Samples<T>,
    ) -> Result<Self> {
        let (n, m) = (x.n(), factor.rows());
        let l = Mat::from_fn(m, m, |i, j| T::from_f64(factor[(i, j)]));
        let compute = Compute { on: on.clone(), l, factor: factor.clone(), x };
        let hint = "use fewer landmarks or raise the memory budget";
        let allowed = (SHARE * ctx.budget() as f64) as u64;
        match bytes(n, m) <= allowed {
            true => {
                let reservation = ctx.reserve("the features of all rows", bytes(n, m), hint)?;
                compute.stored(ctx, reservation)
            }
            false => {
                let most = usize::try_from(allowed / 2 / bytes(1, m).max(1)).unwrap_or(usize::MAX);
                if most < FEWEST.min(n) {
                    let (needed, budget) = (2 * bytes(FEWEST.min(n), m), ctx.budget());
                    return Err(Error::memory("the features of some rows", needed, budget, hint));
                }
                let reservation = ctx.reserve("the features of some rows", bytes(most, m), hint)?;
                compute.recomputed(ctx, most, reservation)
            }
        }
    }
}

/// What features are computed with.
struct Compute<T: Real> {
    on: KernelOn<T>,
    l: Mat<T>,
    factor: Mat<f64>,
    x: Samples<T>,
}

/// Sums over samples.
#[derive(Default)]
struct Sums {
    trace: f64,
    residual: f64,
    largest: f64,
    squares: Vec<f64>,
    added: Vec<f64>,
}

impl<T: Real> Compute<T> {
    fn stored<'a>(self, ctx: &Context, reservation: Reservation) -> Result<Features<'a>> {
        let (n, m) = (self.x.n(), self.l.rows());
        let mut rows = Mat::<f32>::try_zeros(n, m)?;
        let sums = self.each(ctx, |from, features| {
            let out = &mut rows.data_mut()[from * m..][..features.data().len()];
            ctx.install(|| {
                out.par_chunks_mut(m).zip(features.data().par_chunks(m)).for_each(|(out, row)| {
                    out.iter_mut().zip(row).for_each(|(out, v)| *out = v.to_f64() as f32);
                });
            });
        })?;
        let Sums { trace, residual, largest, added, .. } = sums;
        let rows = Box::new(StoredRows::new(rows));
        Ok(Features { rows, trace, residual, largest, added, reservation })
    }

    fn recomputed<'a>(
        self,
        ctx: &Context,
        most: usize,
        reservation: Reservation,
    ) -> Result<Features<'a>>
    where
        T: 'a,
    {
        let Sums { trace, residual, largest, squares, added } = self.each(ctx, |_, _| {})?;
        let rows = Box::new(Recomputed { compute: self, squares, most });
        Ok(Features { rows, trace, residual, largest, added, reservation })
    }

    /// Computes the features of all samples, chunk by chunk.
    fn each(&self, ctx: &Context, mut take: impl FnMut(usize, &Mat<T>)) -> Result<Sums> {
        let n = self.x.n();
        let mut sums = Sums { added: vec![0.0; self.l.rows()], ..Sums::default() };
        let mut features = Mat::try_zeros(CHUNK.min(n), self.l.rows())?;
        for from in (0..n).step_by(CHUNK) {
            let size = CHUNK.min(n - from);
            if size < features.rows() {
                features = Mat::try_zeros(size, self.l.rows())?;
            }
            let span = Span::new(&self.x, from..from + size);
            self.features(ctx, span, &mut features)?;
            self.add(ctx, &mut sums, span, &features)?;
            take(from, &features);
            ctx.step(Step::new("features", (from + size) as f64, n as f64))?;
        }
        Ok(sums)
    }

    fn features(&self, ctx: &Context, span: Span<'_, Samples<T>>, out: &mut Mat<T>) -> Result<()> {
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
        let squares: Vec<f64> = features
            .data()
            .par_chunks(m)
            .map(|row| row.iter().map(|v| f64::from(v.to_f64() as f32).powi(2)).sum())
            .collect();
        for (value, square) in diagonal.iter().zip(&squares) {
            let value = value.to_f64();
            if !value.is_finite() || !square.is_finite() {
                return Err(Error::Numeric(
                    "a kernel value is not finite: scale the data down, choose a smaller gamma or degree, or use double \
                     precision"
                        .into(),
                ));
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

/// Features that are computed whenever they are needed.
struct Recomputed<T: Real> {
    compute: Compute<T>,
    squares: Vec<f64>,
    most: usize,
}

impl<T: Real> Recomputed<T> {
    /// The kernel values of some samples with the landmarks, chunk by chunk.
    fn values(
        &self,
        ctx: &Context,
        rows: &[usize],
        mut take: impl FnMut(usize, &Mat<T>),
    ) -> Result<()> {
        let on = &self.compute.on;
        for (piece, rows) in rows.chunks(CHUNK).enumerate() {
            ctx.poll()?;
            let some = self.compute.x.select(rows);
            let mut values = Mat::try_zeros(rows.len(), self.m())?;
            gram::fill_kernel_values(ctx, &*on.kernel, Span::all(&some), &on.anchors, &mut values)?;
            take(piece * CHUNK, &values);
        }
        Ok(())
    }
}

impl<T: Real> FeatureRows for Recomputed<T> {
    fn m(&self) -> usize {
        self.compute.l.rows()
    }

    fn most(&self) -> usize {
        self.most
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn products(&self, ctx: &Context, rows: &[usize], w: &[f64], out: &mut [f64]) -> Result<()> {
        let mut coef = Mat::from_vec(w.to_vec(), w.len(), 1);
        cholesky::solve_backward(ctx, &self.compute.factor, &mut coef)?;
        self.values(ctx, rows, |from, values| {
            let own = &mut out[from..from + values.rows()];
            let each = own.par_iter_mut().zip(values.data().par_chunks(values.cols()));
            ctx.install(|| each.for_each(|(out, row)| dot(row, coef.data(), out)));
        })
    }

    fn sum(&self, ctx: &Context, beta: &[(usize, f64)]) -> Result<Vec<f64>> {
        let rows: Vec<usize> = beta.iter().map(|(row, _)| *row).collect();
        let mut sum = Mat::zeros(self.m(), 1);
        self.values(ctx, &rows, |from, values| {
            for (i, (_, by)) in beta[from..from + values.rows()].iter().enumerate() {
                add_scaled(values.row(i), *by, sum.data_mut());
            }
        })?;
        cholesky::solve_forward(ctx, &self.compute.factor, &mut sum)?;
        Ok(sum.into_vec())
    }

    fn chosen(&self, ctx: &Context, rows: &[usize]) -> Result<Chosen<'_>> {
        let m = self.m();
        let mut out = Mat::<f32>::try_zeros(rows.len(), m)?;
        for (piece, rows) in rows.chunks(CHUNK).enumerate() {
            let some = self.compute.x.select(rows);
            let mut features = Mat::try_zeros(rows.len(), m)?;
            self.compute.features(ctx, Span::all(&some), &mut features)?;
            let own = out.data_mut()[piece * CHUNK * m..].iter_mut();
            own.zip(features.data()).for_each(|(out, v)| *out = v.to_f64() as f32);
        }
        Ok(Chosen::Copied(out))
    }
}
