//! Fits on landmarks: the kernel is approximated by features φ̂(x) = L⁻¹ k_Z(x) of few landmarks, and the dual problem is solved by coordinate descent on these
//! ([`dual_descent`]). A model is an expansion over the landmarks; the dual coefficients of its training samples are kept beside.

mod features;
mod folds;
mod loss;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use features::Features;

use super::assemble::{Computed, assemble};
use super::check::Checked;
use super::decode::pairs;
use super::problem::{DualProblem, DualSolution};
use super::settle::Settled;
use super::{Svm, SvmParams, Task, notes};
use crate::context::{Context, Reservation, SharedProgress};
use crate::error::{Error, Param, Result};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::cholesky;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::landmarks::{
    self, Basis, LandmarkCount, LandmarkParams, LandmarkReport, LandmarkState,
};
use crate::model::report::Report;
use crate::model::targets::Targets;
use crate::points::{AnySamples, Dtype, Samples, with_samples};
use crate::real::Real;
use crate::solve::dual_descent::{self, FeatureRows};
use crate::solve::smo::{self, Assessment, Problem, Stop};

/// Tolerances that the margin of nu-SVC must have at least.
const MARGIN: f64 = 100.0;
/// Rounding errors of a slope, in units of the largest k(x, x) times the length of the vector of coefficients.
const ROUNDING: f64 = 2.0 * f64::EPSILON;
/// Bytes for each variable of a problem beside features.
const EACH: u64 = 256;

/// What a machine on landmarks has more than an exact one.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct LowRankState {
    /// The point that samples are taken relative to.
    pub landmarks: LandmarkState,
    /// The dual coefficients of the support vectors, as `coef` of an exact machine has them.
    pub dual: Mat<f64>,
}

/// How the machine does on some training samples with its own kernel, and with the true kernel and the same dual coefficients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampledLoss {
    /// Training samples that were looked at.
    pub rows: usize,
    /// Their mean loss: hinge loss of classes, distance beyond the tube of regressions, distance outside of one-class models.
    pub of_model: f64,
    /// The same with decisions of the true kernel.
    pub of_true_kernel: f64,
    /// The root of the mean squared difference of both decisions.
    pub difference: f64,
}

/// Samples with their features, on which one or several machines are fitted.
pub(crate) struct LowRank<'a> {
    spec: KernelSpec,
    landmarks: AnySamples,
    state: LandmarkState,
    /// L with K_ZZ = L Lᵀ.
    factor: Mat<f64>,
    features: Box<dyn FeatureRows + 'a>,
    /// The true kernel, for decisions on some samples.
    exact: loss::TrueKernel<'a>,
    report: LandmarkReport,
    /// The largest k(x, x).
    largest: f64,
    dtype: Dtype,
    seed: u64,
    _reservation: Reservation,
}

/// The parameters of a fit, with the samples that count.
#[derive(Clone, Copy)]
struct Fit<'a> {
    params: &'a SvmParams,
    checked: &'a Checked,
    /// The place of each sample that counts among those with features; `None` if these are the same.
    rows: Option<&'a [usize]>,
    started: Instant,
}

/// A solution with w, its function in the space of features.
struct Solved {
    dual: DualSolution,
    w: Vec<f64>,
}

