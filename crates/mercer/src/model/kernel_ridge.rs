//! Kernel ridge regression: f(x) = Σ_i c_i k(x, x_i) + b, the function that is close to the targets and short in feature
//! space. Where several targets are given, each has a column.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::classes;
use super::input::{Input, check_columns, not_for_predictions};
use super::kernel_on::KernelOn;
use super::landmarks::{
    LandmarkParams, LandmarkState, Whole, either_bytes, eligible, kernel_at, offer, slow,
};
use super::note::{Note, NoteCode};
use super::prepared::{Prepared, prepared_bytes};
use super::regression::{Regressed, Regression, params_of};
use super::report::{Report, SystemReport, asymmetry_note};
use super::targets::Targets;
use super::validate::{anchors_for, check_weights};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::expansion::{Expansion, Weights};
use crate::gram::{Gram, Precomputed, Restricted, Tiles};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{AnySamples, Dtype, Points, Samples, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::ridge::{Info, Solver};
use crate::solve::threshold::negative_share;

/// Passes over the matrix that a fit takes, for an estimate of its time.
const PASSES: usize = 50;

/// Parameters of kernel ridge regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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
    /// The landmarks of a low-rank fit; `None` for an exact one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<LandmarkParams>,
}

impl KernelRidgeParams {
    /// Kernel ridge regression with `kernel`, penalty 1 and defaults for the rest.
    #[doc(hidden)]
    pub fn new(kernel: KernelSpec) -> Self {
        Self {
            kernel,
            alpha: vec![1.0],
            intercept: false,
            solver: Solver::Auto,
            tolerance: None,
            max_passes: None,
            seed: 0,
            landmarks: None,
        }
    }
}

/// The values of a regression and sample weights.
#[derive(Clone, Copy)]
pub(crate) struct Regressand<'a> {
    /// n × t, finite.
    pub values: &'a Mat<f64>,
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
pub struct KernelRidge {
    /// The parameters, with the kernel as it was resolved.
    pub params: KernelRidgeParams,
    /// n × t.
    pub coef: Mat<f64>,
    /// One constant per target; 0 without an intercept.
    pub offset: Vec<f64>,
    /// The weights of the training samples, if they had any.
    pub weights: Option<Vec<f64>>,
    /// What a low-rank fit has more than an exact one.
    pub landmarks: Option<LandmarkState>,
    /// The training samples, or the landmarks; `None` if the kernel matrix was precomputed.
    pub anchors: Option<AnySamples>,
    /// The number type of the samples or of the kernel matrix that it was fitted on.
    pub dtype: Dtype,
    /// For a classifier, the names of the classes: a column for each, or one for two.
    pub classes: Option<Vec<String>>,
    /// How kernel and penalty were chosen, if they were.
    pub selection: Option<Selection>,
    /// What predictions are computed with.
    pub prepared: Prepared,
    /// The report of the fit.
    pub report: Report,
}

