//! Support vector machines for a path of C, and with kernel and C chosen by cross-validation.
//!
//! Kernel values are computed once for all values of C and folds where they fit in memory; each value starts from the solution
//! of the one before.

use super::criterion::Criterion;
use super::folds::Fold;
use super::svm_cells::CellChoices;
use super::svm_fold::{self, OutOfFold};
use crate::context::{Context, SharedProgress, Step};
use crate::error::{Error, Param, Result};
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::svm::{Method, SharedKernel, Svm, SvmParams, Task, fold_bytes, matrix_bytes};
use crate::model::{Input, Target, Targets};
use crate::points::{AnySamples, Cost, Points, with_samples};

/// Models for each of `cs`, in that order. Kernel values are shared; each fit is warm-started from an earlier one.
pub fn svm_path<'a>(
    ctx: &Context,
    params: &SvmParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
    cs: &[f64],
) -> Result<Vec<Svm>> {
    path_of(ctx, params, input.into(), targets, cs)
}

fn path_of(
    ctx: &Context,
    params: &SvmParams,
    input: Input<'_>,
    targets: &Targets,
    cs: &[f64],
) -> Result<Vec<Svm>> {
    check_prices(params, cs)?;
    let shared_kernel = SharedKernel::new(ctx, params, &input)?;
    path(ctx, params, &shared_kernel, targets, cs)
}

/// The indices of the values of C in ascending order: coefficients of a smaller one are within the bounds of a larger one.
pub(super) fn ascending(cs: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cs.len()).collect();
    order.sort_by(|&a, &b| cs[a].total_cmp(&cs[b]));
    order
}

fn path(
    ctx: &Context,
    params: &SvmParams,
    shared_kernel: &SharedKernel<'_>,
    targets: &Targets,
    cs: &[f64],
) -> Result<Vec<Svm>> {
    let mut models: Vec<Option<Svm>> = vec![None; cs.len()];
    let mut last: Option<usize> = None;
    for (turn, place) in ascending(cs).into_iter().enumerate() {
        let params = SvmParams { c: cs[place], ..params.clone() };
        let start = last.and_then(|last| models[last].as_ref());
        let model = shared_kernel.fit(&ctx.without_steps(), &params, targets, start)?;
        if model.was_interrupted() {
            return Err(Error::Interrupted);
        }
        models[place] = Some(model);
        last = Some(place);
        let (done, total) = ((turn + 1) as f64, cs.len() as f64);
        ctx.step(Step::new("values of C", done, total))?;
    }
    Ok(models.into_iter().flatten().collect())
}

fn check_prices(params: &SvmParams, cs: &[f64]) -> Result<()> {
    if !matches!(params.task, Task::CSvc | Task::EpsilonSvr | Task::NuSvr) {
        let message = format!("{} has no parameter C", params.task.name());
        return Err(Error::parameter(Param::Cs, message));
    }
    if cs.is_empty() {
        return Err(Error::parameter(Param::Cs, "at least one value is required"));
    }
    match cs.iter().find(|c| !(**c > 0.0 && c.is_finite())) {
        None => Ok(()),
        Some(c) => Err(Error::parameter(Param::Cs, format!("must be positive, got {c}"))),
    }
}

/// Parameters of the search.
#[derive(Clone, Debug)]
pub struct SvmSearchParams {
    /// The parameters of the resulting model; its kernel and `c` are replaced by those chosen.
    pub model: SvmParams,
    /// The kernels to compare; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// The values of C to compare.
    pub cs: Vec<f64>,
    /// The folds of the cross-validation.
    pub folds: Vec<Fold>,
    /// Whether every cell of a machine on cells has the kernel and the C that are best on its own test rows. Kernels without a
    /// written width then have widths from the samples of each cell.
    #[doc(hidden)]
    pub per_cell: bool,
}

/// The result of a search.
pub struct SvmSearch {
    /// The model with the chosen kernel and `c`, fitted on all samples.
    pub model: Svm,
    /// The kernels, resolved; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// For each kernel (one for a given matrix), cs × folds: the accuracy, or R² of regressions.
    pub scores: Vec<Mat<f64>>,
    /// The indices of the chosen kernel and of the chosen `c`; of equal scores, the first.
    pub chosen: (usize, usize),
    /// What single cells have chosen, where each has its own.
    #[doc(hidden)]
    pub cells: Option<CellChoices>,
}

/// Searches over kernels and C by accuracy or R², for `CSvc` and `EpsilonSvr`; on a kernel matrix over C alone.
pub fn svm_search<'a>(
    ctx: &Context,
    params: &SvmSearchParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
) -> Result<SvmSearch> {
    let criterion = match &targets.target {
        Target::Classes { .. } => Criterion::Accuracy,
        _ => Criterion::R2,
    };
    svm_search_by(ctx, params, input, targets, (criterion, None))
}

