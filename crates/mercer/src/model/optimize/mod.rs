//! Kernel parameters by gradient: the widths, weights and noise that make a criterion best.
//!
//! Given samples, targets and a kernel, find the hyperparameters θ > 0 that maximise the log marginal likelihood of a Gaussian process
//! with that covariance, or the centred alignment of the kernel matrix with that of the targets, or minimise the exact leave-one-out
//! error of kernel ridge regression. The search is L-BFGS in log θ within bounds, from the given values and from more starts, if asked
//! for. Each evaluation is a Cholesky factor, its inverse, and one pass over tiles of kernel values for all derivatives.

mod alignment;
mod evidence;
mod fit;
mod left_out;
mod problem;
mod search;
mod system;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::Result;
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::report::number_or_null;
use crate::points::AnySamples;
pub use fit::fit_kernel_ridge;
#[doc(hidden)]
pub use fit::kernel_for_pca;
use problem::Problem;

/// What is made best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Objective {
    /// The mean squared leave-one-out error of kernel ridge regression, exactly.
    LeaveOneOut,
    /// The log marginal likelihood of a Gaussian process whose noise has the variance alpha.
    Evidence,
    /// The alignment of the centred kernel matrix with that of the targets.
    Alignment,
}

impl Objective {
    /// The name as people read it.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Objective::LeaveOneOut => "leave-one-out mean squared error",
            Objective::Evidence => "log marginal likelihood",
            Objective::Alignment => "centred alignment",
        }
    }
}

/// How kernel parameters are searched for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OptimizeParams {
    /// What is made best.
    pub objective: Objective,
    /// Whether the penalty, or the variance of the noise, is searched for too.
    pub alpha: bool,
    /// Whether each column gets a width of its own.
    pub per_column: bool,
    /// Starts at random, beside the one from the given parameters.
    pub restarts: usize,
    /// Seed of these.
    pub seed: u64,
    /// Evaluations at most, for each start.
    pub max_evaluations: usize,
    /// The gradient to reach, relative to the objective where that exceeds 1.
    pub tolerance: f64,
    /// How far lengths and weights may move from their first values, as factors. Rates such as gamma may move by the squares.
    pub bounds: (f64, f64),
}

impl OptimizeParams {
    /// The default search for the best `objective`.
    pub fn new(objective: Objective) -> Self {
        Self {
            objective,
            alpha: objective != Objective::Alignment,
            per_column: false,
            restarts: 0,
            seed: 0,
            max_evaluations: 200,
            tolerance: 1e-5,
            bounds: (1e-5, 1e5),
        }
    }
}

/// What a search found.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Optimized {
    /// The kernel.
    pub kernel: KernelSpec,
    /// The penalty, or the variance of the noise; that which was given if it was not searched for.
    pub alpha: f64,
    /// How the search went.
    pub report: OptimizationReport,
}

/// How a search for kernel parameters went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OptimizationReport {
    /// What was made best.
    pub objective: Objective,
    /// Its value at the start.
    pub start: f64,
    /// Its value at the end.
    pub value: f64,
    /// The largest entry of the gradient by the logarithms of the parameters, as far as bounds leave it free, relative to the objective
    /// where that exceeds 1. For leave-one-out errors it is that of the logarithm of the error.
    #[serde(deserialize_with = "number_or_null")]
    pub gradient: f64,
    /// Whether that reached the tolerance.
    pub converged: bool,
    /// Evaluations of the objective, over all starts.
    pub evaluations: usize,
    /// The values that the starts came to, the given one first; none for a start that was not possible.
    pub starts: Vec<Option<f64>>,
    /// The parameters that were searched for, with the values found.
    pub parameters: Vec<(String, f64)>,
    /// Those of them that are at a bound.
    pub at_bounds: Vec<String>,
    /// Seconds taken.
    pub seconds: f64,
}

/// What the parameters of a kernel are searched for on.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Samples<'a> {
    /// n samples.
    pub x: &'a AnySamples,
    /// n × t.
    pub targets: &'a Mat<f64>,
    /// How much each sample counts: its noise is divided by the weight.
    pub weights: Option<&'a [f64]>,
}

/// Finds the parameters of `kernel`, and the penalty, from the given values on. An `intercept` is a constant without penalty.
#[doc(hidden)]
pub fn optimize(
    ctx: &Context,
    params: &OptimizeParams,
    kernel: &KernelSpec,
    alpha: f64,
    intercept: bool,
    samples: Samples<'_>,
) -> Result<Optimized> {
    let problem = Problem::new(ctx, params, kernel, (alpha, intercept), samples)?;
    search::search(&problem, params)
}

/// The objective and its gradient by the logarithms of `KernelSpec::hyperparameters`, and of alpha, if that is varied.
#[doc(hidden)]
pub fn evaluate(
    ctx: &Context,
    params: &OptimizeParams,
    kernel: &KernelSpec,
    alpha: f64,
    intercept: bool,
    samples: Samples<'_>,
) -> Result<(f64, Vec<f64>)> {
    let problem = Problem::new(ctx, params, kernel, (alpha, intercept), samples)?;
    let (loss, mut gradient) = problem.evaluate(&problem.start(), true)?;
    let (value, slope) = problem.shown(loss);
    gradient.iter_mut().for_each(|g| *g *= slope);
    Ok((value, gradient))
}
