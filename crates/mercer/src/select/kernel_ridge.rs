//! Kernel ridge regression with kernel and penalty chosen by cross-validation.
//!
//! One decomposition per kernel serves all penalties; kernels that differ in their width alone share the distances of
//! samples; folds are views of one matrix.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::folds::Fold;
use super::grid::alphas_for;
use super::judge::{Judge, Score};
use super::left_out::{Decomposed, Solution};
use crate::context::{Context, Monitor, Step};
use crate::error::{Error, Result};
use crate::expansion::Expansion;
use crate::gram::{Gram, Packed, Square, Tiled, Tiles};
use crate::kernel::{Kernel, KernelSpec, VectorKernel};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatRef};
use crate::model::kernel_ridge::{
    KernelRidge, KernelRidgeParams, Selection, Targets, check, counted,
};
use crate::model::regression::{Regression, params_of};
use crate::points::{Dense, Points};
use crate::real::Real;
use crate::solve::path;
use crate::solve::ridge::Solver;

/// How predictions for samples outside of a fit are had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Each sample by a fit without it, in closed form.
    LeaveOneOut,
    /// Generalised cross-validation: as leave-one-out, with the mean leverage in place of each sample's own.
    Gcv,
    /// Parts of the samples by fits on the others.
    Folds(Vec<Fold>),
}

impl Validation {
    fn name(&self) -> String {
        match self {
            Validation::LeaveOneOut => "leave-one-out".into(),
            Validation::Gcv => "generalised cross-validation".into(),
            Validation::Folds(folds) => format!("{} folds", folds.len()),
        }
    }
}

/// What to search.
#[derive(Clone, Debug)]
pub struct SearchParams {
    /// The parameters of the model that comes out; its kernel and penalty are replaced by those chosen.
    pub model: KernelRidgeParams,
    /// The kernels to compare; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// The penalties to compare, all positive; `None` for a grid that suits the kernel.
    pub alphas: Option<Vec<f64>>,
    /// How they are compared.
    pub validation: Validation,
    /// Whether each target gets a penalty of its own. They share the kernel.
    pub per_target: bool,
}

/// The scores of one kernel.
#[derive(Clone, Debug)]
pub struct Table {
    /// The penalties, in the order they were given.
    pub alphas: Vec<f64>,
    /// alphas × scores; a score per target, or one for all.
    pub scores: Mat<f64>,
    /// Their standard errors; not a number where they are not known.
    pub spreads: Mat<f64>,
    /// The units in which scores of several targets are compared.
    units: Vec<f64>,
}

/// A finished search.
pub struct Search<T: Real> {
    /// The model with the chosen kernel and penalty, fitted on all samples.
    pub model: KernelRidge<T>,
    /// The kernels, resolved; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// Their scores.
    pub tables: Vec<Table>,
    /// The choice.
    pub chosen: Chosen,
}

/// Searches over kernels and penalties on samples.
pub fn search<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    x: &Dense<T>,
    targets: Targets<'_>,
    judge: &dyn Judge,
) -> Result<Search<T>> {
    let started = Instant::now();
    let kernels: Vec<KernelSpec> =
        params.kernels.iter().map(|spec| spec.resolve(x)).collect::<Result<_>>()?;
    let built: Vec<VectorKernel<T>> =
        kernels.iter().map(VectorKernel::new).collect::<Result<_>>()?;
    if built.is_empty() {
        return Err(Error::parameter("kernel", "there is no kernel to choose from"));
    }
    let part = Part::new(params, x.n(), targets)?;
    let counted = part.kept.as_ref().map_or_else(|| x.clone(), |kept| x.select(kept));
    let tables = ctx.install(|| part.tables(ctx, &built, &counted, judge))?;
    let chosen = Chosen::among(&tables, params.per_target)?;
    let kernel = kernels[chosen.kernel].clone();
    let model_params =
        KernelRidgeParams { kernel, alpha: chosen.values(&tables), ..params.model.clone() };
    let mut model = KernelRidge::fit(ctx, &model_params, x, targets, None)?;
    tell(&mut model, params, &tables, &chosen, judge);
    model.report.seconds = started.elapsed().as_secs_f64();
    Ok(Search { model, kernels, tables, chosen })
}

