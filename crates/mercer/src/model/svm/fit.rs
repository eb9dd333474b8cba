//! Fitting: validate, choose the precision, solve every dual problem, assemble the solutions into one expansion.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::assemble::{Computed, assemble};
use super::check::Checked;
use super::class_blocks::SharedBlocks;
use super::decode::is_one_vs_rest;
use super::exact_kernel::{ExactKernel, Given, Working};
use super::precision::KernelPrecision;
use super::problem::{DualProblem, DualSolution};
use super::settle::SOLVER_SHARE;
use super::{Svm, SvmParams, Task, notes};
use crate::context::{Context, Reservation, SharedProgress};
use crate::error::{Error, Param, Result};
use crate::gram::{self, Columns};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::model::input::{Input, all_columns, symmetric};
use crate::model::landmarks::samples_of;
use crate::model::targets::Targets;
use crate::points::{AnySamples, Points, Samples, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::smo::{self, Memory, Problem, Solution, Solver, Stop};

/// Tolerances that the margin of nu-SVC must have at least.
pub(super) const MARGIN: f64 = 100.0;
/// Bytes for kernel columns unless something else is asked for.
pub(super) const CACHE: u64 = 2_000_000_000;

impl Svm {
    /// Fits on samples or on a kernel matrix, which must be symmetric. `start` is a model of the same task, classes and number of
    /// samples, such as one that was stopped or one of another `c`, from whose coefficients the solver goes on; machines on cells start
    /// anew.
    ///
    /// A solver that was interrupted by the monitor gives a model too: its report says so.
    pub fn fit<'a>(
        ctx: &Context,
        params: &SvmParams,
        input: impl Into<Input<'a>>,
        targets: &Targets,
        start: Option<&Svm>,
    ) -> Result<Self> {
        Self::fit_input(ctx, params, input.into(), targets, start)
    }

    fn fit_input(
        ctx: &Context,
        params: &SvmParams,
        input: Input<'_>,
        targets: &Targets,
        start: Option<&Svm>,
    ) -> Result<Self> {
        let started = Instant::now();
        if params.auto {
            let (chosen, choice) = Self::chosen_mode(ctx, params, &input, targets)?;
            let mut model = Self::fit_input(ctx, &chosen, input, targets, start)?;
            model.params.max_seconds = params.max_seconds;
            if let Some(machine) = &mut model.report.machine {
                machine.choice = Some(choice);
            }
            model.report.seconds = started.elapsed().as_secs_f64();
            return Ok(model);
        }
        if let Some(landmarks) = &params.landmarks {
            let x = samples_of(input)?;
            let mut model = Self::fit_on_landmarks(ctx, params, landmarks, &x, targets, start)?;
            model.report.seconds = started.elapsed().as_secs_f64();
            return Ok(model);
        }
        check_polish(params)?;
        if params.one_vs_rest {
            let text = "needs landmarks, whose features all problems share: give their number";
            return Err(Error::parameter("one_vs_rest", text));
        }
        if let Some(cells) = &params.cells {
            let mut model = Self::fit_on_cells(ctx, params, cells, &cells_of(input)?, targets)?;
            model.report.seconds = started.elapsed().as_secs_f64();
            return Ok(model);
        }
        let mut model = match input {
            Input::Samples(x) => {
                with_samples!(&x, x => Self::fit_samples(ctx, params, x, targets, start, started))
            }
            Input::Precomputed { values, .. } => {
                with_matrix!(values.view(), x => Self::fit_matrix(ctx, params, x, targets, start, started))
            }
            Input::Gram(gram) => {
                let (matrix, _reservation) = all_columns(ctx, gram)?;
                Self::fit_matrix(ctx, params, matrix.view(), targets, start, started)
            }
        }?;
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    fn fit_samples<T: Real>(
        ctx: &Context,
        params: &SvmParams,
        x: &Samples<T>,
        targets: &Targets,
        start: Option<&Svm>,
        started: Instant,
    ) -> Result<Self> {
        let checked = Checked::new(params, targets, x.n())?;
        let spec = params.kernel.resolve(x)?;
        if !spec.custom_functions().is_empty()
            && let Some((matrix, _reservation)) = custom_matrix(ctx, &spec, x)?
        {
            let mut model = Self::fit_matrix(ctx, params, matrix.view(), targets, start, started)?;
            model.anchors = Some(x.select(&model.support).into());
            model.params.kernel = spec;
            model.report.storage = "whole matrix".into();
            model.report.reason = "the user-defined function is called once for each pair".into();
            return Ok(model);
        }
        let kept = if checked.rows.len() < x.n() { x.select(&checked.rows) } else { x.clone() };
        let _reservation = KernelPrecision::reserve(ctx, x)?;
        let source = ctx.install(|| KernelPrecision::new(&spec, &kept))?;
        let fit = Fit { started, ..Fit::new(ctx, params, &checked, &source) };
        let solved = ctx.install(|| fit.run(&source.columns(), start))?;
        let mut model = assemble(params, &checked, solved, x.n(), Computed::by(&source));
        model.anchors = Some(x.select(&model.support).into());
        model.params.kernel = spec;
        notes::on_samples(&mut model, x);
        Ok(model)
    }

    fn fit_matrix<T: Real>(
        ctx: &Context,
        params: &SvmParams,
        matrix: MatRef<'_, T>,
        targets: &Targets,
        start: Option<&Svm>,
        started: Instant,
    ) -> Result<Self> {
        symmetric(matrix)?;
        let checked = Checked::new(params, targets, matrix.rows())?;
        let given = Given::new(matrix);
        let columns = given.columns();
        let rows = Some(&checked.rows[..]);
        let fit = Fit { started, rows, ..Fit::new(ctx, params, &checked, &given) };
        let solved = ctx.install(|| fit.run(&columns.restrict(&checked.rows), start))?;
        let mut model = assemble(params, &checked, solved, matrix.rows(), Computed::by(&given));
        model.report.storage = "given".into();
        model.report.reason = "the kernel matrix was precomputed".into();
        notes::on_report(&mut model);
        Ok(model)
    }
}

/// The samples of an input, which are divided into cells.
pub(super) fn cells_of(input: Input<'_>) -> Result<AnySamples> {
    match input {
        Input::Samples(x) => Ok(x),
        _ => Err(Error::parameter(
            Param::Cells,
            "not available with a precomputed kernel: samples are divided into cells",
        )),
    }
}

/// Only what was approximated can be polished.
fn check_polish(params: &SvmParams) -> Result<()> {
    match params.polish {
        true => {
            Err(Error::parameter(Param::Polish, "needs landmarks to start from: give their number"))
        }
        false => Ok(()),
    }
}

/// All values of a user-defined kernel, if they take at most half of the budget. What a call of the function costs is
/// not known, only that many small ones cost more than few large ones, and a whole matrix shows whether it is symmetric.
fn custom_matrix<T: Real>(
    ctx: &Context,
    spec: &KernelSpec,
    x: &Samples<T>,
) -> Result<Option<(Mat<T>, Reservation)>> {
    let bytes = gram::matrix_bytes::<T>(x.n(), x.n());
    if bytes > ctx.budget() / 2 {
        return Ok(None);
    }
    let reservation =
        ctx.reserve("the kernel matrix", bytes, "fit on fewer rows or raise the memory budget")?;
    let (kernel, n) = (SpecKernel::<T>::new(spec)?, x.n());
    let mut matrix = Mat::try_zeros(n, n)?;
    gram::matrix(ctx, &kernel, x, None, MatMut::new(matrix.data_mut(), n, n, n))?;
    Ok(Some((matrix, reservation)))
}

/// A fit under way.
#[derive(Clone, Copy)]
pub(super) struct Fit<'a> {
    pub ctx: &'a Context,
    pub params: &'a SvmParams,
    pub checked: &'a Checked,
    pub started: Instant,
    /// The kernel that solutions are certified with.
    pub exact_kernel: &'a dyn ExactKernel,
    /// The place of each sample that counts among those of `exact_kernel`; `None` if these are the same.
    pub rows: Option<&'a [usize]>,
    /// Whether solutions are certified; those of folds, whose certificates nobody sees, are not.
    pub is_certified: bool,
}