impl KernelRidge {
    /// Fits on samples, or on a kernel matrix, of which only the lower triangle is read. `start` (n × t) are coefficients close to
    /// the solution, such as those of another penalty, from which conjugate gradients begin.
    pub fn fit<'a>(
        ctx: &Context,
        params: &KernelRidgeParams,
        input: impl Into<Input<'a>>,
        targets: &Targets,
        start: Option<&Mat<f64>>,
    ) -> Result<Self> {
        Self::fit_input(ctx, params, input.into(), targets, start)
    }

    fn fit_input(
        ctx: &Context,
        params: &KernelRidgeParams,
        input: Input<'_>,
        targets: &Targets,
        start: Option<&Mat<f64>>,
    ) -> Result<Self> {
        let started = Instant::now();
        let classes = targets.class_labels().map(|labels| labels.names.clone());
        let values = targets.regressed()?;
        let targets = Regressand { values: &values, weights: targets.weights.as_deref() };
        if params.landmarks.is_some() {
            let x = super::landmarks::samples_of(input)?;
            check(params, x.n(), targets)?;
            let dtype = x.dtype();
            let mut rows = Whole::new(x, Some(targets.values), targets.weights);
            let mut model = Self::fit_blocks(ctx, params, &mut rows, dtype)?;
            model.classes = classes;
            return Ok(model);
        }
        let fit = Fit { ctx, params, targets, start };
        let (x, slow) = (eligible(&input), slow(ctx, &input, PASSES, &either_bytes)?);
        let mut model = ctx
            .install(|| match input {
                Input::Samples(x) => with_samples!(&x, x => fit.on_samples(x)),
                Input::Precomputed { values, .. } => {
                    with_matrix!(values.view(), matrix => fit.on_matrix(matrix))
                }
                Input::Gram(gram) => {
                    fit.on_gram(gram, |kept| Box::new(Restricted::new(gram, kept)))
                }
            })
            .map_err(|error| offer(ctx, error, (x, values.cols()), &either_bytes))?;
        model.report.notes.extend(slow);
        model.classes = classes;
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    fn new(
        params: &KernelRidgeParams,
        weights: Option<&[f64]>,
        found: Regressed,
        dtype: Dtype,
    ) -> Self {
        let report = report(&found, dtype);
        Self {
            params: params.clone(),
            coef: found.coef,
            offset: found.offset,
            weights: weights.map(<[f64]>::to_vec),
            landmarks: None,
            anchors: None,
            dtype,
            classes: None,
            selection: None,
            prepared: Prepared::default(),
            report,
        }
    }

    /// Training samples.
    #[doc(hidden)]
    pub fn n(&self) -> usize {
        self.coef.rows()
    }

    /// Targets.
    #[doc(hidden)]
    pub fn t(&self) -> usize {
        self.coef.cols()
    }

    /// The predictions for new samples: m × t.
    pub fn predict<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Mat<f64>> {
        self.predict_input(ctx, input.into())
    }

    fn predict_input(&self, ctx: &Context, input: Input<'_>) -> Result<Mat<f64>> {
        let mut out = Mat::try_zeros(input.n(), self.t())?;
        self.predict_into(ctx, input, out.view_mut())?;
        Ok(out)
    }

    /// The predicted class of each new sample, by its name; for a model that was fitted on classes.
    pub fn labels<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Vec<&str>> {
        let names = self.classes.as_deref();
        let names = names.ok_or_else(|| {
            Error::Shape("the model is not a classifier: it has no classes".into())
        })?;
        let places = classes::decode(self.predict(ctx, input)?.view());
        Ok(places.into_iter().map(|place| names[place].as_str()).collect())
    }

    /// Writes the predictions for new samples (m × t).
    pub fn predict_into<'a, O: Real>(
        &self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        self.evaluate_input(ctx, input.into(), out)
    }

    fn evaluate_input<O: Real>(
        &self,
        ctx: &Context,
        input: Input<'_>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        match input {
            Input::Samples(x) => {
                let anchors = anchors_for(self.anchors.as_ref(), &x)?;
                with_samples!(anchors, anchors => self.evaluate(ctx, anchors, &x.to_type()?, out))
            }
            Input::Precomputed { values, .. } => {
                check_columns(self.n(), values.cols())?;
                with_matrix!(values.view(), values => {
                    Weights::new(&self.coef, &self.offset).scores(ctx, values, out)
                })
            }
            Input::Gram(_) => Err(not_for_predictions()),
        }
    }

    fn evaluate<T: Real, O: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        x: &Samples<T>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let predictor = self.prepared.get(prepared_bytes(&self.coef, anchors), || {
            let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
            let on = match &self.landmarks {
                Some(state) => kernel_at(&kernel, anchors, state)?,
                None => kernel_on(&kernel, anchors, self.params.intercept),
            };
            // The offset of a low-rank fit is that of the kernel as it was fitted with.
            let shifts = match self.landmarks {
                Some(_) => vec![0.0; self.t()],
                None => on.shifts(&self.coef),
            };
            let offset: Vec<f64> = self.offset.iter().zip(shifts).map(|(b, s)| b + s).collect();
            let (kernel, anchors) = (on.kernel.clone(), on.anchors.clone());
            Ok(Predictor { scores: Expansion::new(kernel, anchors, &self.coef, &offset), on })
        })?;
        predictor.scores.scores(ctx, &predictor.on.moved(x)?, out)
    }
}