/// Searches over penalties on a kernel matrix that the caller computed; its lower triangle counts.
pub fn search_gram<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    matrix: MatRef<'_, T>,
    targets: Targets<'_>,
    judge: &dyn Judge,
) -> Result<Search<T>> {
    let started = Instant::now();
    let gram = Square::new(matrix)?;
    let part = Part::new(params, matrix.rows(), targets)?;
    let hint = "search on fewer rows, or raise the budget";
    ctx.need("the search", path::workspace_bytes(part.n()), hint)?;
    let tables = vec![ctx.install(|| match &part.kept {
        None => part.evaluate(ctx, (0, 1), &gram, judge),
        Some(kept) => {
            let lower = gram.subset(kept).lower(ctx)?;
            part.evaluate(ctx, (0, 1), &Square::new(lower.view())?, judge)
        }
    })?];
    let chosen = Chosen::among(&tables, params.per_target)?;
    let model_params = KernelRidgeParams { alpha: chosen.values(&tables), ..params.model.clone() };
    let mut model = KernelRidge::fit_gram(ctx, &model_params, matrix, targets, None)?;
    tell(&mut model, params, &tables, &chosen, judge);
    model.report.seconds = started.elapsed().as_secs_f64();
    Ok(Search { model, kernels: Vec::new(), tables, chosen })
}

/// The samples that count, with what is asked about them.
struct Part<'a> {
    params: &'a SearchParams,
    /// Their rows, if not all count.
    kept: Option<Vec<usize>>,
    targets: Mat<f64>,
    weights: Option<Vec<f64>>,
    /// Folds in places among the samples that count.
    folds: Vec<Fold>,
}

impl<'a> Part<'a> {
    /// Checks everything that can be checked before any work.
    fn new(params: &'a SearchParams, n: usize, targets: Targets<'_>) -> Result<Self> {
        let one = KernelRidgeParams { alpha: vec![1.0], ..params.model.clone() };
        check(&one, n, targets)?;
        if let Some(alphas) = &params.alphas {
            if alphas.is_empty() {
                return Err(Error::parameter("alphas", "there is no penalty to choose from"));
            }
            if let Some(a) = alphas.iter().find(|a| !(**a > 0.0 && a.is_finite())) {
                let message = format!("cross-validation needs positive penalties, and one is {a}");
                return Err(Error::parameter("alphas", message));
            }
        }
        let kept = counted(targets.weights);
        let rows = kept.clone().unwrap_or_else(|| (0..n).collect());
        if rows.len() < 2 {
            return Err(Error::Shape(
                "cross-validation needs at least two samples that count".into(),
            ));
        }
        let folds = match &params.validation {
            Validation::Folds(folds) => places(folds, n, kept.as_deref())?,
            _ => Vec::new(),
        };
        let t = targets.values.cols();
        let values = Mat::from_fn(rows.len(), t, |i, j| targets.values[(rows[i], j)]);
        let weights = targets.weights.map(|w| rows.iter().map(|&i| w[i]).collect());
        Ok(Self { params, kept, targets: values, weights, folds })
    }

    fn n(&self) -> usize {
        self.targets.rows()
    }

    /// The scores of all kernels.
    fn tables<T: Real>(
        &self,
        ctx: &Context,
        kernels: &[VectorKernel<T>],
        x: &Dense<T>,
        judge: &dyn Judge,
    ) -> Result<Vec<Table>> {
        let n = self.n();
        let shared = kernels[0].measured().filter(|measured| {
            kernels.len() > 1 && kernels.iter().all(|k| k.measured() == Some(*measured))
        });
        let matrices = if shared.is_some() { 2 } else { 1 };
        let needed = path::workspace_bytes(n).saturating_add(matrices * Packed::<T>::bytes(n));
        if needed > ctx.budget() && !self.folds.is_empty() {
            return self.tables_by_products(ctx, kernels, x, judge);
        }
        let hint =
            "search with folds, which can do with products, on fewer rows, or raise the budget";
        ctx.need("the search", needed, hint)?;
        let measured = shared.map(|measured| Packed::<T>::fill(ctx, &measured, x)).transpose()?;
        let table = |(index, kernel): (usize, &VectorKernel<T>)| {
            let gram = match &measured {
                Some(measured) => measured.map::<T>(ctx, |values| kernel.apply_profile(values)),
                None => Packed::fill(ctx, kernel, x)?,
            };
            self.evaluate(ctx, (index, kernels.len()), &gram, judge)
        };
        kernels.iter().enumerate().map(table).collect()
    }

