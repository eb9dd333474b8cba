//! Machines along a path of C, and with kernel and C chosen by cross-validation.

use mercer::Context;
use mercer::select::{self, Fold, SvmSearchParams};
use mercer_guard::guarded;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use super::python_model;
use super::targets::{SvmSettings, TargetArrays};
use crate::arrays::{copied, rows};
use crate::enter::{Run, enter};
use crate::kernels::KernelArg;
use crate::model::Model;
use crate::samples::Given;

/// Machines for each of `cs`, in that order, on samples or on a kernel matrix.
#[guarded]
#[pyfunction]
pub fn svm_path(
    py: Python<'_>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    cs: Vec<f64>,
    settings: SvmSettings<'_>,
    run: Run,
) -> PyResult<Vec<Model>> {
    let (params, targets, input) = (settings.params(py)?, targets.read()?, x.input()?);
    let path = |ctx: &Context| select::svm_path(ctx, &params, input, &targets, &cs);
    let machines = enter(py, &run, path)?.into_iter();
    machines.map(|machine| python_model(py, machine, &settings.dtype)).collect()
}

/// What to compare, from a dictionary: kernels (none for a precomputed matrix), values of C, and splits into training and
/// test rows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Grid<'py> {
    kernels: Vec<KernelArg<'py>>,
    cs: Vec<f64>,
    splits: Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>,
    /// Whether each cell chooses for itself.
    per_cell: bool,
}

impl Grid<'_> {
    fn params(&self, py: Python<'_>, settings: &SvmSettings<'_>) -> PyResult<SvmSearchParams> {
        let kernels = self.kernels.iter().map(|kernel| kernel.spec(py));
        let fold = |(train, test): &(_, _)| Ok(Fold { train: rows(train)?, test: rows(test)? });
        Ok(SvmSearchParams {
            model: settings.params(py)?,
            kernels: kernels.collect::<PyResult<_>>()?,
            cs: self.cs.clone(),
            folds: self.splits.iter().map(fold).collect::<PyResult<_>>()?,
            per_cell: self.per_cell,
        })
    }
}

/// A model, the kernels with their parameters, the scores of each (Cs × folds), the indices of the kernel and of the C
/// that were chosen, and the score of each fold where each cell chose for itself.
type Found<'py> =
    (Model, Vec<String>, Vec<Bound<'py, PyArray2<f64>>>, (usize, usize), Option<Vec<f64>>);

/// Chooses kernel and C on samples, or C on a kernel matrix, and fits with them.
#[guarded]
#[pyfunction]
pub fn svm_search<'py>(
    py: Python<'py>,
    x: Given<'_>,
    targets: TargetArrays<'_>,
    grid: Grid<'_>,
    settings: SvmSettings<'_>,
    run: Run,
) -> PyResult<Found<'py>> {
    let (params, targets, input) = (grid.params(py, &settings)?, targets.read()?, x.input()?);
    let found = enter(py, &run, |ctx| select::svm_search(ctx, &params, input, &targets))?;
    let kernels = found.kernels.iter().map(ToString::to_string).collect();
    let scores = found.scores.iter().map(|scores| copied(py, scores)).collect();
    let of_cells = found.cells.map(|cells| cells.scores);
    Ok((python_model(py, found.model, &settings.dtype)?, kernels, scores, found.chosen, of_cells))
}
