//! Outliers by kernel PCA: fitting, scoring, and what a fitted detector tells.

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::enter::{Run, enter};
use crate::fit::{KernelPcaChoices, dtype_named, unknown};
use crate::model::Model;
use crate::samples::{Given, Number, Rows, with_given};

/// The score's name and the share of outliers.
#[derive(FromPyObject)]
pub struct Rule(String, f64);

/// Runs the same lines with `$found` bound to the detector of whichever number type.
macro_rules! with_detector {
    ($model:expr, $found:ident => $body:expr) => {
        match &$model.get().saved().model {
            Fitted::Detector32($found) => $body,
            Fitted::Detector64($found) => $body,
            _ => Err(PyTypeError::new_err("this model is no detector of outliers")),
        }
    };
}

const PROJECTIONS: &str = "projections";
const RECONSTRUCTION: &str = "reconstruction";

fn score(name: &str) -> PyResult<OutlierScore> {
    match name {
        PROJECTIONS => Ok(OutlierScore::Projections),
        RECONSTRUCTION => Ok(OutlierScore::Reconstruction),
        name => Err(unknown("criterion", name)),
    }
}

/// Fits a detector on samples or on a kernel matrix.
#[guarded]
#[pyfunction]
pub fn fit_detector(
    py: Python<'_>,
    x: Given<'_>,
    choices: KernelPcaChoices<'_>,
    rule: Rule,
    run: Run,
) -> PyResult<Model> {
    let Rule(name, contamination) = rule;
    let dtype = dtype_named(&choices.dtype);
    let (pca, _) = choices.params(py)?;
    let params = DetectorParams { pca, score: score(&name)?, contamination };
    let model = with_given!(x, rows => enter(py, &run, |ctx| match rows {
        Rows::Samples(x) => Detector::fit(ctx, &params, x),
        Rows::Matrix(x) => Detector::fit_gram(ctx, &params, x),
    })?.into());
    Ok(Model::holding(ModelFile::new(model, dtype)))
}

/// How unusual each new sample is, or each new row of a kernel matrix, which may come with `own`, the kernel value of each
/// sample with itself.
#[guarded]
#[pyfunction]
#[pyo3(signature = (model, x, own, run))]
pub fn detector_scores<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    own: Option<PyReadonlyArray1<'_, f64>>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let own = own.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let scores = with_detector!(model, found => scores(py, found, &x, own, &run))?;
    Ok(scores.to_pyarray(py))
}

fn scores<T: Number>(
    py: Python<'_>,
    model: &Detector<T>,
    x: &Given<'_>,
    own: Option<&[f64]>,
    run: &Run,
) -> PyResult<Vec<f64>> {
    let rows = x.rows::<T>()?;
    enter(py, run, |ctx| match rows {
        Rows::Samples(x) => model.scores(ctx, x),
        Rows::Matrix(x) => model.scores_gram(ctx, x, own),
    })
}

/// The score's name, the share of outliers, the threshold, and the scores of the training samples.
#[guarded]
#[pyfunction]
pub fn detector_facts<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyDict>> {
    with_detector!(model, found => facts(model.py(), found))
}

fn facts<'py, T: Real>(py: Python<'py>, model: &Detector<T>) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let criterion = match model.score {
        OutlierScore::Projections => PROJECTIONS,
        OutlierScore::Reconstruction => RECONSTRUCTION,
    };
    facts.set_item("criterion", criterion)?;
    facts.set_item("contamination", model.contamination)?;
    facts.set_item("threshold", model.threshold)?;
    facts.set_item("training", model.training.to_pyarray(py))?;
    Ok(facts)
}