impl Svm {
    /// Fits on the landmarks that the parameters ask for; with `polish`, goes on to the exact machine from there.
    pub(super) fn fit_on_landmarks(
        ctx: &Context,
        params: &SvmParams,
        wanted: &LandmarkParams,
        x: &AnySamples,
        targets: &Targets,
        start: Option<&Svm>,
    ) -> Result<Self> {
        let checked = Checked::new(params, targets, x.n())?;
        check(params, wanted)?;
        let kept = if checked.rows.len() < x.n() { x.select(&checked.rows) } else { x.clone() };
        let started = Instant::now();
        let model = {
            let low_rank = LowRank::new(ctx, params, wanted, &kept)?;
            let fit = Fit { params, checked: &checked, rows: None, started };
            low_rank.fit(ctx, fit, x.n(), start)?
        };
        if !params.polish || !model.report.converged {
            return Ok(model);
        }
        let left = params.max_seconds.map(|most| most - started.elapsed().as_secs_f64());
        let exact = SvmParams {
            landmarks: None,
            polish: false,
            max_seconds: left.map(|s| s.max(1e-3)),
            ..params.clone()
        };
        let mut polished = Self::fit(ctx, &exact, x, targets, Some(&model))?;
        polished.params = SvmParams { kernel: polished.params.kernel, ..params.clone() };
        if matches!(wanted.count, LandmarkCount::Given(_)) {
            // The model does not keep these landmarks.
            (polished.params.landmarks, polished.params.polish) = (None, false);
        }
        let landmarks = model.report.landmarks.as_ref().map_or(0, |report| report.landmarks);
        polished.report.reason += &format!(
            "; the solver started from {} support vectors of a fit on {landmarks} landmarks",
            model.support.len()
        );
        Ok(polished)
    }
}

/// Refuses what a machine on landmarks cannot have.
fn check(params: &SvmParams, wanted: &LandmarkParams) -> Result<()> {
    if params.cells.is_some() {
        let text = "landmarks and cells are two ways: choose one of them";
        return Err(Error::parameter(Param::Cells, text));
    }
    if wanted.keep_sums {
        let text = "a support vector machine has no sums over rows to keep: warm-start it instead";
        return Err(Error::parameter(Param::Landmarks, text));
    }
    if params.c == f64::INFINITY && params.task != Task::OneClass && params.task != Task::NuSvc {
        let text = "must be finite with landmarks, which do not keep classes separable, got inf";
        return Err(Error::parameter(Param::C, text));
    }
    Ok(())
}

impl<'a> LowRank<'a> {
    /// Chooses landmarks among samples and computes the features of all.
    pub fn new(
        ctx: &Context,
        params: &SvmParams,
        wanted: &LandmarkParams,
        x: &AnySamples,
    ) -> Result<Self> {
        check(params, wanted)?;
        with_samples!(x, x => Self::choose(ctx, params, wanted, x))
    }

    fn choose<T: Real>(
        ctx: &Context,
        params: &SvmParams,
        wanted: &LandmarkParams,
        x: &Samples<T>,
    ) -> Result<Self> {
        let spec = params.kernel.resolve(x)?;
        // Coefficients of one-class machines do not sum up to 0: their kernel cannot be seen from elsewhere.
        let center = params.task != Task::OneClass;
        let needed = |fit: &landmarks::Fit| features::least_bytes::<T>(x.n(), fit.m);
        let basis = Basis::<T>::among(ctx, &spec, wanted, center, x, &needed)?;
        let report = LandmarkReport { rows: x.n() as u64, ..basis.report.clone() };
        let state = LandmarkState { point: basis.point(), mean_coef: Vec::new(), sums: None };
        let parts = (basis.on.clone(), basis.factor.clone());
        let landmarks: AnySamples = (&basis.landmarks).into();
        // What choosing landmarks took is free again.
        drop(basis);
        Self::of(ctx, spec, landmarks, (state, report), parts, x, wanted.seed)
    }

    /// Samples with the landmarks of a fitted machine.
    pub fn of_model(ctx: &Context, model: &Svm, x: &AnySamples) -> Result<Self> {
        let (Some(landmarks), Some(state), Some(report)) =
            (&model.anchors, &model.landmarks, &model.report.landmarks)
        else {
            return Err(Error::Shape("the machine has no landmarks".into()));
        };
        let spec = model.params.kernel.clone();
        let seed = model.params.landmarks.as_ref().map_or(0, |landmarks| landmarks.seed);
        let found = (state.landmarks.clone(), report.clone());
        with_samples!(landmarks, z => {
            let on = landmarks::kernel_at(&SpecKernel::new(&spec)?, z, &state.landmarks)?;
            let factor = landmarks::factored(ctx, &on)?;
            Self::of(ctx, spec, landmarks.clone(), found, (on, factor), &x.to_type()?, seed)
        })
    }