    /// The scores of one kernel, by decomposition; `place` is its own among all, for progress.
    fn evaluate(
        &self,
        ctx: &Context,
        place: (usize, usize),
        gram: &impl Tiles,
        judge: &dyn Judge,
    ) -> Result<Table> {
        let alphas = self.alphas(ctx, gram)?;
        let (weights, intercept) = (self.weights.as_deref(), self.params.model.intercept);
        if !self.folds.is_empty() {
            return self.evaluate_folds(ctx, place, gram, &alphas, judge);
        }
        let ctx = &share_of(ctx, place.0, place.1);
        let whole = Decomposed::new(ctx, gram, &self.targets, weights, intercept)?;
        let mut table = Table::new(alphas, judge);
        let alphas = table.alphas.clone();
        if self.params.validation == Validation::Gcv {
            let errors = whole.gcv(ctx, &alphas)?;
            for a in 0..alphas.len() {
                let score = |v: &f64| Score { value: -v, spread: f64::NAN };
                table.push(errors.row(a).iter().map(score).collect());
            }
            return Ok(table);
        }
        let rows = self.rows(0..self.n());
        whole.left_out(ctx, &alphas, |_, predicted| {
            table.push(judge.scores(&rows, predicted)?);
            Ok(())
        })?;
        Ok(table)
    }

    fn alphas(&self, ctx: &Context, gram: &dyn Gram) -> Result<Vec<f64>> {
        if let Some(alphas) = &self.params.alphas {
            return Ok(alphas.clone());
        }
        let diagonal = gram.diag(ctx)?;
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]);
        let all: f64 = (0..diagonal.len()).map(weight).sum();
        let sum: f64 = diagonal.iter().enumerate().map(|(i, v)| weight(i) * v).sum();
        Ok(alphas_for(sum / all, all.ceil() as usize))
    }

    /// Rows of the user's samples, of places among those that count.
    fn rows(&self, places: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let row = |place: usize| self.kept.as_ref().map_or(place, |kept| kept[place]);
        places.into_iter().map(row).collect()
    }

    fn evaluate_folds(
        &self,
        ctx: &Context,
        place: (usize, usize),
        gram: &impl Tiles,
        alphas: &[f64],
        judge: &dyn Judge,
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
            let mut table = Table::new(alphas.to_vec(), judge);
            for solution in part.solutions(ctx, alphas)? {
                table.push(judge.scores(&rows, &predict(&cross, &solution))?);
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
        kernels: &[VectorKernel<T>],
        x: &Dense<T>,
        judge: &dyn Judge,
    ) -> Result<Vec<Table>> {
        let model = &self.params.model;
        // Scores need fewer digits than coefficients.
        let tolerance = Some(model.tolerance.unwrap_or(1e-6));
        let params = params_of::<T>(tolerance, model.max_passes, model.seed)?;
        let mut tables = Vec::new();
        let mut done = 0;
        for kernel in kernels {
            let alphas = self.alphas(ctx, &Tiled::new(kernel, x.clone()))?;
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
                    let found = regression.on_samples(ctx, kernel, &train)?;
                    let kernel: Arc<dyn Kernel<Dense<T>, T>> = Arc::new(kernel.clone());
                    let (coef, offset) = (&found.coef, &found.offset);
                    let expansion = Expansion::new(kernel, train.clone(), coef, offset);
                    let mut predicted = Mat::<T>::zeros(rows.len(), targets.cols());
                    expansion.scores(ctx, &test, predicted.view_mut())?;
                    let predicted = predicted.into_vec().into_iter().map(T::f64).collect();
                    let predicted = Mat::from_vec(predicted, rows.len(), targets.cols());
                    scores[a] = judge.scores(&rows, &predicted)?;
                    start = Some(found.coef);
                }
                let mut table = Table::new(alphas.clone(), judge);
                scores.into_iter().for_each(|scores| table.push(scores));
                folds.push(table);
            }
            tables.push(Table::mean(&folds));
        }
        Ok(tables)
    }
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
        return Err(Error::parameter("folds", "there are none"));
    }
    let turned = |fold: &Fold| {
        fold.check(n)?;
        let turn = |rows: &[usize]| rows.iter().filter_map(|&row| place[row]).collect();
        let turned = Fold { train: turn(&fold.train), test: turn(&fold.test) };
        turned.check(n).map(|()| turned)
    };
    folds.iter().map(turned).collect()
}

