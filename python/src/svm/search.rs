//! Machines along C, and with kernel and C chosen by folds.

use mercer::select::{self, Fold, SvmSearch, SvmSearchParams};
use mercer_guard::guarded;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use super::lesson::{Aims, SvmChoices};
use super::{Held, kept};
use crate::arrays::{copied, rows};
use crate::enter::{Run, enter};
use crate::kernels::Written;
use crate::model::Model;
use crate::samples::{Given, Rows, with_given};

/// Machines for each of `cs`, in that order, on samples or on a kernel matrix.
#[guarded]
#[pyfunction]
pub fn svm_path(
    py: Python<'_>,
    x: Given<'_>,
    aims: Aims<'_>,
    cs: Vec<f64>,
    choices: SvmChoices<'_>,
    run: Run,
) -> PyResult<Vec<Model>> {
    let (params, learned) = (choices.params(py)?, aims.read()?);
    let (lesson, dtype) = (learned.lesson(), choices.dtype.as_str());
    with_given!(x, rows => {
        let machines = enter(py, &run, |ctx| match rows {
            Rows::Samples(x) => select::svm_path(ctx, &params, x, lesson, &cs),
            Rows::Matrix(x) => select::svm_path_gram(ctx, &params, x, lesson, &cs),
        })?;
        machines.into_iter().map(|machine| kept(py, machine, dtype)).collect()
    })
}

/// What to compare, from a dictionary: kernels (none for a given matrix), prices, and splits into rows to learn from and
/// rows to judge by.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Grid<'py> {
    kernels: Vec<Written<'py>>,
    cs: Vec<f64>,
    splits: Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>,
}

impl Grid<'_> {
    fn params(&self, py: Python<'_>, choices: &SvmChoices<'_>) -> PyResult<SvmSearchParams> {
        let kernels = self.kernels.iter().map(|kernel| kernel.spec(py));
        let fold = |(train, test): &(_, _)| Ok(Fold { train: rows(train)?, test: rows(test)? });
        Ok(SvmSearchParams {
            model: choices.params(py)?,
            kernels: kernels.collect::<PyResult<_>>()?,
            cs: self.cs.clone(),
            folds: self.splits.iter().map(fold).collect::<PyResult<_>>()?,
        })
    }
}

/// A model, the kernels with their numbers, the scores of each (prices × folds), and the place of the kernel and of the
/// price that were chosen.
type Found<'py> = (Model, Vec<String>, Vec<Bound<'py, PyArray2<f64>>>, (usize, usize));

/// Chooses kernel and price on samples, or the price on a kernel matrix, and fits with them.
#[guarded]
#[pyfunction]
pub fn svm_search<'py>(
    py: Python<'py>,
    x: Given<'_>,
    aims: Aims<'_>,
    grid: Grid<'_>,
    choices: SvmChoices<'_>,
    run: Run,
) -> PyResult<Found<'py>> {
    let (params, learned) = (grid.params(py, &choices)?, aims.read()?);
    let (lesson, dtype) = (learned.lesson(), choices.dtype.as_str());
    with_given!(x, rows => {
        let found = enter(py, &run, |ctx| match rows {
            Rows::Samples(x) => select::svm_search(ctx, &params, x, lesson),
            Rows::Matrix(x) => select::svm_search_gram(ctx, &params, x, lesson),
        })?;
        shown(py, found, dtype)
    })
}

fn shown<'py, T: Held>(py: Python<'py>, found: SvmSearch<T>, dtype: &str) -> PyResult<Found<'py>> {
    let kernels = found.kernels.iter().map(ToString::to_string).collect();
    let scores = found.scores.iter().map(|scores| copied(py, scores)).collect();
    Ok((kept(py, found.model, dtype)?, kernels, scores, found.chosen))
}
