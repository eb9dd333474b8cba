//! Kernel ridge regression with kernel and penalty chosen by cross-validation.
//!
//! One decomposition per kernel serves all penalties; kernels that differ in their width alone share the distances of
//! samples; folds are views of one matrix.

use std::time::Instant;

use super::folds::Fold;
use super::metric::Metric;
use super::part::Part;
use super::table::{Chosen, Table};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::{Precomputed, Tiles};
use crate::kernel::{KernelSpec, Leaf, SpecKernel};
use crate::linalg::view::MatRef;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams, Selection};
use crate::model::{Input, Targets};
use crate::model::{Note, NoteCode};
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
    /// The parameters of the resulting model; its kernel and penalty are replaced by those chosen.
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
    /// The kernels, resolved; none for a given matrix.
    pub kernels: Vec<KernelSpec>,
    /// Their scores.
    pub tables: Vec<Table>,
    /// The choice.
    pub chosen: Chosen,
}

/// Searches over kernels and penalties; on a kernel matrix, of which only the lower triangle is read, over penalties alone.
pub fn search<'a>(
    ctx: &Context,
    params: &SearchParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
    metric: &dyn Metric,
) -> Result<Search> {
    let (started, input) = (Instant::now(), input.into());
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
    let kernels: Vec<KernelSpec> =
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
        let model_params =
            KernelRidgeParams { kernel, alpha: chosen.values(&tables), ..params.model.clone() };
        let model = KernelRidge::fit(ctx, &model_params, x, targets, None)?;
        Ok::<_, Error>((tables, chosen, model))
    })?;
    record_selection(&mut model, params, Some(&kernels), &tables, &chosen, metric);
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
    let mut model =
        KernelRidge::fit(ctx, &model_params, Input::precomputed(matrix), targets, None)?;
    record_selection(&mut model, params, None, &tables, &chosen, metric);
    Ok(Search { model, kernels: Vec::new(), tables, chosen })
}

/// Records in the model how it was chosen, with notes.
fn record_selection(
    model: &mut KernelRidge,
    params: &SearchParams,
    kernels: Option<&[KernelSpec]>,
    tables: &[Table],
    chosen: &Chosen,
    metric: &dyn Metric,
) {
    let measure = match params.validation {
        Validation::Gcv => "negative generalised cross-validation error".into(),
        _ => metric.name(),
    };
    model.selection = Some(Selection {
        method: params.validation.name(),
        candidates: tables.iter().map(|table| table.alphas.len()).sum(),
        score: chosen.score.value,
        std_error: Some(chosen.score.std_error).filter(|s| s.is_finite()),
        measure,
    });
    let notes = &mut model.report.notes;
    notes.extend(kernels.and_then(|kernels| edge_of_widths(kernels, chosen.kernel)));
    let stable = model.report.system.as_ref().map_or(0.0, |system| system.stable_alpha);
    let asked = params.alphas.is_some();
    notes.extend(edges_of_alphas(&tables[chosen.kernel].alphas, &chosen.alphas, asked, stable));
}

/// Notes on penalties that were chosen (by place) from the ends of a grid.
fn edges_of_alphas(
    alphas: &[f64],
    chosen: &[usize],
    asked: bool,
    stable: f64,
) -> impl Iterator<Item = Note> {
    let least = alphas.iter().copied().fold(f64::INFINITY, f64::min);
    let most = alphas.iter().copied().fold(0.0, f64::max);
    let is_chosen = |end: f64| alphas.len() > 1 && chosen.iter().any(|&a| alphas[a] == end);
    let advice = match asked {
        _ if least < stable => {
            "smaller values are below the rounding error of the kernel values; scale the columns, or use double precision"
        }
        true => "add smaller values",
        false => "smaller values may be better; set alphas",
    };
    let low = format!("the best alpha is the smallest of the grid, {least:.3e}: {advice}");
    let more = if asked { ", or larger values are better" } else { "" };
    let high = format!(
        "the best alpha is the largest of the grid, {most:.3e}: the features explain next to nothing of a target{more}"
    );
    [(is_chosen(least), low), (is_chosen(most), high)]
        .into_iter()
        .filter_map(|(applies, text)| applies.then(|| Note::new(NoteCode::EdgeOfGrid, text)))
}

/// Parameters that set a kernel's width.
const WIDTHS: [&str; 4] = ["gamma", "sigma", "width", "length"];

/// A note if the kernel chosen has the smallest or largest width of three or more that differ in nothing else.
fn edge_of_widths(kernels: &[KernelSpec], chosen: usize) -> Option<Note> {
    let best = kernels[chosen].as_leaf()?;
    let (parameter, value) = WIDTHS.into_iter().find_map(|p| Some((p, best.optional(p)?)))?;
    let others = |leaf: &Leaf| -> Vec<_> {
        leaf.effective().filter(|(p, _)| p.name != parameter).map(|(p, v)| (p.name, v)).collect()
    };
    let like =
        |leaf: &&Leaf| leaf.family().name == best.family().name && others(leaf) == others(best);
    let leaves = kernels.iter().filter_map(KernelSpec::as_leaf).filter(like);
    let values: Vec<f64> = leaves.filter_map(|leaf| leaf.optional(parameter)).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    let (end, more) = match value {
        _ if values.len() < 3 || least == most => return None,
        v if v == least => ("smallest", "smaller"),
        v if v == most => ("largest", "larger"),
        _ => return None,
    };
    let text = format!(
        "the best {parameter} is the {end} of those compared, {value:.3e}: {more} values may be better"
    );
    Some(Note::new(NoteCode::EdgeOfGrid, text))
}
