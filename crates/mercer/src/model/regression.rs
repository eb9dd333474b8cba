//! Ridge regression on kernel values: what kernel ridge regression and the inverse map share.
//!
//! Given K, targets y_j with ridges α_j and weights w: minimise Σ_i w_i (y_ij − f_j(x_i))² + α_j ‖f_j‖², where
//! f_j(x) = Σ_i c_ij k(x, x_i), and a constant b_j that costs nothing if there is an intercept. With S = √W:
//!
//! ```text
//! without an intercept:  c = S (S K S + α)⁻¹ S y
//! with one:              c = S (S K̄ S + α)⁻¹ S (y − ȳ);   b = ȳ − k̄ᵀ c
//! ```
//!
//! K̄ is K less the weighted mean of the samples in feature space, ȳ the weighted mean of y and k̄ the weighted mean of the rows of K. Then
//! the coefficients sum to 0, so that neither a large mean of K nor of y costs digits.

use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, Plan, Scaled, WeightedCentred, plan, plan_with_copy};
use crate::kernel::Kernel;
use crate::linalg::view::Mat;
use crate::points::{Dtype, Points};
use crate::real::Real;
use crate::solve::ridge::{self, Choice, Info, Params, Shape, Solver, System};

/// A regression to be done.
pub(crate) struct Regression<'a> {
    /// y: n × t.
    pub targets: &'a Mat<f64>,
    /// One for all targets, or one each.
    pub alphas: &'a [f64],
    /// One per sample, all positive; `None` for 1.
    pub weights: Option<&'a [f64]>,
    /// Whether a constant is added.
    pub intercept: bool,
    /// Coefficients to begin with, where the solver can use them: n × t.
    pub start: Option<&'a Mat<f64>>,
    /// The way to solve.
    pub solver: Solver,
    /// What to reach.
    pub params: Params,
}

/// Its result.
pub(crate) struct Regressed {
    /// c: n × t.
    pub coef: Mat<f64>,
    /// b: t.
    pub offset: Vec<f64>,
    /// How it went.
    pub info: Info,
    /// How the matrix was held.
    pub plan: Plan,
    /// Samples that counted.
    pub n: usize,
}

/// Checked parameters for kernel values of a number type.
pub(crate) fn params_of(
    dtype: Dtype,
    tolerance: Option<f64>,
    max_passes: Option<usize>,
    seed: u64,
) -> Result<Params> {
    // Products with f32 tiles carry relative errors of 6e-8: residuals cannot fall below a few of those.
    let tolerance = tolerance.unwrap_or(if dtype == Dtype::F64 { 1e-10 } else { 1e-6 });
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Error::parameter(
            Param::Tolerance,
            format!("must be positive, got {tolerance}"),
        ));
    }
    let max_passes = max_passes.unwrap_or(1000);
    Ok(Params { tolerance, max_passes, seed, epsilon: dtype.epsilon() })
}

/// Refuses a regression by conjugate gradients that the budget has no room for.
pub(crate) fn check_room<T: Real>(ctx: &Context, n: usize, sides: usize) -> Result<()> {
    let shape = Shape { n, sides, ridges: 1, positive: true };
    plan_with_copy::<T>(ctx, n, shape.workspace_bytes(Solver::Cg, ctx.budget())).map(drop)
}

