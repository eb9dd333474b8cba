//! The scores of kernels and penalties on the samples that count.

use super::folds::Fold;
use super::grid::{Size, alphas_for};
use super::kernel_ridge::{SearchParams, Validation};
use super::left_out::{Decomposed, Solution};
use super::metric::{Metric, Score};
use super::progress::share_of;
use super::table::Table;
use crate::context::{Context, Reservation};
use crate::error::{Error, Param, Result};
use crate::expansion::Expansion;
use crate::gram::{Gram, MatrixFree, Operator, Packed, Scaled, Tiles, WeightedCentred};
use crate::kernel::SpecKernel;
use crate::linalg::block::Block;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::Mat;
use crate::model::Targets;
use crate::model::kernel_on::KernelOn;
use crate::model::kernel_ridge::{KernelRidgeParams, Regressand, check, counted, kernel_on};
use crate::model::regression::{Regression, check_room, params_of};
use crate::points::{Dtype, Points, Samples};
use crate::real::Real;
use crate::solve::path;
use crate::solve::ridge::{Solver, largest};

/// The samples with positive weight, and the search over them.
pub(super) struct Part<'a> {
    params: &'a SearchParams,
    /// Their rows, if not all count.
    pub kept: Option<Vec<usize>>,
    targets: Mat<f64>,
    weights: Option<Vec<f64>>,
    /// Folds in places among the samples that count.
    pub folds: Vec<Fold>,
}

impl<'a> Part<'a> {
    /// Checks everything that can be checked before any work.
    pub fn new(params: &'a SearchParams, n: usize, targets: &Targets) -> Result<Self> {
        let values = targets.regressed()?;
        let targets = Regressand { values: &values, weights: targets.weights.as_deref() };
        let one = KernelRidgeParams { alpha: vec![1.0], ..params.model.clone() };
        check(&one, n, targets)?;
        check_penalties(params.alphas.as_deref())?;
        let kept = counted(targets.weights);
        let rows = kept.clone().unwrap_or_else(|| (0..n).collect());
        check_count(rows.len())?;
        let folds = match &params.validation {
            Validation::Folds(folds) => places(folds, n, kept.as_deref())?,
            _ => Vec::new(),
        };
        let t = targets.values.cols();
        let values = Mat::from_fn(rows.len(), t, |i, j| targets.values[(rows[i], j)]);
        let weights = targets.weights.map(|w| rows.iter().map(|&i| w[i]).collect());
        Ok(Self { params, kept, targets: values, weights, folds })
    }

    pub fn n(&self) -> usize {
        self.targets.rows()
    }

    /// The scores of all kernels.
    pub fn tables<T: Real>(
        &self,
        ctx: &Context,
        kernels: &[SpecKernel<T>],
        x: &Samples<T>,
        metric: &dyn Metric,
    ) -> Result<Vec<Table>> {
        let n = self.n();
        let intercept = self.params.model.intercept;
        let on: Vec<KernelOn<T>> = kernels.iter().map(|k| kernel_on(k, x, intercept)).collect();
        let shared = kernels[0].measured().filter(|measured| {
            kernels.len() > 1
                && kernels.iter().all(|k| k.measured() == Some(*measured))
                && on.iter().all(|on| on.point().is_none())
        });
        let matrices = if shared.is_some() { 2 } else { 1 };
        let needed = needed_by_decomposition::<T>(n, matrices);
        if needed > ctx.budget() && !self.folds.is_empty() {
            return self.tables_by_products(ctx, &on, metric);
        }
        ctx.need("the search", needed, HINT)?;
        let measured = shared.map(|measured| Packed::<T>::fill(ctx, &measured, x)).transpose()?;
        let table = |(index, kernel): (usize, &SpecKernel<T>)| {
            let gram = match &measured {
                Some(measured) => measured.map::<T>(ctx, |values| kernel.apply_profile(values))?,
                None => Packed::fill(ctx, &*on[index].kernel, &on[index].anchors)?,
            };
            self.evaluate(ctx, (index, kernels.len()), &gram, metric)
        };
        until_out_of_time(ctx, kernels.iter().enumerate().map(table))
    }

    /// Sets aside what a search by products holds beside its solvers: the samples of folds, and tiles of kernel values for
    /// predictions, which the allocator keeps for each thread. `None` where a decomposition fits the budget.
    pub fn set_aside<T: Real>(&self, ctx: &Context, x: &Samples<T>) -> Result<Option<Reservation>> {
        let n = self.n();
        if self.folds.is_empty() || needed_by_decomposition::<T>(n, 1) <= ctx.budget() {
            return Ok(None);
        }
        let samples = (3 * n as u64).saturating_mul(x.cost().bytes);
        let tiles = (ctx.threads() * Expansion::<Samples<T>, T>::tile_bytes(n)) as u64;
        let bytes = samples.saturating_add(tiles);
        let hint = "use fewer threads, fewer rows, or raise the memory budget";
        ctx.reserve("the matrix-free search", bytes, hint).map(Some)
    }

