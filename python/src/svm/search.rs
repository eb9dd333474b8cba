//! Machines along a path of C, and with kernel and C chosen by cross-validation.

use mercer::select::{self, Fold, SvmSearch, SvmSearchParams};
use mercer_guard::guarded;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use super::targets::{SvmSettings, TargetArrays};
use super::{MachineNumber, python_model};
use crate::arrays::{copied, rows};
use crate::enter::{Run, enter};
use crate::kernels::KernelArg;
use crate::model::Model;
use crate::samples::{Given, Rows, with_given};

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
    let (params, owned) = (settings.params(py)?, targets.read()?);
    let (supervision, dtype) = (owned.supervision(), settings.dtype.as_str());
    with_given!(x, rows => {
        let machines = enter(py, &run, |ctx| match rows {
            Rows::Samples(x) => select::svm_path(ctx, &params, x, supervision, &cs),
            Rows::Matrix(x) => select::svm_path_gram(ctx, &params, x, supervision, &cs),
        })?;
        machines.into_iter().map(|machine| python_model(py, machine, dtype)).collect()
    })
}

/// What to compare, from a dictionary: kernels (none for a precomputed matrix), values of C, and splits into training and
/// test rows.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Grid<'py> {
    kernels: Vec<KernelArg<'py>>,
    cs: Vec<f64>,
    splits: Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>,
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
        })
    }
}

/// A model, the kernels with their parameters, the scores of each (Cs × folds), and the indices of the kernel and of the C
/// that were chosen.
type Found<'py> = (Model, Vec<String>, Vec<Bound<'py, PyArray2<f64>>>, (usize, usize));

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
    let (params, owned) = (grid.params(py, &settings)?, targets.read()?);
    let (supervision, dtype) = (owned.supervision(), settings.dtype.as_str());
    with_given!(x, rows => {
        let found = enter(py, &run, |ctx| match rows {
            Rows::Samples(x) => select::svm_search(ctx, &params, x, supervision),
            Rows::Matrix(x) => select::svm_search_gram(ctx, &params, x, supervision),
        })?;
        result(py, found, dtype)
    })
}

fn result<'py, T: MachineNumber>(
    py: Python<'py>,
    found: SvmSearch<T>,
    dtype: &str,
) -> PyResult<Found<'py>> {
    let kernels = found.kernels.iter().map(ToString::to_string).collect();
    let scores = found.scores.iter().map(|scores| copied(py, scores)).collect();
    Ok((python_model(py, found.model, dtype)?, kernels, scores, found.chosen))
}
