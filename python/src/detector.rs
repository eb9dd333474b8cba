//! Outlier detection by kernel PCA: fitting, scoring, and the attributes of a fitted detector.

use mercer::Context;
use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer_guard::guarded;
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::enter::{Run, enter};
use crate::fit::{KernelPcaSettings, dtype_named, unknown};
use crate::model::Model;
use crate::samples::Given;

/// The score's name and the share of outliers.
#[derive(FromPyObject)]
pub struct Rule(String, f64);

fn detector_of(model: &Model) -> PyResult<&Detector> {
    match &model.saved().model {
        Fitted::Detector(detector) => Ok(detector),
        _ => Err(PyTypeError::new_err("this model is not an outlier detector")),
    }
}

fn score(name: &str) -> PyResult<OutlierScore> {
    match name {
        "projections" => Ok(OutlierScore::Projections),
        "reconstruction" => Ok(OutlierScore::Reconstruction),
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
    let mut params =
        DetectorParams::new(pca.kernel.clone()).score(score(&name)?).contamination(contamination);
    params.pca = pca;
    if let Given::Blocks(blocks) = &x {
        let (mut rows, single) = (blocks.get().rows(py), blocks.get().dtype);
        let fit = |ctx: &Context| Detector::fit_blocks(ctx, &params, &mut rows, single);
        return Ok(Model::holding(ModelFile::new(enter(py, &run, fit)?.into(), dtype)));
    }
    let input = x.input()?;
    let model = enter(py, &run, |ctx| Detector::fit(ctx, &params, input))?;
    Ok(Model::holding(ModelFile::new(model.into(), dtype)))
}

/// The detector with another fraction of outliers among its training samples.
#[guarded]
#[pyfunction]
pub fn with_contamination(model: &Bound<'_, Model>, contamination: f64) -> PyResult<Model> {
    let detector = detector_of(model.get())?.clone().with_contamination(contamination);
    let saved = model.get().saved().clone();
    Ok(Model::holding(ModelFile { model: detector.into(), ..saved }))
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
    let (detector, input) = (detector_of(model.get())?, x.input()?);
    let input = diagonal.map_or(input.clone(), |diagonal| input.with_diagonal(diagonal));
    Ok(enter(py, &run, |ctx| detector.scores(ctx, input))?.to_pyarray(py))
}

/// The score's name, the share of outliers, the threshold, and the scores of the training samples.
#[guarded]
#[pyfunction]
pub fn detector_facts<'py>(model: &Bound<'py, Model>) -> PyResult<Bound<'py, PyDict>> {
    let (py, detector) = (model.py(), detector_of(model.get())?);
    let facts = PyDict::new(py);
    facts.set_item("criterion", detector.score.name())?;
    facts.set_item("contamination", detector.contamination)?;
    facts.set_item("threshold", detector.threshold)?;
    facts.set_item("training", detector.training.to_pyarray(py))?;
    Ok(facts)
}
