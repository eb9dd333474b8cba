//! Searches over kernels and penalties, and scorers that are Python functions.

use std::sync::Mutex;

use mercer::io::{Model as Fitted, ModelFile};
use mercer::linalg::view::Mat;
use mercer::model::kernel_ridge::{KernelRidge, Targets};
use mercer::real::Real;
use mercer::select::{
    self, Fold, Metric, Score, Search, SearchParams, SquaredError, Table, Validation,
};
use mercer::{Context, Error};
use mercer_guard::guarded;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::arrays::{copied, rows};
use crate::enter::{Run, enter};
use crate::fit::{dtype_named, unknown};
use crate::kernels::Written;
use crate::model::Model;
use crate::ridge::{Aims, RidgeChoices};
use crate::samples::{Given, Rows, with_given};

/// What to compare and how, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SearchChoices<'py> {
    kernels: Vec<Written<'py>>,
    alphas: Option<Vec<f64>>,
    validation: Comparison<'py>,
    per_target: bool,
    scorer: Option<Py<PyAny>>,
    measure: String,
}

/// `"loo"`, `"gcv"`, or splits into rows to learn from and rows to judge by.
#[derive(FromPyObject)]
enum Comparison<'py> {
    Named(String),
    Splits(Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>),
}

impl SearchChoices<'_> {
    fn params(&self, py: Python<'_>, model: &RidgeChoices<'_>) -> PyResult<SearchParams> {
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
                self.keep().get_or_insert(error);
                Err(Error::Interrupted)
            }
        }
    }
}

impl Scorer {
    fn keep(&self) -> std::sync::MutexGuard<'_, Option<PyErr>> {
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

/// Chooses kernel and penalty on samples, or the penalty on a kernel matrix, and fits with them.
#[guarded]
#[pyfunction]
pub fn search<'py>(
    py: Python<'py>,
    x: Given<'_>,
    aims: Aims<'_>,
    model: RidgeChoices<'_>,
    choices: SearchChoices<'_>,
    run: Run,
) -> PyResult<Found<'py>> {
    let (task, dtype) = (Task::new(py, &aims, &model, &choices)?, dtype_named(&model.dtype));
    let finished = with_given!(x, rows => task.enter(py, &run, |ctx, targets, judge| match rows {
        Rows::Samples(x) => select::search(ctx, &task.params, x, targets, judge).map(Finished::of),
        Rows::Matrix(x) => {
            select::search_gram(ctx, &task.params, x, targets, judge).map(Finished::of)
        }
    })?);
    Ok(finished.shown(py, dtype))
}

/// What a search is given, samples aside.
struct Task {
    params: SearchParams,
    values: Mat<f64>,
    weights: Option<Vec<f64>>,
    scorer: Option<Scorer>,
}

impl Task {
    fn new(
        py: Python<'_>,
        aims: &Aims<'_>,
        model: &RidgeChoices<'_>,
        choices: &SearchChoices<'_>,
    ) -> PyResult<Self> {
        let (values, weights) = aims.read()?;
        Ok(Self { params: choices.params(py, model)?, values, weights, scorer: choices.scorer(py) })
    }

    /// Runs a search; what the scorer raised is raised.
    fn enter(
        &self,
        py: Python<'_>,
        run: &Run,
        work: impl FnOnce(&Context, Targets<'_>, &dyn Metric) -> mercer::Result<Finished> + Send,
    ) -> PyResult<Finished> {
        let (targets, weights) = (&self.values, self.weights.as_deref());
        let squared = SquaredError { targets, weights };
        let judge = self.scorer.as_ref().map_or(&squared as &dyn Metric, |scorer| scorer);
        let done = enter(py, run, |ctx| work(ctx, Targets { values: targets, weights }, judge));
        match self.scorer.as_ref().and_then(|scorer| scorer.keep().take()) {
            Some(raised) => Err(raised),
            None => done,
        }
    }
}

/// A finished search of either number type.
struct Finished {
    model: Fitted,
    kernels: Vec<String>,
    tables: Vec<Table>,
    chosen: (usize, f64, f64),
}

impl Finished {
    fn of<T: Real>(search: Search<T>) -> Self
    where
        Fitted: From<KernelRidge<T>>,
    {
        let (score, kernels) =
            (search.chosen.score, search.kernels.iter().map(ToString::to_string));
        Self {
            kernels: kernels.collect(),
            model: search.model.into(),
            tables: search.tables,
            chosen: (search.chosen.kernel, score.value, score.std_error),
        }
    }

    fn shown(self, py: Python<'_>, dtype: mercer::io::Dtype) -> Found<'_> {
        let Self { model, kernels, tables, chosen } = self;
        let scores = tables.iter().enumerate().map(|(place, table)| {
            let kernel = kernels.get(place).cloned();
            let alphas = table.alphas.to_pyarray(py);
            let compared: Vec<f64> = (0..table.alphas.len()).map(|a| table.compared(a)).collect();
            let (scores, spreads) = (copied(py, &table.scores), copied(py, &table.std_errors));
            (kernel, alphas, scores, spreads, compared.to_pyarray(py))
        });
        let scores = scores.collect();
        (Model::holding(ModelFile::new(model, dtype)), scores, chosen)
    }
}