    /// The scores of one kernel, by decomposition; `place` is its own among all, for progress.
    pub fn evaluate(
        &self,
        ctx: &Context,
        place: (usize, usize),
        gram: &impl Tiles,
        metric: &dyn Metric,
    ) -> Result<Table> {
        let alphas = self.alphas(ctx, gram)?;
        let (weights, intercept) = (self.weights.as_deref(), self.params.model.intercept);
        if !self.folds.is_empty() {
            return self.evaluate_folds(ctx, place, gram, &alphas, metric);
        }
        let ctx = &share_of(ctx, place.0, place.1);
        let whole = Decomposed::new(ctx, gram, &self.targets, weights, intercept)?;
        let mut table = Table::new(alphas, metric);
        let alphas = table.alphas.clone();
        if self.params.validation == Validation::Gcv {
            let errors = whole.gcv(ctx, &alphas)?;
            for a in 0..alphas.len() {
                let score = |v: &f64| Score { value: -v, std_error: f64::NAN };
                table.push(errors.row(a).iter().map(score).collect());
            }
            return Ok(table);
        }
        let rows = self.rows(0..self.n());
        whole.left_out(ctx, &alphas, |_, predicted| {
            table.push(metric.scores(&rows, predicted)?);
            Ok(())
        })?;
        Ok(table)
    }

    /// The penalties to compare: those given, or a grid by the spread of the samples in feature space.
    fn alphas<G: Tiles>(&self, ctx: &Context, gram: &G) -> Result<Vec<f64>> {
        if let Some(alphas) = &self.params.alphas {
            return Ok(alphas.clone());
        }
        let n = gram.size();
        let weights = self.weights.clone().unwrap_or_else(|| vec![1.0; n]);
        let all: f64 = weights.iter().sum();
        let sum: f64 = gram.diag(ctx)?.iter().zip(&weights).map(|(v, w)| v * w).sum();
        let spread = WeightedCentred::new(ctx, gram, weights.clone())?.spread();
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let scaled = Scaled::new(gram, &roots);
        let largest = largest(n, 2, self.params.model.seed, |v| {
            let mut out = Block::zeros(n);
            scaled.apply(ctx, v, &mut out).map(|()| out)
        })?;
        let size = Size {
            spread,
            mean: if self.params.model.intercept { spread } else { sum / all },
            noise: (n as f64).sqrt() * G::T::EPSILON * largest,
        };
        Ok(alphas_for(size, all.ceil() as usize))
    }

    /// Rows of the user's samples, of places among those that count.
    pub fn rows(&self, places: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let row = |place: usize| self.kept.as_ref().map_or(place, |kept| kept[place]);
        places.into_iter().map(row).collect()
    }

    fn evaluate_folds(
        &self,
        ctx: &Context,
        place: (usize, usize),
        gram: &impl Tiles,
        alphas: &[f64],
        metric: &dyn Metric,
    ) -> Result<Table> {
        let count = self.folds.len();
        let mut tables = Vec::with_capacity(count);
        for (f, fold) in self.folds.iter().enumerate() {
            let ctx = &share_of(ctx, place.0 * count + f, place.1 * count);
            let (targets, weights) = self.train(fold);
            let view = gram.subset(&fold.train);
            let intercept = self.params.model.intercept;
            let part = Decomposed::new(ctx, &*view, &targets, weights.as_deref(), intercept)?;
            let cross = cross(ctx, gram, fold)?;
            let rows = self.rows(fold.test.iter().copied());
            let mut table = Table::new(alphas.to_vec(), metric);
            for solution in part.solutions(ctx, alphas)? {
                table.push(metric.scores(&rows, &predict(&cross, &solution))?);
            }
            tables.push(table);
        }
        Ok(Table::mean(&tables))
    }

    fn train(&self, fold: &Fold) -> (Mat<f64>, Option<Vec<f64>>) {
        let (rows, t) = (&fold.train, self.targets.cols());
        let targets = Mat::from_fn(rows.len(), t, |i, j| self.targets[(rows[i], j)]);
        let weights = self.weights.as_ref().map(|w| rows.iter().map(|&i| w[i]).collect());
        (targets, weights)
    }