/// A fit under way.
struct Fit<'a> {
    ctx: &'a Context,
    params: &'a KernelRidgeParams,
    targets: Regressand<'a>,
    start: Option<&'a Mat<f64>>,
}

impl Fit<'_> {
    fn on_samples<T: Real>(&self, x: &Samples<T>) -> Result<KernelRidge> {
        let (ctx, dtype) = (self.ctx, Dtype::of::<T>());
        let spec = self.params.kernel.resolve(x)?;
        let kernel = SpecKernel::<T>::new(&spec)?;
        let found = self.regress(x.n(), dtype, |regression, kept| {
            let x = kept.map_or_else(|| x.clone(), |kept| x.select(kept));
            let on = kernel_on(&kernel, &x, self.params.intercept);
            let mut found = regression.on_samples(ctx, &*on.kernel, &on.anchors)?;
            let shifts = on.shifts(&found.coef);
            found.offset.iter_mut().zip(shifts).for_each(|(b, shift)| *b -= shift);
            Ok(found)
        })?;
        let mut model = KernelRidge::new(self.params, self.targets.weights, found, dtype);
        model.params.kernel = spec;
        model.anchors = Some(x.into());
        Ok(model)
    }

    fn on_matrix<T: Real>(&self, matrix: MatRef<'_, T>) -> Result<KernelRidge> {
        let gram = Precomputed::new(matrix)?;
        let asymmetry = gram.asymmetry();
        let mut model = self.on_gram(&gram, |kept| gram.subset(kept))?;
        model.report.notes.extend(asymmetry_note::<T>(asymmetry));
        Ok(model)
    }

    fn on_gram<'g>(
        &self,
        gram: &dyn Gram,
        subset: impl FnOnce(&[usize]) -> Box<dyn Gram + 'g>,
    ) -> Result<KernelRidge> {
        let found = self.regress(gram.n(), gram.dtype(), |regression, kept| match kept {
            None => regression.on_given(self.ctx, gram),
            Some(kept) => regression.on_given(self.ctx, &*subset(kept)),
        })?;
        let mut model = KernelRidge::new(self.params, self.targets.weights, found, gram.dtype());
        model.report.storage = "given".into();
        Ok(model)
    }

    /// Checks everything, leaves samples of weight 0 out, regresses on the others and gives the left-out ones coefficient 0.
    fn regress<F>(&self, n: usize, dtype: Dtype, regress: F) -> Result<Regressed>
    where
        F: FnOnce(Regression<'_>, Option<&[usize]>) -> Result<Regressed>,
    {
        let Self { params, targets, .. } = *self;
        check(params, n, targets)?;
        let start = self.start.filter(|s| (s.rows(), s.cols()) == (n, targets.values.cols()));
        let regression = Regression {
            targets: targets.values,
            alphas: &params.alpha,
            weights: targets.weights,
            intercept: params.intercept,
            start,
            solver: params.solver,
            params: params_of(dtype, params.tolerance, params.max_passes, params.seed)?,
        };
        let Some(kept) = counted(targets.weights) else {
            return regress(regression, None);
        };
        let t = targets.values.cols();
        let pick = |from: &Mat<f64>| Mat::from_fn(kept.len(), t, |i, j| from[(kept[i], j)]);
        let (values, start) = (pick(targets.values), start.map(pick));
        let weights: Option<Vec<f64>> =
            targets.weights.map(|w| kept.iter().map(|&i| w[i]).collect());
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
}

/// What predictions are computed with.
struct Predictor<T: Real> {
    on: KernelOn<T>,
    scores: Expansion<Samples<T>, T>,
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
pub(crate) fn check(params: &KernelRidgeParams, n: usize, targets: Regressand<'_>) -> Result<()> {
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

pub(super) fn check_alphas(alphas: &[f64], t: usize) -> Result<()> {
    if alphas.len() != 1 && alphas.len() != t {
        return Err(Error::parameter(
            Param::Alpha,
            format!(
                "got {} penalties for {t} targets: give one for all targets, or one for each",
                alphas.len()
            ),
        ));
    }
    match alphas.iter().find(|a| !(**a >= 0.0 && a.is_finite())) {
        None => Ok(()),
        Some(a) => Err(Error::parameter(Param::Alpha, format!("must not be negative, got {a}"))),
    }
}

/// The samples with positive weight, if not all have one.
pub(crate) fn counted(weights: Option<&[f64]>) -> Option<Vec<usize>> {
    let weights = weights?;
    let kept: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
    (kept.len() < weights.len()).then_some(kept)
}

fn report(found: &Regressed, dtype: Dtype) -> Report {
    let (info, plan) = (&found.info, &found.plan);
    let system = system_report(info, dtype);
    Report {
        solver: info.solver.name().into(),
        storage: plan.words(),
        reason: format!("{}; {}", plan.reason, info.reason),
        passes: info.passes,
        residual: info.residual,
        converged: info.converged,
        precision: dtype.name().into(),
        seconds: 0.0,
        notes: notes(info, &system, found.n, dtype),
        system: Some(system),
        machine: None,
        clusters: None,
        landmarks: None,
    }
}

/// The relative error of coefficients up to which a solution counts as stable. Rounding errors of kernel values, ε λ_max,
/// move the coefficients by their size divided by α; the function itself far less.
pub(super) fn wanted(dtype: Dtype) -> f64 {
    if dtype == Dtype::F64 { 1e-3 } else { 1e-2 }
}

fn system_report(info: &Info, dtype: Dtype) -> SystemReport {
    SystemReport {
        condition: info.condition,
        effective_rank: info.rank,
        stable_alpha: info.largest * dtype.epsilon() / wanted(dtype),
    }
}

/// Notes for the user, one sentence each.
fn notes(info: &Info, system: &SystemReport, n: usize, dtype: Dtype) -> Vec<Note> {
    let mut notes = Vec::new();
    let noise = info.largest * negative_share(dtype.epsilon(), n);
    let negative = info.smallest.filter(|s| *s < -noise);
    if let Some(smallest) = negative {
        notes.push(Note::new(NoteCode::Indefinite, format!(
            "the kernel is indefinite on this data: its most negative eigenvalue is {smallest:.3e}, {:.2e} of the \
             largest; with alpha below {:.3e} the coefficients solve the linear system, but minimise no objective",
            (smallest / info.largest).abs(),
            -smallest,
        )));
    }
    let rank = system.effective_rank;
    let of = rank.map(|r| format!(", effective rank {r} of {n}")).unwrap_or_default();
    if let Some(truncated) = &info.truncated {
        let with = match truncated.alpha {
            0.0 => String::new(),
            alpha => format!(", and alpha = {alpha:.1e} is below its rounding error"),
        };
        notes.push(Note::new(NoteCode::Singular, format!(
            "the kernel matrix is singular{of}{with}: {} directions with eigenvalues below {:.1e} were dropped, \
             which gives the minimum-norm least-squares solution, with residual {:.1e}; with alpha = {:.1e} or \
             more the solution is stable",
            truncated.count, truncated.cut, info.residual, system.stable_alpha
        )));
    } else if info.condition * dtype.epsilon() > wanted(dtype) && negative.is_none() {
        notes.push(Note::new(NoteCode::IllConditioned, format!(
            "the system is nearly singular: condition number {:.1e}{of}; with alpha below {:.1e} rounding errors \
             show in the coefficients",
            system.condition, system.stable_alpha
        )));
    }
    if !info.converged {
        let passes = match info.passes {
            0 => String::new(),
            passes => format!(" after {passes} passes"),
        };
        let advice = match info.out_of_time {
            true => "the time limit passed; raise it, alpha or the tolerance",
            false => "raise alpha, the maximum number of passes or the tolerance",
        };
        notes.push(Note::new(
            NoteCode::NotConverged,
            format!(
                "the solution did not converge: residual {:.1e}{passes}; {advice}",
                info.residual
            ),
        ));
    }
    notes
}
