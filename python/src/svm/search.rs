//! Machines along C, and with kernel and C chosen by folds.

use mercer::io::Saved;
use mercer::linalg::view::MatRef;
use mercer::model::svm::{Svm, SvmParams};
use mercer::real::Real;
use mercer::select::{self, Fold, SvmSearch, SvmSearchParams};
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use super::Held;
use super::lesson::{Aims, SvmChoices};
use crate::arrays::{Samples, copied, dense, rows, view, with_samples};
use crate::enter::{Run, enter};
use crate::fit::dtype_named;
use crate::kernels::parse;
use crate::model::Model;

/// Machines for each of `cs`, in that order, on samples or on a kernel matrix.
#[pyfunction]
pub fn svm_path(
    py: Python<'_>,
    x: Samples<'_>,
    aims: Aims<'_>,
    cs: Vec<f64>,
    choices: SvmChoices,
    run: Run,
) -> PyResult<Vec<Model>> {
    let (params, learned) = (choices.params(py)?, aims.read()?);
    let path = Path { params, cs, dtype: &choices.dtype };
    let lesson = learned.lesson();
    if choices.given {
        return match &x {
            Samples::F32(x) => path.walk(py, view(x)?, &run, |ctx, params, cs, x| {
                select::svm_path_gram(ctx, params, x, lesson, cs)
            }),
            Samples::F64(x) => path.walk(py, view(x)?, &run, |ctx, params, cs, x| {
                select::svm_path_gram(ctx, params, x, lesson, cs)
            }),
        };
    }
    with_samples!(&x, x => match choices.single {
        true => path.walk(py, view(x)?, &run, |ctx, params, cs, x| {
            select::svm_path(ctx, params, &dense::<f32>(x)?, lesson, cs)
        }),
        false => path.walk(py, view(x)?, &run, |ctx, params, cs, x| {
            select::svm_path(ctx, params, &dense::<f64>(x)?, lesson, cs)
        }),
    })
}

struct Path<'a> {
    params: SvmParams,
    cs: Vec<f64>,
    dtype: &'a str,
}

impl Path<'_> {
    fn walk<T: Held, U: Real>(
        &self,
        py: Python<'_>,
        x: MatRef<'_, U>,
        run: &Run,
        work: impl FnOnce(
            &mercer::Context,
            &SvmParams,
            &[f64],
            MatRef<'_, U>,
        ) -> mercer::Result<Vec<Svm<T>>>
        + Send,
    ) -> PyResult<Vec<Model>> {
        let machines = enter(py, run, |ctx| work(ctx, &self.params, &self.cs, x))?;
        let held = |model| Model::holding(Saved::new(T::hold(model), dtype_named(self.dtype)));
        Ok(machines.into_iter().map(held).collect())
    }
}

/// What to compare, from a dictionary: kernels (none for a given matrix), prices, and splits into rows to learn from and
/// rows to judge by.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Grid<'py> {
    kernels: Vec<String>,
    cs: Vec<f64>,
    splits: Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>,
}

impl Grid<'_> {
    fn params(&self, py: Python<'_>, choices: &SvmChoices) -> PyResult<SvmSearchParams> {
        let kernels = self.kernels.iter().map(|text| parse(py, text));
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
#[pyfunction]
pub fn svm_search<'py>(
    py: Python<'py>,
    x: Samples<'_>,
    aims: Aims<'_>,
    grid: Grid<'_>,
    choices: SvmChoices,
    run: Run,
) -> PyResult<Found<'py>> {
    let (params, learned) = (grid.params(py, &choices)?, aims.read()?);
    let (lesson, dtype) = (learned.lesson(), choices.dtype.as_str());
    if choices.given {
        return match &x {
            Samples::F32(x) => {
                let x = view(x)?;
                let done = enter(py, &run, |ctx| select::svm_search_gram(ctx, &params, x, lesson))?;
                Ok(shown(py, done, dtype))
            }
            Samples::F64(x) => {
                let x = view(x)?;
                let done = enter(py, &run, |ctx| select::svm_search_gram(ctx, &params, x, lesson))?;
                Ok(shown(py, done, dtype))
            }
        };
    }
    with_samples!(&x, x => {
        let x = view(x)?;
        match choices.single {
            true => Ok(shown(py, enter(py, &run, |ctx| {
                select::svm_search(ctx, &params, &dense::<f32>(x)?, lesson)
            })?, dtype)),
            false => Ok(shown(py, enter(py, &run, |ctx| {
                select::svm_search(ctx, &params, &dense::<f64>(x)?, lesson)
            })?, dtype)),
        }
    })
}

fn shown<'py, T: Held>(py: Python<'py>, found: SvmSearch<T>, dtype: &str) -> Found<'py> {
    let kernels = found.kernels.iter().map(ToString::to_string).collect();
    let scores = found.scores.iter().map(|scores| copied(py, scores)).collect();
    let model = Model::holding(Saved::new(T::hold(found.model), dtype_named(dtype)));
    (model, kernels, scores, found.chosen)
}
