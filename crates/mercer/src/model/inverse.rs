//! From components back to samples: kernel ridge regression of the samples on their components, with a kernel and a
//! penalty of its own.
//!
//! Without a penalty from the user, the one is taken whose map restores samples best that were left out of it. No map is
//! learned again for that: with G = (K + α)⁻¹, the residual of sample i in a regression without it is (G y)_i / G_ii. Where
//! the mean is taken away first, a fit without sample i has another mean, y_i / (n − 1) away from that of all (y less the
//! mean of all), so its residual is ((G y)_i + y_i / (n − 1) · (G 1)_i) / G_ii, exactly.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::input::check_columns;
use super::regression::{Regression, params_of};
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Param, Result};
use crate::expansion::Expansion;
use crate::gram::{plan, product_bytes};
use crate::kernel::{Kernel, KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatMut};
use crate::points::{AnyMat, AnySamples, Dense, Dtype, Samples, Span, with_samples};
use crate::real::Real;
use crate::solve::path::{self, Path};
use crate::solve::ridge::Solver;

/// Parameters of the inverse map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InverseParams {
    /// The kernel on components; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// The ridge penalty, not negative; with 0, equal components of different samples have no solution. `None`: chosen
    /// by leave-one-out among powers of ten; a fitted map holds the one chosen.
    pub alpha: Option<f64>,
    /// Whether the mean of the samples is subtracted before the regression and added back after it.
    pub center: bool,
}

/// A fitted inverse map, from components to samples.
#[derive(Clone)]
pub struct Inverse {
    /// The parameters, with the kernel as it was resolved.
    pub params: InverseParams,
    /// The components of the training samples: n × k.
    pub anchors: AnySamples,
    /// n × d.
    pub coef: Mat<f64>,
    /// d numbers.
    pub offset: Vec<f64>,
}

impl Inverse {
    /// Learns the map from `scores` (n × k) to `x` (n × d).
    pub(super) fn fit<T: Real>(
        ctx: &Context,
        params: &InverseParams,
        scores: &Mat<f64>,
        x: &Dense<T>,
    ) -> Result<Self> {
        if let Some(alpha) = params.alpha.filter(|alpha| !(*alpha >= 0.0 && alpha.is_finite())) {
            return Err(Error::parameter(
                Param::InverseAlpha,
                format!("must not be negative, got {alpha}"),
            ));
        }
        let (n, k, d) = (scores.rows(), scores.cols(), x.d());
        if k == 0 {
            return Err(Error::Numeric(
                "no component has positive variance, so there is no inverse map to learn".into(),
            ));
        }
        let bytes = 8 * (n as u64) * (k + 2 * d) as u64;
        let hint = "fit on fewer rows or raise the memory budget";
        let _reservation = ctx.reserve("the inverse map", bytes, hint)?;
        let anchors =
            Dense::from_vec(scores.data().iter().map(|&v| T::from_f64(v)).collect(), n, k)?;
        let kernel_spec = params.kernel.resolve(&anchors)?;
        let kernel = SpecKernel::<T>::new(&kernel_spec)?;
        let mut offset = vec![0.0; d];
        if params.center {
            for i in 0..n {
                offset.iter_mut().zip(x.row(i)).for_each(|(o, v)| *o += v.to_f64() / n as f64);
            }
        }
        let targets = Mat::from_fn(n, d, |i, j| x.row(i)[j].to_f64() - offset[j]);
        let (alpha, coef) = match params.alpha {
            Some(alpha) => (alpha, regress(ctx, alpha, &kernel, &anchors, &targets)?),
            None => choose(ctx, &kernel, &anchors, &targets, params.center)?,
        };
        let params =
            InverseParams { kernel: kernel_spec, alpha: Some(alpha), center: params.center };
        Ok(Self { params, anchors: anchors.into(), coef, offset })
    }

    /// Writes the samples (m × d) that `scores` (m × k) map to.
    #[doc(hidden)]
    pub fn apply<O: Real>(
        &self,
        ctx: &Context,
        scores: AnyMat<'_>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        check_columns(self.anchors.features(), scores.cols())?;
        with_samples!(&self.anchors, anchors => self.map(ctx, anchors, &scores.to_dense()?.into(), out))
    }

    fn map<T: Real, O: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        scores: &Samples<T>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let kernel = Arc::new(SpecKernel::<T>::new(&self.params.kernel)?);
        Expansion::new(kernel, anchors.clone(), &self.coef, &self.offset).scores(ctx, scores, out)
    }
}

/// The penalties to choose from, as powers of ten times the mean of k(y, y).
const POWERS: std::ops::RangeInclusive<i32> = -10..=2;

