//! The posterior standard deviation of a prediction: that of the Gaussian process whose covariance is the kernel and whose noise
//! has variance α (divided by the weight of a sample). The prediction itself is that of kernel ridge regression.
//!
//! var f(x) = k(x, x) − k_xᵀ G k_x, with G = (K + α W⁻¹)⁻¹; an intercept, a constant of unknown size, adds
//! (1 − 1ᵀ G k_x)² / 1ᵀ G 1.

use super::kernel_on::KernelOn;
use super::kernel_ridge::{KernelRidge, counted, kernel_on};
use super::normal;
use crate::context::{Context, Reservation, Step, try_pieces};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, MatrixFree, Scaled};
use crate::kernel::{SpecKernel, Tile};
use crate::linalg::product::{self, Onto};
use crate::linalg::view::{Mat, MatMut};
use crate::linalg::{cholesky, symmetric};
use crate::points::{AnySamples, Points, Samples, Span, with_samples};
use crate::real::Real;
use crate::solve::cg;

/// What is computed once for a model: a factor of K + α W⁻¹ for each different α, where the budget allows.
pub struct PosteriorStd(Box<dyn Deviations>);

/// The same in whichever number type the training samples have.
trait Deviations: Send + Sync {
    fn bytes(&self) -> u64;
    fn deviations(&self, ctx: &Context, x: &AnySamples) -> Result<Mat<f64>>;
    fn covariance(&self, ctx: &Context, x: &AnySamples, target: usize) -> Result<Mat<f64>>;
}

impl<T: Real> Deviations for Posterior<T> {
    fn bytes(&self) -> u64 {
        let n = self.scale.len() as u64;
        8 * n * n * self.ridges.iter().filter(|r| r.factor.is_some()).count() as u64
    }

    fn deviations(&self, ctx: &Context, x: &AnySamples) -> Result<Mat<f64>> {
        self.deviations_of(ctx, &x.to_type()?)
    }

    fn covariance(&self, ctx: &Context, x: &AnySamples, target: usize) -> Result<Mat<f64>> {
        self.covariance_of(ctx, &x.to_type()?, target)
    }
}

struct Posterior<T: Real> {
    /// The kernel on the training samples that count. An intercept sees no difference between a kernel and the kernel seen from a point.
    on: KernelOn<T>,
    /// The roots of their weights.
    scale: Vec<f64>,
    ridges: Vec<Ridge>,
    /// The ridge of each target.
    which: Vec<usize>,
    intercept: bool,
}

struct Ridge {
    alpha: f64,
    /// L with L Lᵀ = S K S + α; `None` where that does not fit the budget.
    factor: Option<(Mat<f64>, Reservation)>,
    /// G̃ s, and sᵀ G̃ s: what the intercept needs.
    constant: Vec<f64>,
    constant_sum: f64,
}

/// New samples that are worked on at a time.
const ROWS: usize = 128;
const HINT: &str = "fit on fewer rows or raise the memory budget";

impl PosteriorStd {
    /// Prepares the standard deviations of `model`, which must have its training samples.
    pub fn new(ctx: &Context, model: &KernelRidge) -> Result<Self> {
        refuse_landmarks(model)?;
        let all = model.anchors.as_ref().ok_or_else(|| {
            Error::parameter(
                Param::StandardDeviations,
                "the standard deviation needs the training samples and k(x, x), which a model fitted on a \
                 precomputed kernel does not have",
            )
        })?;
        with_samples!(all, all => Ok(Self(Box::new(Posterior::new(ctx, model, all)?))))
    }

    /// The factor for each target by which its kernel would best be multiplied: with it, deviations are in units of the target.
    /// It is the most likely one, √(yᵀ (K + α W⁻¹)⁻¹ y / n), and needs no more than the model knows.
    #[doc(hidden)]
    pub fn amplitudes(ctx: &Context, model: &KernelRidge) -> Result<Vec<f64>> {
        refuse_landmarks(model)?;
        let Some(anchors) = &model.anchors else {
            return Err(Error::parameter(
                Param::StandardDeviations,
                "a model fitted on a precomputed kernel has no training samples",
            ));
        };
        let fitted = model.predict(ctx, anchors)?;
        let weight = |i: usize| model.weights.as_ref().map_or(1.0, |w| w[i]);
        let alphas = &model.params.alpha;
        let counted = (0..model.n()).filter(|&i| weight(i) > 0.0);
        let amplitude = |j: usize| {
            let alpha = alphas[if alphas.len() == 1 { 0 } else { j }];
            // What was regressed on: the fit without its constant, and what it leaves over, α c / w.
            let term = |i: usize| {
                let c = model.coef[(i, j)];
                c * (fitted[(i, j)] - model.offset[j] + alpha * c / weight(i))
            };
            let sum: f64 = counted.clone().map(term).sum();
            (sum.max(0.0) / counted.clone().count() as f64).sqrt()
        };
        Ok((0..model.t()).map(amplitude).collect())
    }