impl<'a> Fit<'a> {
    pub fn new(
        ctx: &'a Context,
        params: &'a SvmParams,
        checked: &'a Checked,
        exact_kernel: &'a dyn ExactKernel,
    ) -> Self {
        let started = Instant::now();
        Self { ctx, params, checked, started, exact_kernel, rows: None, is_certified: true }
    }

    /// The place of a sample that counts among those of the true kernel.
    pub fn at(&self, sample: usize) -> usize {
        self.rows.map_or(sample, |rows| rows[sample])
    }

    /// Solves all problems on the columns of the samples that count.
    pub fn run(&self, columns: &Working<'_>, start: Option<&Svm>) -> Result<Vec<DualSolution>> {
        match columns {
            Working::Single(columns) => self.run_on(&**columns, start),
            Working::Double(columns) => self.run_on(&**columns, start),
        }
    }

    fn run_on<S: Real>(
        &self,
        columns: &dyn Columns<S>,
        start: Option<&Svm>,
    ) -> Result<Vec<DualSolution>> {
        let start = start.filter(|model| model.can_start(self.params, self.checked));
        let pairs = self.pairs();
        let beta = |problem: usize| {
            start.map(|model| {
                model.coefficients_of(problem, &self.checked.rows, &self.checked.places)
            })
        };
        if pairs.is_empty() {
            let dual = DualProblem::whole(self.params, self.checked);
            return Ok(vec![self.solve(columns, dual, beta(0), self.ctx)?]);
        }
        if pairs.len() == 1 {
            let dual = DualProblem::pair(self.params, self.checked, 0, 1);
            return Ok(vec![self.solve(columns, dual, beta(0), self.ctx)?]);
        }
        let quiet = self.ctx.without_steps();
        let shared = SharedBlocks::new(&quiet, self.checked, columns, self.cache())?;
        let memories: Mutex<Vec<Memory<S>>> = Mutex::default();
        let progress = SharedProgress::new("pairs of classes", pairs.len());
        let solve = |ctx: &Context, problem: usize| -> Result<DualSolution> {
            let (a, b) = pairs[problem];
            let dual = DualProblem::pair(self.params, self.checked, a, b);
            let mut _across = None;
            let part: Box<dyn Columns<S> + '_> = match &shared {
                Some(shared) => {
                    _across = Some(shared.reserve_pair(ctx, a, b)?);
                    Box::new(shared.pair(columns, a, b)?)
                }
                None => columns.restrict(&dual.samples),
            };
            let memory = memories.lock().ok().and_then(|mut left| left.pop()).unwrap_or_default();
            let mut solver = Solver::in_memory(&*part, memory);
            let solved = self.solve_with(&mut solver, dual, beta(problem), ctx)?;
            if let Ok(mut left) = memories.lock() {
                left.push(solver.into_memory());
            }
            // A break is seen by the problems that follow.
            let _ = progress.add(self.ctx, 1);
            Ok(solved)
        };
        match &shared {
            Some(shared) => quiet.side_by_side(pairs.len(), shared.pair_bytes(), solve),
            // Large problems share their own work between threads, one after the other.
            None => (0..pairs.len()).map(|problem| solve(&quiet, problem)).collect(),
        }
    }

    fn cache(&self) -> u64 {
        self.params.cache.unwrap_or(CACHE).min(self.ctx.budget())
    }

    /// Pairs of classes, by place; none for tasks without classes.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        let k = self.checked.classes.len();
        (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect()
    }

    /// Solves a problem whose samples are all that count, in their order.
    fn solve<S: Real>(
        &self,
        columns: &dyn Columns<S>,
        dual: DualProblem,
        start: Option<Vec<f64>>,
        ctx: &Context,
    ) -> Result<DualSolution> {
        let in_order = dual.samples.iter().enumerate().all(|(v, &sample)| v == sample);
        match in_order {
            true => self.solve_part(columns, dual, start, ctx),
            false => self.solve_part(&*columns.restrict(&dual.samples), dual, start, ctx),
        }
    }

    /// Solves a problem on the columns of its own variables.
    pub fn solve_part<S: Real>(
        &self,
        columns: &dyn Columns<S>,
        dual: DualProblem,
        start: Option<Vec<f64>>,
        ctx: &Context,
    ) -> Result<DualSolution> {
        self.solve_with(&mut Solver::new(columns), dual, start, ctx)
    }

    /// As `solve_part`, with a solver that may have solved problems of the same samples before.
    pub fn solve_with<S: Real>(
        &self,
        solver: &mut Solver<'_, S>,
        dual: DualProblem,
        start: Option<Vec<f64>>,
        ctx: &Context,
    ) -> Result<DualSolution> {
        let dual = match start {
            Some(beta) => dual.start_from(&beta),
            None => dual,
        };
        let off = self.exact_kernel.taken_off();
        let dual = match off.is_empty() {
            true => dual,
            false => dual.less(|sample| off[self.at(sample)], self.exact_kernel.constant()),
        };
        let solution = solver.solve(ctx, dual.problem.clone(), &self.solver_params(0))?;
        let mut settled = self.settle(ctx, &dual, solution, solver)?;
        let mut tolerance = self.params.tolerance;
        // Decisions of nu-SVC are in units of the margin, and so is what the solver leaves of violations.
        while settled.solution.info.stop == Stop::Converged
            && dual.margin(&settled.assessment.balance).is_some_and(|m| m < MARGIN * tolerance)
        {
            tolerance *= 0.01;
            let params = SvmParams { tolerance, ..self.params.clone() };
            let finer = Fit { params: &params, ..*self };
            let Solution { variables, f, info, .. } = settled.solution;
            let problem = Problem { variables, group: dual.problem.group.clone(), f: Some(f) };
            let mut solution = solver.solve(ctx, problem, &finer.solver_params(info.iterations))?;
            solution.info.iterations += info.iterations;
            settled = finer.settle(ctx, &dual, solution, solver)?;
        }
        Ok(dual.finish(settled))
    }

    /// What a solver may spend that goes on after some steps.
    pub fn solver_params(&self, used: u64) -> smo::Params {
        smo::Params {
            tolerance: SOLVER_SHARE * self.params.tolerance,
            shrinking: self.params.shrinking,
            cache: self.cache(),
            max_iterations: self.params.max_iterations.map(|most| most.saturating_sub(used)),
            deadline: deadline(self.params, self.started),
        }
    }
}

