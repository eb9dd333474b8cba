//! Outlier detection by kernel PCA: fitting, scoring, and the attributes of a fitted detector.

use mercer::io::{Model as Fitted, Saved};
use mercer::model::detector::{Detector, DetectorParams, Unusual};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::enter::{Run, enter};
use crate::fit::{KernelPcaSettings, dtype_named, unknown};
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
            _ => Err(PyTypeError::new_err("this model is not an outlier detector")),
        }
    };
}

const PROJECTIONS: &str = "projections";
const RECONSTRUCTION: &str = "reconstruction";

fn score(name: &str) -> PyResult<Unusual> {
    match name {
        PROJECTIONS => Ok(Unusual::Projections),
        RECONSTRUCTION => Ok(Unusual::Reconstruction),
        name => Err(unknown("criterion", name)),
    }
}

/// Fits a detector on samples or on a kernel matrix.
#[guarded]
#[pyfunction]
pub fn fit_detector(
    py: Python<'_>,
    x: Given<'_>,
    settings: KernelPcaSettings<'_>,
    rule: Rule,
    run: Run,
) -> PyResult<Model> {
    let Rule(name, contamination) = rule;
    let dtype = dtype_named(&settings.dtype);
    let (pca, _) = settings.params(py)?;
    let params = DetectorParams { pca, score: score(&name)?, contamination };
    let model = with_given!(x, rows => enter(py, &run, |ctx| match rows {
        Rows::Samples(x) => Detector::fit(ctx, &params, x),
        Rows::Matrix(x) => Detector::fit_gram(ctx, &params, x),
    })?.into());
    Ok(Model::holding(Saved::new(model, dtype)))
}

/// How unusual each new sample is, or each new row of a kernel matrix, which may come with `diagonal`, the kernel value of each
/// sample with itself.
#[guarded]
#[pyfunction]
#[pyo3(signature = (model, x, diagonal, run))]
pub fn detector_scores<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    diagonal: Option<PyReadonlyArray1<'_, f64>>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let diagonal = diagonal.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let scores = with_detector!(model, found => scores(py, found, &x, diagonal, &run))?;
    Ok(scores.to_pyarray(py))
}

fn scores<T: Number>(
    py: Python<'_>,
    model: &Detector<T>,
    x: &Given<'_>,
    diagonal: Option<&[f64]>,
    run: &Run,
) -> PyResult<Vec<f64>> {
    let rows = x.rows::<T>()?;
    enter(py, run, |ctx| match rows {
        Rows::Samples(x) => model.scores(ctx, x),
        Rows::Matrix(x) => model.scores_gram(ctx, x, diagonal),
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
        Unusual::Projections => PROJECTIONS,
        Unusual::Reconstruction => RECONSTRUCTION,
    };
    facts.set_item("criterion", criterion)?;
    facts.set_item("contamination", model.contamination)?;
    facts.set_item("threshold", model.threshold)?;
    facts.set_item("training", model.training.to_pyarray(py))?;
    Ok(facts)
}