/// The penalty of the smallest squared residuals of samples left out, and its coefficients (n × d).
fn choose<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    anchors: &Dense<T>,
    targets: &Mat<f64>,
    center: bool,
) -> Result<(f64, Mat<f64>)> {
    let (n, d) = (targets.rows(), targets.cols());
    if n < 2 {
        let message = "leave-one-out needs at least two samples: set it to a number";
        return Err(Error::parameter(Param::InverseAlpha, message));
    }
    // The last right-hand side is the constant.
    let right = Mat::from_fn(n, d + 1, |i, j| if j < d { targets[(i, j)] } else { 1.0 });
    let (path, _reservation) = decompose(ctx, kernel, anchors, &right)?;
    let alphas = penalties(kernel, anchors, &path)?;
    let diagonals = path.inverse_diagonals(ctx, &alphas)?;
    let mut best: Option<(f64, f64, Mat<f64>)> = None;
    for (a, &alpha) in alphas.iter().enumerate() {
        let found = path.solutions(ctx, &[alpha])?;
        let diagonal = |i: usize| diagonals[(i, a)];
        let error = left_out(&found, targets, diagonal, center);
        if best.as_ref().is_none_or(|(lowest, ..)| error < *lowest) {
            best = Some((error, alpha, found));
        }
        ctx.step(Step::new("penalty of the inverse map", (a + 1) as f64, alphas.len() as f64))?;
    }
    let (_, alpha, found) = best.ok_or_else(|| {
        let message = "every candidate penalty of the inverse map is below rounding error: set alpha to a number";
        Error::Numeric(message.into())
    })?;
    Ok((alpha, found.first_columns(d)))
}

/// The sum of squared residuals of samples left out: `found` holds G y and G 1 (n × (d + 1)), `diagonal(i)` is G_ii.
fn left_out(
    found: &Mat<f64>,
    targets: &Mat<f64>,
    diagonal: impl Fn(usize) -> f64,
    center: bool,
) -> f64 {
    let (n, d) = (targets.rows(), targets.cols());
    let share = if center { 1.0 / (n as f64 - 1.0) } else { 0.0 };
    let row = |i: usize| {
        let line = found.row(i);
        let pairs = line[..d].iter().zip(targets.row(i));
        let squares = pairs.map(|(c, y)| (c + share * y * line[d]).powi(2));
        squares.sum::<f64>() / diagonal(i).powi(2)
    };
    (0..n).map(row).sum()
}

/// The penalties, largest first, so that of equally good ones the largest is kept. Those lost in the rounding of the
/// matrix are left out.
fn penalties<T: Real>(kernel: &SpecKernel<T>, anchors: &Dense<T>, path: &Path) -> Result<Vec<f64>> {
    let mut diagonal = vec![T::ZERO; anchors.n()];
    kernel.diag(Span::all(anchors), &mut diagonal)?;
    let mean = diagonal.iter().map(|v| v.to_f64()).sum::<f64>() / anchors.n() as f64;
    let unit = if mean > 0.0 { mean } else { 1.0 };
    let noise = (anchors.n() as f64).sqrt() * T::EPSILON * path.norm();
    let all = POWERS.rev().map(|power| unit * 10f64.powi(power));
    Ok(all.filter(|alpha| *alpha > noise).collect())
}

fn decompose<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    anchors: &Dense<T>,
    right: &Mat<f64>,
) -> Result<(Path, Reservation)> {
    let n = anchors.n();
    let (what, sides) =
        ("choosing the penalty of the inverse map", 8 * 2 * right.data().len() as u64);
    let hint = "set alpha to a number, fit on fewer rows, or raise the memory budget";
    let workspace = path::workspace_bytes(n).saturating_add(2 * sides);
    ctx.need(what, workspace.saturating_add(product_bytes(n)), hint)?;
    let reservation = ctx.reserve(what, sides, hint)?;
    let plan = plan::<T>(ctx, n, path::workspace_bytes(n).saturating_add(sides))?;
    let gram = plan.build(ctx, kernel, anchors)?;
    Ok((Path::new(ctx, &*gram, right)?, reservation))
}

fn regress<T: Real>(
    ctx: &Context,
    alpha: f64,
    kernel: &SpecKernel<T>,
    anchors: &Dense<T>,
    targets: &Mat<f64>,
) -> Result<Mat<f64>> {
    let alphas = [alpha];
    let regression = Regression {
        targets,
        alphas: &alphas,
        weights: None,
        intercept: false,
        start: None,
        solver: Solver::Auto,
        params: params_of(Dtype::of::<T>(), None, None, 0)?,
    };
    let found = regression.on_samples(ctx, kernel, anchors)?;
    if !found.info.converged {
        return Err(Error::Numeric(format!(
            "the inverse map did not converge: residual {:.1e} after {} passes; raise its penalty or the memory budget",
            found.info.residual, found.info.passes
        )));
    }
    Ok(found.coef)
}