    fn of<T: Real>(
        ctx: &Context,
        spec: KernelSpec,
        landmarks: AnySamples,
        (state, report): (LandmarkState, LandmarkReport),
        (on, factor): (KernelOn<T>, Mat<f64>),
        x: &Samples<T>,
        seed: u64,
    ) -> Result<Self> {
        let x = on.moved(x)?;
        let exact = loss::TrueKernel::new(&on, &x);
        let Features { rows, trace, residual, largest, added, reservation } =
            Features::new(ctx, &on, &factor, x)?;
        let curve = landmarks::curve(&added, trace);
        let report = LandmarkReport { trace, residual_trace: residual, curve, ..report };
        let (dtype, features) = (Dtype::of::<T>(), rows);
        Ok(Self {
            spec,
            landmarks,
            state,
            factor,
            features,
            exact,
            report,
            largest,
            dtype,
            seed,
            _reservation: reservation,
        })
    }

    /// A machine for the samples that count.
    fn fit(
        &self,
        ctx: &Context,
        fit: Fit<'_>,
        trained_on: usize,
        start: Option<&Svm>,
    ) -> Result<Svm> {
        let solved = ctx.install(|| self.solve_all(ctx, fit, start))?;
        let (duals, ws): (Vec<DualSolution>, Vec<Vec<f64>>) =
            solved.into_iter().map(|solved| (solved.dual, solved.w)).unzip();
        let loss = self.exact.loss(ctx, fit.params, fit.checked, fit.rows, &duals)?;
        let computed = Computed { dtype: self.dtype, computed_in: self.dtype };
        let mut model = assemble(fit.params, fit.checked, duals, trained_on, computed);
        model.params.kernel = self.spec.clone();
        let sign = if model.classes.as_ref().is_some_and(|classes| classes.len() == 2) {
            -1.0
        } else {
            1.0
        };
        let coef = self.coefficients(ctx, &ws, sign)?;
        let dual = std::mem::replace(&mut model.coef, coef);
        model.computed_in = self.dtype;
        model.anchors = Some(self.landmarks.clone());
        model.landmarks = Some(LowRankState { landmarks: self.state.clone(), dual });
        self.complete(&mut model.report, loss);
        notes::on_report(&mut model);
        model.report.seconds = fit.started.elapsed().as_secs_f64();
        Ok(model)
    }

    fn complete(&self, report: &mut Report, loss: SampledLoss) {
        let landmarks = LandmarkReport { loss: Some(loss), ..self.report.clone() };
        let of_landmarks = landmarks::report(landmarks.clone(), self.dtype);
        report.notes.extend(landmarks::notes(&landmarks));
        report.solver = "dual coordinate descent".into();
        (report.storage, report.reason) = (of_landmarks.storage, of_landmarks.reason);
        report.landmarks = Some(landmarks);
        report.precision = self.dtype.name().into();
    }

    /// L⁻ᵀ w of each problem, a row for each: problems × m.
    fn coefficients(&self, ctx: &Context, ws: &[Vec<f64>], sign: f64) -> Result<Mat<f64>> {
        let m = self.factor.rows();
        let mut coef = Mat::from_fn(m, ws.len(), |i, p| sign * ws[p][i]);
        cholesky::solve_backward(&ctx.unwatched(), &self.factor, &mut coef)?;
        Ok(Mat::from_fn(ws.len(), m, |p, i| coef[(i, p)]))
    }

