//! Kernel ridge regression: f(x) = Σ_i c_i k(x, x_i) + b, the function that is close to the targets and short in feature
//! space. Where several targets are given, each has a column.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::kernel_on::KernelOn;
use super::regression::{Regressed, Regression, params_of};
use super::report::{Report, SystemReport, asymmetry_note};
use super::validate::{anchors_for, check_weights};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::expansion::{Expansion, Weights};
use crate::gram::{Precomputed, Tiles};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{Points, Samples};
use crate::real::Real;
use crate::solve::ridge::{Info, Solver};
use crate::solve::threshold::negative_share;

/// Parameters of kernel ridge regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelRidgeParams {
    /// The kernel; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// The ridge penalty: one for all targets, or one for each; not negative.
    pub alpha: Vec<f64>,
    /// Whether to fit an intercept, which is not penalised.
    pub intercept: bool,
    /// The solver of the linear system.
    pub solver: Solver,
    /// Residuals ‖y − (K + α) c‖ / ‖y‖ to reach; `None` for 1e-10, or 1e-6 with f32 tiles.
    pub tolerance: Option<f64>,
    /// The maximum number of passes over the matrix, for conjugate gradients; `None` for 1000.
    pub max_passes: Option<usize>,
    /// Seed of the solver's random choices.
    pub seed: u64,
}

impl KernelRidgeParams {
    /// Kernel ridge regression with `kernel`, penalty 1 and defaults for the rest.
    pub fn new(kernel: KernelSpec) -> Self {
        Self {
            kernel,
            alpha: vec![1.0],
            intercept: false,
            solver: Solver::Auto,
            tolerance: None,
            max_passes: None,
            seed: 0,
        }
    }
}

/// Targets and sample weights.
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    /// n × t, finite.
    pub values: &'a Mat<f64>,
    /// One per sample, not negative, not all zero; `None` for 1. A sample of weight 2 counts as two samples.
    pub weights: Option<&'a [f64]>,
}

/// How the parameters of a model were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The method in words, such as `leave-one-out`.
    pub method: String,
    /// Combinations of kernel and penalty that were compared.
    pub candidates: usize,
    /// The score of the one chosen; larger is better.
    pub score: f64,
    /// The standard error of the score, where it is known.
    #[serde(rename = "spread")]
    pub std_error: Option<f64>,
    /// What the score is, such as `negative mean squared error`.
    pub measure: String,
}

/// A fitted kernel ridge regression.
#[derive(Clone)]
pub struct KernelRidge<T: Real> {
    /// The parameters, with the kernel as it was resolved.
    pub params: KernelRidgeParams,
    /// n × t.
    pub coef: Mat<f64>,
    /// One constant per target; 0 without an intercept.
    pub offset: Vec<f64>,
    /// The weights of the training samples, if they had any.
    pub weights: Option<Vec<f64>>,
    /// The training samples; `None` if the kernel matrix was precomputed.
    pub anchors: Option<Samples<T>>,
    /// For a classifier, the names of the classes: a column for each, or one for two.
    pub classes: Option<Vec<String>>,
    /// How kernel and penalty were chosen, if they were.
    pub selection: Option<Selection>,
    /// The report of the fit.
    pub report: Report,
}