/// Kernel values of the samples to judge by with those to learn from: test × train.
fn cross(ctx: &Context, gram: &impl Tiles, fold: &Fold) -> Result<Mat<f64>> {
    let columns = gram.gather(ctx, &fold.test)?;
    let (m, n) = (fold.test.len(), fold.train.len());
    Ok(Mat::from_fn(m, n, |i, j| columns[(fold.train[j], i)]))
}

fn predict(cross: &Mat<f64>, solution: &Solution) -> Mat<f64> {
    let (m, t) = (cross.rows(), solution.offset.len());
    let mut out = Mat::from_fn(m, t, |_, j| solution.offset[j]);
    multiply(cross.view(), solution.coef.view(), out.view_mut(), Onto::Sum);
    out
}

impl Table {
    fn new(alphas: Vec<f64>, judge: &dyn Judge) -> Self {
        let (scores, spreads) = (Mat::zeros(0, 0), Mat::zeros(0, 0));
        Self { alphas, scores, spreads, units: judge.units() }
    }

    /// Appends the scores of the next penalty.
    fn push(&mut self, scores: Vec<Score>) {
        let (rows, cols) = (self.scores.rows() + 1, scores.len());
        let append = |to: &mut Mat<f64>, values: Vec<f64>| {
            let mut data = std::mem::replace(to, Mat::zeros(0, 0)).into_vec();
            data.extend(values);
            *to = Mat::from_vec(data, rows, cols);
        };
        append(&mut self.scores, scores.iter().map(|s| s.value).collect());
        append(&mut self.spreads, scores.iter().map(|s| s.spread).collect());
    }

    /// The mean over folds, with the standard error that their differences show.
    fn mean(folds: &[Table]) -> Table {
        let (rows, cols) = (folds[0].scores.rows(), folds[0].scores.cols());
        let k = folds.len() as f64;
        let mean = |a: usize, j: usize| folds.iter().map(|f| f.scores[(a, j)]).sum::<f64>() / k;
        let spread = |a: usize, j: usize| {
            let squares = folds.iter().map(|f| (f.scores[(a, j)] - mean(a, j)).powi(2));
            (squares.sum::<f64>() / (k - 1.0) / k).sqrt()
        };
        Table {
            alphas: folds[0].alphas.clone(),
            scores: Mat::from_fn(rows, cols, mean),
            spreads: Mat::from_fn(rows, cols, spread),
            units: folds[0].units.clone(),
        }
    }

    /// By what penalties and kernels are compared: the mean over targets, each in units of its own.
    pub fn compared(&self, a: usize) -> f64 {
        (0..self.scores.cols()).map(|j| self.scores[(a, j)] / self.unit(j)).sum::<f64>()
            / self.scores.cols() as f64
    }

    fn unit(&self, j: usize) -> f64 {
        if self.units.len() == self.scores.cols() { self.units[j] } else { 1.0 }
    }

    /// The mean over targets of the scores of penalty `a`.
    pub fn score(&self, a: usize) -> Score {
        let row = self.scores.row(a);
        let t = row.len() as f64;
        let squares: f64 = self.spreads.row(a).iter().map(|s| s * s).sum();
        Score { value: row.iter().sum::<f64>() / t, spread: squares.sqrt() / t }
    }
}

/// What was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The kernel, by place.
    pub kernel: usize,
    /// The penalty, by place: one for all targets, or one each.
    pub alphas: Vec<usize>,
    /// The score, the mean over targets.
    pub score: Score,
}

impl Chosen {
    fn among(tables: &[Table], per_target: bool) -> Result<Self> {
        let of = |kernel: usize| Self::of_table(&tables[kernel], kernel, per_target);
        let best = (0..tables.len())
            .map(of)
            .filter(|(_, compared)| compared.is_finite())
            .reduce(|best, other| if other.1 > best.1 { other } else { best });
        best.map(|(chosen, _)| chosen).ok_or_else(|| {
            Error::Numeric("no combination of kernel and penalty has a finite score".into())
        })
    }