    /// As [`Part::tables`] for folds where no decomposition fits the budget: conjugate gradients from the largest penalty
    /// down, each from the solution of the one before.
    fn tables_by_products<T: Real>(
        &self,
        ctx: &Context,
        kernels: &[KernelOn<T>],
        metric: &dyn Metric,
    ) -> Result<Vec<Table>> {
        let model = &self.params.model;
        // The fit with what will have been chosen has more samples than any fold.
        check_room::<T>(ctx, self.n(), self.targets.cols())?;
        // Scores need fewer digits than coefficients.
        let tolerance = Some(model.tolerance.unwrap_or(1e-6));
        let params = params_of(Dtype::of::<T>(), tolerance, model.max_passes, model.seed)?;
        let mut done = 0;
        let table = |KernelOn { kernel, anchors: x, .. }: &KernelOn<T>| {
            let alphas = self.alphas(ctx, &MatrixFree::new(&**kernel, x.clone()))?;
            let mut order: Vec<usize> = (0..alphas.len()).collect();
            order.sort_by(|&a, &b| alphas[b].total_cmp(&alphas[a]));
            let mut folds = Vec::new();
            for fold in &self.folds {
                let (targets, weights) = self.train(fold);
                let (train, test) = (x.select(&fold.train), x.select(&fold.test));
                let rows = self.rows(fold.test.iter().copied());
                let mut scores = vec![Vec::new(); alphas.len()];
                let mut start: Option<Mat<f64>> = None;
                for &a in &order {
                    let total = kernels.len() * self.folds.len() * alphas.len();
                    let ctx = &share_of(ctx, done, total);
                    done += 1;
                    let regression = Regression {
                        targets: &targets,
                        alphas: &alphas[a..=a],
                        weights: weights.as_deref(),
                        intercept: model.intercept,
                        start: start.as_ref(),
                        solver: Solver::Cg,
                        params: params.clone(),
                    };
                    let found = regression.on_samples(ctx, &**kernel, &train)?;
                    // An iteration that the time limit has cut short is not scored.
                    ctx.poll()?;
                    let (coef, offset) = (&found.coef, &found.offset);
                    let expansion = Expansion::new(kernel.clone(), train.clone(), coef, offset);
                    let mut predicted = Mat::<T>::zeros(rows.len(), targets.cols());
                    expansion.scores(ctx, &test, predicted.view_mut())?;
                    let predicted = predicted.into_vec().into_iter().map(T::to_f64).collect();
                    let predicted = Mat::from_vec(predicted, rows.len(), targets.cols());
                    scores[a] = metric.scores(&rows, &predicted)?;
                    start = Some(found.coef);
                }
                let mut table = Table::new(alphas.clone(), metric);
                scores.into_iter().for_each(|scores| table.push(scores));
                folds.push(table);
            }
            Ok(Table::mean(&folds))
        };
        until_out_of_time(ctx, kernels.iter().map(table))
    }
}

/// Refuses penalties that cannot be compared.
pub(super) fn check_penalties(alphas: Option<&[f64]>) -> Result<()> {
    let Some(alphas) = alphas else { return Ok(()) };
    if alphas.is_empty() {
        return Err(Error::parameter(Param::Alphas, "at least one penalty is required"));
    }
    match alphas.iter().find(|a| !(**a > 0.0 && a.is_finite())) {
        None => Ok(()),
        Some(a) => {
            let message = format!("cross-validation needs positive penalties, got {a}");
            Err(Error::parameter(Param::Alphas, message))
        }
    }
}

/// Refuses so few samples that none can be left out.
pub(super) fn check_count(samples: usize) -> Result<()> {
    let message = "cross-validation needs at least two samples with positive weight";
    if samples < 2 { Err(Error::Shape(message.into())) } else { Ok(()) }
}

/// The tables that were done before the time limit passed: all of them if it did not, else at least one.
fn until_out_of_time(
    ctx: &Context,
    tables: impl Iterator<Item = Result<Table>>,
) -> Result<Vec<Table>> {
    let mut done = Vec::new();
    for table in tables {
        match table {
            Err(Error::Interrupted) if !done.is_empty() && ctx.is_out_of_time() => break,
            table => done.push(table?),
        }
    }
    Ok(done)
}

const HINT: &str =
    "use folds, which need only matrix products, fewer rows, or raise the memory budget";

/// Bytes of a search over samples that holds so many matrices.
fn needed_by_decomposition<T: Real>(n: usize, matrices: u64) -> u64 {
    path::workspace_bytes(n).saturating_add(matrices * Packed::<T>::bytes(n))
}

/// Folds by places among the samples that count.
fn places(folds: &[Fold], n: usize, kept: Option<&[usize]>) -> Result<Vec<Fold>> {
    let mut place = vec![Some(0); n];
    match kept {
        None => (0..n).for_each(|i| place[i] = Some(i)),
        Some(kept) => {
            place.fill(None);
            kept.iter().enumerate().for_each(|(at, &row)| place[row] = Some(at));
        }
    }
    if folds.is_empty() {
        return Err(Error::parameter(Param::Folds, "at least one fold is required"));
    }
    let turned = |fold: &Fold| {
        fold.check(n)?;
        let turn = |rows: &[usize]| rows.iter().filter_map(|&row| place[row]).collect();
        let turned = Fold { train: turn(&fold.train), test: turn(&fold.test) };
        turned.check(n).map(|()| turned)
    };
    folds.iter().map(turned).collect()
}

/// Kernel values of the test set with the training set: test × train.
fn cross(ctx: &Context, gram: &impl Tiles, fold: &Fold) -> Result<Mat<f64>> {
    let columns = gram.columns(ctx, &fold.test)?;
    let (m, n) = (fold.test.len(), fold.train.len());
    Ok(Mat::from_fn(m, n, |i, j| columns[(fold.train[j], i)]))
}

fn predict(cross: &Mat<f64>, solution: &Solution) -> Mat<f64> {
    let (m, t) = (cross.rows(), solution.offset.len());
    let mut out = Mat::from_fn(m, t, |_, j| solution.offset[j]);
    multiply(cross.view(), solution.coef.view(), out.view_mut(), Onto::Sum);
    out
}
