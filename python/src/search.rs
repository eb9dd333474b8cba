//! Searches over kernels and penalties, and scorers that are Python functions.

use std::sync::Mutex;

use mercer::io::ModelFile;
use mercer::model::landmarks::{RowBlocks, Whole};
use mercer::select::{
    self, Criterion, Fold, Metric, Score, Search, SearchParams, SquaredError, Validation,
};
use mercer::{Context, Dtype, Error, Mat};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{copied, rows};
use crate::enter::{Run, enter};
use crate::errors::exception;
use crate::fit::{dtype_named, unknown};
use crate::kernels::KernelArg;
use crate::landmarks::refuse_without_sums;
use crate::model::Model;
use crate::ridge::{RidgeSettings, TargetArrays, ridge_of};
use crate::samples::Given;

/// What to compare and how, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SearchSettings<'py> {
    kernels: Vec<KernelArg<'py>>,
    alphas: Option<Vec<f64>>,
    validation: Comparison<'py>,
    per_target: bool,
    scorer: Option<Py<PyAny>>,
    measure: String,
}

/// `"loo"`, `"gcv"`, or splits into training and test rows.
#[derive(FromPyObject)]
enum Comparison<'py> {
    Named(String),
    Splits(Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>),
}

impl SearchSettings<'_> {
    fn params(&self, py: Python<'_>, model: &RidgeSettings<'_>) -> PyResult<SearchParams> {
        let kernels = self.kernels.iter().map(|kernel| kernel.spec(py));
        Ok(SearchParams {
            model: model.params(py)?,
            kernels: kernels.collect::<PyResult<_>>()?,
            alphas: self.alphas.clone(),
            validation: self.validation.read()?,
            per_target: self.per_target,
        })
    }

    fn scorer(&self, py: Python<'_>) -> Option<Scorer> {
        let call = self.scorer.as_ref()?.clone_ref(py);
        Some(Scorer { call, measure: self.measure.clone(), raised: Mutex::new(None) })
    }
}

impl Comparison<'_> {
    fn read(&self) -> PyResult<Validation> {
        match self {
            Comparison::Named(name) => match name.as_str() {
                "loo" => Ok(Validation::LeaveOneOut),
                "gcv" => Ok(Validation::Gcv),
                name => Err(unknown("cv", name)),
            },
            Comparison::Splits(splits) => {
                let fold =
                    |(train, test): &(_, _)| Ok(Fold { train: rows(train)?, test: rows(test)? });
                splits.iter().map(fold).collect::<PyResult<_>>().map(Validation::Folds)
            }
        }
    }
}

/// A Python function of rows and predictions (rows × t) that returns scores: one per target, or one for all together.
struct Scorer {
    call: Py<PyAny>,
    measure: String,
    /// What it raised first.
    raised: Mutex<Option<PyErr>>,
}

impl Metric for Scorer {
    fn name(&self) -> String {
        self.measure.clone()
    }

    fn scores(&self, rows: &[usize], predicted: &Mat<f64>) -> mercer::Result<Vec<Score>> {
        let scores = Python::attach(|py| -> PyResult<Vec<f64>> {
            let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
            self.call.call1(py, (rows.to_pyarray(py), copied(py, predicted)))?.extract(py)
        });
        match scores {
            Ok(scores) => {
                let score = |value| Score { value, std_error: f64::NAN };
                Ok(scores.into_iter().map(score).collect())
            }
            Err(error) => {
                self.raised().get_or_insert(error);
                Err(Error::Interrupted)
            }
        }
    }
}

impl Scorer {
    fn raised(&self) -> std::sync::MutexGuard<'_, Option<PyErr>> {
        self.raised.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}

/// The scores of one kernel: its spec, penalties, scores (penalties × targets, or × 1), their standard errors, and by what
/// penalties are compared.
type Scores<'py> = (
    Option<String>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
);

/// A model, the scores of all kernels, and the choice: the kernel's place, the score, its standard error.
type Found<'py> = (Model, Vec<Scores<'py>>, (usize, f64, f64));