    /// How many standard deviations an interval of probability `level` reaches to both sides.
    #[doc(hidden)]
    pub fn reach(level: f64) -> f64 {
        normal::reach(level)
    }

    /// Bytes that the factors take.
    #[doc(hidden)]
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// The standard deviation of each target's prediction for new samples: m × t.
    pub fn deviations(&self, ctx: &Context, x: impl Into<AnySamples>) -> Result<Mat<f64>> {
        self.0.deviations(ctx, &x.into())
    }

    /// The covariance of the predictions of one target for new samples: m × m.
    pub fn covariance(
        &self,
        ctx: &Context,
        x: impl Into<AnySamples>,
        target: usize,
    ) -> Result<Mat<f64>> {
        self.0.covariance(ctx, &x.into(), target)
    }
}

/// The posterior is that of all training samples, which a low-rank fit does not keep.
fn refuse_landmarks(model: &KernelRidge) -> Result<()> {
    match model.landmarks {
        None => Ok(()),
        Some(_) => Err(Error::parameter(
            Param::StandardDeviations,
            "not available for a model with landmarks: use intervals by cross-validation, or fit without landmarks",
        )),
    }
}

impl<T: Real> Posterior<T> {
    fn new(ctx: &Context, model: &KernelRidge, all: &Samples<T>) -> Result<Self> {
        let weights = model.weights.as_deref();
        let (anchors, scale) = match (counted(weights), weights) {
            (None, None) => (all.clone(), vec![1.0; all.n()]),
            (None, Some(w)) => (all.clone(), w.iter().map(|w| w.sqrt()).collect()),
            (Some(kept), w) => {
                let w = w.unwrap_or_default();
                (all.select(&kept), kept.iter().map(|&i| w[i].sqrt()).collect())
            }
        };
        let kernel = SpecKernel::<T>::new(&model.params.kernel)?;
        let mut distinct = model.params.alpha.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let place = |alpha: &f64| distinct.iter().position(|other| other == alpha).unwrap_or(0);
        let ridge_of: Vec<usize> = model.params.alpha.iter().map(place).collect();
        let which =
            (0..model.t()).map(|j| ridge_of[if ridge_of.len() == 1 { 0 } else { j }]).collect();
        let mut posterior = Self {
            on: kernel_on(&kernel, &anchors, model.params.intercept),
            scale,
            ridges: Vec::new(),
            which,
            intercept: model.params.intercept,
        };
        let count = distinct.len();
        let ridge = |(done, &alpha): (usize, &f64)| posterior.ridge(ctx, alpha, count - done);
        let ridges =
            ctx.install(|| distinct.iter().enumerate().map(ridge).collect::<Result<Vec<_>>>())?;
        posterior.ridges = ridges;
        Ok(posterior)
    }

    fn ridge(&self, ctx: &Context, alpha: f64, count: usize) -> Result<Ridge> {
        let n = self.scale.len();
        let one = (8 * n as u64).saturating_mul(n as u64);
        // The others, each of which will need as much, and panels of the factor.
        if one.saturating_mul(count as u64).saturating_add(8 * 512 * n as u64) > ctx.budget() {
            return self.ridge_by_products(ctx, alpha);
        }
        let reservation = ctx.reserve("the factor for standard deviations", one, HINT)?;
        let tiled = MatrixFree::new(&*self.on.kernel, self.on.anchors.clone());
        let mut factor = Scaled::new(&tiled, &self.scale).lower(ctx)?;
        (0..n).for_each(|i| factor[(i, i)] += alpha);
        cholesky::factor(ctx, &mut factor).map_err(|error| match error {
            Error::Numeric(_) => Error::Numeric(format!(
                "K + alpha is not positive definite with alpha = {alpha:e}, so there is no standard deviation: raise alpha"
            )),
            other => other,
        })?;
        let mut constant = Mat::from_vec(self.scale.clone(), n, 1);
        cholesky::solve(ctx, &factor, &mut constant)?;
        Ok(self.with_constant(alpha, Some((factor, reservation)), constant))
    }