    /// The solutions of all problems, which share the features.
    fn solve_all(&self, ctx: &Context, fit: Fit<'_>, start: Option<&Svm>) -> Result<Vec<Solved>> {
        let Checked { rows, places, .. } = fit.checked;
        let start = start.filter(|model| model.can_start(fit.params, fit.checked));
        let begun = |dual: DualProblem, problem: usize| match start {
            None => dual,
            Some(model) => dual.start_from(&model.coefficients_of(problem, rows, places)),
        };
        let all: Vec<(usize, usize)> = pairs(fit.checked.classes.len()).collect();
        if all.is_empty() {
            let dual = DualProblem::whole(fit.params, fit.checked);
            return Ok(vec![self.solve(ctx, fit, begun(dual, 0))?]);
        }
        let progress = SharedProgress::new("pairs of classes", all.len());
        let quiet = if all.len() > 1 { ctx.without_steps() } else { ctx.clone() };
        let one = |own: &Context, problem: usize| -> Result<Solved> {
            let (a, b) = all[problem];
            let dual = DualProblem::pair(fit.params, fit.checked, a, b);
            let solved = self.solve(own, fit, begun(dual, problem))?;
            if all.len() > 1 {
                // A break is seen by the problems that follow.
                let _ = progress.add(ctx, 1);
            }
            Ok(solved)
        };
        quiet.side_by_side(all.len(), self.problem_bytes(rows.len()), one)
    }

    /// Bytes that a problem of at most n samples takes.
    fn problem_bytes(&self, n: usize) -> u64 {
        let rows = self.features.most().min(n) as u64 * 4 * self.features.m() as u64;
        let copied = if self.features.most() == usize::MAX { 0 } else { rows };
        EACH * n as u64 + copied
    }

    fn solve(&self, ctx: &Context, fit: Fit<'_>, dual: DualProblem) -> Result<Solved> {
        let variables = dual.problem.variables.len() as u64;
        let hint = "fit on fewer rows or raise the memory budget";
        let _reservation = ctx.reserve("the solver", EACH * variables, hint)?;
        let rows: Vec<usize> =
            dual.samples.iter().map(|&s| fit.rows.map_or(s, |rows| rows[s])).collect();
        let (mut tolerance, mut used, mut rounds) = (fit.params.tolerance, 0, 0);
        let mut problem = dual.problem.clone();
        let (found, assessment) = loop {
            let params = spending(fit, tolerance, used);
            let mut found =
                dual_descent::solve(ctx, &*self.features, &rows, problem, &params, self.seed)?;
            let Problem { group, .. } = &dual.problem;
            let solution = &mut found.solution;
            let assessment = Assessment::new(&solution.variables, &solution.f, group);
            (used, rounds) = (used + solution.info.iterations, rounds + solution.info.rounds);
            (solution.info.iterations, solution.info.rounds) = (used, rounds);
            // Decisions of nu-SVC are in units of the margin, and so is what the solver leaves of violations.
            let margin = dual.margin(&assessment.balance);
            if solution.info.stop != Stop::Converged
                || margin.is_none_or(|m| m >= MARGIN * tolerance)
            {
                break (found, assessment);
            }
            tolerance *= 0.01;
            problem =
                Problem { variables: found.solution.variables, group: group.clone(), f: None };
        };
        Ok(self.finish(dual, found, assessment, fit.params.tolerance))
    }

    fn finish(
        &self,
        dual: DualProblem,
        found: dual_descent::LowRankSolution,
        assessment: Assessment,
        tolerance: f64,
    ) -> Solved {
        let dual_descent::LowRankSolution { mut solution, mut w } = found;
        let beta = dual.folded(&solution);
        let rounding = ROUNDING * self.largest * beta.iter().map(|b| b * b).sum::<f64>().sqrt();
        if solution.info.stop == Stop::Converged && assessment.violation.max(rounding) > tolerance {
            solution.info.stop = Stop::Stalled;
        }
        let settled = Settled {
            solution,
            assessment,
            rounding: Some(rounding),
            certified: dual.distinct(),
            precision: self.dtype.name(),
        };
        let dual = dual.finish(settled);
        w.iter_mut().for_each(|w| *w /= dual.units);
        Solved { dual, w }
    }
}

/// What the solver may spend that goes on after some steps.
fn spending(fit: Fit<'_>, tolerance: f64, used: u64) -> smo::Params {
    let end = fit
        .params
        .max_seconds
        .and_then(|seconds| fit.started.checked_add(Duration::try_from_secs_f64(seconds).ok()?));
    smo::Params {
        tolerance,
        shrinking: fit.params.shrinking,
        cache: 0,
        max_iterations: fit.params.max_iterations.map(|most| most.saturating_sub(used)),
        deadline: end,
    }
}
