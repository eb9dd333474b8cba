//! Outliers by kernel PCA: fitting, scoring, and what a fitted detector tells.

use mercer::io::{Model as Fitted, Saved};
use mercer::linalg::view::MatRef;
use mercer::model::detector::{Detector, DetectorParams, Unusual};
use mercer::real::Real;
use mercer::{Context, Result};
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Samples, dense, view, with_samples};
use crate::enter::{Run, enter};
use crate::fit::{KernelPcaChoices, dtype_named, unknown};
use crate::model::{Model, other_type};

/// The score's name, the share of outliers, and whether the samples are kernel values already.
#[derive(FromPyObject)]
pub struct Rule(String, f64, bool);

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
#[pyfunction]
pub fn fit_detector(
    py: Python<'_>,
    x: Samples<'_>,
    choices: KernelPcaChoices,
    rule: Rule,
    run: Run,
) -> PyResult<Model> {
    let Rule(name, contamination, given) = rule;
    let (single, dtype) = (choices.single, dtype_named(&choices.dtype));
    let (pca, _) = choices.params(py)?;
    let params = DetectorParams { pca, score: score(&name)?, contamination };
    let model = match &x {
        Samples::F32(x) if given => {
            let x = view(x)?;
            Fitted::Detector32(enter(py, &run, |ctx| Detector::fit_gram(ctx, &params, x))?)
        }
        Samples::F64(x) if given => {
            let x = view(x)?;
            Fitted::Detector64(enter(py, &run, |ctx| Detector::fit_gram(ctx, &params, x))?)
        }
        x => with_samples!(x, x => {
            let x = view(x)?;
            enter(py, &run, |ctx| match single {
                true => Detector::fit(ctx, &params, &dense(x)?).map(Fitted::Detector32),
                false => Detector::fit(ctx, &params, &dense(x)?).map(Fitted::Detector64),
            })?
        }),
    };
    Ok(Model::holding(Saved::new(model, dtype)))
}

/// How unusual each new sample is, or each new row of a kernel matrix, which may come with `own`, the kernel value of each
/// sample with itself.
#[pyfunction]
#[pyo3(signature = (model, x, own, run))]
pub fn detector_scores<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Samples<'_>,
    own: Option<PyReadonlyArray1<'_, f64>>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let own = own.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let scores = match (&model.get().saved().model, &x) {
        (Fitted::Detector32(model), Samples::F32(x)) => {
            let x = view(x)?;
            enter(py, &run, |ctx| scores(ctx, model, x, own))?
        }
        (Fitted::Detector64(model), Samples::F64(x)) => {
            let x = view(x)?;
            enter(py, &run, |ctx| scores(ctx, model, x, own))?
        }
        _ => return Err(other_type()),
    };
    Ok(scores.to_pyarray(py))
}

fn scores<T: Real>(
    ctx: &Context,
    model: &Detector<T>,
    x: MatRef<'_, T>,
    own: Option<&[f64]>,
) -> Result<Vec<f64>> {
    match model.pca.anchors {
        Some(_) => model.scores(ctx, &dense(x)?),
        None => model.scores_gram(ctx, x, own),
    }
}

/// The score's name, the share of outliers, the threshold, and the scores of the training samples.
#[pyfunction]
pub fn detector_facts<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyDict>> {
    match &model.get().saved().model {
        Fitted::Detector32(found) => facts(model.py(), found),
        Fitted::Detector64(found) => facts(model.py(), found),
        _ => Err(PyTypeError::new_err("this model is no detector of outliers")),
    }
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