impl Regression<'_> {
    /// The regression on samples, with the matrix held as the budget allows.
    pub fn on_samples<P: Points, T: Real>(
        &self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        x: &P,
    ) -> Result<Regressed> {
        let n = x.len();
        let (shape, choice) = self.choose(ctx, n);
        let mut workspace = shape.workspace_bytes(choice.solver, ctx.budget());
        if choice.trial.is_some() {
            workspace = workspace.max(shape.workspace_bytes(Solver::Cholesky, ctx.budget()));
        }
        let plan = match choice.solver {
            Solver::Cg => plan_with_copy::<T>(ctx, n, workspace)?,
            _ => {
                let hint = "use a positive penalty with solver cg or auto, which then need only matrix products, \
                            fit on fewer rows, or raise the memory budget";
                ctx.need("the solver", workspace, hint)?;
                plan::<T>(ctx, n, workspace)?
            }
        };
        let gram = plan.build(ctx, kernel, x)?;
        self.on_gram(ctx, &*gram, choice, plan)
    }

    /// The regression on a matrix that is there already.
    pub fn on_given(&self, ctx: &Context, gram: &dyn Gram) -> Result<Regressed> {
        let (shape, choice) = self.choose(ctx, gram.n());
        let hint = "use solver cg, which needs no second matrix, fit on fewer rows, or raise the memory budget";
        ctx.need("the solver", shape.workspace_bytes(choice.solver, ctx.budget()), hint)?;
        self.on_gram(ctx, gram, choice, Plan::given())
    }

    /// The regression on a matrix of a device, which makes its factor there.
    pub fn on_device(
        &self,
        ctx: &Context,
        gram: &dyn Gram,
        factor_fits: bool,
    ) -> Result<Regressed> {
        let positive = self.alphas.iter().all(|alpha| *alpha > 0.0);
        let direct = self.weights.is_none() && !self.intercept;
        let choice = match self.solver {
            Solver::Auto if positive && !direct => {
                let reason = "with weights or an intercept, products with the matrix on the device";
                Choice { solver: Solver::Cg, trial: None, reason }
            }
            Solver::Auto if positive && !factor_fits => {
                let reason = "a Cholesky factor does not fit the device's memory";
                Choice { solver: Solver::Cg, trial: None, reason }
            }
            Solver::Auto => {
                let reason = "a Cholesky factor on the device costs least";
                Choice { solver: Solver::Cholesky, trial: None, reason }
            }
            solver => Choice { solver, trial: None, reason: "the solver was requested" },
        };
        self.on_gram(ctx, gram, choice, Plan::given())
    }

    fn choose(&self, ctx: &Context, n: usize) -> (Shape, Choice) {
        let mut ridges = self.alphas.to_vec();
        ridges.sort_by(f64::total_cmp);
        ridges.dedup();
        let sides = self.targets.cols();
        let shape = Shape { n, sides, ridges: ridges.len(), positive: ridges[0] > 0.0 };
        (shape, shape.choose(self.solver, ctx.budget()))
    }

    fn on_gram(
        &self,
        ctx: &Context,
        gram: &dyn Gram,
        choice: Choice,
        plan: Plan,
    ) -> Result<Regressed> {
        let rough = gram.rough();
        if !self.intercept {
            let (coef, info) = self.weighted(ctx, gram, rough, self.targets, choice)?;
            return Ok(Regressed {
                offset: vec![0.0; coef.cols()],
                n: coef.rows(),
                coef,
                info,
                plan,
            });
        }
        let weights = self.weights.map_or_else(|| vec![1.0; gram.n()], <[f64]>::to_vec);
        let centred = WeightedCentred::new(ctx, gram, weights.clone())?;
        let rough = rough.map(|rough| centred.like(ctx, rough)).transpose()?;
        let rough = rough.as_ref().map(|rough| rough as &dyn Gram);
        let means = weighted_means(&weights, self.targets);
        let (n, t) = (self.targets.rows(), self.targets.cols());
        let targets = Mat::from_fn(n, t, |i, j| self.targets[(i, j)] - means[j]);
        let (coef, info) = self.weighted(ctx, &centred, rough, &targets, choice)?;
        let rows = centred.means().iter().enumerate();
        let drawn = |j: usize| rows.clone().map(|(i, mean)| mean * coef[(i, j)]).sum::<f64>();
        let offset = means.iter().enumerate().map(|(j, mean)| mean - drawn(j)).collect();
        Ok(Regressed { coef, offset, info, plan, n })
    }

    /// The coefficients for a matrix and targets that are centred where they need be.
    fn weighted(
        &self,
        ctx: &Context,
        gram: &dyn Gram,
        rough: Option<&dyn Gram>,
        targets: &Mat<f64>,
        choice: Choice,
    ) -> Result<(Mat<f64>, Info)> {
        let Some(weights) = self.weights else {
            return self.solve(ctx, gram, rough, targets, &vec![1.0; gram.n()], choice);
        };
        let scale: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let (scaled, rough) =
            (Scaled::new(gram, &scale), rough.map(|rough| Scaled::new(rough, &scale)));
        let rough = rough.as_ref().map(|rough| rough as &dyn Gram);
        self.solve(ctx, &scaled, rough, targets, &scale, choice)
    }

    fn solve(
        &self,
        ctx: &Context,
        gram: &dyn Gram,
        rough: Option<&dyn Gram>,
        targets: &Mat<f64>,
        scale: &[f64],
        choice: Choice,
    ) -> Result<(Mat<f64>, Info)> {
        let (n, t) = (targets.rows(), targets.cols());
        let alphas: Vec<f64> =
            (0..t).map(|j| self.alphas[if self.alphas.len() == 1 { 0 } else { j }]).collect();
        let right = Mat::from_fn(n, t, |i, j| scale[i] * targets[(i, j)]);
        let start = self.start.map(|start| Mat::from_fn(n, t, |i, j| start[(i, j)] / scale[i]));
        let system = System { gram, rough, alphas: &alphas, right: &right, start: start.as_ref() };
        let (mut x, mut info) = ridge::solve(ctx, system, choice, &self.params)?;
        if self.intercept {
            remove(&mut x, scale);
        }
        // There is a solution, however late it is.
        ridge::certify(&ctx.without_time_limit(), system, &x, &mut info, &self.params)?;
        Ok((Mat::from_fn(n, t, |i, j| scale[i] * x[(i, j)]), info))
    }
}

/// Takes from each column of `x` (n × t) what it has of the direction `s`: in exact arithmetic, nothing.
fn remove(x: &mut Mat<f64>, s: &[f64]) {
    let square: f64 = s.iter().map(|v| v * v).sum();
    for j in 0..x.cols() {
        let share = s.iter().enumerate().map(|(i, s)| s * x[(i, j)]).sum::<f64>() / square;
        s.iter().enumerate().for_each(|(i, s)| x[(i, j)] -= share * s);
    }
}

/// The weighted means of the columns of `y` (n × t).
pub(crate) fn weighted_means(weights: &[f64], y: &Mat<f64>) -> Vec<f64> {
    let all: f64 = weights.iter().sum();
    let mean = |j: usize| {
        // In two steps, so that a large mean costs no digits.
        let rough = weights.iter().enumerate().map(|(i, w)| w * y[(i, j)]).sum::<f64>() / all;
        let rest = weights.iter().enumerate().map(|(i, w)| w * (y[(i, j)] - rough));
        rough + rest.sum::<f64>() / all
    };
    (0..y.cols()).map(mean).collect()
}