    fn ridge_by_products(&self, ctx: &Context, alpha: f64) -> Result<Ridge> {
        let ones = Mat::from_vec(self.scale.clone(), self.scale.len(), 1);
        let constant = self.divide(ctx, alpha, &ones)?;
        Ok(self.with_constant(alpha, None, constant))
    }

    fn with_constant(
        &self,
        alpha: f64,
        factor: Option<(Mat<f64>, Reservation)>,
        constant: Mat<f64>,
    ) -> Ridge {
        let constant = constant.into_vec();
        let constant_sum = constant.iter().zip(&self.scale).map(|(c, s)| c * s).sum();
        Ridge { alpha, factor, constant, constant_sum }
    }

    /// G̃ b by conjugate gradients.
    fn divide(&self, ctx: &Context, alpha: f64, b: &Mat<f64>) -> Result<Mat<f64>> {
        let n = self.scale.len();
        let tiled = MatrixFree::new(&*self.on.kernel, self.on.anchors.clone());
        let scaled = Scaled::new(&tiled, &self.scale);
        let ridge = vec![alpha; n];
        let matrix = cg::Matrix { gram: &scaled, rough: None, ridge: &ridge };
        let tolerance = if T::EPSILON < 1e-10 { 1e-8 } else { 1e-5 };
        let mut params = cg::Params::new(n, tolerance, 1000, 0);
        params.landmarks = cg::landmarks_within(n, ctx.budget() / 2);
        let (x, info) = cg::solve(ctx, matrix, b, None, &params)?;
        if !info.converged {
            return Err(Error::Numeric(format!(
                "the standard deviations did not converge: residual {:.1e} after {} passes; raise the memory \
                 budget to {}, so that a Cholesky factor fits, or raise alpha",
                info.residual,
                info.passes,
                crate::error::bytes(8 * (n as u64).pow(2))
            )));
        }
        Ok(x)
    }

    fn deviations_of(&self, ctx: &Context, x: &Samples<T>) -> Result<Mat<f64>> {
        self.on.anchors.check_like(x)?;
        let x = &self.on.moved(x)?;
        let (m, t) = (x.n(), self.which.len());
        let mut out = Mat::zeros(m, t);
        let mut diagonal = vec![T::ZERO; m];
        self.on.kernel.diag(Span::all(x), &mut diagonal)?;
        // Kernel values in both types, and divided by the factor or turned, of as many rows as fit a quarter of the budget.
        let line = 32 * self.scale.len() as u64;
        let at_once = (ctx.budget() / 4 / line.max(1)).clamp(1, ROWS as u64);
        let _reservation =
            ctx.reserve("the computation of standard deviations", at_once * line, HINT)?;
        let at_once = at_once as usize;
        for from in (0..m).step_by(at_once) {
            let rows = from..(from + at_once).min(m);
            let values = ctx.install(|| self.values(ctx, x, rows.clone()))?;
            for (r, ridge) in self.ridges.iter().enumerate() {
                let reduced = self.reductions(ctx, ridge, &values)?;
                for (i, row) in rows.clone().enumerate() {
                    let variance = (diagonal[row].to_f64() - reduced[i]).max(0.0);
                    let targets = (0..t).filter(|&j| self.which[j] == r);
                    targets.for_each(|j| out[(row, j)] = variance.sqrt());
                }
            }
            let (done, total) = (rows.end as f64, m as f64);
            ctx.step(Step::new("standard deviations", done, total))?;
        }
        Ok(out)
    }