    /// The best penalty of one kernel, and by what it is compared with other kernels.
    fn of_table(table: &Table, kernel: usize, per_target: bool) -> (Self, f64) {
        let count = table.alphas.len();
        // Of equal scores the larger penalty: the smoother function.
        let largest = |score: &dyn Fn(usize) -> f64| {
            let value = |a: usize| if score(a).is_nan() { f64::NEG_INFINITY } else { score(a) };
            let better =
                |a: usize, b: usize| (value(b), table.alphas[b]) > (value(a), table.alphas[a]);
            (0..count).reduce(|a, b| if better(a, b) { b } else { a }).unwrap_or(0)
        };
        if per_target && table.scores.cols() > 1 {
            let t = table.scores.cols();
            let alphas: Vec<usize> = (0..t).map(|j| largest(&|a| table.scores[(a, j)])).collect();
            let own = alphas.iter().enumerate();
            let value = own.clone().map(|(j, &a)| table.scores[(a, j)]).sum::<f64>() / t as f64;
            let squares: f64 = own.map(|(j, &a)| table.spreads[(a, j)].powi(2)).sum();
            let score = Score { value, spread: squares.sqrt() / t as f64 };
            let own = alphas.iter().enumerate();
            let units = own.map(|(j, &a)| table.scores[(a, j)] / table.unit(j));
            let compared = units.sum::<f64>() / t as f64;
            return (Self { kernel, alphas, score }, compared);
        }
        let a = largest(&|a| table.compared(a));
        (Self { kernel, alphas: vec![a], score: table.score(a) }, table.compared(a))
    }

    /// The penalties chosen.
    fn values(&self, tables: &[Table]) -> Vec<f64> {
        self.alphas.iter().map(|&a| tables[self.kernel].alphas[a]).collect()
    }
}

/// Writes down in the model how it was chosen, and what to beware of.
fn tell<T: Real>(
    model: &mut KernelRidge<T>,
    params: &SearchParams,
    tables: &[Table],
    chosen: &Chosen,
    judge: &dyn Judge,
) {
    let measure = match params.validation {
        Validation::Gcv => "negative generalised cross-validation error".into(),
        _ => judge.name(),
    };
    model.selection = Some(Selection {
        method: params.validation.name(),
        candidates: tables.iter().map(|table| table.alphas.len()).sum(),
        score: chosen.score.value,
        spread: Some(chosen.score.spread).filter(|s| s.is_finite()),
        measure,
    });
    let alphas = &tables[chosen.kernel].alphas;
    if alphas.len() < 2 {
        return;
    }
    let least = alphas.iter().copied().fold(f64::INFINITY, f64::min);
    let most = alphas.iter().copied().fold(0.0, f64::max);
    let is_chosen = |end: f64| chosen.alphas.iter().any(|&a| alphas[a] == end);
    let asked = params.alphas.is_some();
    if is_chosen(least) && asked {
        let note =
            format!("the best alpha is the smallest of the grid, {least:.3e}: add smaller ones");
        model.report.notes.push(note);
    }
    if is_chosen(most) {
        let more = if asked { ", or larger ones are better" } else { "" };
        model.report.notes.push(format!(
            "the best alpha is the largest of the grid, {most:.3e}: the features tell next to nothing of a target{more}"
        ));
    }
}

/// A context that reports all work as a share of the whole grid.
fn share_of(ctx: &Context, index: usize, count: usize) -> Context {
    let share = Share { outer: ctx.clone(), index: index as f64, count: count as f64 };
    ctx.clone().with_monitor(Arc::new(share))
}

struct Share {
    outer: Context,
    index: f64,
    count: f64,
}

impl Monitor for Share {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        // The decomposition, or the iteration, is nearly all of the work; other stages would make the bar jump.
        if !["eigen", "coefficients"].contains(&step.stage) {
            return self.poll();
        }
        let done = self.index + step.done / step.total;
        let step = Step { stage: "grid", done, total: self.count, residual: None };
        self.outer.step(step).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    fn poll(&self) -> ControlFlow<()> {
        self.outer.poll().map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }
}
