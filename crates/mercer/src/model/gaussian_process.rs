//! Gaussian process regression: y = f(x) + noise, where f is a Gaussian process whose covariance is a kernel, and the noise of sample i has
//! the variance σ² / w_i.
//!
//! The mean of f given the data is kernel ridge regression with the penalty σ², and so is the model: it predicts, is saved and served as
//! one, and [`PosteriorStd`](super::posterior::PosteriorStd) has its variances. What is added here is where kernel and noise come from: the largest log marginal likelihood.

use super::input::Input;
use super::kernel_ridge::{KernelRidge, KernelRidgeParams};
use super::optimize::{Objective, OptimizeParams, Samples, evaluate, fit_kernel_ridge};
use super::targets::{Target, Targets};
use crate::context::{Context, try_pieces};
use crate::error::{Error, Param, Result};
use crate::kernel::{KernelSpec, TunedKernel};
use crate::linalg::view::Mat;
use crate::points::{AnySamples, Span};
use crate::solve::ridge::Solver;

/// The share of the targets' variance that a search for the noise starts from.
const FIRST_NOISE: f64 = 0.1;

/// Rows whose gradients are computed at a time.
const ROWS: usize = 32;

/// Parameters of Gaussian process regression.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GaussianProcessParams {
    /// The covariance; with a search, where that starts.
    pub kernel: KernelSpec,
    /// The variance of the noise; `None` to learn it.
    pub noise: Option<f64>,
    /// Whether the process is that of targets less their mean, in units of their standard deviation; kernel and noise are then in these
    /// units too.
    pub normalize: bool,
    /// The search for kernel and noise; `None` to take them as they are.
    pub search: Option<OptimizeParams>,
}

impl GaussianProcessParams {
    /// A process whose kernel and noise are learned, from `kernel` on.
    pub fn new(kernel: KernelSpec) -> Self {
        let search = Some(OptimizeParams::new(Objective::Evidence));
        Self { kernel, noise: None, normalize: true, search }
    }

    /// Fits with all cores and the free memory.
    pub fn fit<'a>(&self, input: impl Into<Input<'a>>, targets: &Targets) -> Result<KernelRidge> {
        self.fit_in(&Context::default(), input, targets)
    }

    /// Fits in a context.
    pub fn fit_in<'a>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
        targets: &Targets,
    ) -> Result<KernelRidge> {
        fit(ctx, self, input.into(), targets)
    }
}

fn fit(
    ctx: &Context,
    params: &GaussianProcessParams,
    input: Input<'_>,
    targets: &Targets,
) -> Result<KernelRidge> {
    let (Input::Samples(x), Target::Values(y)) = (input, &targets.target) else {
        let message = "Gaussian process regression needs samples and numbers to predict";
        return Err(Error::Shape(message.into()));
    };
    let units = Units::of(y, targets.weights.as_deref(), params.normalize);
    let centred = Mat::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - units.mean[j]);
    let targets = Targets::matrix(centred).with_weights(targets.weights.clone());
    let noise = start_of_noise(params, &units)?;
    let mut ridge = KernelRidgeParams::new(units.variance * params.kernel.resolve(&x)?);
    ridge.alpha = vec![noise];
    ridge.solver = Solver::Cholesky;
    let mut model = match &params.search {
        Some(search) => {
            let mut search = search.clone();
            (search.objective, search.alpha) = (Objective::Evidence, params.noise.is_none());
            fit_kernel_ridge(ctx, &search, &ridge, &x, &targets)?
        }
        None => KernelRidge::fit(ctx, &ridge, &x, &targets, None)?,
    };
    model.offset = units.mean;
    Ok(model)
}

fn start_of_noise(params: &GaussianProcessParams, units: &Units) -> Result<f64> {
    match (params.noise, &params.search) {
        (Some(noise), _) => Ok(noise * units.variance),
        (None, Some(_)) => Ok(FIRST_NOISE * units.spread),
        (None, None) => Err(Error::parameter(
            Param::Alpha,
            "the noise is learned by a search for parameters: give its variance, or search",
        )),
    }
}

/// What targets are measured in.
struct Units {
    mean: Vec<f64>,
    /// The factor of kernel and noise.
    variance: f64,
    /// The mean square of what the process has to explain.
    spread: f64,
}

