//! Machines on cells: the samples are divided into cells around some of them, each has an exact machine of its own, and a new sample is decided by the machine of the
//! cell whose centre is nearest in feature space.
//!
//! A cell is learned from its own samples and from the nearest ones of its neighbours, so that machines agree about where cells meet.

mod decide;
mod elsewhere;
mod merge;
mod partition;
mod shared;
#[cfg(test)]
mod tests;

pub(crate) use shared::SharedCells;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::check::Checked;
use super::{Svm, SvmParams, Task, notes};
use crate::context::{Context, SharedProgress};
use crate::error::{Error, Param, Result};
use crate::model::targets::{Labels, Targets};
use crate::points::{AnySamples, Points, Samples, with_samples};
use crate::real::Real;
use crate::solve::smo::MemoryPlan;
use merge::{Part, merge};
use partition::Partition;

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
}

impl CellParams {
    /// Cells of at most so many samples, and a quarter as many of their neighbours.
    pub fn new(rows: usize) -> Self {
        Self { rows, overlap: 0.25, seed: 0 }
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
        let (mut model, centres) = with_samples!(x, x => fit(ctx, params, wanted, x, &checked))?;
        let anchors: Vec<usize> = model.support.iter().copied().chain(centres).collect();
        model.anchors = Some(x.select(&anchors));
        notes::on_report(&mut model);
        Ok(model)
    }
}

/// The model without its anchors, and the rows of the centres.
fn fit<T: Real>(
    ctx: &Context,
    params: &SvmParams,
    wanted: &CellParams,
    x: &Samples<T>,
    checked: &Checked,
) -> Result<(Svm, Vec<usize>)> {
    let started = Instant::now();
    let kept = if checked.rows.len() < x.n() { x.select(&checked.rows) } else { x.clone() };
    let spec = params.kernel.resolve(&kept)?;
    let partition = Partition::new(ctx, &spec, &kept, wanted)?;
    let progress = SharedProgress::new("cells", partition.count());
    let one = |own: &Context, cell: usize| -> Result<Part> {
        let rows = partition.training(own, cell)?;
        let left =
            params.max_seconds.map(|most| (most - started.elapsed().as_secs_f64()).max(1e-3));
        let alone =
            SvmParams { kernel: spec.clone(), cells: None, max_seconds: left, ..params.clone() };
        let part = part(own, &alone, &kept, checked, rows)?;
        // Cells that follow would end at once, without a machine.
        if part.model.as_ref().is_some_and(Svm::was_interrupted) {
            return Err(Error::Interrupted);
        }
        progress.add(ctx, 1)?;
        Ok(part)
    };
    let largest = partition.largest();
    let bytes = MemoryPlan::wanted::<f64>(largest, kept.cost());
    let parts = ctx.without_steps().side_by_side(partition.count(), bytes, one)?;
    let mut model = merge(params, checked, &parts, x.n(), crate::points::Dtype::of::<T>());
    model.params.kernel = spec;
    let centres = partition.centres.iter().map(|&row| checked.rows[row]).collect();
    Ok((model, centres))
}

/// The machine of some rows among those that count; none where they are all of one class.
fn part<T: Real>(
    ctx: &Context,
    params: &SvmParams,
    kept: &Samples<T>,
    checked: &Checked,
    rows: Vec<usize>,
) -> Result<Part> {
    let present = present(checked, &rows);
    if present.len() == 1 {
        return Ok(Part { rows, present, model: None });
    }
    let targets = targets_of(checked, &rows, &present);
    let model = Svm::fit(ctx, params, &kept.select(&rows), &targets, None)?;
    Ok(Part { rows, present, model: Some(model) })
}

/// The classes of some rows, by place; none without classes.
fn present(checked: &Checked, rows: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; checked.classes.len()];
    if !seen.is_empty() {
        rows.iter().for_each(|&row| seen[checked.places[row]] = true);
    }
    (0..seen.len()).filter(|&class| seen[class]).collect()
}

/// What some rows have to be learned of them.
fn targets_of(checked: &Checked, rows: &[usize], present: &[usize]) -> Targets {
    let weights = rows.iter().map(|&row| checked.weights[row]).collect();
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
