//! From components back to samples: kernel ridge regression of the samples on their components, with a kernel and a
//! penalty of its own.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::regression::{Regression, params_of};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::kernel::{Kernel, KernelSpec, VectorKernel};
use crate::linalg::view::{Mat, MatMut};
use crate::points::Dense;
use crate::real::Real;
use crate::solve::ridge::Solver;

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
        let coef = regress(ctx, params.alpha, &kernel, &anchors, &targets)?;
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

fn regress<T: Real>(
    ctx: &Context,
    alpha: f64,
    kernel: &VectorKernel<T>,
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
        params: params_of::<T>(None, None, 0)?,
    };
    let found = regression.on_samples(ctx, kernel, anchors)?;
    if !found.info.converged {
        return Err(Error::Numeric(format!(
            "the map back to samples did not converge: residual {:.1e} after {} passes; raise its penalty or the \
             memory budget",
            found.info.residual, found.info.passes
        )));
    }
    Ok(found.coef)
}
