//! Kernel ridge regression with kernel and penalty chosen by cross-validation.
//!
//! One decomposition per kernel serves all penalties; kernels that differ in their width alone share the distances of
//! samples; folds are views of one matrix.

use std::time::Instant;

use super::edges::Edges;
use super::folds::Fold;
use super::landmarks;
use super::metric::Metric;
use super::part::Part;
use super::table::{Chosen, Table};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::{Precomputed, Tiles};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::MatRef;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams, Selection};
use crate::model::{Input, Targets};
use crate::points::{Points, Samples, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::path;

/// The kind of cross-validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validation {
    /// Leave-one-out, in closed form.
    LeaveOneOut,
    /// Generalised cross-validation: as leave-one-out, with the mean leverage in place of each sample's own.
    Gcv,
    /// K-fold cross-validation with these folds.
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

/// Parameters of the search.
#[derive(Clone, Debug)]
pub struct SearchParams {
    /// The parameters of the resulting model; its kernel and penalty are replaced by those chosen. With landmarks, all candidates are low-rank fits: the
    /// landmarks of a kernel are the same for all its penalties, and chosen anew for each fold.
    pub model: KernelRidgeParams,
    /// The kernels to compare; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// The penalties to compare, all positive; `None` for a grid that suits the kernel.
    pub alphas: Option<Vec<f64>>,
    /// The kind of cross-validation.
    pub validation: Validation,
    /// Whether to choose a penalty for each target. All targets share the kernel.
    pub per_target: bool,
}

/// The result of a search.
pub struct Search {
    /// The model with the chosen kernel and penalty, fitted on all samples.
    pub model: KernelRidge,
    /// The kernels that were compared, resolved; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// Their scores.
    pub tables: Vec<Table>,
    /// The choice.
    pub chosen: Chosen,
}

/// Searches over kernels and penalties; on a kernel matrix, of which only the lower triangle is read, over penalties alone.
/// When a time limit of the monitor has passed, the kernels that were scored by then, at least one, are compared; the fit with
/// the best of them, which takes less than its scores, follows.
pub fn search<'a>(
    ctx: &Context,
    params: &SearchParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
    metric: &dyn Metric,
) -> Result<Search> {
    search_input(ctx, params, input.into(), targets, metric)
}

fn search_input(
    ctx: &Context,
    params: &SearchParams,
    input: Input<'_>,
    targets: &Targets,
    metric: &dyn Metric,
) -> Result<Search> {
    let started = Instant::now();
    if params.model.landmarks.is_some() {
        let mut found = landmarks::search(ctx, params, input, targets, metric)?;
        found.model.report.seconds = started.elapsed().as_secs_f64();
        return Ok(found);
    }
    let mut found = match &input {
        Input::Samples(x) => {
            with_samples!(x, x => search_samples(ctx, params, x, targets, metric))
        }
        Input::Precomputed { values, .. } => {
            with_matrix!(values.view(), matrix => search_matrix(ctx, params, matrix, targets, metric))
        }
        Input::Gram(_) => {
            let message = "a search needs samples or a kernel matrix that was computed";
            return Err(Error::Shape(message.into()));
        }
    }?;
    found.model.report.seconds = started.elapsed().as_secs_f64();
    Ok(found)
}

fn search_samples<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    x: &Samples<T>,
    targets: &Targets,
    metric: &dyn Metric,
) -> Result<Search> {
    let mut kernels: Vec<KernelSpec> =
        params.kernels.iter().map(|spec| spec.resolve(x)).collect::<Result<_>>()?;
    let built: Vec<SpecKernel<T>> = kernels.iter().map(SpecKernel::new).collect::<Result<_>>()?;
    if built.is_empty() {
        return Err(Error::parameter(Param::Kernel, "at least one kernel is required"));
    }
    let part = Part::new(params, x.n(), targets)?;
    let counted = part.kept.as_ref().map_or_else(|| x.clone(), |kept| x.select(kept));
    let _reservation = part.set_aside(ctx, &counted)?;
    // On one thread, whose allocator then has what the search freed for the fit.
    let (tables, chosen, mut model) = ctx.install(|| {
        let tables = part.tables(ctx, &built, &counted, metric)?;
        let chosen = Chosen::among(&tables, params.per_target)?;
        let kernel = kernels[chosen.kernel].clone();
        let x = super::compared(x, &kernel);
        let model_params =
            KernelRidgeParams { kernel, alpha: chosen.values(&tables), ..params.model.clone() };
        let model = KernelRidge::fit(&ctx.without_time_limit(), &model_params, &x, targets, None)?;
        Ok::<_, Error>((tables, chosen, model))
    })?;
    kernels.truncate(tables.len());
    record_selection(&mut model, params, Some(&kernels), &tables, &chosen, metric.name());
    Ok(Search { model, kernels, tables, chosen })
}

fn search_matrix<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    matrix: MatRef<'_, T>,
    targets: &Targets,
    metric: &dyn Metric,
) -> Result<Search> {
    let gram = Precomputed::new(matrix)?;
    let part = Part::new(params, matrix.rows(), targets)?;
    let hint = "search on fewer rows, or raise the memory budget";
    ctx.need("the search", path::workspace_bytes(part.n()), hint)?;
    let tables = vec![ctx.install(|| match &part.kept {
        None => part.evaluate(ctx, (0, 1), &gram, metric),
        Some(kept) => {
            let lower = gram.subset(kept).lower(ctx)?;
            part.evaluate(ctx, (0, 1), &Precomputed::new(lower.view())?, metric)
        }
    })?];
    let chosen = Chosen::among(&tables, params.per_target)?;
    let model_params = KernelRidgeParams { alpha: chosen.values(&tables), ..params.model.clone() };
    let given = Input::precomputed(matrix);
    let mut model =
        KernelRidge::fit(&ctx.without_time_limit(), &model_params, given, targets, None)?;
    record_selection(&mut model, params, None, &tables, &chosen, metric.name());
    Ok(Search { model, kernels: Vec::new(), tables, chosen })
}

/// Records in the model how it was chosen, with notes.
pub(super) fn record_selection(
    model: &mut KernelRidge,
    params: &SearchParams,
    kernels: Option<&[KernelSpec]>,
    tables: &[Table],
    chosen: &Chosen,
    measure: String,
) {
    let measure = match params.validation {
        Validation::Gcv => "negative generalised cross-validation error".into(),
        _ => measure,
    };
    model.selection = Some(Selection {
        method: params.validation.name(),
        candidates: tables.iter().map(|table| table.alphas.len()).sum(),
        score: chosen.score.value,
        std_error: Some(chosen.score.std_error).filter(|s| s.is_finite()),
        measure,
    });
    let stable = model.report.system.as_ref().map_or(0.0, |system| system.stable_alpha);
    let edges = Edges { tables, chosen, per_target: params.per_target };
    let notes = &mut model.report.notes;
    notes.extend(kernels.and_then(|kernels| edges.of_widths(kernels)));
    notes.extend(edges.of_alphas(params.alphas.is_some(), stable));
}