/// When a fit that began at `started` is to end.
pub(super) fn deadline(params: &SvmParams, started: Instant) -> Option<Instant> {
    started.checked_add(Duration::try_from_secs_f64(params.max_seconds?).ok()?)
}

impl Computed {
    /// What an exact kernel says.
    pub fn by(kernel: &dyn ExactKernel) -> Self {
        Self { dtype: kernel.dtype(), computed_in: kernel.computed_in() }
    }
}

impl Svm {
    /// Whether a solver for these samples can start from the coefficients of this model.
    pub(super) fn can_start(&self, params: &SvmParams, checked: &Checked) -> bool {
        let classes = (!checked.classes.is_empty()).then_some(&checked.classes);
        let is_alike = self.params.task == params.task && self.classes.as_ref() == classes;
        let is_rest = |params: &SvmParams| is_one_vs_rest(params, checked.classes.len());
        is_alike && self.cells.is_none() && is_rest(&self.params) == is_rest(params)
    }

    /// The coefficients of one problem for samples of the training set, in LIBSVM's orientation; 0 for samples without
    /// support. `rows` are rows of the training set, `places` their classes.
    pub(super) fn coefficients_of(
        &self,
        problem: usize,
        rows: &[usize],
        places: &[usize],
    ) -> Vec<f64> {
        let mut place_of = vec![None; self.trained_on];
        rows.iter().enumerate().for_each(|(i, &row)| {
            if let Some(place) = place_of.get_mut(row) {
                *place = Some(i);
            }
        });
        let mut beta = vec![0.0; rows.len()];
        let k = self.classes.as_ref().map_or(0, Vec::len);
        let (a, b) = super::decode::pairs(k).nth(problem).unwrap_or((0, 0));
        let sign = if k == 2 { -1.0 } else { 1.0 };
        for (s, &row) in self.support.iter().enumerate() {
            let Some(i) = place_of[row] else { continue };
            let line = match places.get(i) {
                _ if is_one_vs_rest(&self.params, k) => problem,
                None => 0,
                Some(&place) if place == a => b - 1,
                Some(&place) if place == b => a,
                Some(_) => continue,
            };
            beta[i] = sign * self.dual_coef()[(line, s)];
        }
        beta
    }

    /// Whether the monitor stopped the fit.
    #[doc(hidden)]
    pub fn was_interrupted(&self) -> bool {
        let problems = self.report.machine.iter().flat_map(|machine| &machine.problems);
        problems.into_iter().any(|problem| problem.stop == Stop::Interrupted)
    }

    /// Whether classes are learned.
    pub(super) fn is_classifier(&self) -> bool {
        matches!(self.params.task, Task::CSvc | Task::NuSvc)
    }
}
