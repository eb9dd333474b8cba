//! From components back to samples: kernel ridge regression of the samples on their components, with a kernel and a
//! penalty of its own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::gram::{Gram, Packed, Storage, Tiled, plan};
use crate::kernel::{Kernel, KernelSpec, VectorKernel};
use crate::linalg::cholesky;
use crate::linalg::view::{Mat, MatMut};
use crate::points::Dense;
use crate::real::Real;
use crate::solve::cg;

/// How the map back is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InverseParams {
    /// The kernel on components; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// The ridge penalty, not negative; without one, equal components of different samples have no solution.
    pub alpha: f64,
    /// Whether the mean of the samples is taken away before the regression and added again after it.
    pub center: bool,
}

/// A map from components to samples.
#[derive(Clone)]
pub struct Inverse<T: Real> {
    /// The parameters, with the kernel as it was resolved.
    pub params: InverseParams,
    /// The components of the training samples: n × k.
    pub anchors: Dense<T>,
    /// n × d.
    pub coef: Mat<f64>,
    /// d numbers.
    pub offset: Vec<f64>,
}

impl<T: Real> Inverse<T> {
    /// Learns the map from `scores` (n × k) to `x` (n × d).
    pub(super) fn fit(
        ctx: &Context,
        params: &InverseParams,
        scores: &Mat<f64>,
        x: &Dense<T>,
    ) -> Result<Self> {
        if !(params.alpha >= 0.0 && params.alpha.is_finite()) {
            return Err(Error::parameter(
                "alpha",
                format!("must not be negative, and is {}", params.alpha),
            ));
        }
        let (n, k, d) = (scores.rows(), scores.cols(), x.d());
        if k == 0 {
            return Err(Error::Numeric(
                "there is no component of positive variance to learn a map back from".into(),
            ));
        }
        let anchors = Dense::from_vec(scores.data().iter().map(|&v| T::of(v)).collect(), n, k)?;
        let kernel_spec = params.kernel.resolve(&anchors)?;
        let kernel = VectorKernel::<T>::new(&kernel_spec)?;
        let mut offset = vec![0.0; d];
        if params.center {
            for i in 0..n {
                offset.iter_mut().zip(x.row(i)).for_each(|(o, v)| *o += v.f64() / n as f64);
            }
        }
        let targets = Mat::from_fn(n, d, |i, j| x.row(i)[j].f64() - offset[j]);
        let coef = regress(ctx, &kernel, &anchors, params.alpha, targets)?;
        let params = InverseParams { kernel: kernel_spec, ..params.clone() };
        Ok(Self { params, anchors, coef, offset })
    }

    /// Writes the samples (m × d) that `scores` (m × k) map to.
    pub fn apply(&self, ctx: &Context, scores: &Dense<T>, out: MatMut<'_, T>) -> Result<()> {
        if scores.d() != self.anchors.d() {
            return Err(Error::Features { expected: self.anchors.d(), found: scores.d() });
        }
        let kernel: Arc<dyn Kernel<Dense<T>, T>> =
            Arc::new(VectorKernel::<T>::new(&self.params.kernel)?);
        Expansion::new(kernel, self.anchors.clone(), &self.coef, &self.offset)
            .scores(ctx, scores, out)
    }
}

/// (K + alpha)⁻¹ · targets: by Cholesky where the square fits the budget, else by products with the matrix.
fn regress<T: Real>(
    ctx: &Context,
    kernel: &VectorKernel<T>,
    anchors: &Dense<T>,
    alpha: f64,
    mut targets: Mat<f64>,
) -> Result<Mat<f64>> {
    let n = anchors.n();
    let needed = Packed::<T>::bytes(n) + 8 * (n as u64).saturating_mul(n as u64);
    if needed > ctx.budget() && alpha > 0.0 {
        return by_products(ctx, kernel, anchors, alpha, &targets);
    }
    let hint = "give it a penalty, which products with the matrix need, fit on fewer rows, or raise the budget";
    ctx.need("the map back to samples", needed, hint)?;
    let mut matrix = Packed::fill(ctx, kernel, anchors)?.lower(ctx)?;
    (0..n).for_each(|i| matrix[(i, i)] += alpha);
    cholesky::factor(ctx, &mut matrix)?;
    cholesky::solve(ctx, &matrix, &mut targets)?;
    Ok(targets)
}

fn by_products<T: Real>(
    ctx: &Context,
    kernel: &VectorKernel<T>,
    anchors: &Dense<T>,
    alpha: f64,
    targets: &Mat<f64>,
) -> Result<Mat<f64>> {
    let n = anchors.n();
    let landmarks = cg::landmarks(n);
    let tolerance = if T::EPSILON < 1e-10 { 1e-8 } else { 1e-6 };
    let params = cg::Params { tolerance, max_passes: 1000, landmarks, seed: 0 };
    let gram: Box<dyn Gram + '_> =
        match plan::<T>(ctx, n, cg::workspace_bytes(n, landmarks))?.storage {
            Storage::Packed => Box::new(Packed::fill(ctx, kernel, anchors)?),
            Storage::Tiled => Box::new(Tiled::new(kernel, anchors.clone())),
        };
    let (coef, info) = cg::solve(ctx, &*gram, &vec![alpha; n], targets, &params)?;
    if !info.converged {
        return Err(Error::Numeric(format!(
            "the map back to samples did not converge: residual {:.1e} after {} passes; raise its penalty or the \
             memory budget",
            info.residual, info.passes
        )));
    }
    Ok(coef)
}