impl<T: Real> KernelRidge<T> {
    /// Fits on samples. `start` (n × t) are coefficients close to the solution, such as those of another penalty, from
    /// which conjugate gradients begin.
    pub fn fit(
        ctx: &Context,
        params: &KernelRidgeParams,
        x: impl Into<Samples<T>>,
        targets: Targets<'_>,
        start: Option<&Mat<f64>>,
    ) -> Result<Self> {
        let started = Instant::now();
        let x = &x.into();
        let (n, spec) = (x.n(), params.kernel.resolve(x)?);
        let kernel = SpecKernel::<T>::new(&spec)?;
        let found = ctx.install(|| {
            with_regression::<T, _>(params, n, targets, start, |regression, kept| {
                let counted = kept.map_or_else(|| x.clone(), |kept| x.select(kept));
                let on = kernel_on(&kernel, &counted, params.intercept);
                let mut found = regression.on_samples(ctx, &*on.kernel, &on.anchors)?;
                let shifts = on.shifts(&found.coef);
                found.offset.iter_mut().zip(shifts).for_each(|(b, shift)| *b -= shift);
                Ok(found)
            })
        })?;
        let mut model = Self::new(params, targets.weights, found);
        model.params.kernel = spec;
        model.anchors = Some(x.clone());
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// Fits on a kernel matrix that the caller computed; only its lower triangle is read.
    pub fn fit_gram(
        ctx: &Context,
        params: &KernelRidgeParams,
        matrix: MatRef<'_, T>,
        targets: Targets<'_>,
        start: Option<&Mat<f64>>,
    ) -> Result<Self> {
        let started = Instant::now();
        let gram = Precomputed::new(matrix)?;
        let asymmetry = gram.asymmetry();
        let n = matrix.rows();
        let found = ctx.install(|| {
            with_regression::<T, _>(params, n, targets, start, |regression, kept| match kept {
                None => regression.on_given(ctx, &gram),
                Some(kept) => regression.on_given(ctx, &*gram.subset(kept)),
            })
        })?;
        let mut model = Self::new(params, targets.weights, found);
        model.report.notes.extend(asymmetry_note::<T>(asymmetry));
        model.report.storage = "given".into();
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    fn new(params: &KernelRidgeParams, weights: Option<&[f64]>, found: Regressed) -> Self {
        let report = report::<T>(&found);
        Self {
            params: params.clone(),
            coef: found.coef,
            offset: found.offset,
            weights: weights.map(<[f64]>::to_vec),
            anchors: None,
            classes: None,
            selection: None,
            report,
        }
    }

    /// Training samples.
    pub fn n(&self) -> usize {
        self.coef.rows()
    }

    /// Targets.
    pub fn t(&self) -> usize {
        self.coef.cols()
    }

    /// Writes the predictions for new samples (m × t).
    pub fn predict(
        &self,
        ctx: &Context,
        x: impl Into<Samples<T>>,
        out: MatMut<'_, T>,
    ) -> Result<()> {
        let x = &x.into();
        let anchors = anchors_for(self.anchors.as_ref(), x)?;
        let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
        let on = kernel_on(&kernel, anchors, self.params.intercept);
        let shifts = on.shifts(&self.coef);
        let offset: Vec<f64> = self.offset.iter().zip(shifts).map(|(b, shift)| b + shift).collect();
        let x = on.moved(x)?;
        Expansion::new(on.kernel, on.anchors, &self.coef, &offset).scores(ctx, &x, out)
    }

    /// Writes the predictions for new samples (m × t) given their kernel values with the training samples (m × n).
    pub fn predict_gram(
        &self,
        ctx: &Context,
        values: MatRef<'_, T>,
        out: MatMut<'_, T>,
    ) -> Result<()> {
        if values.cols() != self.n() {
            return Err(Error::Features { expected: self.n(), found: values.cols() });
        }
        Weights::new(&self.coef, &self.offset).scores(ctx, values, out)
    }
}

/// The kernel on training samples: with an intercept, coefficients sum to 0, and it may be seen from the samples' mean.
pub(crate) fn kernel_on<T: Real>(
    kernel: &SpecKernel<T>,
    x: &Samples<T>,
    intercept: bool,
) -> KernelOn<T> {
    if intercept { KernelOn::centred(kernel, x) } else { KernelOn::plain(kernel, x) }
}

/// Validates the input of a regression.
pub(crate) fn check(params: &KernelRidgeParams, n: usize, targets: Targets<'_>) -> Result<()> {
    let (y, t) = (targets.values, targets.values.cols());
    if y.rows() != n {
        return Err(Error::Shape(format!(
            "there are {n} samples but {} targets; the numbers must match",
            y.rows()
        )));
    }
    if t == 0 {
        return Err(Error::Shape("there are no targets: at least one is required".into()));
    }
    if let Some(at) = y.data().iter().position(|v| !v.is_finite()) {
        return Err(Error::Shape(format!(
            "the target of row {} is {} (column {}; zero-based): remove the row or impute the value first",
            at / t,
            y.data()[at],
            at % t
        )));
    }
    check_alphas(&params.alpha, t)?;
    targets.weights.map_or(Ok(()), |weights| check_weights(weights, n))
}

fn check_alphas(alphas: &[f64], t: usize) -> Result<()> {
    if alphas.len() != 1 && alphas.len() != t {
        return Err(Error::parameter(
            "alpha",
            format!(
                "got {} penalties for {t} targets: give one for all targets, or one for each",
                alphas.len()
            ),
        ));
    }
    match alphas.iter().find(|a| !(**a >= 0.0 && a.is_finite())) {
        None => Ok(()),
        Some(a) => Err(Error::parameter("alpha", format!("must not be negative, got {a}"))),
    }
}

/// Checks everything, leaves samples of weight 0 out, regresses on the others and gives the left-out ones coefficient 0.
fn with_regression<T: Real, F>(
    params: &KernelRidgeParams,
    n: usize,
    targets: Targets<'_>,
    start: Option<&Mat<f64>>,
    regress: F,
) -> Result<Regressed>
where
    F: FnOnce(Regression<'_>, Option<&[usize]>) -> Result<Regressed>,
{
    check(params, n, targets)?;
    let start = start.filter(|s| (s.rows(), s.cols()) == (n, targets.values.cols()));
    let regression = Regression {
        targets: targets.values,
        alphas: &params.alpha,
        weights: targets.weights,
        intercept: params.intercept,
        start,
        solver: params.solver,
        params: params_of::<T>(params.tolerance, params.max_passes, params.seed)?,
    };
    let Some(kept) = counted(targets.weights) else {
        return regress(regression, None);
    };
    let t = targets.values.cols();
    let pick = |from: &Mat<f64>| Mat::from_fn(kept.len(), t, |i, j| from[(kept[i], j)]);
    let (values, start) = (pick(targets.values), start.map(pick));
    let weights: Option<Vec<f64>> = targets.weights.map(|w| kept.iter().map(|&i| w[i]).collect());
    let part = Regression {
        targets: &values,
        weights: weights.as_deref(),
        start: start.as_ref(),
        ..regression
    };
    let mut found = regress(part, Some(&kept))?;
    let mut coef = Mat::zeros(n, t);
    kept.iter().enumerate().for_each(|(i, &row)| {
        coef.row_mut(row).copy_from_slice(found.coef.row(i));
    });
    found.coef = coef;
    Ok(found)
}

/// The samples with positive weight, if not all have one.
pub(crate) fn counted(weights: Option<&[f64]>) -> Option<Vec<usize>> {
    let weights = weights?;
    let kept: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    (kept.len() < weights.len()).then_some(kept)
}

fn report<T: Real>(found: &Regressed) -> Report {
    let (info, plan) = (&found.info, &found.plan);
    let system = system_report::<T>(info);
    Report {
        solver: info.solver.name().into(),
        storage: plan.words(),
        reason: format!("{}; {}", plan.reason, info.reason),
        passes: info.passes,
        residual: info.residual,
        converged: info.converged,
        precision: T::NAME.into(),
        seconds: 0.0,
        notes: notes::<T>(info, &system, found.n),
        system: Some(system),
        machine: None,
        clusters: None,
    }
}

/// The relative error of coefficients up to which a solution counts as stable. Rounding errors of kernel values, ε λ_max,
/// move the coefficients by their size divided by α; the function itself far less.
fn wanted<T: Real>() -> f64 {
    if T::EPSILON < 1e-10 { 1e-3 } else { 1e-2 }
}

fn system_report<T: Real>(info: &Info) -> SystemReport {
    SystemReport {
        condition: info.condition,
        effective_rank: info.rank,
        stable_alpha: info.largest * T::EPSILON / wanted::<T>(),
    }
}

/// Notes for the user, one sentence each.
fn notes<T: Real>(info: &Info, system: &SystemReport, n: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let noise = info.largest * negative_share(T::EPSILON, n);
    let negative = info.smallest.filter(|s| *s < -noise);
    if let Some(smallest) = negative {
        notes.push(format!(
            "the kernel is indefinite on this data: its most negative eigenvalue is {smallest:.3e}, {:.2e} of the \
             largest; with alpha below {:.3e} the coefficients solve the linear system, but minimise no objective",
            (smallest / info.largest).abs(),
            -smallest,
        ));
    }
    let rank = system.effective_rank;
    let of = rank.map(|r| format!(", effective rank {r} of {n}")).unwrap_or_default();
    if let Some(truncated) = &info.truncated {
        let with = match truncated.alpha {
            0.0 => String::new(),
            alpha => format!(", and alpha = {alpha:.1e} is below its rounding error"),
        };
        notes.push(format!(
            "the kernel matrix is singular{of}{with}: {} directions with eigenvalues below {:.1e} were dropped, \
             which gives the minimum-norm least-squares solution, with residual {:.1e}; with alpha = {:.1e} or \
             more the solution is stable",
            truncated.count, truncated.cut, info.residual, system.stable_alpha
        ));
    } else if info.condition * T::EPSILON > wanted::<T>() && negative.is_none() {
        notes.push(format!(
            "the system is nearly singular: condition number {:.1e}{of}; with alpha below {:.1e} rounding errors \
             show in the coefficients",
            system.condition, system.stable_alpha
        ));
    }
    if !info.converged {
        let passes = match info.passes {
            0 => String::new(),
            passes => format!(" after {passes} passes"),
        };
        notes.push(format!(
            "the solution did not converge: residual {:.1e}{passes}; raise alpha, the maximum number of passes or \
             the tolerance",
            info.residual
        ));
    }
    notes
}
