//! Kernel ridge regression with kernel and penalty chosen by cross-validation.
//!
//! One decomposition per kernel serves all penalties; kernels that differ in their width alone share the distances of
//! samples; folds are views of one matrix.

use std::time::Instant;

use super::folds::Fold;
use super::judge::Judge;
use super::part::Part;
use super::table::{Chosen, Table};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::{Square, Tiles};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::MatRef;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams, Selection, Targets};
use crate::points::{Points, Samples};
use crate::real::Real;
use crate::solve::path;

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
    x: impl Into<Samples<T>>,
    targets: Targets<'_>,
    judge: &dyn Judge,
) -> Result<Search<T>> {
    let started = Instant::now();
    let x = &x.into();
    let kernels: Vec<KernelSpec> =
        params.kernels.iter().map(|spec| spec.resolve(x)).collect::<Result<_>>()?;
    let built: Vec<SpecKernel<T>> = kernels.iter().map(SpecKernel::new).collect::<Result<_>>()?;
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