/// Chooses kernel and penalty on samples, which may come in blocks with their targets, or the penalty on a kernel matrix, and fits with them.
#[guarded]
#[pyfunction]
#[pyo3(signature = (x, targets, model, settings, run))]
pub fn search<'py>(
    py: Python<'py>,
    x: Given<'_>,
    targets: Option<TargetArrays<'_>>,
    model: RidgeSettings<'_>,
    settings: SearchSettings<'_>,
    run: Run,
) -> PyResult<Found<'py>> {
    let params = settings.params(py, &model)?;
    if let Given::Blocks(blocks) = &x {
        let (mut rows, dtype) = (blocks.get().rows(py), blocks.get().dtype);
        let search =
            |ctx: &Context| select::search_blocks(ctx, &params, &mut rows, dtype, Criterion::Rmse);
        return Ok(into_python(py, enter(py, &run, search)?, dtype_named(&model.dtype)));
    }
    let targets = targets.ok_or_else(|| PyTypeError::new_err("there are no targets"))?;
    let (targets, input) = (targets.read()?, x.input()?);
    let (scorer, weights) = (settings.scorer(py), targets.weights.as_deref());
    let values = targets.regressed().map_err(|error| exception(py, error))?;
    let squared = SquaredError { targets: &values, weights };
    let judge = scorer.as_ref().map_or(&squared as &dyn Metric, |scorer| scorer);
    let done = enter(py, &run, |ctx| select::search(ctx, &params, input, &targets, judge));
    // What the scorer raised is raised.
    if let Some(raised) = scorer.as_ref().and_then(|scorer| scorer.raised().take()) {
        return Err(raised);
    }
    Ok(into_python(py, done?, dtype_named(&model.dtype)))
}

/// Goes on with a search by generalised cross-validation: more samples, which may come in blocks, and the penalties to compare with whether to choose one for each target.
#[guarded]
#[pyfunction]
#[pyo3(signature = (model, x, targets, penalties, run))]
pub fn continue_search<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    targets: Option<TargetArrays<'_>>,
    penalties: (Option<Vec<f64>>, bool),
    run: Run,
) -> PyResult<Found<'py>> {
    let saved = model.get().saved();
    let ridge = ridge_of(model.get())?;
    refuse_without_sums(ridge.landmarks.as_ref())?;
    let go_on = |rows: &mut (dyn RowBlocks + Send)| {
        enter(py, &run, |ctx| select::continue_search(ctx, ridge, penalties, rows))
    };
    let found = match &x {
        Given::Blocks(blocks) => go_on(&mut blocks.get().rows(py))?,
        Given::Samples(samples) => {
            let missing = || PyTypeError::new_err("there are no targets");
            let targets = targets.ok_or_else(missing)?.read()?;
            let values = targets.regressed().map_err(|error| exception(py, error))?;
            let weights = targets.weights.as_deref();
            go_on(&mut Whole::new(samples.get().samples(), Some(&values), weights))?
        }
        Given::Matrix(_) => return Err(PyTypeError::new_err("a kernel matrix has no samples")),
    };
    Ok(into_python(py, found, saved.dtype))
}

fn into_python(py: Python<'_>, found: Search, dtype: Dtype) -> Found<'_> {
    let Search { model, kernels, tables, chosen } = found;
    let scores = tables.iter().enumerate().map(|(place, table)| {
        let kernel = kernels.get(place).map(ToString::to_string);
        let alphas = table.alphas.to_pyarray(py);
        let compared: Vec<f64> = (0..table.alphas.len()).map(|a| table.compared(a)).collect();
        let (scores, spreads) = (copied(py, &table.scores), copied(py, &table.std_errors));
        (kernel, alphas, scores, spreads, compared.to_pyarray(py))
    });
    let scores = scores.collect();
    let choice = (chosen.kernel, chosen.score.value, chosen.score.std_error);
    (Model::holding(ModelFile::new(model.into(), dtype)), scores, choice)
}