/// As [`svm_search`], by another criterion. Samples count alike in it, whatever their weights. A criterion of probabilities needs a
/// calibration; every model is then calibrated on the training samples of its fold.
pub fn svm_search_by<'a>(
    ctx: &Context,
    params: &SvmSearchParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
    by: (Criterion, Option<Method>),
) -> Result<SvmSearch> {
    search_by(ctx, params, input.into(), targets, by)
}

fn search_by(
    ctx: &Context,
    params: &SvmSearchParams,
    input: Input<'_>,
    targets: &Targets,
    by: (Criterion, Option<Method>),
) -> Result<SvmSearch> {
    let Input::Samples(x) = &input else {
        if params.per_cell {
            let message = "not available with a precomputed kernel: samples are divided into cells";
            return Err(Error::parameter(Param::Cells, message));
        }
        let search = Search::new(params, (targets, by), &input, 1)?;
        let shared_kernel = SharedKernel::new(ctx, &params.model, &input)?;
        let scores = vec![search.scores(ctx, &params.model, &shared_kernel)?];
        let chosen = best(&scores)?;
        let chosen_params = SvmParams { c: params.cs[chosen.1], ..params.model.clone() };
        let model = Svm::fit(ctx, &chosen_params, &input, targets, None)?;
        return Ok(SvmSearch { model, kernels: Vec::new(), scores, chosen, cells: None });
    };
    if params.kernels.is_empty() {
        return Err(Error::parameter(Param::Kernel, "at least one kernel is required"));
    }
    if params.per_cell {
        let search = Search::new(params, (targets, by), &input, 1)?;
        return super::svm_cells::search(ctx, &search, x, by.0);
    }
    let resolve = |spec: &KernelSpec| with_samples!(x, x => spec.resolve(x));
    let kernels: Vec<KernelSpec> = params.kernels.iter().map(resolve).collect::<Result<_>>()?;
    let search = Search::new(params, (targets, by), &input, kernels.len())?;
    let of_kernel = |ctx: &Context, kernel: usize| {
        let of_kernel = SvmParams { kernel: kernels[kernel].clone(), ..params.model.clone() };
        let shared_kernel = SharedKernel::new(ctx, &of_kernel, &input)?;
        search.scores(ctx, &of_kernel, &shared_kernel)
    };
    // Side by side, so that no thread waits for the last fold of a kernel.
    let cost = with_samples!(x, x => x.cost());
    let folds = search.fold_bytes(cost).saturating_mul(params.folds.len() as u64);
    let matrix = matrix_bytes::<f64>(x.n());
    let bytes = match params.model.landmarks.is_some() || params.model.cells.is_some() {
        false => matrix.saturating_mul(2).max(folds.saturating_add(matrix)),
        // The features of one kernel may take most of the budget, and cells are worked on side by side: one after the other.
        true => u64::MAX,
    };
    let scores: Vec<Mat<f64>> = ctx.side_by_side(kernels.len(), bytes, of_kernel)?;
    let chosen = best(&scores)?;
    let (kernel, c) = (kernels[chosen.0].clone(), params.cs[chosen.1]);
    let x = with_samples!(x, x => AnySamples::from(super::compared(x, &kernel)));
    let chosen_params = SvmParams { kernel, c, ..params.model.clone() };
    let model = Svm::fit(ctx, &chosen_params, &x, targets, None)?;
    Ok(SvmSearch { model, kernels, scores, chosen, cells: None })
}

/// A search under way.
pub(super) struct Search<'a> {
    pub params: &'a SvmSearchParams,
    input: &'a Input<'a>,
    pub targets: &'a Targets,
    criterion: Criterion,
    /// How decisions become probabilities, where these are scored.
    calibration: Option<Method>,
    progress: SharedProgress,
}