    /// K** − K* G K*ᵀ, and with an intercept the outer product of what it does not know.
    fn covariance_of(&self, ctx: &Context, x: &Samples<T>, target: usize) -> Result<Mat<f64>> {
        self.on.anchors.check_like(x)?;
        let x = &self.on.moved(x)?;
        let (m, n) = (x.n(), self.scale.len());
        let ridge = &self.ridges[self.which[target]];
        let bytes = 16 * (m as u64) * (n as u64) + 8 * (m as u64).pow(2);
        let _reservation =
            ctx.reserve("the covariance of predictions", bytes, "predict fewer rows at a time")?;
        let values = ctx.install(|| self.values(ctx, x, 0..m))?;
        let missing = self.missing(ridge, &values);
        let (left, right) = match &ridge.factor {
            Some((factor, _)) => {
                let mut divided = values;
                cholesky::divide_rows(ctx, factor, &mut divided)?;
                (divided.clone(), divided)
            }
            None => {
                let turned = Mat::from_fn(n, m, |i, j| values[(j, i)]);
                let solved = self.divide(ctx, ridge.alpha, &turned)?;
                (values, Mat::from_fn(m, n, |i, j| solved[(j, i)]))
            }
        };
        let mut out = Mat::try_zeros(m, m)?;
        let fill =
            |rows: std::ops::Range<usize>, cols: std::ops::Range<usize>, tile: &mut [f64]| {
                ctx.poll()?;
                let (height, width) = (rows.len(), cols.len());
                let mut own = vec![T::ZERO; height * width];
                let (left, right) = (
                    left.view().row_range(rows.start, height),
                    right.view().row_range(cols.start, width).transposed(),
                );
                let target = Tile::new(&mut own, height, width, width);
                let (above, beside) = (Span::new(x, rows.clone()), Span::new(x, cols.clone()));
                self.on.kernel.tile(above, beside, target)?;
                tile.iter_mut().zip(&own).for_each(|(place, v)| *place = v.to_f64());
                product::multiply(
                    left,
                    right,
                    MatMut::new(tile, height, width, width),
                    Onto::Difference,
                );
                for (at, place) in tile.iter_mut().enumerate() {
                    *place += missing[rows.start + at / width] * missing[cols.start + at % width];
                }
                Ok(())
            };
        ctx.install(|| symmetric::fill(out.view_mut(), fill))?;
        Ok(out)
    }

    /// (1 − 1ᵀ G k_x) / √(1ᵀ G 1) of each row of `values`: how little the training samples say of the constant there.
    fn missing(&self, ridge: &Ridge, values: &Mat<f64>) -> Vec<f64> {
        let of = |i: usize| {
            let known: f64 = values.row(i).iter().zip(&ridge.constant).map(|(v, c)| v * c).sum();
            (1.0 - known) / ridge.constant_sum.sqrt()
        };
        match self.intercept && ridge.constant_sum > 0.0 {
            true => (0..values.rows()).map(of).collect(),
            false => vec![0.0; values.rows()],
        }
    }

    /// Kernel values of some new samples with the training samples, times the roots of weights: rows × n.
    fn values(
        &self,
        ctx: &Context,
        x: &Samples<T>,
        rows: std::ops::Range<usize>,
    ) -> Result<Mat<f64>> {
        let n = self.scale.len();
        let mut out = Mat::zeros(rows.len(), n);
        try_pieces(out.data_mut(), 16 * n, &|piece, lines| {
            ctx.poll()?;
            let count = lines.len() / n;
            let start = rows.start + 16 * piece;
            let mut values = vec![T::ZERO; count * n];
            let tile = Tile::new(&mut values, count, n, n);
            let anchors = Span::all(&self.on.anchors);
            self.on.kernel.tile(Span::new(x, start..start + count), anchors, tile)?;
            for (line, values) in lines.chunks_exact_mut(n).zip(values.chunks_exact(n)) {
                for ((place, v), s) in line.iter_mut().zip(values).zip(&self.scale) {
                    *place = v.to_f64() * s;
                }
            }
            Ok::<_, Error>(())
        })?;
        Ok(out)
    }

    /// By how much the training samples reduce the variance at each row of `values`.
    fn reductions(&self, ctx: &Context, ridge: &Ridge, values: &Mat<f64>) -> Result<Vec<f64>> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let rows = values.rows();
        let mut reduced: Vec<f64> = match &ridge.factor {
            Some((factor, _)) => {
                let mut divided = values.clone();
                cholesky::divide_rows(ctx, factor, &mut divided)?;
                (0..rows).map(|i| dot(divided.row(i), divided.row(i))).collect()
            }
            None => {
                let turned = Mat::from_fn(values.cols(), rows, |i, j| values[(j, i)]);
                let solved = self.divide(ctx, ridge.alpha, &turned)?;
                let product = |j: usize| (0..values.cols()).map(move |i| (i, j));
                let sum = |j| product(j).map(|(i, j)| values[(j, i)] * solved[(i, j)]).sum();
                (0..rows).map(sum).collect()
            }
        };
        let missing = self.missing(ridge, values);
        reduced
            .iter_mut()
            .zip(missing)
            .for_each(|(reduced, missing)| *reduced -= missing * missing);
        Ok(reduced)
    }
}
