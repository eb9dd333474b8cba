//! Fits on landmarks: the kernel is approximated by features φ̂(x) = L⁻¹ k_Z(x) of few landmarks, and the dual problem is solved by coordinate descent on these
//! ([`dual_descent`]). A model is an expansion over the landmarks; the dual coefficients of its training samples are kept beside.

#[cfg(test)]
mod block_tests;
mod blocks;
mod features;
mod folds;
mod loss;
mod maker;
mod recomputed;
mod rows;
#[cfg(test)]
mod tests;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use features::Features;
use maker::Maker;
use rows::{Held, TrainingRows};

use super::assemble::{Computed, assemble};
use super::check::Checked;
use super::decode::{differences, is_one_vs_rest, pairs};
use super::exact_kernel::spread_out;
use super::fit::{MARGIN, deadline};
use super::problem::{DualProblem, DualSolution};
use super::settle::{ROUNDING, Settled};
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

/// No slope is more exact than this.
const LEAST: f64 = 1e-14;
/// Samples on which decisions of the model are compared with those of the solver.
const PROBED: usize = 256;
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
    /// Where features are, if not in memory.
    place: Option<&'static str>,
    report: LandmarkReport,
    /// The largest k(x, x).
    largest: f64,
    /// The samples, if they are in memory.
    held: Option<Box<dyn TrainingRows + Send + Sync + 'a>>,
    dtype: Dtype,
    seed: u64,
    _reservation: Reservation,
}

/// The kernel as it was resolved, landmarks, the point that samples are taken relative to, how they were chosen, and L.
type Known = (KernelSpec, AnySamples, LandmarkState, LandmarkReport, Mat<f64>);

/// The parameters of a fit, with the samples that count.
#[derive(Clone, Copy)]
struct Fit<'a> {
    params: &'a SvmParams,
    checked: &'a Checked,
    /// The place of each sample that counts among those with features; `None` if these are the same.
    rows: Option<&'a [usize]>,
    started: Instant,
}

/// Decisions of the solver for some samples of a problem.
struct Probe {
    /// Their rows among all samples.
    rows: Vec<usize>,
    decisions: Vec<f64>,
    units: f64,
}

impl Probe {
    fn of(dual: &DualSolution, fit: Fit<'_>) -> Self {
        let places = spread_out(dual.samples.len(), PROBED);
        let row = |&place: &usize| fit.row(dual.samples[place]);
        Self {
            rows: places.iter().map(row).collect(),
            decisions: places.iter().map(|&place| dual.decisions[place]).collect(),
            units: dual.units,
        }
    }
}

/// Samples that are looked at once a machine is solved.
struct Looked {
    /// Their rows, ascending.
    rows: Vec<usize>,
    samples: AnySamples,
}

impl Looked {
    /// The places of some rows.
    fn places(&self, rows: impl Iterator<Item = usize>) -> Vec<usize> {
        rows.map(|row| self.rows.partition_point(|&other| other < row)).collect()
    }
}

