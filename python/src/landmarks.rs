//! Landmarks of low-rank fits, and fits that are continued with more rows.

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::landmarks::{
    GivenLandmarks, LandmarkCount, LandmarkMethod, LandmarkParams, LandmarkState, RowBlocks, Whole,
};
use mercer_guard::guarded;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::enter::{Run, enter};
use crate::fit::unknown;
use crate::model::Model;
use crate::ridge::TargetArrays;
use crate::samples::{Given, Samples};

/// How many landmarks, or which, from a dictionary: one of a count, a tolerance and samples is given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct LandmarkSettings<'py> {
    count: Option<usize>,
    tolerance: Option<f64>,
    samples: Option<Bound<'py, Samples>>,
    method: String,
    seed: u64,
    keep_sums: bool,
}

impl LandmarkSettings<'_> {
    /// The parameters.
    pub fn params(&self) -> PyResult<LandmarkParams> {
        let count = match (&self.samples, self.tolerance) {
            (Some(samples), _) => {
                LandmarkCount::Given(GivenLandmarks::new(samples.get().samples()))
            }
            (None, Some(tolerance)) => LandmarkCount::Tolerance(tolerance),
            (None, None) => LandmarkCount::Count(self.count.unwrap_or(0)),
        };
        let method = match self.method.as_str() {
            "pivoted_cholesky" => LandmarkMethod::PivotedCholesky,
            "uniform" => LandmarkMethod::Uniform,
            "kmeans" => LandmarkMethod::KMeans,
            name => return Err(unknown("landmark_method", name)),
        };
        Ok(LandmarkParams::new(count).method(method).seed(self.seed).keep_sums(self.keep_sums))
    }
}

/// The model of all rows so far and more, with the landmarks that it has.
#[guarded]
#[pyfunction]
#[pyo3(signature = (model, x, targets, run))]
pub fn continue_fit(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    targets: Option<TargetArrays<'_>>,
    run: Run,
) -> PyResult<Model> {
    let saved = model.get().saved();
    let samples = match &x {
        Given::Samples(samples) => samples.get().samples(),
        Given::Blocks(blocks) => {
            return continued(py, saved, &mut blocks.get().rows(py), &run);
        }
        Given::Matrix(_) => return Err(PyTypeError::new_err("a kernel matrix has no samples")),
    };
    let targets = targets.map(|y| y.read()).transpose()?;
    let values = targets.as_ref().map(|targets| targets.regressed()).transpose();
    let values = values.map_err(|error| crate::errors::exception(py, error))?;
    let weights = targets.as_ref().and_then(|targets| targets.weights.as_deref());
    continued(py, saved, &mut Whole::new(samples, values.as_ref(), weights), &run)
}

/// Refuses a model on landmarks that does not hold the sums over its samples.
pub fn refuse_without_sums(state: Option<&LandmarkState>) -> PyResult<()> {
    match state.is_some_and(|state| state.sums.is_none()) {
        true => Err(PyValueError::new_err(
            "the model was fitted by fit, which does not keep the sums that more samples are added to: use partial_fit from the start",
        )),
        false => Ok(()),
    }
}

fn continued(
    py: Python<'_>,
    saved: &ModelFile,
    rows: &mut (dyn RowBlocks + Send),
    run: &Run,
) -> PyResult<Model> {
    let keeps = match &saved.model {
        Fitted::KernelPca(pca) => pca.landmarks.as_ref(),
        Fitted::Detector(detector) => detector.pca.landmarks.as_ref(),
        Fitted::KernelRidge(ridge) => ridge.landmarks.as_ref(),
        _ => return Err(PyTypeError::new_err("this model cannot be continued")),
    };
    refuse_without_sums(keeps)?;
    let next: Fitted = match &saved.model {
        Fitted::Detector(detector) => {
            let mut detector = detector.clone();
            enter(py, run, |ctx| detector.continue_with(ctx, rows).map(|()| detector))?.into()
        }
        Fitted::KernelPca(pca) => {
            let mut pca = pca.clone();
            enter(py, run, |ctx| pca.continue_with(ctx, rows).map(|()| pca))?.into()
        }
        Fitted::KernelRidge(ridge) => {
            let mut ridge = ridge.clone();
            enter(py, run, |ctx| ridge.continue_with(ctx, rows).map(|()| ridge))?.into()
        }
        _ => return Err(PyTypeError::new_err("this model cannot be continued")),
    };
    Ok(Model::holding(ModelFile { model: next, ..saved.clone() }))
}

/// What the landmarks of a model leave of each sample.
#[guarded]
#[pyfunction]
pub fn landmark_residuals<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    x: Given<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (model, input) = (&model.get().saved().model, x.input()?);
    let values = enter(py, &run, |ctx| match model {
        Fitted::KernelPca(pca) => pca.landmark_residuals(ctx, input),
        Fitted::Detector(detector) => detector.pca.landmark_residuals(ctx, input),
        Fitted::KernelRidge(ridge) => ridge.landmark_residuals(ctx, input),
        Fitted::KernelKMeans(clusters) => clusters.landmark_residuals(ctx, input),
        _ => Err(mercer::Error::parameter(
            mercer::error::Param::Landmarks,
            "the model was fitted without landmarks",
        )),
    })?;
    Ok(PyArray1::from_vec(py, values))
}
