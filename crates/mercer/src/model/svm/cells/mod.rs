//! Machines on cells: the samples are divided into cells around some of them, each has an exact machine of its own, and a new sample is decided by the machine of the
//! cell whose centre is nearest in feature space.
//!
//! A cell is learned from its own samples and from the nearest ones of its neighbours, so that neighbouring SVMs agree where cells meet.

mod decide;
mod division;
mod elsewhere;
mod grid;
mod merge;
mod partition;
mod shared;
#[cfg(test)]
mod tests;

pub(crate) use grid::{CellGrid, Compared, Split};
pub(crate) use shared::SharedCells;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::check::Checked;
use super::{Svm, SvmParams, Task, notes};
use crate::context::{Context, SharedProgress};
use crate::error::{Error, Param, Result};
use crate::kernel::KernelSpec;
use crate::model::targets::{Labels, Targets};
use crate::points::AnySamples;
use division::Division;
use merge::{Part, merge, widened};

/// The sizes of cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CellParams {
    /// The samples of a cell at most; samples that are equal stay together.
    pub rows: usize,
    /// How many samples of other cells one learns from beside, as a share of `rows`.
    pub overlap: f64,
    /// Seed of the choice of centres.
    pub seed: u64,
    /// In a fitted model whose cells have kernels of their own: these, each once.
    #[doc(hidden)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<KernelSpec>,
}

impl CellParams {
    /// Cells of at most so many samples, and a quarter as many of their neighbours.
    pub fn new(rows: usize) -> Self {
        Self { rows, overlap: 0.25, seed: 0, kernels: Vec::new() }
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::parameter(Param::Cells, message));
        match (self.rows, self.overlap) {
            (0..=9, _) => wrong(format!("a cell needs at least 10 rows, got {}", self.rows)),
            (_, share) if !(0.0..=10.0).contains(&share) => {
                wrong(format!("the overlap must lie between 0 and 10, got {share}"))
            }
            _ => Ok(()),
        }
    }
}

impl From<usize> for CellParams {
    fn from(rows: usize) -> Self {
        Self::new(rows)
    }
}

/// The cells of a machine. Their centres follow the support vectors among its anchors.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct CellState {
    /// The support vectors of each cell and class: cells × classes, or one for each cell. They follow each other in this order.
    pub counts: Vec<usize>,
    /// The kernel of each cell, by its place among those of the parameters, and its C; empty where all have the same.
    pub own: Vec<CellChoice>,
}

/// What was chosen for a cell.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellChoice {
    /// The place of its kernel among the kernels of cells.
    pub kernel: usize,
    /// Its C.
    pub c: f64,
}

/// Refuses the task whose parameter bounds a share of all samples.
fn check(params: &SvmParams) -> Result<()> {
    match params.task {
        Task::NuSvc => Err(Error::parameter(
            Param::Cells,
            "nu-SVC bounds a share of all samples, which cells have different shares of: use C",
        )),
        _ => Ok(()),
    }
}

impl Svm {
    /// Fits a machine for each cell.
    pub(super) fn fit_on_cells(
        ctx: &Context,
        params: &SvmParams,
        wanted: &CellParams,
        x: &AnySamples,
        targets: &Targets,
    ) -> Result<Self> {
        wanted.check()?;
        check(params)?;
        let checked = Checked::new(params, targets, x.n())?;
        let division = Division::new(ctx, &params.kernel, counted(x, &checked), wanted)?;
        fit(ctx, params, (&division, &[]), x, &checked)
    }
}

/// The samples that count.
fn counted(x: &AnySamples, checked: &Checked) -> AnySamples {
    if checked.rows.len() < x.n() { x.select(&checked.rows) } else { x.clone() }
}

/// The kernel and the C of a cell.
type Own = (KernelSpec, f64);