impl Fit<'_> {
    /// The place of a sample that counts among those with features.
    fn row(&self, sample: usize) -> usize {
        self.rows.map_or(sample, |rows| rows[sample])
    }
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
        let fit = Fit { params, checked: &checked, rows: None, started };
        let low_rank = LowRank::new(ctx, params, wanted, &kept)?;
        let mut model = low_rank.fit(ctx, fit, x.n(), start, low_rank.held()?)?;
        // What follows needs the memory of the features.
        drop(low_rank);
        if x.dtype() == Dtype::F32 && is_lost_in_rounding(&model, params.tolerance) {
            model = Self::in_double(ctx, wanted, &kept, fit, (x.n(), start))?;
        }
        if !params.polish || model.was_stopped() {
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

    /// A machine for samples in single precision whose kernel values are computed in double.
    fn in_double(
        ctx: &Context,
        wanted: &LandmarkParams,
        kept: &AnySamples,
        fit: Fit<'_>,
        (trained_on, start): (usize, Option<&Svm>),
    ) -> Result<Self> {
        let bytes = with_samples!(kept, x => (0..x.n()).map(|i| 2 * x.bytes_of(i)).sum());
        let hint = "raise the memory budget, or the tolerance";
        let _reservation = ctx.reserve("the samples in double precision", bytes, hint)?;
        let double = AnySamples::F64(kept.to_type()?);
        let low_rank = LowRank::new(ctx, fit.params, wanted, &double)?;
        low_rank.fit(ctx, fit, trained_on, start, low_rank.held()?)?.seen_in_single()
    }

    /// A machine that was computed in double precision, of samples in single.
    fn seen_in_single(mut self) -> Result<Self> {
        // Landmarks that are means of samples are rounded, as those of other fits are.
        self.anchors =
            self.anchors.as_ref().map(|z| z.to_type().map(AnySamples::F32)).transpose()?;
        (self.dtype, self.computed_in) = (Dtype::F32, Dtype::F64);
        Ok(self)
    }

    /// Turns a function for each class into one for each pair, as decisions of all machines are.
    fn decide_by_differences(&mut self) {
        let by_class = Mat::from_fn(self.coef.cols(), self.coef.rows(), |i, p| self.coef[(p, i)]);
        let of_pairs = differences(&by_class);
        self.coef = Mat::from_fn(of_pairs.cols(), of_pairs.rows(), |p, i| of_pairs[(i, p)]);
        let k = self.offset.len();
        self.offset = differences(&Mat::from_vec(self.offset.clone(), 1, k)).into_vec();
        self.prepared = Default::default();
    }

    /// Whether the monitor or the time limit ended a fit.
    fn was_stopped(&self) -> bool {
        let problems = self.report.machine.iter().flat_map(|machine| &machine.problems);
        problems.into_iter().any(|problem| matches!(problem.stop, Stop::Interrupted | Stop::Time))
    }
}