impl Units {
    fn of(y: &Mat<f64>, weights: Option<&[f64]>, normalize: bool) -> Self {
        let (n, t) = (y.rows(), y.cols());
        let weight = |i: usize| weights.and_then(|w| w.get(i)).copied().unwrap_or(1.0);
        let total: f64 = (0..n).map(weight).sum();
        let mean_of =
            |f: &dyn Fn(usize) -> f64| (0..n).map(|i| weight(i) * f(i)).sum::<f64>() / total;
        let mean = (0..t).map(|j| if normalize { mean_of(&|i| y[(i, j)]) } else { 0.0 });
        let mean: Vec<f64> = mean.collect();
        let square = |j: usize| mean_of(&|i| (y[(i, j)] - mean[j]).powi(2));
        let spread = (0..t).map(square).sum::<f64>() / t.max(1) as f64;
        // A constant target, and numbers that are refused later, have no unit of their own.
        let spread = if spread > 0.0 && spread.is_finite() { spread } else { 1.0 };
        Self { mean, variance: if normalize { spread } else { 1.0 }, spread }
    }
}

/// The log marginal likelihood of data under a fitted process, and its gradient by the logarithms of the kernel's hyperparameters and of the
/// noise; `log_parameters` may stand in their place.
#[doc(hidden)]
pub fn log_marginal_likelihood(
    ctx: &Context,
    model: &KernelRidge,
    y: &Mat<f64>,
    log_parameters: Option<&[f64]>,
) -> Result<(f64, Vec<f64>)> {
    let x: &AnySamples = model.anchors.as_ref().ok_or_else(|| {
        Error::Shape(
            "the likelihood needs the training samples, which the model does not have".into(),
        )
    })?;
    let centred = Mat::from_fn(y.rows(), y.cols(), |i, j| y[(i, j)] - model.offset[j]);
    let samples = Samples { x, targets: &centred, weights: model.weights.as_deref() };
    let (mut kernel, mut noise) = (model.params.kernel.clone(), model.params.alpha[0]);
    if let Some(logs) = log_parameters {
        let count = kernel.hyperparameters(true).len();
        if logs.len() != count + 1 {
            return Err(Error::Shape(format!(
                "got {} parameters, expected {}: those of the kernel and the noise",
                logs.len(),
                count + 1
            )));
        }
        let values: Vec<f64> = logs.iter().map(|v| v.exp()).collect();
        (kernel, noise) = (kernel.with_hyperparameters(true, &values), values[count]);
    }
    evaluate(ctx, &OptimizeParams::new(Objective::Evidence), &kernel, noise, false, samples)
}