/// The machines of all cells as one model, with what was chosen for each cell, or nothing.
fn fit(
    ctx: &Context,
    params: &SvmParams,
    (division, own): (&Division, &[Own]),
    x: &AnySamples,
    checked: &Checked,
) -> Result<Svm> {
    let started = Instant::now();
    let progress = SharedProgress::new("cells", division.cells.len());
    let one = |ctx_of_cell: &Context, cell: usize| -> Result<Part> {
        let left =
            params.max_seconds.map(|most| (most - started.elapsed().as_secs_f64()).max(1e-3));
        let (kernel, c) = own.get(cell).cloned().unwrap_or((division.spec.clone(), params.c));
        let alone = SvmParams { kernel, c, cells: None, max_seconds: left, ..params.clone() };
        let part = part(ctx_of_cell, &alone, division, checked, cell)?;
        // Cells that follow would end at once, without a machine.
        if part.model.as_ref().is_some_and(Svm::was_interrupted) {
            return Err(Error::Interrupted);
        }
        progress.add(ctx, 1)?;
        Ok(part)
    };
    let parts = ctx.without_steps().side_by_side(division.cells.len(), division.bytes(), one)?;
    Ok(joined(params, (division, own), &parts, x, checked))
}

/// The machines of cells as one model.
fn joined(
    params: &SvmParams,
    (division, own): (&Division, &[Own]),
    parts: &[Part],
    x: &AnySamples,
    checked: &Checked,
) -> Svm {
    let mut model = merge(params, checked, parts, own, x);
    model.params.kernel = division.spec.clone();
    let centres = division.centres.iter().map(|&row| checked.rows[row]);
    let anchors: Vec<usize> = model.support.iter().copied().chain(centres).collect();
    model.anchors = Some(x.select(&anchors));
    notes::on_report(&mut model);
    model
}

/// The machine of a cell; none where its samples are all of one class.
fn part(
    ctx: &Context,
    params: &SvmParams,
    division: &Division,
    checked: &Checked,
    cell: usize,
) -> Result<Part> {
    let rows = division.cells[cell].learned.clone();
    let present = present(checked, &rows);
    if present.len() == 1 {
        return Ok(Part { rows, present, model: None });
    }
    let targets = targets_of(checked, &rows, &present);
    let model = Svm::fit(ctx, params, &division.x.select(&rows), &targets, None)?;
    Ok(Part { rows, present, model: Some(model) })
}

/// The classes of some rows, by place; none without classes.
pub(super) fn present(checked: &Checked, rows: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; checked.classes.len()];
    if !seen.is_empty() {
        rows.iter().for_each(|&row| seen[checked.places[row]] = true);
    }
    (0..seen.len()).filter(|&class| seen[class]).collect()
}

/// What some rows have to be learned of them, whose classes are `present`.
pub(super) fn targets_of(checked: &Checked, rows: &[usize], present: &[usize]) -> Targets {
    targets_among(checked, rows, present, |_| true)
}

/// The same where only those `is_learned` of the rows count.
fn targets_among(
    checked: &Checked,
    rows: &[usize],
    present: &[usize],
    is_learned: impl Fn(usize) -> bool,
) -> Targets {
    let weight = |&row: &usize| if is_learned(row) { checked.weights[row] } else { 0.0 };
    let weights = rows.iter().map(weight).collect();
    let targets = if !checked.classes.is_empty() {
        let place = |&row: &usize| {
            present.iter().position(|class| *class == checked.places[row]).unwrap_or(0)
        };
        let names = present.iter().map(|&class| checked.classes[class].clone()).collect();
        let labels = Labels { names, places: rows.iter().map(place).collect() };
        let class_weights = present.iter().map(|&class| checked.class_weights[class]).collect();
        Targets::labels(labels).with_class_weights(Some(class_weights))
    } else if checked.values.is_empty() {
        Targets::unsupervised()
    } else {
        let values: Vec<f64> = rows.iter().map(|&row| checked.values[row]).collect();
        Targets::values(&values)
    };
    targets.with_weights(Some(weights))
}

/// The decisions that speak for the heaviest class of some rows, or their mean value.
fn constant_of(checked: &Checked, rows: &[usize], k: usize) -> Vec<f64> {
    if k == 0 {
        if checked.values.is_empty() {
            return vec![0.0];
        }
        let weight: f64 = rows.iter().map(|&i| checked.weights[i]).sum();
        let sum: f64 = rows.iter().map(|&i| checked.weights[i] * checked.values[i]).sum();
        return vec![sum / weight];
    }
    let mut weights = vec![0.0; k];
    rows.iter().for_each(|&i| weights[checked.places[i]] += checked.weights[i]);
    let heavier = |best: usize, c: usize| if weights[c] > weights[best] { c } else { best };
    widened(&[], &[(0..k).fold(0, heavier)], k)
}