/// Whether rounding alone keeps a solution from its tolerance.
fn is_lost_in_rounding(model: &Svm, tolerance: f64) -> bool {
    let problems = model.report.machine.iter().flat_map(|machine| &machine.problems);
    let is_lost = |rounding: f64| rounding.is_nan() || rounding > tolerance;
    problems.into_iter().any(|problem| problem.rounding.is_some_and(is_lost))
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
    if params.one_vs_rest && params.task != Task::CSvc {
        let text = "is for classes with a cost C";
        return Err(Error::parameter("one_vs_rest", text));
    }
    if params.one_vs_rest && params.polish {
        let text =
            "the exact machine has a problem for each pair of classes: polish without one_vs_rest";
        return Err(Error::parameter(Param::Polish, text));
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
        let (given, moved) = (AnySamples::from(x), on.moved(x)?);
        let features = Features::new(ctx, Maker::new(&on, &factor), moved.clone())?;
        let known = (spec, landmarks, state, report, factor);
        let mut found = Self::with_features(known, features, Dtype::of::<T>(), seed);
        found.held = Some(Box::new(Held { on, moved, given }));
        Ok(found)
    }

    /// Samples that are not in memory, with these features.
    fn with_features(
        (spec, landmarks, state, report, factor): Known,
        features: Features<'a>,
        dtype: Dtype,
        seed: u64,
    ) -> Self {
        let Features { rows, trace, residual, largest, added, place, reservation } = features;
        let curve = landmarks::curve(&added, trace);
        let report = LandmarkReport { trace, residual_trace: residual, curve, ..report };
        Self {
            spec,
            landmarks,
            state,
            factor,
            features: rows,
            place,
            report,
            largest,
            held: None,
            dtype,
            seed,
            _reservation: reservation,
        }
    }

    /// The samples, which are in memory.
    fn held(&self) -> Result<&dyn TrainingRows> {
        let missing = || Error::Shape("the samples are not in memory".into());
        Ok(&**self.held.as_ref().ok_or_else(missing)?)
    }

    /// A machine for the samples that count, which are `rows`.
    fn fit(
        &self,
        ctx: &Context,
        fit: Fit<'_>,
        trained_on: usize,
        start: Option<&Svm>,
        rows: &dyn TrainingRows,
    ) -> Result<Svm> {
        let solved = ctx.install(|| self.solve_all(ctx, fit, start))?;
        let (duals, ws): (Vec<DualSolution>, Vec<Vec<f64>>) =
            solved.into_iter().map(|solved| (solved.dual, solved.w)).unzip();
        let probes: Vec<Probe> = duals.iter().map(|dual| Probe::of(dual, fit)).collect();
        let (looked, loss) = match self.looks(&duals) {
            true => {
                self.look(ctx, fit, &duals, &probes, rows).map(|(l, loss)| (Some(l), Some(loss)))?
            }
            false => (None, None),
        };
        let computed = Computed { dtype: self.dtype, computed_in: self.dtype };
        let mut model = assemble(fit.params, fit.checked, duals, trained_on, computed);
        model.params.kernel = self.spec.clone();
        let is_two = model.classes.as_ref().is_some_and(|classes| classes.len() == 2);
        let sign = if is_two { -1.0 } else { 1.0 };
        let coef = self.coefficients(ctx, &ws, sign)?;
        let dual = std::mem::replace(&mut model.coef, coef);
        model.computed_in = self.dtype;
        model.anchors = Some(self.landmarks.clone());
        model.landmarks = Some(LowRankState { landmarks: self.state.clone(), dual });
        self.complete(&mut model.report, loss);
        if let Some(looked) = looked {
            compare(ctx, &mut model, &probes, &looked, fit.params.tolerance, sign)?;
        }
        if is_one_vs_rest(fit.params, fit.checked.classes.len()) {
            model.decide_by_differences();
        }
        notes::on_report(&mut model);
        model.report.seconds = fit.started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// Whether samples are looked at: rows that have to be read again are not, once somebody asked to stop.
    fn looks(&self, duals: &[DualSolution]) -> bool {
        self.held.is_some() || duals.iter().all(|dual| dual.report.stop != Stop::Interrupted)
    }

    /// Looks at some samples: those that decisions are compared for, and those whose loss is computed.
    fn look(
        &self,
        ctx: &Context,
        fit: Fit<'_>,
        duals: &[DualSolution],
        probes: &[Probe],
        rows: &dyn TrainingRows,
    ) -> Result<(Looked, SampledLoss)> {
        // Samples in memory are not watched: a model that was stopped has a report, too.
        let ctx = &if self.held.is_some() { ctx.unwatched() } else { ctx.clone() };
        let places = loss::looked_at(duals);
        let of = |(dual, places): (&DualSolution, &Vec<usize>)| -> Vec<usize> {
            places.iter().map(|&place| fit.row(dual.samples[place])).collect()
        };
        let own: Vec<Vec<usize>> = duals.iter().zip(&places).map(of).collect();
        let mut all: Vec<usize> = own.iter().flatten().copied().collect();
        all.extend(probes.iter().flat_map(|probe| &probe.rows));
        all.sort_unstable();
        all.dedup();
        let looked = Looked { samples: rows.samples(ctx, &all)?, rows: all };
        let wanted: Vec<rows::WantedSum> = duals
            .iter()
            .zip(own)
            .map(|(dual, own)| {
                loss::wanted(dual, |sample| fit.row(sample), looked.places(own.into_iter()))
            })
            .collect();
        let sums = rows.sums(ctx, &looked.samples, &wanted)?;
        let loss = loss::mean_loss(fit.params, fit.checked, duals, &places, &sums);
        Ok((looked, loss))
    }

    fn complete(&self, report: &mut Report, loss: Option<SampledLoss>) {
        let landmarks = LandmarkReport { loss, ..self.report.clone() };
        let of_landmarks = landmarks::report(landmarks.clone(), self.dtype);
        report.notes.extend(landmarks::notes(&landmarks));
        report.solver = "dual coordinate descent".into();
        (report.storage, report.reason) = (of_landmarks.storage, of_landmarks.reason);
        if let Some(place) = self.place {
            report.reason += &format!("; the features of the rows are {place}");
        }
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
        let count = problems(fit.params, fit.checked);
        let is_rest = is_one_vs_rest(fit.params, fit.checked.classes.len());
        let stage = if is_rest { "classes" } else { "pairs of classes" };
        let progress = SharedProgress::new(stage, count);
        let quiet = if count > 1 { ctx.without_steps() } else { ctx.clone() };
        let one = |own: &Context, problem: usize| -> Result<Solved> {
            let dual = posed(fit.params, fit.checked, problem);
            let solved = self.solve(own, fit, begun(dual, problem))?;
            if count > 1 {
                // A break is seen by the problems that follow.
                let _ = progress.add(ctx, 1);
            }
            Ok(solved)
        };
        if count == 1 {
            return Ok(vec![one(ctx, 0)?]);
        }
        quiet.side_by_side(count, self.problem_bytes(rows.len()), one)
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
        let rows: Vec<usize> = dual.samples.iter().map(|&sample| fit.row(sample)).collect();
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
            let is_fine = margin.is_none_or(|m| m >= MARGIN * tolerance);
            let least = self.rounding(&dual.folded(solution));
            if solution.info.stop != Stop::Converged || is_fine || 0.01 * tolerance <= least {
                break (found, assessment);
            }
            tolerance *= 0.01;
            problem =
                Problem { variables: found.solution.variables, group: group.clone(), f: None };
        };
        Ok(self.finish(dual, found, assessment, fit.params.tolerance))
    }

    /// What rounding leaves of slopes, at least; never 0.
    fn rounding(&self, beta: &[f64]) -> f64 {
        let length = beta.iter().map(|b| b * b).sum::<f64>().sqrt();
        (ROUNDING * self.largest * length).max(LEAST)
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
        let rounding = self.rounding(&beta);
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

/// Compares decisions of the model with those of the solver on some samples: what they differ by is rounding, of kernel values and of the division by the factor of their
/// matrix, and a solution is not more certain than that.
fn compare(
    ctx: &Context,
    model: &mut Svm,
    probes: &[Probe],
    looked: &Looked,
    tolerance: f64,
    sign: f64,
) -> Result<()> {
    for (p, probe) in probes.iter().enumerate() {
        let samples = looked.samples.select(&looked.places(probe.rows.iter().copied()));
        let found = model.decisions(&ctx.unwatched(), &samples)?;
        let errors = || {
            let each = probe.decisions.iter().enumerate();
            each.map(|(i, want)| (sign * found[(i, p)] - want) * probe.units)
        };
        let range = errors().fold(0.0, f64::max) - errors().fold(0.0, f64::min);
        let Some(machine) = &mut model.report.machine else { continue };
        let problem = &mut machine.problems[p];
        let rounding = problem.rounding.unwrap_or(0.0).max(range);
        problem.rounding = Some(rounding);
        if problem.stop == Stop::Converged && rounding.is_nan() | (rounding > tolerance) {
            problem.stop = Stop::Stalled;
            model.report.converged = false;
        }
    }
    Ok(())
}

/// How many problems there are.
fn problems(params: &SvmParams, checked: &Checked) -> usize {
    match checked.classes.len() {
        k if is_one_vs_rest(params, k) => k,
        k => pairs(k).count().max(1),
    }
}

/// One of them.
fn posed(params: &SvmParams, checked: &Checked, problem: usize) -> DualProblem {
    if is_one_vs_rest(params, checked.classes.len()) {
        return DualProblem::rest(params, checked, problem);
    }
    match pairs(checked.classes.len()).nth(problem) {
        None => DualProblem::whole(params, checked),
        Some((a, b)) => DualProblem::pair(params, checked, a, b),
    }
}

/// What the solver may spend that goes on after some steps.
fn spending(fit: Fit<'_>, tolerance: f64, used: u64) -> smo::Params {
    smo::Params {
        tolerance,
        shrinking: fit.params.shrinking,
        cache: 0,
        max_iterations: fit.params.max_iterations.map(|most| most.saturating_sub(used)),
        deadline: deadline(fit.params, fit.started),
    }
}