/// The gradient of the mean by the sample, for each of `x` and each target: m × (t·d), the columns of a target together.
#[doc(hidden)]
pub fn mean_gradients(ctx: &Context, model: &KernelRidge, x: &AnySamples) -> Result<Mat<f64>> {
    let anchors = model.anchors.as_ref().ok_or_else(|| {
        Error::Shape(
            "the gradient needs the training samples, which the model does not have".into(),
        )
    })?;
    anchors.check_like(x)?;
    let (x, anchors) = (x.to_type::<f64>()?, anchors.to_type::<f64>()?);
    let kernel = TunedKernel::new(&model.params.kernel, false)?;
    let (n, t, d) = (anchors.n(), model.t(), x.features());
    let mut out = Mat::try_zeros(x.n(), t * d)?;
    if t * d == 0 {
        return Ok(out);
    }
    let hint = "use fewer threads or raise the memory budget";
    let bytes = (ctx.threads() * ROWS * n) as u64 * 8 * 16;
    let _reservation = ctx.reserve("gradients of predictions", bytes, hint)?;
    ctx.install(|| {
        try_pieces(out.data_mut(), ROWS * t * d, &|piece, lines| {
            ctx.poll()?;
            let (start, count) = (piece * ROWS, lines.len() / (t * d));
            let rows = Span::new(&x, start..start + count);
            for j in 0..t {
                let weights = (0..count * n).map(|at| model.coef[(at % n, j)]).collect();
                let found = kernel.input_gradients(rows, Span::all(&anchors), weights)?;
                for i in 0..count {
                    lines[i * t * d + j * d..][..d].copy_from_slice(found.row(i));
                }
            }
            Ok(())
        })
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::model::posterior::PosteriorStd;
    use crate::points::Dense;

    fn data(n: usize) -> (Dense<f64>, Vec<f64>) {
        let mut stream = Stream::new(2, "process");
        let x: Vec<f64> = (0..2 * n).map(|_| 3.0 * stream.normal()).collect();
        let y = (0..n).map(|i| 5.0 + 2.0 * x[2 * i].sin() + 0.1 * stream.normal()).collect();
        (Dense::from_rows(&x, n, 2).unwrap(), y)
    }

    fn params() -> GaussianProcessParams {
        GaussianProcessParams::new("rbf(sigma=1)".parse().unwrap())
    }

    #[test]
    fn noise_and_widths_are_learned() {
        let (x, y) = data(200);
        let mut params = params();
        params.search.as_mut().unwrap().per_column = true;
        let model = params.fit(&x, &Targets::values(&y)).unwrap();
        let noise = model.params.alpha[0];
        assert!((0.006..0.016).contains(&noise), "{noise}");
        let search = model.report.optimization.as_ref().unwrap();
        assert!(search.converged && search.value > search.start, "{search:?}");
        let widths: Vec<f64> =
            search.parameters.iter().filter(|p| p.0.contains("sigma")).map(|p| p.1).collect();
        assert!(widths[1] > 10.0 * widths[0], "{widths:?}");
        // Far away, the process knows no more than the mean, and is as uncertain as before.
        let far = Dense::from_rows(&[1e4, 1e4], 1, 2).unwrap();
        let ctx = Context::new(1);
        let mean = y.iter().sum::<f64>() / 200.0;
        assert!((model.predict(&ctx, &far).unwrap()[(0, 0)] - mean).abs() < 1e-9);
        let size = search.parameters[0].1.sqrt();
        let std = PosteriorStd::new(&ctx, &model).unwrap().deviations(&ctx, &far).unwrap();
        assert!((std[(0, 0)] - size).abs() < 1e-6 * size);
    }

    #[test]
    fn units_of_the_targets_change_units_alone() {
        let (x, y) = data(80);
        let scaled: Vec<f64> = y.iter().map(|y| 1000.0 * y - 7.0).collect();
        let ctx = Context::new(2);
        let (one, other) =
            (params().fit(&x, &Targets::values(&y)), params().fit(&x, &Targets::values(&scaled)));
        let (one, other) = (one.unwrap(), other.unwrap());
        let (a, b) = (one.predict(&ctx, &x).unwrap(), other.predict(&ctx, &x).unwrap());
        for (a, b) in a.data().iter().zip(b.data()) {
            assert!((1000.0 * a - 7.0 - b).abs() < 0.5, "{a} {b}");
        }
    }

    #[test]
    fn weights_are_of_the_noise() {
        let (x, y) = data(60);
        let mut params = params();
        (params.noise, params.search, params.normalize) = (Some(0.3), None, false);
        let weights: Vec<f64> = (0..60).map(|i| f64::from(1 + i % 3)).collect();
        let targets = Targets::values(&y).with_weights(Some(weights.clone()));
        let model = params.fit(&x, &targets).unwrap();
        let direct = KernelRidge::params(params.kernel).alpha(0.3).fit(&x, &targets).unwrap();
        assert_eq!(model.coef.data(), direct.coef.data());
    }

    #[test]
    fn a_covariance_has_the_variances_on_its_diagonal() {
        let (x, y) = data(70);
        let model = params().fit(&x, &Targets::values(&y)).unwrap();
        let ctx = Context::new(2);
        let (new, _) = data(40);
        let posterior = PosteriorStd::new(&ctx, &model).unwrap();
        let std = posterior.deviations(&ctx, &new).unwrap();
        let cov = posterior.covariance(&ctx, &new, 0).unwrap();
        for i in 0..40 {
            assert!((cov[(i, i)].sqrt() - std[(i, 0)]).abs() < 1e-6, "{i}");
            (0..40).for_each(|j| assert_eq!(cov[(i, j)], cov[(j, i)]));
        }
    }

    #[test]
    fn the_likelihood_of_the_optimum_is_that_of_the_search_and_flat() {
        let (x, y) = data(60);
        let model = params().fit(&x, &Targets::values(&y)).unwrap();
        let ctx = Context::new(1);
        let y = Mat::from_vec(y, 60, 1);
        let (value, gradient) = log_marginal_likelihood(&ctx, &model, &y, None).unwrap();
        let found = model.report.optimization.unwrap().value;
        assert!((value - found).abs() < 1e-8 * found.abs());
        assert!(gradient.iter().all(|g| g.abs() < 1e-3), "{gradient:?}");
    }

    #[test]
    fn what_is_no_regression_is_refused() {
        let (x, y) = data(20);
        let classes = Targets::classes(&(0..20).map(|i| i % 2).collect::<Vec<_>>());
        assert!(params().fit(&x, &classes).is_err());
        let mut fixed = params();
        fixed.search = None;
        let error = fixed.fit(&x, &Targets::values(&y)).err().unwrap().to_string();
        assert!(error.contains("noise"), "{error}");
    }
}