impl<'a> Search<'a> {
    fn new(
        params: &'a SvmSearchParams,
        (targets, (criterion, calibration)): (&'a Targets, (Criterion, Option<Method>)),
        input: &'a Input<'a>,
        kernels: usize,
    ) -> Result<Self> {
        let n = input.n();
        check_prices(&params.model, &params.cs)?;
        if params.folds.is_empty() {
            return Err(Error::parameter(Param::Folds, "at least one fold is required"));
        }
        let given = match &targets.target {
            Target::Classes { labels, .. } => labels.places.len(),
            Target::Values(values) => values.rows(),
            Target::Unsupervised => {
                let message = "a search needs class labels or target values";
                return Err(Error::parameter(Param::Targets, message));
            }
        };
        if given != n {
            let text = format!("there are {n} samples but {given} targets; the numbers must match");
            return Err(Error::Shape(text));
        }
        criterion.check(targets)?;
        if criterion.is_of_probabilities() && calibration.is_none() {
            let message = format!("{} needs calibrated probabilities", criterion.name());
            return Err(Error::parameter("metric", message));
        }
        let calibration = calibration.filter(|_| criterion.is_of_probabilities());
        params.folds.iter().try_for_each(|fold| fold.check(n))?;
        let progress = SharedProgress::new("folds", kernels * params.folds.len());
        Ok(Self { params, input, targets, criterion, calibration, progress })
    }

    /// cs × folds.
    fn scores(
        &self,
        ctx: &Context,
        params: &SvmParams,
        shared_kernel: &SharedKernel<'_>,
    ) -> Result<Mat<f64>> {
        let folds = &self.params.folds;
        let of_fold = |ctx: &Context, fold: usize| {
            let scores = self.fold(ctx, params, shared_kernel, &folds[fold])?;
            self.progress.add(ctx, 1)?;
            Ok(scores)
        };
        let bytes = shared_kernel.fold_bytes(self.input.n(), self.largest_test());
        let columns: Vec<Vec<f64>> = ctx.side_by_side(folds.len(), bytes, of_fold)?;
        Ok(Mat::from_fn(self.params.cs.len(), folds.len(), |c, f| columns[f][c]))
    }

    /// Bytes that a fold takes where memory does not matter.
    fn fold_bytes(&self, cost: Cost) -> u64 {
        fold_bytes(self.input.n(), self.largest_test(), cost)
    }

    fn largest_test(&self) -> usize {
        self.params.folds.iter().map(|fold| fold.test.len()).max().unwrap_or(0)
    }

    /// The score of each C on one fold.
    fn fold(
        &self,
        ctx: &Context,
        params: &SvmParams,
        shared_kernel: &SharedKernel<'_>,
        fold: &Fold,
    ) -> Result<Vec<f64>> {
        let cs = &self.params.cs;
        let order = ascending(cs);
        let steps: Vec<SvmParams> =
            order.iter().map(|&place| SvmParams { c: cs[place], ..params.clone() }).collect();
        let found = self.fold_scores(ctx, shared_kernel, &steps, fold)?;
        let mut scores = vec![0.0; cs.len()];
        order.iter().zip(found).for_each(|(&place, score)| scores[place] = score);
        Ok(scores)
    }

    /// The score of each of `steps` on one fold.
    fn fold_scores(
        &self,
        ctx: &Context,
        shared_kernel: &SharedKernel<'_>,
        steps: &[SvmParams],
        fold: &Fold,
    ) -> Result<Vec<f64>> {
        let (Some(method), Some(labels)) = (self.calibration, self.targets.class_labels()) else {
            let found = svm_fold::predict(ctx, shared_kernel, steps, self.targets, fold)?;
            return Ok(found.iter().map(|found| self.score(&fold.test, found)).collect());
        };
        let truth: Vec<usize> = fold.test.iter().map(|&row| labels.places[row]).collect();
        let calibrated = (shared_kernel, self.input, method);
        let found = svm_fold::probabilities(ctx, calibrated, steps, self.targets, fold)?;
        let score = |shares: &Mat<f64>| self.criterion.of_probabilities(&truth, shares).value;
        Ok(found.iter().map(score).collect())
    }

    fn score(&self, rows: &[usize], found: &OutOfFold) -> f64 {
        let score = match &self.targets.target {
            Target::Classes { labels, .. } => {
                let truth: Vec<usize> = rows.iter().map(|&row| labels.places[row]).collect();
                self.criterion.of_classes(&truth, &found.places, &found.scores, None)
            }
            Target::Values(values) => {
                let truth: Vec<f64> = rows.iter().map(|&row| values[(row, 0)]).collect();
                self.criterion.of_values(&truth, found.scores.data(), None)
            }
            Target::Unsupervised => unreachable!("refused when the search was made"),
        };
        score.value
    }
}

/// The kernel and the C with the best mean score; of equal ones, the first.
pub(super) fn best(scores: &[Mat<f64>]) -> Result<(usize, usize)> {
    let mean = |table: &Mat<f64>, c: usize| table.row(c).iter().sum::<f64>() / table.cols() as f64;
    let mut best = ((0, 0), f64::NEG_INFINITY);
    for (kernel, table) in scores.iter().enumerate() {
        for c in 0..table.rows() {
            if mean(table, c) > best.1 {
                best = ((kernel, c), mean(table, c));
            }
        }
    }
    match best.1.is_finite() {
        true => Ok(best.0),
        false => Err(Error::Numeric("no combination of kernel and C has a finite score".into())),
    }
}
