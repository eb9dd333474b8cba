//! The objective as a function of the logarithms of parameters.

use super::system::System;
use super::{Objective, OptimizeParams, Samples, alignment, evidence, left_out};
use crate::context::{Context, Reservation};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, MatrixFree, TILE, TileWeights, parameter_sums};
use crate::kernel::{Hyperparameter, KernelSpec, SpecKernel, TunedKernel};
use crate::linalg::view::Mat;
use crate::model::kernel_ridge::{KernelRidgeParams, Regressand, check, counted};
use crate::points::{self, Points};

const HINT: &str = "fit on fewer rows or raise the memory budget";

/// The samples that count, with the kernel whose parameters are varied.
pub(super) struct Problem<'a> {
    pub ctx: &'a Context,
    pub objective: Objective,
    /// Without rules, from whose numbers the search starts.
    kernel: KernelSpec,
    /// Whether the size of the kernel as a whole is a parameter.
    size: bool,
    pub alpha: f64,
    varies_alpha: bool,
    pub intercept: bool,
    x: points::Samples<f64>,
    /// n × t.
    pub y: Mat<f64>,
    pub weights: Option<Vec<f64>>,
    _reservation: Reservation,
}

/// A loss at one point: its value, and what its gradient is summed up from.
pub(super) struct Loss<'w> {
    pub value: f64,
    /// ∂loss/∂K_ij, symmetric.
    pub weights: Box<TileWeights<'w>>,
    /// ∂loss/∂K_ii.
    pub diagonal: Vec<f64>,
}

impl<'a> Problem<'a> {
    pub fn new(
        ctx: &'a Context,
        params: &OptimizeParams,
        kernel: &KernelSpec,
        (alpha, intercept): (f64, bool),
        samples: Samples<'_>,
    ) -> Result<Self> {
        let Samples { x, targets, weights } = samples;
        check_params(params, alpha, weights)?;
        let regressand = Regressand { values: targets, weights };
        check(&KernelRidgeParams::new(kernel.clone()), x.n(), regressand)?;
        let x = match counted(weights) {
            None => x.to_type::<f64>()?,
            Some(kept) => x.select(&kept).to_type::<f64>()?,
        };
        let rows = counted(weights).unwrap_or_else(|| (0..targets.rows()).collect());
        let mut kernel = kernel.resolve(&x)?;
        if params.per_column {
            kernel = kernel.with_widths_per_column(&x)?;
        }
        if !kernel.positive_definite() {
            let why = format!(
                "{kernel} is not known to be positive definite: its parameters cannot be optimised"
            );
            return Err(Error::parameter(Param::Kernel, why));
        }
        let n = x.len() as u64;
        // Two square matrices, and for each thread a few tiles for each part of the kernel.
        let tiles = ctx.threads() as u64 * 40 * (TILE * TILE) as u64;
        let bytes = (2 * n).saturating_mul(n).saturating_add(tiles).saturating_mul(8);
        let problem = Self {
            _reservation: ctx.reserve("the optimisation of kernel parameters", bytes, HINT)?,
            ctx,
            objective: params.objective,
            size: params.objective == Objective::Evidence,
            kernel,
            alpha,
            varies_alpha: params.alpha && params.objective != Objective::Alignment,
            intercept,
            y: Mat::from_fn(rows.len(), targets.cols(), |i, j| targets[(rows[i], j)]),
            weights: weights.map(|w| rows.iter().map(|&i| w[i]).collect()),
            x,
        };
        match problem.hyperparameters().is_empty() {
            true => Err(Error::parameter(
                Param::Kernel,
                format!("{} has no parameters to optimise", problem.kernel),
            )),
            false => Ok(problem),
        }
    }

    /// What is varied, at the start.
    pub fn hyperparameters(&self) -> Vec<Hyperparameter> {
        let mut all = self.kernel.hyperparameters(self.size);
        if self.varies_alpha {
            let (name, value) = ("alpha".into(), self.alpha);
            all.push(Hyperparameter { name, value, is_rate: false });
        }
        all
    }

    /// The logarithms of these.
    pub fn start(&self) -> Vec<f64> {
        self.hyperparameters().iter().map(|parameter| parameter.value.ln()).collect()
    }

    /// The kernel and alpha at a point.
    pub fn at(&self, z: &[f64]) -> (KernelSpec, f64) {
        let values: Vec<f64> = z.iter().map(|z| z.exp()).collect();
        let alpha = if self.varies_alpha { values[values.len() - 1] } else { self.alpha };
        (self.kernel.with_hyperparameters(self.size, &values), alpha)
    }

    /// The variance of the noise of sample i, relative to alpha.
    pub fn noise(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| 1.0 / weights[i])
    }

    /// The loss, with its gradient if `wanted`; infinite where the matrix has no Cholesky factor.
    pub fn evaluate(&self, z: &[f64], wanted: bool) -> Result<(f64, Vec<f64>)> {
        let ctx = &self.ctx.without_steps();
        let (spec, alpha) = self.at(z);
        let kernel = SpecKernel::<f64>::new(&spec)?;
        let values = MatrixFree::new(&kernel, self.x.clone()).lower(ctx)?;
        let finish = |loss: Loss<'_>| -> Result<(f64, Vec<f64>)> {
            let gradient = match wanted {
                true => self.gradient(ctx, &spec, alpha, &loss)?,
                false => Vec::new(),
            };
            Ok((loss.value, gradient))
        };
        if self.objective == Objective::Alignment {
            return finish(alignment::loss(&values, &self.y));
        }
        match System::new(ctx, self, values, alpha)? {
            None => Ok((f64::INFINITY, vec![0.0; z.len()])),
            Some(system) => finish(match self.objective {
                Objective::LeaveOneOut => left_out::loss(self, &system),
                _ => evidence::loss(&system),
            }),
        }
    }

    fn gradient(
        &self,
        ctx: &Context,
        spec: &KernelSpec,
        alpha: f64,
        loss: &Loss<'_>,
    ) -> Result<Vec<f64>> {
        let tuned = TunedKernel::new(spec, self.size)?;
        let mut gradient = parameter_sums(ctx, &tuned, &self.x, &*loss.weights)?;
        if self.varies_alpha {
            let sum: f64 = loss.diagonal.iter().enumerate().map(|(i, d)| d * self.noise(i)).sum();
            gradient.push(alpha * sum);
        }
        Ok(gradient)
    }

    /// A loss as the objective, and the factor that makes a gradient of the loss one of the objective.
    pub fn shown(&self, loss: f64) -> (f64, f64) {
        match self.objective {
            Objective::LeaveOneOut => (loss.exp(), loss.exp()),
            Objective::Evidence | Objective::Alignment => (-loss, -1.0),
        }
    }
}

fn check_params(params: &OptimizeParams, alpha: f64, weights: Option<&[f64]>) -> Result<()> {
    let (low, high) = params.bounds;
    if !(low > 0.0 && low <= 1.0 && high >= 1.0 && high.is_finite()) {
        return Err(Error::parameter(
            "bounds",
            format!("must be factors 0 < low ≤ 1 ≤ high, got {low} and {high}"),
        ));
    }
    if params.objective == Objective::Alignment {
        let message = "are not used by the alignment: leave them out";
        return match weights {
            None => Ok(()),
            Some(_) => Err(Error::parameter(Param::SampleWeights, message)),
        };
    }
    match alpha > 0.0 && alpha.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            Param::Alpha,
            format!("must be positive where kernel parameters are optimised, got {alpha}"),
        )),
    }
}
