//! Ridge regression on kernel values: what kernel ridge regression and the map back to samples share.
//!
//! Given K, targets y_j with ridges α_j and weights w: minimise Σ_i w_i (y_ij − f_j(x_i))² + α_j ‖f_j‖², where
//! f_j(x) = Σ_i c_ij k(x, x_i), and a constant b_j that costs nothing if there is an intercept. With S = √W:
//!
//! ```text
//! G = (S K S + α)⁻¹;   b = sᵀ G S y / sᵀ G s;   c = S G (S y − b s)          s = S 1
//! ```

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::{Gram, Packed, Plan, Scaled, Storage, Tiled, plan, plan_with_copy};
use crate::kernel::Kernel;
use crate::linalg::view::Mat;
use crate::points::Points;
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

/// Checked parameters for tiles of type T.
pub(crate) fn params_of<T: Real>(
    tolerance: Option<f64>,
    max_passes: Option<usize>,
    seed: u64,
) -> Result<Params> {
    // Products with f32 tiles carry relative errors of 6e-8: residuals cannot fall below a few of those.
    let tolerance = tolerance.unwrap_or(if T::EPSILON < 1e-10 { 1e-10 } else { 1e-6 });
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Error::parameter("tolerance", format!("must be positive, not {tolerance}")));
    }
    let max_passes = max_passes.unwrap_or(1000);
    Ok(Params { tolerance, max_passes, seed, epsilon: T::EPSILON })
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
                let hint = "give a positive penalty and solver cg or auto, which then work by products, fit on fewer \
                            rows, or raise the budget";
                ctx.need("the solver", workspace, hint)?;
                plan::<T>(ctx, n, workspace)?
            }
        };
        match (plan.storage, plan.copy) {
            (Storage::Packed, copy) => {
                let gram = Packed::fill(ctx, kernel, x)?;
                let copied = copy.then(|| gram.map::<f32>(ctx, |_| ())).transpose()?;
                self.on_gram(ctx, &gram, copied.as_ref().map(|c| c as &dyn Gram), choice, plan)
            }
            (Storage::Tiled, true) => {
                let copied = Packed::<f32>::fill_rounded(ctx, kernel, x)?;
                let gram = Tiled::new(kernel, x.clone());
                self.on_gram(ctx, &gram, Some(&copied), choice, plan)
            }
            (Storage::Tiled, false) => {
                self.on_gram(ctx, &Tiled::new(kernel, x.clone()), None, choice, plan)
            }
        }
    }

    /// The regression on a matrix that is there already.
    pub fn on_given(&self, ctx: &Context, gram: &dyn Gram) -> Result<Regressed> {
        let (shape, choice) = self.choose(ctx, gram.n());
        let hint = "choose solver cg, which needs no second matrix, fit on fewer rows, or raise the budget";
        ctx.need("the solver", shape.workspace_bytes(choice.solver, ctx.budget()), hint)?;
        self.on_gram(ctx, gram, None, choice, Plan::given())
    }

    fn choose(&self, ctx: &Context, n: usize) -> (Shape, Choice) {
        let mut ridges = self.alphas.to_vec();
        ridges.sort_by(f64::total_cmp);
        ridges.dedup();
        let sides = self.targets.cols() + if self.intercept { ridges.len() } else { 0 };
        let shape = Shape { n, sides, ridges: ridges.len(), positive: ridges[0] > 0.0 };
        (shape, shape.choose(self.solver, ctx.budget()))
    }

    fn on_gram(
        &self,
        ctx: &Context,
        gram: &dyn Gram,
        rough: Option<&dyn Gram>,
        choice: Choice,
        plan: Plan,
    ) -> Result<Regressed> {
        let Some(weights) = self.weights else {
            return self.solve(ctx, gram, rough, &vec![1.0; gram.n()], choice, plan);
        };
        let scale: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let (scaled, rough) =
            (Scaled::new(gram, &scale), rough.map(|rough| Scaled::new(rough, &scale)));
        let rough = rough.as_ref().map(|rough| rough as &dyn Gram);
        self.solve(ctx, &scaled, rough, &scale, choice, plan)
    }

    fn solve(
        &self,
        ctx: &Context,
        gram: &dyn Gram,
        rough: Option<&dyn Gram>,
        scale: &[f64],
        choice: Choice,
        plan: Plan,
    ) -> Result<Regressed> {
        let (n, t) = (self.targets.rows(), self.targets.cols());
        let means = if self.intercept { self.means(scale) } else { vec![0.0; t] };
        let alpha = |j: usize| self.alphas[if self.alphas.len() == 1 { 0 } else { j }];
        // With an intercept, one more right-hand side for each different α: the constant.
        let mut alphas: Vec<f64> = (0..t).map(alpha).collect();
        let constant = self.constants(&mut alphas);
        let right = Mat::from_fn(n, alphas.len(), |i, j| {
            if j < t { scale[i] * (self.targets[(i, j)] - means[j]) } else { scale[i] }
        });
        let start = self.start.map(|start| {
            Mat::from_fn(n, alphas.len(), |i, j| if j < t { start[(i, j)] / scale[i] } else { 0.0 })
        });
        let system = System { gram, rough, alphas: &alphas, right: &right, start: start.as_ref() };
        let (x, info) = ridge::solve(ctx, system, choice, &self.params)?;
        let sum = |j: usize| (0..n).map(|i| scale[i] * x[(i, j)]).sum::<f64>();
        let shift: Vec<f64> = (0..t)
            .map(|j| match constant[j] {
                Some(c) if sum(c) != 0.0 => sum(j) / sum(c),
                _ => 0.0,
            })
            .collect();
        let coef = Mat::from_fn(n, t, |i, j| {
            scale[i] * (x[(i, j)] - constant[j].map_or(0.0, |c| shift[j] * x[(i, c)]))
        });
        let offset = means.iter().zip(&shift).map(|(mean, shift)| mean + shift).collect();
        Ok(Regressed { coef, offset, info, plan, n })
    }

    /// Appends the ridges of the constants; returns for each target which column is its constant's.
    fn constants(&self, alphas: &mut Vec<f64>) -> Vec<Option<usize>> {
        let t = alphas.len();
        if !self.intercept {
            return vec![None; t];
        }
        let own: Vec<f64> = alphas.clone();
        let place = |alpha: &f64| {
            let known = alphas[t..].iter().position(|other| other == alpha);
            Some(
                t + known.unwrap_or_else(|| {
                    alphas.push(*alpha);
                    alphas.len() - 1 - t
                }),
            )
        };
        own.iter().map(place).collect()
    }

    /// The weighted means of the targets.
    fn means(&self, scale: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.targets.cols()];
        for (i, s) in scale.iter().enumerate() {
            sums.iter_mut().zip(self.targets.row(i)).for_each(|(sum, y)| *sum += s * s * y);
        }
        let all: f64 = scale.iter().map(|s| s * s).sum();
        sums.iter().map(|sum| sum / all).collect()
    }
}
