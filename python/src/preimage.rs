//! Pre-images: samples whose images are near given components.

use mercer::io::Model as Fitted;
use mercer::model::kernel_pca::KernelPca;
use mercer::model::preimage::{Method, PreimageParams};
use mercer::real::Real;
use mercer_guard::guarded;
use numpy::{Element, PyArray1, PyReadonlyArray2, PyReadwriteArray2, ToPyArray};
use pyo3::prelude::*;

use crate::arrays::{Matrix, OutputArray, dense, output, view};
use crate::enter::{Run, enter};
use crate::fit::unknown;
use crate::model::Model;
use crate::samples::other_type;

/// The settings of a search for pre-images, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PreimageSettings {
    method: String,
    neighbours: usize,
    restarts: usize,
    max_rounds: usize,
    tolerance: f64,
}

impl PreimageSettings {
    fn params(&self) -> PyResult<PreimageParams> {
        let method = match self.method.as_str() {
            "ridge" => Method::Ridge,
            "fixed_point" => Method::FixedPoint,
            "neighbors" => Method::Neighbours,
            "gradient" => Method::Gradient,
            name => return Err(unknown("method", name)),
        };
        Ok(PreimageParams {
            method,
            neighbours: self.neighbours,
            restarts: self.restarts,
            max_rounds: self.max_rounds,
            tolerance: self.tolerance,
        })
    }
}

/// Writes the samples (m × d) that components stand for; the rows whose search did not converge.
#[guarded]
#[pyfunction]
pub fn preimages(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    scores: Matrix<'_>,
    out: OutputArray<'_>,
    settings: PreimageSettings,
    run: Run,
) -> PyResult<Vec<usize>> {
    let params = settings.params()?;
    match (&model.get().saved().model, scores, out) {
        (Fitted::KernelPca32(model), Matrix::F32(scores), OutputArray::F32(mut out)) => {
            found(py, model, &scores, &mut out, &params, &run)
        }
        (Fitted::KernelPca64(model), Matrix::F64(scores), OutputArray::F64(mut out)) => {
            found(py, model, &scores, &mut out, &params, &run)
        }
        _ => Err(other_type()),
    }
}

fn found<T: Real + Element>(
    py: Python<'_>,
    model: &KernelPca<T>,
    scores: &PyReadonlyArray2<'_, T>,
    out: &mut PyReadwriteArray2<'_, T>,
    params: &PreimageParams,
    run: &Run,
) -> PyResult<Vec<usize>> {
    let (scores, out) = (view(scores)?, output(out)?);
    let found = enter(py, run, |ctx| model.preimages(ctx, params, &dense(scores)?))?;
    out.data.copy_from_slice(found.samples.data());
    Ok(found.unconverged)
}

/// The squared distances in feature space between samples and what the components stand for.
#[guarded]
#[pyfunction]
pub fn preimage_errors<'py>(
    py: Python<'py>,
    model: &Bound<'_, Model>,
    scores: Matrix<'_>,
    samples: Matrix<'_>,
    run: Run,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let errors = match (&model.get().saved().model, &scores, &samples) {
        (Fitted::KernelPca32(model), Matrix::F32(scores), Matrix::F32(samples)) => {
            let (scores, samples) = (view(scores)?, view(samples)?);
            enter(py, &run, |ctx| model.preimage_errors(ctx, &dense(scores)?, &dense(samples)?))?
        }
        (Fitted::KernelPca64(model), Matrix::F64(scores), Matrix::F64(samples)) => {
            let (scores, samples) = (view(scores)?, view(samples)?);
            enter(py, &run, |ctx| model.preimage_errors(ctx, &dense(scores)?, &dense(samples)?))?
        }
        _ => return Err(other_type()),
    };
    Ok(errors.to_pyarray(py))
}
